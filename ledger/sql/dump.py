"""Reading a whole log out of its database, in order and in ranges, as it is stored: for copies and exports.

Everything is streamed over one consistent look, however long it takes.

Source: DESIGN section 6; docs/spec/store.md.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from ledger.digest import be64
from ledger.sql import schema
from ledger.sql.engine import place
from ledger.sql.failure import translated
from ledger.sql.snapshot import SqlSnapshot
from ledger.sql.stream import STREAM

T = TypeVar("T")

_nodes, _disclosures, _checkpoints = schema.nodes.c, schema.disclosures.c, schema.checkpoints.c

_NODES = (
    sa.select(_nodes.blake3, _nodes.sha256)
    .where(_nodes.pos >= sa.bindparam("start"), _nodes.pos < sa.bindparam("stop"))
    .order_by(_nodes.pos)
)
_OPENINGS = (
    sa.select(schema.disclosures)
    .where(_disclosures.seq >= sa.bindparam("start"), _disclosures.seq < sa.bindparam("stop"))
    .order_by(_disclosures.seq, _disclosures.path)
)
_NOTES = (
    sa.select(schema.checkpoints)
    .where(_checkpoints.size > sa.bindparam("after"), _checkpoints.size <= sa.bindparam("upto"))
    .order_by(_checkpoints.size)
)
_BESIDE: Final = {
    table.name: sa.select(table)
    .where(table.c.size > sa.bindparam("after"), table.c.size <= sa.bindparam("upto"))
    .order_by(*table.primary_key)
    for table in (schema.cosignatures, schema.timestamps)
}

COMPARED: Final = (
    schema.head,
    schema.events,
    schema.nodes,
    schema.claims,
    schema.tags,
    schema.states,
    schema.disclosures,
    schema.checkpoints,
    schema.cosignatures,
    schema.timestamps,
)
"""The tables that `Dump.digests` covers: all in which a log is; how often its states were made anew is not of it."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A checkpoint and what was added to it.

    Attributes:
        size: how many events it commits to.
        note: the signed note.
        cosignatures: witness and signature line, sorted by witness.
        timestamps: authority and RFC 3161 token, sorted by authority.
    """

    size: int
    note: bytes
    cosignatures: tuple[tuple[str, str], ...]
    timestamps: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class StoredOpening:
    """An opening as it is stored, its value in canonical bytes."""

    seq: int
    path: str
    salt: bytes
    value: bytes


class Dump(SqlSnapshot):
    """A `SqlSnapshot` that gives ranges of whole tables."""

    def nodes_between(self, start: int, stop: int) -> Iterator[tuple[bytes, bytes]]:
        """Give the BLAKE3 and the SHA-256 hash of the nodes from ``start`` up to ``stop``, by position."""
        for row in self._stream(_NODES, start=start, stop=stop):
            yield row.blake3, row.sha256

    def openings_between(self, start: int, stop: int) -> Iterator[StoredOpening]:
        """Give the openings of the events from ``start`` up to ``stop``, sorted by event and path."""
        for row in self._stream(_OPENINGS, start=start, stop=stop):
            yield StoredOpening(row.seq, row.path, row.salt, row.value)

    def seals(self, after: int, upto: int) -> Iterator[Seal]:
        """Give the checkpoints of more than ``after`` and at most ``upto`` events, smallest first."""
        cosignatures = _Beside(self._stream(_BESIDE["cosignatures"], after=after, upto=upto))
        timestamps = _Beside(self._stream(_BESIDE["timestamps"], after=after, upto=upto))
        for row in self._stream(_NOTES, after=after, upto=upto):
            yield Seal(row.size, row.note, cosignatures.take(row.size), timestamps.take(row.size))

    def digests(self, tell: Callable[[int], None]) -> dict[str, str]:
        """Hash each table of `COMPARED`, its rows sorted by key and each value framed: equal rows, equal digests.

        Args:
            tell: is told how many rows are done, now and then.
        """
        done, found = 0, {}
        for table in COMPARED:
            hasher = hashlib.sha256()
            for row in self._stream(sa.select(table).order_by(*table.primary_key)):
                parts = [_spelled(value) for value in tuple(row)]
                hasher.update(b"".join(be64(len(part)) + part for part in parts))
                done += 1
                if not done % STREAM:
                    tell(done)
            found[table.name] = hasher.hexdigest()
        return found


class _Beside:
    """Rows beside checkpoints, by size: taken as the checkpoints come."""

    def __init__(self, rows: Iterator[sa.Row[Any]]) -> None:
        self._rows: Iterator[tuple[Any, ...]] = map(tuple, rows)
        self._next = next(self._rows, None)

    def take(self, size: int) -> tuple[Any, ...]:
        found = []
        while self._next is not None and self._next[0] <= size:
            if self._next[0] == size:
                found.append((self._next[1], self._next[2]))
            self._next = next(self._rows, None)
        return tuple(found)


def dump(engine: sa.Engine, work: Callable[[Dump], T]) -> T:
    """Run ``work`` over one consistent look at a whole log.

    Raises:
        StoreError: the database can't be read.
    """
    with translated(place(engine)), engine.begin() as connection, Dump(connection) as look:
        # The first read fixes what a SQLite transaction sees.
        _ = look.head
        return work(look)


def _spelled(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogatepass")
