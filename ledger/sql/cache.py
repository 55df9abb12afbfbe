"""The states that a writer read or wrote last, kept in memory so that a decision need not ask the database for them.

Nothing stale is ever read. Each transaction of the writer begins with the head, read under the database's write lock:
if it is not the one that the cache knows, another process has appended, and the states that its events touched are
dropped before anything is read (`StateCache.catch_up`). If too much happened, if the head does not continue the one
that is known, or if the states were made anew, all are dropped. That a key has no state is kept too.

States hold no opened disclosable value, so nothing that an erasure takes away can remain here.

Source: DESIGN section 6 (views).
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

from ledger import mmr
from ledger.errors import LedgerError, ProofError
from ledger.event import Registry
from ledger.log import Head
from ledger.sql.driver import Driver
from ledger.sql.rows import to_row
from ledger.sql.snapshot import SqlSnapshot
from ledger.transaction import Batch
from ledger.view import StateRow, View

LIMIT: Final = 64 * 1024 * 1024
"""How many bytes of states are kept at most."""

BEHIND: Final = 1000
"""After so many events of other processes it is cheaper to begin anew."""

EVENTS: Final = 256
"""How many events are kept at most."""

EVENT: Final = 128 * 1024
"""A larger event is not kept."""

_ENTRY: Final = 400
"""What an entry takes beside its texts, about."""

_Key = tuple[str, str]


class StateCache:
    """States by view and key, the ones used last; for one thread at a time.

    Args:
        views: the folds whose states are kept.
        registry: the event types, to see what other processes changed; without it all is dropped then.
        limit: how many bytes are kept at most.
    """

    def __init__(self, views: Sequence[View], registry: Registry | None, limit: int = LIMIT) -> None:
        self._views = views
        self._registry = registry
        self._limit = limit
        self._rows: OrderedDict[_Key, tuple[StateRow | None]] = OrderedDict()
        self._events: dict[int, bytes] = {}
        self._head: Head | None = None
        self._generation = 0
        # The row that the head and the generation stand in, if this process wrote it.
        self._standing: tuple[Any, ...] | None = None
        self.size = 0

    def __contains__(self, key: _Key) -> bool:
        return key in self._rows

    def get(self, key: _Key) -> tuple[StateRow | None] | None:
        """Give what is kept of a key, in a tuple: its state, or None where it has none. None if nothing is kept."""
        found = self._rows.get(key)
        if found is not None:
            self._rows.move_to_end(key)
        return found

    def keep(self, key: _Key, row: StateRow | None) -> None:
        """Keep a key's state, and drop what was used longest ago if that is too much."""
        self._drop(key)
        self._rows[key] = (row,)
        self.size += _weight(key, row)
        while self.size > self._limit:
            self._drop(next(iter(self._rows)))

    def event(self, seq: int) -> bytes | None:
        """Give the bytes that are kept of an event, or None. An event never changes."""
        return self._events.get(seq)

    def keep_event(self, seq: int, data: bytes) -> None:
        """Keep an event that authority rests on, and so is read again; the one that came first goes first."""
        if len(data) > EVENT:
            return
        while len(self._events) >= EVENTS:
            del self._events[next(iter(self._events))]
        self._events[seq] = data

    def clear(self) -> None:
        """Drop everything."""
        self._rows.clear()
        self._events.clear()
        self.size = 0

    def catch_up(self, snapshot: SqlSnapshot) -> None:
        """Drop what is no longer current, as the writer's transaction begins.

        Args:
            snapshot: the look of a transaction that holds the database's write lock.
        """
        if self._standing is not None and self._head is not None and snapshot.stands(self._standing, self._head):
            # Nobody else has written since: by far the most cases, told by one comparison.
            return
        known, head, generation = self._head, snapshot.head, snapshot.generation
        if known is None or generation != self._generation or not _continues(snapshot, known):
            self.clear()
        elif head.size > known.size:
            self._drop_touched(snapshot, known.size)
        self._head, self._generation, self._standing = head, generation, None

    def follow(self, batch: Batch) -> None:
        """Keep what a transaction wrote that began with `catch_up` and was committed."""
        for key, row in batch.states.items():
            self.keep(key, row)
        head = self._head = batch.head
        self._standing = (*to_row(head), self._generation)

    def _drop_touched(self, snapshot: SqlSnapshot, since: int) -> None:
        if self._registry is None:
            self.clear()
            return
        try:
            for _, data in snapshot.events(since):
                event = self._registry.parse(data)
                for view in self._views:
                    for key in view.keys(event):
                        self._drop((view.name, key))
        except LedgerError:
            # An event of a newer version, or damage: what it changed can't be told, so nothing is trusted.
            self.clear()

    def _drop(self, key: _Key) -> None:
        if key in self._rows:
            self.size -= _weight(key, self._rows.pop(key)[0])


class CachedSnapshot(SqlSnapshot):
    """The writer's look: states come from the cache where it has them."""

    def __init__(self, driver: Driver, cache: StateCache) -> None:
        super().__init__(driver.connection, driver)
        cache.catch_up(self)
        self._cache = cache
        self._claimed: dict[str, int | None] = {}

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None; within one transaction that is asked once."""
        if key not in self._claimed:
            self._claimed[key] = super().claimed(key)
        return self._claimed[key]

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None; those of events that were read lately are kept."""
        found = self._cache.event(seq)
        if found is None:
            found = super().event_bytes(seq)
            if found is not None:
                self._cache.keep_event(seq, found)
        return found

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key, or None."""
        place = (view, key)
        found = self._cache.get(place)
        if found is not None:
            return found[0]
        row = super().state(view, key)
        self._cache.keep(place, row)
        return row


def _continues(snapshot: SqlSnapshot, known: Head) -> bool:
    """Tell whether the log that is seen is the known one, or the known one and a few events more."""
    head = snapshot.head
    if head.size == known.size:
        return head == known
    if not 0 < head.size - known.size <= BEHIND:
        return False
    try:
        # Nodes never move: the peaks of then still stand, unless this is another log.
        return snapshot.nodes("blake3").read(mmr.peak_positions(known.size)) == list(known.blake3_peaks)
    except ProofError:
        return False


def _weight(key: _Key, row: StateRow | None) -> int:
    return _ENTRY + len(key[0]) + len(key[1]) + (len(row.data) if row else 0)
