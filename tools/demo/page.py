"""One chapter as it is told: what is said, what is shown, and what must hold.

Source: issue 2 section 7 (each step is checked, not merely narrated).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ledger.canon import Json


@dataclass(slots=True)
class Page:
    """A chapter.

    Attributes:
        lines: the text, line by line.
        checks: what had to hold, and whether it did.
        facts: what a program wants to know of it.
    """

    number: int
    title: str
    lines: list[str] = field(default_factory=list)
    checks: list[tuple[str, bool]] = field(default_factory=list)
    facts: dict[str, Json] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether everything that had to hold did; a chapter that checks nothing does not."""
        return bool(self.checks) and all(held for _, held in self.checks)

    def tell(self, text: str) -> None:
        """Say something."""
        self.lines.append(text)

    def show(self, lines: Iterable[str]) -> None:
        """Show something, indented."""
        self.lines += [f"    {line}" for line in lines]

    def expect(self, what: str, holds: bool) -> None:
        """Say what must hold, and keep whether it does."""
        self.checks.append((what, holds))
        self.lines.append(f"  {'ok   ' if holds else 'WRONG'}  {what}")

    def text(self) -> str:
        """Give the chapter for people."""
        return "\n".join([f"{self.number}. {self.title}", *self.lines, ""])

    def to_json(self) -> dict[str, Json]:
        """Give the chapter as one JSON object."""
        return {
            "step": self.number,
            "title": self.title,
            "ok": self.holds,
            "checks": [{"what": what, "ok": held} for what, held in self.checks],
            **self.facts,
        }
