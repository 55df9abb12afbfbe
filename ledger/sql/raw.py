"""The tables as they stand, for an audit: any value in any column, and nothing believed.

Values come as the database holds them: text as ``str``, bytes as ``bytes``, and where somebody wrote something else,
that. Bytes in a text column that are no UTF-8 come as lone surrogates, which equal nothing that the log writes. Rows
are streamed, in the order of their numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from ledger.errors import StoreError
from ledger.sql import dialect
from ledger.sql.address import Address
from ledger.sql.engine import open_engine, place
from ledger.sql.failure import translated
from ledger.sql.ranges import Ranges, Row
from ledger.sql.revision import UPGRADED, is_older, mismatch
from ledger.sql.schema import REVISION, metadata
from ledger.sql.stream import streamed


class HeadRow(NamedTuple):
    """A row of ``head``."""

    one: object
    size: object
    blake3_peaks: object
    sha256_peaks: object
    at: object
    incarnation: object


class StateRowAsStored(NamedTuple):
    """A row of ``states``."""

    view: object
    key: object
    seq: object
    state: object


class CheckpointRow(NamedTuple):
    """A row of ``checkpoints``."""

    size: object
    note: object


class CosignatureRow(NamedTuple):
    """A row of ``cosignatures``."""

    size: object
    witness: object
    line: object


class TimestampRow(NamedTuple):
    """A row of ``timestamps``."""

    size: object
    authority: object
    token: object


class ProjectionRow(NamedTuple):
    """A row of ``projections``."""

    one: object
    generation: object


class Extent(NamedTuple):
    """The highest number in ``events`` and ``nodes``, and how many rows they have."""

    last_event: object
    last_node: object
    events: int
    nodes: int


class RawTables:
    """One consistent look at the tables.

    Attributes:
        ranges: reads the large tables, whatever stands there.
        strict: the same, but that text which is none is an error.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self.ranges = Ranges(connection)
        self.strict = Ranges(connection, strict=True)

    def event_bytes(self, seq: int) -> object:
        """Give what stands as one event's bytes, or None."""
        with translated(place(self._connection.engine)), self._connection.begin_nested():
            return next(self._rows("SELECT bytes FROM events WHERE seq = :seq", seq=seq), (None,))[0]

    def heads(self) -> Iterator[HeadRow]:
        """Give the head; there should be one."""
        statement = "SELECT one, size, blake3_peaks, sha256_peaks, at, incarnation FROM head ORDER BY one"
        return map(HeadRow._make, self._rows(statement))

    def tagged(self, tag: str) -> Iterator[object]:
        """Give what stands as the events that carry a tag."""
        return (seq for (seq,) in self._rows("SELECT seq FROM tags WHERE tag = :tag ORDER BY seq", tag=tag))

    def claimant(self, key: str) -> object:
        """Give what stands as the event that holds a unique key, or None."""
        return next(self._rows("SELECT seq FROM claims WHERE key = :key", key=key), (None,))[0]

    def states(self) -> Iterator[StateRowAsStored]:
        """Give the states by view and key."""
        return map(StateRowAsStored._make, self._rows("SELECT view, key, seq, state FROM states ORDER BY view, key"))

    def openings(self, seq: int) -> list[Row]:
        """Give (seq, path, salt, value) of the openings of one event, by path."""
        return self.ranges.openings(seq, seq + 1)

    def checkpoints(self) -> Iterator[CheckpointRow]:
        """Give the checkpoints by size."""
        return map(CheckpointRow._make, self._rows("SELECT size, note FROM checkpoints ORDER BY size"))

    def cosignatures(self) -> Iterator[CosignatureRow]:
        """Give the cosignatures by size."""
        statement = "SELECT size, witness, line FROM cosignatures ORDER BY size, witness"
        return map(CosignatureRow._make, self._rows(statement))

    def timestamps(self) -> Iterator[TimestampRow]:
        """Give the time stamps by size."""
        statement = "SELECT size, authority, token FROM timestamps ORDER BY size, authority"
        return map(TimestampRow._make, self._rows(statement))

    def projections(self) -> Iterator[ProjectionRow]:
        """Give the generation of the states; there should be one."""
        return map(ProjectionRow._make, self._rows("SELECT one, generation FROM projections ORDER BY one"))

    def last_numbers(self) -> tuple[object, object]:
        """Give the highest number in ``events`` and in ``nodes``, without counting rows."""
        last_event, last_node = next(self._rows("SELECT (SELECT max(seq) FROM events), (SELECT max(pos) FROM nodes)"))
        return last_event, last_node

    def extent(self) -> Extent:
        """Measure ``events`` and ``nodes``; it reads all of them."""
        statement = "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM nodes)"
        events, nodes = next(self._rows(statement))
        return Extent(*self.last_numbers(), int(str(events)), int(str(nodes)))

    def readable(self, table: str) -> bool:
        """Tell whether a table is there with the columns that it should have."""
        names = ", ".join(column.name for column in metadata.tables[table].columns)
        try:
            with translated(place(self._connection.engine)), self._connection.begin_nested():
                next(self._rows(f"SELECT {names} FROM {table} LIMIT 1"), None)  # noqa: S608  (names from our own schema)
        except StoreError:
            return False
        return True

    def share(self) -> str | None:
        """Name what this connection sees, for `open_raw` in another process; None where the database has no such name.

        Without one, others that look later see at least this, and must ask for no row above it.
        """
        with translated(place(self._connection.engine)):
            return dialect.of(self._connection).share(self._connection)

    def check_not_older(self) -> None:
        """Refuse tables of an earlier version, which an upgrade makes those of this one.

        Raises:
            StoreError: they are. Where an upgrade would refuse them or leave a fault, and where something else stands
                as the revision, they are looked at as they are.
        """
        try:
            with translated(place(self._connection.engine)), self._connection.begin_nested():
                found = self._revisions()
        except StoreError:
            return
        if is_older(found) and self._only_upgraded():
            raise StoreError(f"{place(self._connection.engine)}: {mismatch(str(found[0]))}")

    def schema_faults(self) -> Iterator[tuple[str, str]]:
        """Name each table or trigger that is not as the migrations left it, and say what is wrong."""
        with translated(place(self._connection.engine)):
            yield from dialect.of(self._connection).schema_faults(self._connection)
        revisions = self._revisions()
        if revisions != [REVISION]:
            yield "alembic_version", f"it names {revisions}, and {REVISION} is what is read"

    def file_faults(self) -> Iterator[str]:
        """Let the database check its own pages."""
        with translated(place(self._connection.engine)):
            yield from dialect.of(self._connection).file_faults(self._connection)

    def _only_upgraded(self) -> bool:
        if self._connection.dialect.name != "sqlite":
            return True
        with translated(place(self._connection.engine)):
            return UPGRADED.issuperset(dialect.of(self._connection).schema_faults(self._connection))

    def _revisions(self) -> list[object]:
        return [found for (found,) in self._rows("SELECT version_num FROM alembic_version")]

    def _rows(self, statement: str, **values: object) -> Iterator[tuple[object, ...]]:
        with translated(place(self._connection.engine)):
            yield from map(tuple, streamed(self._connection, sa.text(statement), values))


@contextmanager
def open_raw(address: Address, shared: str | None = None) -> Iterator[RawTables]:
    """Look at the tables of a database, without checking or changing anything.

    Args:
        address: where it is.
        shared: what another connection sees, by `RawTables.share`: then the same is seen here.

    Raises:
        StoreMissingError: there is none.
        StoreError: it can't be opened.
    """
    engine = open_engine(address)
    dialect.of(engine).read_anything(engine)
    try:
        with translated(place(engine)), engine.connect() as connection:
            connection.begin()
            if shared is not None:
                dialect.of(engine).see(connection, shared)
            yield RawTables(connection)
            # There is nothing to commit, and a damaged file may refuse to.
            with suppress(SQLAlchemyError):
                connection.rollback()
    finally:
        engine.dispose()
