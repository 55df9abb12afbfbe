"""The tables as they stand, for an audit: any value in any column, and nothing believed.

Values come as the database holds them: text as ``str``, bytes as ``bytes``, and where somebody wrote something else,
that. Bytes in a text column that are no UTF-8 come as lone surrogates, which equal nothing that the log writes. Rows
are streamed, in the order of their numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import sqlalchemy as sa

from ledger.sql import dialect
from ledger.sql.address import Address
from ledger.sql.engine import open_engine, place
from ledger.sql.failure import translated
from ledger.sql.schema import REVISION
from ledger.sql.stream import streamed


class EventRow(NamedTuple):
    """A row of ``events``."""

    seq: object
    at: object
    type: object
    data: object


class NodeRow(NamedTuple):
    """A row of ``nodes``."""

    pos: object
    blake3: object
    sha256: object


class HeadRow(NamedTuple):
    """A row of ``head``."""

    one: object
    size: object
    blake3_peaks: object
    sha256_peaks: object
    at: object
    incarnation: object


class KeyRow(NamedTuple):
    """A row of ``claims`` or ``tags``: the number of the event, and its key."""

    seq: object
    key: object


class StateRowAsStored(NamedTuple):
    """A row of ``states``."""

    view: object
    key: object
    seq: object
    state: object


class DisclosureRow(NamedTuple):
    """A row of ``disclosures``."""

    seq: object
    path: object
    salt: object
    value: object


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
    """How many rows ``events`` and ``nodes`` have, and the highest number in each."""

    events: int
    last_event: object
    nodes: int
    last_node: object


class RawTables:
    """One consistent look at the tables."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def events(self) -> Iterator[EventRow]:
        """Give the events by number."""
        return map(EventRow._make, self._rows("SELECT seq, at, type, bytes FROM events ORDER BY seq"))

    def event_bytes(self, seq: int) -> object:
        """Give what stands as one event's bytes, or None."""
        return next(self._rows("SELECT bytes FROM events WHERE seq = :seq", seq=seq), (None,))[0]

    def nodes(self) -> Iterator[NodeRow]:
        """Give the nodes by position."""
        return map(NodeRow._make, self._rows("SELECT pos, blake3, sha256 FROM nodes ORDER BY pos"))

    def heads(self) -> Iterator[HeadRow]:
        """Give the head; there should be one."""
        statement = "SELECT one, size, blake3_peaks, sha256_peaks, at, incarnation FROM head ORDER BY one"
        return map(HeadRow._make, self._rows(statement))

    def claims(self) -> Iterator[KeyRow]:
        """Give the claims by event."""
        return map(KeyRow._make, self._rows("SELECT seq, key FROM claims ORDER BY seq"))

    def claimant(self, key: str) -> object:
        """Give what stands as the event that holds a unique key, or None."""
        return next(self._rows("SELECT seq FROM claims WHERE key = :key", key=key), (None,))[0]

    def tags(self) -> Iterator[KeyRow]:
        """Give the tags by event."""
        return map(KeyRow._make, self._rows("SELECT seq, tag FROM tags ORDER BY seq"))

    def states(self) -> Iterator[StateRowAsStored]:
        """Give the states by view and key."""
        return map(StateRowAsStored._make, self._rows("SELECT view, key, seq, state FROM states ORDER BY view, key"))

    def disclosures(self) -> Iterator[DisclosureRow]:
        """Give the openings by event."""
        statement = "SELECT seq, path, salt, value FROM disclosures ORDER BY seq, path"
        return map(DisclosureRow._make, self._rows(statement))

    def openings(self, seq: int) -> Iterator[DisclosureRow]:
        """Give the openings of one event."""
        statement = "SELECT seq, path, salt, value FROM disclosures WHERE seq = :seq ORDER BY path"
        return map(DisclosureRow._make, self._rows(statement, seq=seq))

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

    def extent(self) -> Extent:
        """Measure ``events`` and ``nodes``."""
        statement = (
            "SELECT (SELECT count(*) FROM events), (SELECT max(seq) FROM events), "
            "(SELECT count(*) FROM nodes), (SELECT max(pos) FROM nodes)"
        )
        return Extent._make(next(self._rows(statement)))

    def schema_faults(self) -> Iterator[tuple[str, str]]:
        """Name each table or trigger that is not as the migrations left it, and say what is wrong."""
        with translated(place(self._connection.engine)):
            yield from dialect.of(self._connection).schema_faults(self._connection)
        revisions = [found for (found,) in self._rows("SELECT version_num FROM alembic_version")]
        if revisions != [REVISION]:
            yield "alembic_version", f"it names {revisions}, and {REVISION} is what is read"

    def file_faults(self) -> Iterator[str]:
        """Let the database check its own pages."""
        with translated(place(self._connection.engine)):
            yield from dialect.of(self._connection).file_faults(self._connection)

    def _rows(self, statement: str, **values: object) -> Iterator[tuple[object, ...]]:
        with translated(place(self._connection.engine)):
            yield from map(tuple, streamed(self._connection, sa.text(statement), values))


@contextmanager
def open_raw(address: Address) -> Iterator[RawTables]:
    """Look at the tables of a database, without checking or changing anything.

    Raises:
        StoreMissingError: there is none.
        StoreError: it can't be opened.
    """
    engine = open_engine(address)
    dialect.of(engine).read_anything(engine)
    try:
        with translated(place(engine)), engine.begin() as connection:
            yield RawTables(connection)
    finally:
        engine.dispose()
