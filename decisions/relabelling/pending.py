"""The store with acts that are about to be signed together, each judged after those before it.

Source: docs/adr/0017.
"""

from collections.abc import Sequence

from grants.book import VIEWS
from grants.issue import Prepared
from ledger.disclosure import Opening
from ledger.event import seal
from ledger.instant import Instant
from ledger.log import Snapshot
from ledger.view import StateRow, step


class Pending:
    """A reader of the states as they would be after the acts that it was given.

    Args:
        below: the log.
        at: now.
    """

    def __init__(self, below: Snapshot, at: Instant) -> None:
        self._below = below
        self._at = at
        self._size = below.head.size
        self._rows: dict[tuple[str, str], StateRow] = {}

    def take(self, prepared: Prepared) -> Prepared:
        """Fold an act that is not signed yet, and give it back."""
        draft = prepared.draft({"key": min(prepared.keys, default=""), "armour": ""})
        event = seal(draft, self._size, self._at)
        for view in VIEWS:
            for key in view.keys(event):
                self._rows[view.name, key] = step(view, key, self.state(view.name, key), event)
        self._size += 1
        return prepared

    def state(self, view: str, key: str) -> StateRow | None:
        """Give a state, or what it would be."""
        return self._rows.get((view, key)) or self._below.state(view, key)

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event that stands."""
        return self._below.event_bytes(seq)

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings of an event that stands."""
        return self._below.openings(seq)
