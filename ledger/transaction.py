"""One transaction: what an append adds to every table, worked out once for every kind of log.

`Batch` is the whole of what a log then makes durable in one stroke: a log that can read (`Snapshot`) and can write
a batch atomically is a log.

Source: DESIGN section 6.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ledger import digest, disclosure, mmr
from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, ClockError, DisclosureError
from ledger.event import Draft, Event, seal
from ledger.instant import Instant, from_microseconds, to_microseconds
from ledger.log import MAX_BACKWARD, MAX_FORWARD, Head, Snapshot, Tree, TreeReader
from ledger.view import StateRow, View, step


@dataclass(slots=True)
class Batch:
    """The rows that one transaction adds, by table, and the openings that it takes away.

    Attributes:
        erased: (event, pointer) of openings that stood before this transaction; none of them was added by it.
    """

    head: Head
    events: list[Event] = field(default_factory=list)
    nodes: list[tuple[int, bytes, bytes]] = field(default_factory=list)
    claims: dict[str, int] = field(default_factory=dict)
    tags: list[tuple[str, int]] = field(default_factory=list)
    states: dict[tuple[str, str], StateRow] = field(default_factory=dict)
    openings: dict[int, tuple[Opening, ...]] = field(default_factory=dict)
    erased: set[tuple[int, str]] = field(default_factory=set)


def transaction_time(head: Head, now: int, *, confirmed: bool) -> Instant:
    """Give the one time of a transaction: the clock's, never before the last event.

    Args:
        head: where the log stands.
        now: the clock, in microseconds.
        confirmed: an operator says that a long jump forward is right.

    Raises:
        ClockError: the clock is more than two seconds behind the last event, or far ahead without confirmation.
    """
    if head.at is None:
        return from_microseconds(now)
    last = to_microseconds(head.at)
    if now < last - MAX_BACKWARD:
        raise ClockError(
            f"the clock says {from_microseconds(now)}, before the last event at {head.at} (CLOCK_REGRESSION): "
            "set the machine's clock right"
        )
    if now > last + MAX_FORWARD and not confirmed:
        raise ClockError(
            f"the clock says {from_microseconds(now)}, far after the last event at {head.at}: "
            "if that is right, run the command once with --confirm-clock"
        )
    return max(head.at, from_microseconds(now))


class PendingTransaction:
    """A `Transaction` over a snapshot: reads fall through, writes gather in a `Batch`."""

    def __init__(self, snapshot: Snapshot, views: Sequence[View], at: Instant) -> None:
        self._below = snapshot
        self._views = views
        self.at = at
        self.batch = Batch(snapshot.head)

    @property
    def head(self) -> Head:
        """Where the log will stand."""
        return self.batch.head

    def append(self, draft: Draft) -> Event:
        """Add an event; see `ledger.log.Transaction.append`."""
        event = seal(draft, self.head.size, self.at)
        for opening in draft.openings:
            disclosure.check(draft.body, opening)
        claims = self._free_claims(event)
        self._check_erasable(event)
        states = self._next_states(event)
        # Nothing was changed so far: a refusal above leaves the transaction as it was.
        batch = self.batch
        batch.claims.update(claims)
        batch.states.update(states)
        batch.tags += [(tag, event.seq) for tag in event.tags()]
        if draft.openings:
            batch.openings[event.seq] = draft.openings
        for seq, path in event.body.erases():
            self._erase(seq, path)
        batch.events.append(event)
        self._grow(event)
        return event

    def _check_erasable(self, event: Event) -> None:
        """Refuse to erase what is not there: a record of an erasure says that there was something, and now is not."""
        for seq, path in event.body.erases():
            if all(opening.path != path for opening in self.openings(seq)):
                raise DisclosureError(f"event {seq} has no opening of {path} that could be erased")

    def _erase(self, seq: int, path: str) -> None:
        own = self.batch.openings.get(seq)
        if own is None:
            self.batch.erased.add((seq, path))
        else:
            # It was never written, and never is.
            self.batch.openings[seq] = tuple(opening for opening in own if opening.path != path)

    def _free_claims(self, event: Event) -> dict[str, int]:
        claims: dict[str, int] = {}
        for key in event.claims():
            holder = claims.get(key, self.claimed(key))
            if holder is not None:
                raise ClaimTakenError(key, holder)
            claims[key] = event.seq
        return claims

    def _next_states(self, event: Event) -> dict[tuple[str, str], StateRow]:
        return {
            (view.name, key): step(view, key, self.state(view.name, key), event)
            for view in self._views
            for key in view.keys(event)
        }

    def _grow(self, event: Event) -> None:
        head = self.head
        own = digest.BLAKE3_TREE.leaf(event.seq, event.data)
        twin = digest.SHA256_TREE.leaf(event.seq, event.data)
        own_nodes, own_peaks = mmr.append(digest.BLAKE3_TREE, event.seq, own, head.blake3_peaks)
        twin_nodes, twin_peaks = mmr.append(digest.SHA256_TREE, event.seq, twin, head.sha256_peaks)
        # INVARIANT: both trees have one shape, so their new nodes stand at the same positions.
        self.batch.nodes += [
            (position, left, right) for (position, left), (_, right) in zip(own_nodes, twin_nodes, strict=True)
        ]
        self.batch.head = Head(event.seq + 1, tuple(own_peaks), tuple(twin_peaks), self.at)

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None."""
        first = self._below.head.size
        if first <= seq < self.head.size:
            return self.batch.events[seq - first].data
        return self._below.event_bytes(seq)

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``, in order."""
        yield from self._below.events(start, stop)
        for event in self.batch.events:
            if start <= event.seq and (stop is None or event.seq < stop):
                yield event.seq, event.data

    def tagged(self, tag: str) -> Sequence[int]:
        """Give the events that carry a tag, oldest first."""
        return [*self._below.tagged(tag), *(seq for own, seq in self.batch.tags if own == tag)]

    def tags(self, prefix: str) -> Iterator[str]:
        """Give each tag that begins so, once, in the order of their bytes."""
        own = {tag for tag, _ in self.batch.tags if tag.startswith(prefix)}
        return iter(sorted(own.union(self._below.tags(prefix)), key=str.encode))

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None."""
        holder = self.batch.claims.get(key)
        return self._below.claimed(key) if holder is None else holder

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key, or None."""
        return self.batch.states.get((view, key)) or self._below.state(view, key)

    def states(self, view: str) -> Iterator[StateRow]:
        """Give all current states of a view, sorted by key."""
        rows = {row.key: row for row in self._below.states(view)}
        rows.update({key: row for (name, key), row in self.batch.states.items() if name == view})
        return chain(rows[key] for key in sorted(rows))

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event, sorted by path."""
        own = self.batch.openings.get(seq)
        if own is None:
            return [one for one in self._below.openings(seq) if (seq, one.path) not in self.batch.erased]
        return sorted(own, key=lambda opening: opening.path)

    def nodes(self, tree: Tree) -> TreeReader:
        """Give access to the nodes stored before this transaction."""
        return self._below.nodes(tree)

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints, smallest first."""
        return self._below.checkpoints()

    def cosignatures(self, size: int) -> Sequence[tuple[str, str]]:
        """Give what witnesses added to the checkpoint of this size, sorted by witness."""
        return self._below.cosignatures(size)
