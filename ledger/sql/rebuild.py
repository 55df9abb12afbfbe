"""Rebuilding the views' states from the events.

The events are the log, the states are worked out from them: `rebuild` empties the table and folds the log again. On
an undamaged log that reaches the digest that stood before.

Source: DESIGN section 6 (views).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from ledger.errors import CorruptError
from ledger.event import Event, Registry
from ledger.sql import schema
from ledger.sql.engine import place, writer
from ledger.sql.failure import translated
from ledger.sql.rows import put_states, to_state
from ledger.sql.snapshot import SqlSnapshot
from ledger.sql.stream import STREAM, streamed
from ledger.view import View, fold, states_digest

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
    """

    before: bytes | None
    after: bytes
    events: int
    states: int


def rebuild(engine: sa.Engine, registry: Registry, views: Sequence[View], progress: Progress | None = None) -> Rebuilt:
    """Fold the whole log again, in one transaction: the states are the new ones, or stay the old ones.

    The generation in ``projections`` moves with them.

    Raises:
        EventError: an event can't be read.
        ViewError: an event contradicts what stands before it.
        CorruptError: the generation's row is missing.
        StoreError: the database can't be read or written.
    """
    with translated(place(engine)), writer(engine).begin() as connection:
        before = _standing_digest(connection)
        snapshot = SqlSnapshot(connection)
        rows = fold(views, _events(snapshot, registry, progress)).values()
        connection.execute(sa.delete(schema.states))
        put_states(connection, rows)
        _next_generation(connection)
        return Rebuilt(before, states_digest(rows), snapshot.head.size, len(rows))


def current_digest(connection: sa.Connection) -> bytes:
    """Hash the states that stand.

    Raises:
        CorruptError: one of them is no state.
    """
    with translated(place(connection.engine)):
        return states_digest(map(to_state, streamed(connection, _ALL)))


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
