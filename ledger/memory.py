"""`MemoryLog`: the reference log, in dictionaries. What it does, every other log must do.

Source: DESIGN section 6.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from ledger.disclosure import Opening
from ledger.errors import ProofError, StoreError
from ledger.event import Event
from ledger.log import EMPTY_HEAD, Clock, Head, Snapshot, Transaction, Tree, TreeReader
from ledger.transaction import Batch, PendingTransaction, extend, transaction_time
from ledger.view import StateRow, View

T = TypeVar("T")


class MemoryNodes:
    """Reads one tree's nodes from a list."""

    def __init__(self, events: Sequence[bytes], rows: Sequence[tuple[bytes, bytes]], column: int) -> None:
        self._events = events
        self._rows = rows
        self._column = column

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Give the nodes at these positions, in the same order."""
        if any(not 0 <= position < len(self._rows) for position in positions):
            raise ProofError("the log has no such node")
        return [self._rows[position][self._column] for position in positions]

    def read_with(self, seqs: Sequence[int], positions: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        """Give events and nodes, each in the order asked."""
        if any(not 0 <= seq < len(self._events) for seq in seqs):
            raise ProofError("the log has no such event")
        return [self._events[seq] for seq in seqs], self.read(positions)


class MemoryLog:
    """A log that lives as long as the process."""

    def __init__(self, views: Sequence[View], clock: Clock) -> None:
        self._views = views
        self._clock = clock
        self._lock = threading.RLock()
        self._events: list[bytes] = []
        self._nodes: list[tuple[bytes, bytes]] = []
        self._claims: dict[str, int] = {}
        self._tags: dict[str, list[int]] = {}
        self._states: dict[tuple[str, str], StateRow] = {}
        self._openings: dict[int, tuple[Opening, ...]] = {}
        self._checkpoints: dict[int, bytes] = {}
        self._cosignatures: dict[int, dict[str, str]] = {}
        self._timestamps: dict[int, dict[str, bytes]] = {}
        self.head: Head = EMPTY_HEAD
        self.confirm_clock = False

    def read(self, work: Callable[[Snapshot], T]) -> T:
        """Run ``work`` on the log as it stands."""
        with self._lock:
            return work(self)

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone and keep what it appended, or nothing."""
        with self._lock:
            at = transaction_time(self.head, self._clock(), confirmed=self.confirm_clock)
            pending = PendingTransaction(self, self._views, at)
            result = work(pending)
            self._commit(pending.batch)
            return result

    def extend(self, events: Sequence[Event], openings: Mapping[int, Sequence[Opening]]) -> Head:
        """Add events that have their bytes already."""
        with self._lock:
            self._commit(extend(self, self._views, events, openings))
            return self.head

    def _commit(self, batch: Batch) -> None:
        self._events += [event.data for event in batch.events]
        self._nodes += [(own, twin) for _, own, twin in batch.nodes]
        self._claims |= batch.claims
        for tag, seq in batch.tags:
            self._tags.setdefault(tag, []).append(seq)
        self._states |= batch.states
        self._openings |= batch.openings
        for seq, path in batch.erased:
            self._openings[seq] = tuple(one for one in self._openings[seq] if one.path != path)
        self.head = batch.head

    def store_checkpoint(self, size: int, note: bytes) -> None:
        """Keep a signed checkpoint."""
        with self._lock:
            if self._checkpoints.setdefault(size, note) != note:
                raise StoreError(f"another checkpoint of size {size} stands already")

    def store_cosignature(self, size: int, witness: str, line: str) -> None:
        """Keep what a witness added to a checkpoint."""
        with self._lock:
            self._require_checkpoint(size)
            self._cosignatures.setdefault(size, {}).setdefault(witness, line)

    def store_timestamp(self, size: int, authority: str, token: bytes) -> None:
        """Keep an RFC 3161 token over a checkpoint."""
        with self._lock:
            self._require_checkpoint(size)
            self._timestamps.setdefault(size, {}).setdefault(authority, token)

    def _require_checkpoint(self, size: int) -> None:
        if size not in self._checkpoints:
            raise StoreError(f"no checkpoint of size {size} is kept")

    def close(self) -> None:
        """Nothing to let go of."""

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None."""
        return self._events[seq] if 0 <= seq < len(self._events) else None

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``, in order."""
        return iter(list(enumerate(self._events))[start:stop])

    def tagged(self, tag: str) -> Sequence[int]:
        """Give the events that carry a tag, oldest first."""
        return tuple(self._tags.get(tag, ()))

    def tags(self, prefix: str) -> Iterator[str]:
        """Give each tag that begins so, once, in the order of their bytes."""
        return iter(sorted((tag for tag in self._tags if tag.startswith(prefix)), key=str.encode))

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None."""
        return self._claims.get(key)

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key, or None."""
        return self._states.get((view, key))

    def states(self, view: str) -> Iterator[StateRow]:
        """Give all current states of a view, sorted by key."""
        return iter([self._states[name, key] for name, key in sorted(self._states) if name == view])

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event, sorted by path."""
        return sorted(self._openings.get(seq, ()), key=lambda opening: opening.path)

    def salted(self, salts: Collection[bytes]) -> Iterator[tuple[int, str]]:
        """Give, in any order, event and path of each opening under one of these salts."""
        kept = [(seq, one) for seq, openings in self._openings.items() for one in openings]
        return ((seq, one.path) for seq, one in kept if one.salt in salts)

    def nodes(self, tree: Tree) -> TreeReader:
        """Give access to the nodes of one tree."""
        return MemoryNodes(self._events, self._nodes, 0 if tree == "blake3" else 1)

    def checkpoints(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints of ``start`` events and more, smallest first."""
        return iter(sorted((size, note) for size, note in self._checkpoints.items() if size >= start))

    def newest_checkpoint(self, stop: int | None = None) -> tuple[int, bytes] | None:
        """Give the newest stored checkpoint, or the newest of fewer than ``stop`` events; None where there is none."""
        below = [size for size in self._checkpoints if stop is None or size < stop]
        return (max(below), self._checkpoints[max(below)]) if below else None

    def cosignatures(self, size: int) -> Sequence[tuple[str, str]]:
        """Give what witnesses added to the checkpoint of this size, sorted by witness."""
        return sorted(self._cosignatures.get(size, {}).items())

    def last_cosigned(self, witness: str) -> int | None:
        """Give the largest size that a witness has cosigned, or None."""
        return max((size for size, lines in self._cosignatures.items() if witness in lines), default=None)

    def timestamps(self, size: int) -> Sequence[tuple[str, bytes]]:
        """Give the RFC 3161 tokens over the checkpoint of this size, sorted by authority."""
        return sorted(self._timestamps.get(size, {}).items())
