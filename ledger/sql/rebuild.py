"""Rebuilding what is worked out from the events: the views' states, and claims and tags.

The events are the log and are never touched. `rebuild` folds it again, over a scratch file, and puts the states that
result in the place of those that stood; on an undamaged log that reaches the digest that stood before. Claims and tags
are written only where they are not what the events demand. Memory stays flat.

Source: DESIGN section 6 (views, claims, tags).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import sqlalchemy as sa

from ledger.errors import CorruptError
from ledger.event import Event, Registry
from ledger.growth import Growth
from ledger.log import EMPTY_HEAD
from ledger.sql import schema
from ledger.sql.engine import place, writer
from ledger.sql.failure import translated
from ledger.sql.mend import BATCH, KEYED, Demanded, mend
from ledger.sql.ranges import Keyed
from ledger.sql.rows import put_states, to_state
from ledger.sql.scratch import ScratchStates
from ledger.sql.snapshot import SqlSnapshot
from ledger.sql.stream import STREAM, streamed
from ledger.view import StateRow, View, sorted_states_digest

_ALL = sa.select(schema.states).order_by(schema.states.c.view, schema.states.c.key)

Progress = Callable[[int, int], None]
"""Is told how many of how many events are done."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild found and made.

    Attributes:
        before: digest of the states that stood, or None where they could not be read.
        after: digest of the states that stand now.
        events: how many events were folded.
        states: how many states stand now.
        mended: which of claims and tags were not what the events demand, and are now.
    """

    before: bytes | None
    after: bytes
    events: int
    states: int
    mended: tuple[Keyed, ...]

    @property
    def same(self) -> bool:
        """Whether everything stood as the events give it."""
        return self.before == self.after and not self.mended


def rebuild(engine: sa.Engine, registry: Registry, views: Sequence[View], progress: Progress | None = None) -> Rebuilt:
    """Work states, claims and tags out again, in one transaction: all of them are the new ones, or stay the old ones.

    The generation in ``projections`` moves with them.

    Raises:
        EventError: an event can't be read.
        ViewError: an event contradicts what stands before it.
        CorruptError: the events are not those that both trees commit to, or the generation's row is missing.
        StoreError: the database can't be read or written.
    """
    with translated(place(engine)), ScratchStates() as scratch, writer(engine).begin() as connection:
        before = _standing_digest(connection)
        snapshot = SqlSnapshot(connection)
        demanded, growth = Demanded(), Growth(EMPTY_HEAD)
        for event in _events(snapshot, registry, progress):
            growth.extend((event.data,))
            growth.nodes.clear()
            _fold(scratch, views, event)
            demanded.add(event)
        if growth.peaks != (snapshot.head.blake3_peaks, snapshot.head.sha256_peaks):
            # Folding what somebody put there would make a state of it.
            raise CorruptError("the events are not those that the log's head commits to: run `tally audit`")
        mended = tuple(
            table for table in KEYED if mend(connection, table, demanded, lambda: _events(snapshot, registry, None))
        )
        connection.execute(sa.delete(schema.states))
        states = 0
        for batch in _batches(scratch.rows()):
            put_states(connection, batch)
            states += len(batch)
        _next_generation(connection)
        return Rebuilt(before, sorted_states_digest(scratch.rows()), snapshot.head.size, states, mended)


def _fold(scratch: ScratchStates, views: Sequence[View], event: Event) -> None:
    if event.body.folded:
        for view in views:
            for key in view.keys(event):
                scratch.fold(view, key, event)


def _batches(rows: Iterable[StateRow]) -> Iterator[list[StateRow]]:
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        yield batch


def current_digest(connection: sa.Connection) -> bytes:
    """Hash the states that stand.

    Raises:
        CorruptError: one of them is no state.
    """
    with translated(place(connection.engine)):
        try:
            return sorted_states_digest(map(to_state, streamed(connection, _ALL)))
        except OverflowError as error:
            raise CorruptError("a state is of no event that can be: run `tally rebuild`") from error


def _next_generation(connection: sa.Connection) -> None:
    """Tell whoever keeps states in memory that they were made anew."""
    generation = schema.projections.c.generation
    if connection.execute(sa.update(schema.projections).values(generation=generation + 1)).rowcount != 1:
        raise CorruptError("the generation of the states is missing: run `tally audit`")


def _standing_digest(connection: sa.Connection) -> bytes | None:
    try:
        return current_digest(connection)
    except CorruptError:
        # Damaged states are what a rebuild is for.
        return None


def _events(snapshot: SqlSnapshot, registry: Registry, progress: Progress | None) -> Iterator[Event]:
    size = snapshot.head.size
    for seq, data in snapshot.events(0, size):
        yield registry.parse(data)
        if progress is not None and (seq + 1 == size or not seq % STREAM):
            progress(seq + 1, size)
