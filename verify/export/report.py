"""What a check of an export says: one line for each link, as for a bundle.

Source: DESIGN sections 1 and 13; docs/spec/export.md.
"""

from dataclasses import dataclass
from typing import Final

from ledger.canon import Json
from verify.check.report import Line, Outcome, failed, not_checked, passed

CHECKS: Final = (
    "index",
    "files",
    "events",
    "tree BLAKE3",
    "tree SHA-256",
    "checkpoints",
    "witnesses",
    "time stamps",
    "first human",
    "signatures",
    "states",
    "disclosures",
)
"""Every check, in its order."""

LIMITS: Final = (
    "These are all events up to the last checkpoint, and nothing stands between them. It is not shown that everybody "
    "was shown the same log (witnesses show that), that no earlier or later checkpoint was left out, that each verdict "
    "follows from what it rested on (a bundle shows that of one decision), that the clock was right, or that whatever "
    "happened was recorded."
)
"""What a verified export does not prove, and what would."""


@dataclass(frozen=True, slots=True)
class LogReport(Outcome):
    """The outcome of all checks of one export.

    Attributes:
        origin: the log, as the index names it.
        size: how many events, as the index says.
        lines: one for each of `CHECKS`.
    """

    origin: str
    size: int
    lines: tuple[Line, ...]

    def to_json(self) -> dict[str, Json]:
        """Give the report as one JSON object."""
        return {
            "code": "verified" if self.verified else "failed",
            "verified": self.verified,
            "origin": self.origin,
            "size": self.size,
            "failed": list(self.failed),
            "not_checked": list(self.unchecked),
            "checks": [line.to_json() for line in self.lines],
            "limits": LIMITS,
        }


@dataclass(slots=True)
class Tally:
    """How many things were tried, how many do not hold, and the first that does not.

    Attributes:
        end: why not all could be tried, or an empty text.
    """

    check: str
    total: int = 0
    bad: int = 0
    first: str = ""
    end: str = ""

    def tried(self, count: int = 1) -> None:
        """Count things that were tried."""
        self.total += count

    def fault(self, why: str) -> None:
        """Record that one does not hold."""
        self.bad += 1
        self.first = self.first or why

    def stop(self, why: str) -> None:
        """Record that the rest can't be tried."""
        self.end = self.end or why

    def line(self, holds: str, note: str = "") -> Line:
        """Give the line: ``<good>/<total> <holds>``, and what else is to be said where all hold."""
        good = max(self.total - self.bad, 0)
        count = f"{good}/{self.total} {holds}"
        if self.bad:
            more = f" (and {self.bad - 1} more)" if self.bad > 1 else ""
            return failed(self.check, f"{count}: {self.first}{more}", good, self.total)
        if self.end:
            return not_checked(self.check, f"{count}, and then no more: {self.end}", self.total)
        return passed(self.check, f"{count}{note}", self.total)
