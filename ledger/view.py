"""Views: pure folds over the events, whose current states are rows beside the log.

A view says which of its keys an event touches, and folds the event into the state of each. It reads its own state
and the event, nothing else, so that anyone who has the events has the states.

Source: DESIGN section 6 (views).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from ledger import canon, digest
from ledger.canon import Json
from ledger.digest import be64
from ledger.event import Event

State = dict[str, Json]

_SMALL: Final = 16_384
"""Of states of fewer bytes more digests are remembered."""


class View(Protocol):
    """One fold.

    Attributes:
        name: the view's name, as in the states table.
    """

    name: str

    def keys(self, event: Event) -> Iterable[str]:
        """Give the keys whose state this event changes."""

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Give the state of ``key`` after the event.

        Raises:
            ViewError: the event contradicts what stands before it.
        """


@dataclass(frozen=True, slots=True)
class StateRow:
    """The current state of one key of one view.

    Attributes:
        seq: the event that changed it last.
        data: the state in canonical bytes.
    """

    view: str
    key: str
    seq: int
    data: bytes

    @property
    def state(self) -> State:
        """The state itself."""
        return canon.decode_object(self.data)

    @property
    def digest(self) -> bytes:
        """The digest that a decision records of what it read."""
        return _digest(self.data) if len(self.data) < _SMALL else _large_digest(self.data)


# A decision records the digests of all that it read, and most of it is the same each time.
_digest, _large_digest = lru_cache(maxsize=2048)(digest.document), lru_cache(maxsize=8)(digest.document)


def fold(views: Sequence[View], events: Iterable[Event]) -> dict[tuple[str, str], StateRow]:
    """Fold events, in order, into the states of every view."""
    rows: dict[tuple[str, str], StateRow] = {}
    for event in events:
        for view in views:
            for key in view.keys(event):
                before = rows.get((view.name, key))
                rows[view.name, key] = step(view, key, before, event)
    return rows


def step(view: View, key: str, before: StateRow | None, event: Event) -> StateRow:
    """Fold one event into one key's row."""
    after = view.apply(key, before.state if before else None, event)
    return StateRow(view.name, key, event.seq, canon.encode(after))


def states_digest(rows: Iterable[StateRow]) -> bytes:
    """Hash all rows, sorted by view and key; view, key, be64(seq) and state each framed by its be64 length."""
    return sorted_states_digest(sorted(rows, key=lambda row: (row.view.encode(), row.key.encode())))


def sorted_states_digest(rows: Iterable[StateRow]) -> bytes:
    """Hash all rows as `states_digest` does; they come sorted by the bytes of view and key, and none is kept."""
    return digest.document_of(
        be64(len(part)) + part
        for row in rows
        for part in (row.view.encode(), row.key.encode(), be64(row.seq), row.data)
    )
