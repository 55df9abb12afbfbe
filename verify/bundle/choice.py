"""Which disclosable fields a bundle opens: patterns over pointers, of one event or of every event.

    /args                  this field, and what lies below it, in every event of the bundle
    41:/args               the same in event 41 alone
    /operands/*/content    * stands for one part of a pointer

Source: DESIGN section 8; RFC 6901.
"""

import re
from dataclasses import dataclass
from typing import Final

from verify.errors import BundleError

ANY: Final = "*"

_PATTERN: Final = re.compile(r"(?:(0|[1-9][0-9]{0,15}):)?(/[^\s:]+)", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class FieldPattern:
    """Some disclosable fields.

    Attributes:
        pointer: of the body; it covers what lies below it, and ``*`` stands for one part.
        seq: the event, or None for every event.
    """

    pointer: str
    seq: int | None = None

    @classmethod
    def parse(cls, text: str) -> "FieldPattern":
        """Read a pattern.

        Raises:
            BundleError: it has another form.
        """
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise BundleError(f"a field is named by its pointer, such as /args or 12:/reason, and not {text[:60]!a}")
        return cls(match[2], None if match[1] is None else int(match[1]))

    def __str__(self) -> str:
        return self.pointer if self.seq is None else f"{self.seq}:{self.pointer}"

    def covers(self, seq: int, path: str) -> bool:
        """Tell whether a field is meant."""
        wanted, parts = self.pointer.split("/"), path.split("/")
        return (
            self.seq in {None, seq}
            and len(wanted) <= len(parts)
            and all(one in {ANY, part} for one, part in zip(wanted, parts, strict=False))
        )


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Which fields a bundle opens. What is needed to decide again is opened too, unless it is hidden or was erased.

    Attributes:
        opened: the fields to open.
        hidden: the fields to keep closed, whatever else is said; and whatever holds the same value.
        everything: open all that can be opened.
    """

    opened: frozenset[FieldPattern] = frozenset()
    hidden: frozenset[FieldPattern] = frozenset()
    everything: bool = False

    def opens(self, seq: int, path: str, *, needed: bool = False) -> bool:
        """Tell whether this field is to be opened; ``needed`` says that nobody can decide again without it."""
        wanted = needed or self.everything or any(pattern.covers(seq, path) for pattern in self.opened)
        return wanted and not self.hides(seq, path)

    def hides(self, seq: int, path: str) -> bool:
        """Tell whether this field is to stay closed."""
        return any(pattern.covers(seq, path) for pattern in self.hidden)


NEEDED: Final = Disclosure()
"""Only what is needed to decide again: the reading of trust that was used."""

EVERYTHING: Final = Disclosure(everything=True)
