"""One consistent look at a log in a database: `SqlSnapshot`, over a connection within a transaction.

Whatever may be long is streamed, so that memory stays flat; an iterator lives as long as the look that gave it.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Self

import sqlalchemy as sa

from ledger.disclosure import Opening
from ledger.errors import CorruptError
from ledger.log import Head, Tree, TreeReader
from ledger.sql import schema
from ledger.sql.dialect.base import STANDING
from ledger.sql.driver import Driver, strict
from ledger.sql.engine import place
from ledger.sql.failure import translated
from ledger.sql.nodes import SqlNodes
from ledger.sql.rows import to_head, to_state, to_value
from ledger.sql.stream import streamed
from ledger.view import StateRow

_events, _states = schema.events.c, schema.states.c

_EVENTS = sa.select(_events.seq, _events.bytes).where(_events.seq >= sa.bindparam("start")).order_by(_events.seq)
_EVENTS_UNTIL = _EVENTS.where(_events.seq < sa.bindparam("stop"))
_TAGS = (
    sa.select(schema.tags.c.tag)
    .where(schema.tags.c.tag >= sa.bindparam("prefix"), schema.tags.c.tag < sa.bindparam("end"))
    .distinct()
    .order_by(schema.tags.c.tag)
)
_openings = schema.disclosures.c
_SALTED = sa.select(_openings.seq, _openings.path).where(_openings.salt.in_(sa.bindparam("salts", expanding=True)))
_MANY = 500
_STATES = sa.select(schema.states).where(_states.view == sa.bindparam("view")).order_by(_states.key)
_CHECKPOINTS = (
    sa.select(schema.checkpoints)
    .where(schema.checkpoints.c.size >= sa.bindparam("start"))
    .order_by(schema.checkpoints.c.size)
)
_NEWEST = sa.select(schema.checkpoints).order_by(schema.checkpoints.c.size.desc()).limit(1)
_NEWEST_BEFORE = _NEWEST.where(schema.checkpoints.c.size < sa.bindparam("stop"))
_COSIGNATURES = (
    sa.select(schema.cosignatures)
    .where(schema.cosignatures.c.size == sa.bindparam("size"))
    .order_by(schema.cosignatures.c.witness)
)
# Backwards over the primary key: a witness that keeps up is found at once.
_LAST_COSIGNED = (
    sa.select(schema.cosignatures.c.size)
    .where(schema.cosignatures.c.witness == sa.bindparam("witness"))
    .order_by(schema.cosignatures.c.size.desc())
    .limit(1)
)
_TIMESTAMPS = (
    sa.select(schema.timestamps)
    .where(schema.timestamps.c.size == sa.bindparam("size"))
    .order_by(schema.timestamps.c.authority)
)
# What each decision, append or proof asks for, straight to the driver.
_STANDS = (int, bytes, bytes, str, int)
_EVENT = "SELECT bytes FROM events WHERE seq = ?"
_TAGGED = "SELECT seq FROM tags WHERE tag = ? ORDER BY seq"
_CLAIMED = "SELECT seq FROM claims WHERE key = ?"
_STATE = "SELECT view, key, seq, state FROM states WHERE view = ? AND key = ?"
_OPENINGS = "SELECT path, salt, value FROM disclosures WHERE seq = ? ORDER BY path"


class SqlSnapshot:
    """The log as one database transaction sees it; see `ledger.log.Snapshot`.

    Args:
        connection: a connection within a transaction; where it outlives that, the look is a context of its own, or has
            the driver of who ends it.
        driver: the connection's driver, if there is one already.
    """

    def __init__(self, connection: sa.Connection, driver: Driver | None = None) -> None:
        self._connection = connection
        self._driver = driver or Driver(connection)
        self._head: Head | None = None
        self._stands: tuple[Any, ...] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let nothing more be read: the transaction that this looked through is over."""
        self._driver.end()

    @property
    def _name(self) -> str:
        return place(self._connection.engine)

    def stands(self, standing: tuple[Any, ...], head: Head) -> bool:
        """Tell whether the log stands as it did when the row of the head was this one, which is then not read anew.

        Args:
            standing: the row.
            head: what was read from it.
        """
        if self._driver.standing != standing:
            return False
        self._stands, self._head = standing, head
        return True

    @property
    def head(self) -> Head:
        """Where the log stands."""
        if self._head is None:
            self._head = to_head(self._standing[:4] if self._standing else None)
        return self._head

    @property
    def generation(self) -> int:
        """How often the states were made anew.

        Raises:
            CorruptError: the database does not say.
        """
        generation = self._standing[4] if self._standing else None
        if not isinstance(generation, int):
            raise CorruptError("the generation of the states is missing: run `tally audit`")
        return generation

    @property
    def _standing(self) -> tuple[Any, ...] | None:
        """The row of the head: size, both peaks, time, generation."""
        if self._stands is None:
            if self._driver.standing is not None:
                self._stands = strict(self._driver.standing, _STANDS)
            else:
                with translated(self._name):
                    self._stands = self._driver.row(STANDING, (), _STANDS)
        return self._stands

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None."""
        with translated(self._name):
            row = self._driver.row(_EVENT, (seq,), (bytes,))
        return row[0] if row else None

    def events(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``, in order."""
        until = {} if stop is None else {"stop": stop}
        for row in self._stream(_EVENTS if stop is None else _EVENTS_UNTIL, start=start, **until):
            yield row.seq, row.bytes

    def tagged(self, tag: str) -> Sequence[int]:
        """Give the events that carry a tag, oldest first."""
        with translated(self._name):
            return [seq for (seq,) in self._driver.rows(_TAGGED, (tag,), (int,))]

    def tags(self, prefix: str) -> Iterator[str]:
        """Give each tag that begins so, once, in the order of their bytes."""
        # Nothing that can stand in a tag sorts behind the last code point.
        for row in self._stream(_TAGS, prefix=prefix, end=f"{prefix}\U0010ffff"):
            yield row.tag

    def claimed(self, key: str) -> int | None:
        """Give the event that holds a unique key, or None."""
        with translated(self._name):
            row = self._driver.row(_CLAIMED, (key,), (int,))
        return row[0] if row else None

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the current state of one key, or None."""
        with translated(self._name):
            row = self._driver.row(_STATE, (view, key), (str, str, int, bytes))
        return StateRow(*row) if row else None

    def states(self, view: str) -> Iterator[StateRow]:
        """Give all current states of a view, sorted by key."""
        return map(to_state, self._stream(_STATES, view=view))

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that are kept for an event, sorted by path."""
        with translated(self._name):
            rows = self._driver.rows(_OPENINGS, (seq,), (str, bytes, bytes))
        return [Opening(path, salt, to_value(value)) for path, salt, value in rows]

    def salted(self, salts: Collection[bytes]) -> Iterator[tuple[int, str]]:
        """Give, in any order, event and path of each opening under one of these salts."""
        wanted = list(salts)
        for start in range(0, len(wanted), _MANY):
            for row in self._stream(_SALTED, salts=wanted[start : start + _MANY]):
                yield row.seq, row.path

    def nodes(self, tree: Tree) -> TreeReader:
        """Give access to the stored nodes of one tree."""
        return SqlNodes(self._driver, tree, place(self._connection.engine))

    def checkpoints(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints of ``start`` events and more, smallest first."""
        for row in self._stream(_CHECKPOINTS, start=start):
            yield row.size, row.note

    def newest_checkpoint(self, stop: int | None = None) -> tuple[int, bytes] | None:
        """Give the newest stored checkpoint, or the newest of fewer than ``stop`` events; None where there is none."""
        before = {} if stop is None else {"stop": stop}
        found = list(self._stream(_NEWEST if stop is None else _NEWEST_BEFORE, **before))
        return (found[0].size, found[0].note) if found else None

    def cosignatures(self, size: int) -> Sequence[tuple[str, str]]:
        """Give what witnesses added to the checkpoint of this size, sorted by witness."""
        return [(row.witness, row.line) for row in self._stream(_COSIGNATURES, size=size)]

    def last_cosigned(self, witness: str) -> int | None:
        """Give the largest size that a witness has cosigned, or None."""
        return next((row.size for row in self._stream(_LAST_COSIGNED, witness=witness)), None)

    def timestamps(self, size: int) -> Sequence[tuple[str, bytes]]:
        """Give the RFC 3161 tokens over the checkpoint of this size, sorted by authority."""
        return [(row.authority, row.token) for row in self._stream(_TIMESTAMPS, size=size)]

    def _stream(self, statement: sa.Select[Any], **values: object) -> Iterator[sa.Row[Any]]:
        with translated(self._name):
            self._driver.check()
            for row in streamed(self._connection, statement, values):
                yield row
                self._driver.check()
