"""The states as they stood before an event, each folded from the events that made it: no need to fold the whole log.

Source: DESIGN section 6 (claims, tags, views); verify.bundle.source.
"""

from collections.abc import Sequence

from ledger.disclosure import Opening
from ledger.errors import LedgerError
from ledger.event import Registry
from ledger.log import Snapshot
from ledger.view import StateRow, View, step
from verify.bundle.source import LogSource
from verify.errors import ReplayError


class Past:
    """A `StateReader` over a log as it stood before one event.

    Args:
        snapshot: the log.
        registry: the event types.
        views: the folds.
        seq: the event.
    """

    def __init__(self, snapshot: Snapshot, registry: Registry, views: Sequence[View], seq: int) -> None:
        self._snapshot = snapshot
        self._source = LogSource(snapshot, registry, views, seq)
        self._views = {view.name: view for view in views}
        self._seq = seq

    def state(self, view: str, key: str) -> StateRow | None:
        """Give a state as it stood.

        Raises:
            BundleError: nobody knows which events change such a view.
            ReplayError: the events do not follow from each other.
        """
        row: StateRow | None = None
        for event in self._source.touching(view, key):
            try:
                row = step(self._views[view], key, row, event)
            except LedgerError as error:
                raise ReplayError(f"event {event.seq}: {error}") from error
        return row

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event that stood before."""
        return self._snapshot.event_bytes(seq) if seq < self._seq else None

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept today: what was erased since is not there."""
        return self._snapshot.openings(seq) if seq < self._seq else ()
