"""One transaction: what an append adds to every table, worked out once for every kind of log.

`Batch` is the whole of what a log then makes durable in one stroke: a log that can read (`Snapshot`) and can write
a batch atomically is a log.

Source: DESIGN section 6.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import Final

from ledger import disclosure
from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, ClockError, DisclosureError, EventError
from ledger.event import Draft, Event, seal
from ledger.growth import GrowingNodes, Growth, NodePair
from ledger.instant import Instant, from_microseconds, to_microseconds
from ledger.log import EMPTY_HEAD, MAX_BACKWARD, MAX_FORWARD, Head, Snapshot, Tree, TreeReader
from ledger.view import StateRow, View, step

_DATA: Final = attrgetter("data")


@dataclass(slots=True)
class Batch:
    """The rows that one transaction adds, by table, and the openings that it takes away.

    Attributes:
        erased: (event, pointer) of openings that stood before this transaction; none of them was added by it.
    """

    head: Head
    events: list[Event] = field(default_factory=list)
    nodes: list[NodePair] = field(default_factory=list)
    claims: dict[str, int] = field(default_factory=dict)
    tags: list[tuple[str, int]] = field(default_factory=list)
    states: dict[tuple[str, str], StateRow] = field(default_factory=dict)
    openings: dict[int, tuple[Opening, ...]] = field(default_factory=dict)
    erased: set[tuple[int, str]] = field(default_factory=set)

    def follow(self, later: "Batch") -> None:
        """Take over the rows of a batch that begins where this one ends; the trees are not among them."""
        self.events += later.events
        self.claims.update(later.claims)
        self.tags += later.tags
        self.states.update(later.states)
        self.openings.update(later.openings)
        for seq, path in later.erased:
            self.erase(seq, path)

    def erase(self, seq: int, path: str) -> None:
        """Take an opening away: one that was to be added never is."""
        own = self.openings.get(seq)
        if own is None:
            self.erased.add((seq, path))
        else:
            self.openings[seq] = tuple(opening for opening in own if opening.path != path)


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
    time = from_microseconds(now)
    if time >= head.at and time[:10] == head.at[:10]:
        # Later on the same day, by the text alone: no bound is near, and the last event's time need not be read.
        return time
    last = to_microseconds(head.at)
    if now < last - MAX_BACKWARD:
        raise ClockError(
            f"the clock says {time}, before the last event at {head.at} (CLOCK_REGRESSION): "
            "set the machine's clock right"
        )
    if now > last + MAX_FORWARD and not confirmed:
        raise ClockError(
            f"the clock says {time}, far after the last event at {head.at}: "
            "if that is right, run the command once with --confirm-clock"
        )
    return max(head.at, time)


def extend(
    snapshot: Snapshot, views: Sequence[View], events: Iterable[Event], openings: Mapping[int, Sequence[Opening]]
) -> Batch:
    """Give the batch that adds events which have their bytes already, exactly as they are.

    They are held to all that an append is held to, but for the clock: their time was read when they were made.

    Args:
        snapshot: the log that they follow.
        views: the folds whose states are kept.
        events: the next events, in order.
        openings: what opens the disclosable fields of these events, by sequence number.

    Raises:
        EventError: an event is not the next one, is older than the one before it, or has a later cause.
        DisclosureError: an opening does not fit, or opens an event that is not among these.
        ClaimTakenError: a unique key is taken.
        ViewError: an event contradicts a state.
    """
    last = snapshot.head.at or Instant("")
    pending, left = PendingTransaction(snapshot, views, last), set(openings)
    for event in events:
        if event.at < last:
            raise EventError(f"event {event.seq} is of {event.at}, before the one that it follows")
        if any(not 0 <= cause < event.seq for cause in event.causes):
            raise EventError(f"event {event.seq} can be caused by earlier events alone")
        pending.place(event, openings.get(event.seq, ()))
        left.discard(event.seq)
        last = event.at
    if left:
        raise DisclosureError(f"there are openings for event {min(left)}, which is not among the events")
    return pending.batch


class PendingTransaction:
    """A `Transaction` over a snapshot: reads fall through, writes gather in a `Batch`.

    It may stand over another pending one, to be taken over by it or thrown away (`inner`, `absorb`).

    Attributes:
        first: how many events the log has without this.
        size: how many it will have.
        rows: what was gathered so far, without the trees.
    """

    def __init__(self, snapshot: Snapshot, views: Sequence[View], at: Instant) -> None:
        self._below = snapshot
        self._views = views
        self.at = at
        self.first: int = snapshot.size if isinstance(snapshot, PendingTransaction) else snapshot.head.size
        self.size: int = self.first
        self.rows = Batch(EMPTY_HEAD)
        self._growth: Growth | None = None

    @property
    def head(self) -> Head:
        """Where the log will stand."""
        return self.batch.head

    @property
    def batch(self) -> Batch:
        """All that was gathered so far, with the trees grown over it."""
        batch, growth = self.rows, self._growth
        if growth is None:
            # Only here do hashes cost anything: many events are cheaper to grow at once, and most of what is thrown
            # away never is.
            batch.head = self._below.head
            growth = self._growth = Growth(batch.head)
            batch.nodes = growth.nodes
        if growth.size < self.size:
            growth.extend(map(_DATA, batch.events[growth.size - self.first :]))
            batch.head = Head(self.size, *growth.peaks, batch.events[-1].at)
        return batch

    def append(self, draft: Draft) -> Event:
        """Add an event; see `ledger.log.Transaction.append`."""
        event = seal(draft, self.size, self.at)
        self._add(event, draft.openings, sealed=False)
        return event

    def place(self, event: Event, openings: Sequence[Opening] = ()) -> None:
        """Add an event that has its place, its time and its bytes already.

        Raises:
            EventError: it is not the next one.
            DisclosureError: an opening does not fit.
            ClaimTakenError: a unique key is taken.
            ViewError: the event contradicts a state.
        """
        self._add(event, openings, sealed=True)

    def _add(self, event: Event, openings: Sequence[Opening], *, sealed: bool) -> None:
        if event.seq != self.size:
            raise EventError(f"event {event.seq} does not stand where event {self.size} belongs")
        for opening in openings:
            disclosure.check(event.body, opening)
        claims = self._free_claims(event)
        erased = self._erasable(event, sealed=sealed)
        states = self._next_states(event)
        # Nothing was changed so far: a refusal above leaves the transaction as it was.
        batch = self.rows
        if claims:
            batch.claims.update(claims)
        if states:
            batch.states.update(states)
        for tag in event.tags():
            batch.tags.append((tag, event.seq))
        if openings:
            batch.openings[event.seq] = tuple(openings)
        for seq, path in erased:
            batch.erase(seq, path)
        batch.events.append(event)
        self.size += 1

    def inner(self) -> "PendingTransaction":
        """Give a transaction over this one, for work that may fail without it."""
        return PendingTransaction(self, self._views, self.at)

    def absorb(self, inner: "PendingTransaction") -> None:
        """Take over what an `inner` transaction gathered, if nothing was added here since."""
        if inner.first != self.size:
            raise AssertionError("an inner transaction is taken over before anything else is added")
        if self.rows.events:
            self.rows.follow(inner.rows)
        else:
            # The usual case, of one that is alone. The trees are grown anew, over whatever follows too.
            self.rows, self._growth = inner.rows, None
        self.size = inner.size

    def _erasable(self, event: Event, *, sealed: bool) -> list[tuple[int, str]]:
        """Give the openings that an event erases.

        A record of an erasure says that there was something, and now is not; so what is not there can't be erased anew.
        An event that has its bytes already says so of another day, and what it speaks of may be gone for long.
        """
        erased = list(event.body.erases())
        if not erased:
            return erased
        there = [(seq, path) for seq, path in erased if any(one.path == path for one in self.openings(seq))]
        if len(there) != len(erased) and not sealed:
            seq, path = next(one for one in erased if one not in there)
            raise DisclosureError(f"event {seq} has no opening of {path} that could be erased")
        return there

    def _free_claims(self, event: Event) -> dict[str, int]:
        claims: dict[str, int] = {}
        for key in event.claims():
            holder = claims.get(key, self.claimed(key))
            if holder is not None:
                raise ClaimTakenError(key, holder)
            claims[key] = event.seq
        return claims

    def _next_states(self, event: Event) -> dict[tuple[str, str], StateRow]:
        states: dict[tuple[str, str], StateRow] = {}
        for view in self._views:
            for key in view.keys(event):
                states[view.name, key] = step(view, key, self.state(view.name, key), event)
        return states

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None."""
        if self.first <= seq < self.size:
            return self.rows.events[seq - self.first].data
        return self._below.event_bytes(seq)

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``, in order."""
        yield from self._below.events(start, stop)
        for event in self.rows.events:
            if start <= event.seq and (stop is None or event.seq < stop):
                yield event.seq, event.data

    def tagged(self, tag: str) -> Sequence[int]:
        """Give the events that carry a tag, oldest first."""
        return [*self._below.tagged(tag), *(seq for own, seq in self.rows.tags if own == tag)]

    def tags(self, prefix: str) -> Iterator[str]:
        """Give each tag that begins so, once, in the order of their bytes."""
        own = {tag for tag, _ in self.rows.tags if tag.startswith(prefix)}
        return iter(sorted(own.union(self._below.tags(prefix)), key=str.encode))

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None."""
        holder = self.rows.claims.get(key)
        return self._below.claimed(key) if holder is None else holder

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key, or None."""
        return self.rows.states.get((view, key)) or self._below.state(view, key)

    def states(self, view: str) -> Iterator[StateRow]:
        """Give all current states of a view, sorted by key."""
        rows = {row.key: row for row in self._below.states(view)}
        rows.update({key: row for (name, key), row in self.rows.states.items() if name == view})
        return chain(rows[key] for key in sorted(rows))

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event, sorted by path."""
        own = self.rows.openings.get(seq)
        if own is None:
            return [one for one in self._below.openings(seq) if (seq, one.path) not in self.rows.erased]
        return sorted(own, key=lambda opening: opening.path)

    def salted(self, salts: Collection[bytes]) -> Iterator[tuple[int, str]]:
        """Give, in any order, event and path of each opening under one of these salts."""
        yield from (field for field in self._below.salted(salts) if field not in self.rows.erased)
        for seq, openings in self.rows.openings.items():
            yield from ((seq, one.path) for one in openings if one.salt in salts)

    def nodes(self, tree: Tree) -> TreeReader:
        """Give access to the nodes of one tree."""
        return GrowingNodes(self._below.nodes(tree), self.batch.nodes, self.rows.events, tree)

    def checkpoints(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints of ``start`` events and more, smallest first."""
        return self._below.checkpoints(start)

    def newest_checkpoint(self, stop: int | None = None) -> tuple[int, bytes] | None:
        """Give the newest stored checkpoint, or the newest of fewer than ``stop`` events; None where there is none."""
        return self._below.newest_checkpoint(stop)

    def cosignatures(self, size: int) -> Sequence[tuple[str, str]]:
        """Give what witnesses added to the checkpoint of this size, sorted by witness."""
        return self._below.cosignatures(size)

    def last_cosigned(self, witness: str) -> int | None:
        """Give the largest size that a witness has cosigned, or None."""
        return self._below.last_cosigned(witness)

    def timestamps(self, size: int) -> Sequence[tuple[str, bytes]]:
        """Give the RFC 3161 tokens over the checkpoint of this size, sorted by authority."""
        return self._below.timestamps(size)
