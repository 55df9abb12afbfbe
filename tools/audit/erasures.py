"""What the log says of openings that are not there, and of such as should not be.

Source: DESIGN section 8; docs/spec/erasure.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from ledger.event import Event, erasure_claim
from ledger.sql.ranges import Row
from tools.audit.report import Tallies

_NAMED = 3


class Tables(Protocol):
    """What is looked up."""

    def claimant(self, key: str) -> object:
        """Give what stands as the event that holds a unique key, or None."""

    def openings(self, seq: int) -> list[Row]:
        """Give (seq, path, salt, value) of the openings of one event."""


@dataclass(slots=True)
class Closed:
    """Counts the disclosable fields that have no opening.

    Attributes:
        erased: of these an event says that it erased them.
        missing: of these none does; the first are named.
    """

    erased: int = 0
    missing: int = 0
    named: list[str] = field(default_factory=list)

    def look(self, tables: Tables, seq: int, paths: Iterable[str]) -> None:
        """Ask of each of these fields, which have no opening, whether it was erased."""
        for path in paths:
            if tables.claimant(erasure_claim(seq, path)) is not None:
                self.erased += 1
                continue
            self.missing += 1
            if len(self.named) < _NAMED:
                self.named.append(f"{path} of event {seq}")

    def merge(self, later: "Closed") -> None:
        """Take over what was found further on."""
        self.erased += later.erased
        self.missing += later.missing
        self.named += later.named[: _NAMED - len(self.named)]

    def tell(self, tallies: Tallies) -> None:
        """Say what was found; a missing opening is no proof of anything, for nothing commits to its being kept."""
        if self.erased:
            tallies.note("disclosures", f"{self.erased} erased")
        if self.missing:
            more = f" and {self.missing - len(self.named)} more" if self.missing > len(self.named) else ""
            told = f"{self.missing} not there, and no event erased them: {', '.join(self.named)}{more}"
            tallies.skip("disclosures", told)


def standing(tables: Tables, event: Event) -> Iterator[tuple[str, str]]:
    """Give each opening that stands although this event erased it: its key, and what is wrong."""
    for seq, path in event.body.erases():
        if any(row[1] == path for row in tables.openings(seq)):
            yield f"{seq} {path}", f"event {event.seq} erased it, and its opening stands here"
