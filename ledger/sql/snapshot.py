"""One consistent look at a log in a database: `SqlSnapshot`, over a connection within a transaction.

Whatever may be long is streamed, so that memory stays flat; an iterator lives as long as the look that gave it.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from ledger.disclosure import Opening
from ledger.log import Head, Tree, TreeReader
from ledger.sql import schema
from ledger.sql.engine import place
from ledger.sql.failure import translated
from ledger.sql.nodes import nodes_of
from ledger.sql.rows import READ_HEAD, to_head, to_state, to_value
from ledger.view import StateRow

STREAM = 1000
"""Rows fetched at once where all of a table may be asked for."""

_events, _states = schema.events.c, schema.states.c

_EVENT = sa.select(_events.bytes).where(_events.seq == sa.bindparam("seq"))
_EVENTS = sa.select(_events.seq, _events.bytes).where(_events.seq >= sa.bindparam("start")).order_by(_events.seq)
_EVENTS_UNTIL = _EVENTS.where(_events.seq < sa.bindparam("stop"))
_TAGGED = sa.select(schema.tags.c.seq).where(schema.tags.c.tag == sa.bindparam("tag")).order_by(schema.tags.c.seq)
_TAGS = (
    sa.select(schema.tags.c.tag)
    .where(schema.tags.c.tag >= sa.bindparam("prefix"), schema.tags.c.tag < sa.bindparam("end"))
    .distinct()
    .order_by(schema.tags.c.tag)
)
_CLAIMED = sa.select(schema.claims.c.seq).where(schema.claims.c.key == sa.bindparam("key"))
_STATES = sa.select(schema.states).where(_states.view == sa.bindparam("view")).order_by(_states.key)
_STATE = sa.select(schema.states).where(_states.view == sa.bindparam("view"), _states.key == sa.bindparam("key"))
_OPENINGS = (
    sa.select(schema.disclosures)
    .where(schema.disclosures.c.seq == sa.bindparam("seq"))
    .order_by(schema.disclosures.c.path)
)
_CHECKPOINTS = sa.select(schema.checkpoints).order_by(schema.checkpoints.c.size)
_COSIGNATURES = (
    sa.select(schema.cosignatures)
    .where(schema.cosignatures.c.size == sa.bindparam("size"))
    .order_by(schema.cosignatures.c.witness)
)


class SqlSnapshot:
    """The log as one database transaction sees it; see `ledger.log.Snapshot`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    @cached_property
    def head(self) -> Head:
        """Where the log stands."""
        with translated(place(self._connection.engine)):
            return to_head(self._connection.execute(READ_HEAD).one_or_none())

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None."""
        data: bytes | None = self._scalar(_EVENT, seq=seq)
        return data

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``, in order."""
        until = {} if stop is None else {"stop": stop}
        for row in self._stream(_EVENTS if stop is None else _EVENTS_UNTIL, start=start, **until):
            yield row.seq, row.bytes

    def tagged(self, tag: str) -> Sequence[int]:
        """Give the events that carry a tag, oldest first."""
        return [row.seq for row in self._stream(_TAGGED, tag=tag)]

    def tags(self, prefix: str) -> Iterator[str]:
        """Give each tag that begins so, once, in the order of their bytes."""
        # Nothing that can stand in a tag sorts behind the last code point.
        for row in self._stream(_TAGS, prefix=prefix, end=f"{prefix}\U0010ffff"):
            yield row.tag

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None."""
        seq: int | None = self._scalar(_CLAIMED, key=key)
        return seq

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key, or None."""
        with translated(place(self._connection.engine)):
            row = self._connection.execute(_STATE, {"view": view, "key": key}).one_or_none()
        return None if row is None else to_state(row)

    def states(self, view: str) -> Iterator[StateRow]:
        """Give all current states of a view, sorted by key."""
        return map(to_state, self._stream(_STATES, view=view))

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event, sorted by path."""
        return [Opening(row.path, row.salt, to_value(row.value)) for row in self._stream(_OPENINGS, seq=seq)]

    def nodes(self, tree: Tree) -> TreeReader:
        """Give access to the stored nodes of one tree."""
        return nodes_of(self._connection, tree)

    def checkpoints(self) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints, smallest first."""
        for row in self._stream(_CHECKPOINTS):
            yield row.size, row.note

    def cosignatures(self, size: int) -> Sequence[tuple[str, str]]:
        """Give what witnesses added to the checkpoint of this size, sorted by witness."""
        return [(row.witness, row.line) for row in self._stream(_COSIGNATURES, size=size)]

    def _scalar(self, statement: sa.Select[Any], **values: object) -> Any:  # noqa: ANN401  (what the column holds)
        with translated(place(self._connection.engine)):
            return self._connection.execute(statement, values).scalar_one_or_none()

    def _stream(self, statement: sa.Select[Any], **values: object) -> Iterator[sa.Row[Any]]:
        with translated(place(self._connection.engine)):
            options = {"yield_per": STREAM}
            yield from self._connection.execute(statement, values, execution_options=options)
