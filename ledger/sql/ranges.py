"""Rows of the large tables by ranges of their numbers, as they stand: what an audit reads by the million.

Rows come as the driver gives them, plain tuples, since anything made of each would cost more than checking it. A
range is read with its bounds as the database orders values: what is no number stands outside every range, and is what
`strangers` gives.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain
from typing import Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ledger.sql import dialect
from ledger.sql.engine import place
from ledger.sql.failure import in_our_words, translated

Row: TypeAlias = tuple[object, ...]
Keyed: TypeAlias = Literal["claims", "tags"]

BATCH = 2000

_EVENTS: Final = sa.text("SELECT seq, at, type, bytes FROM events WHERE seq >= :start AND seq < :stop ORDER BY seq")
_NODES: Final = sa.text("SELECT pos, blake3, sha256 FROM nodes WHERE pos >= :start AND pos < :stop ORDER BY pos")
_NODES_AT: Final = sa.text("SELECT pos, blake3, sha256 FROM nodes WHERE pos IN :places ORDER BY pos").bindparams(
    sa.bindparam("places", expanding=True)
)
_OPENINGS: Final = sa.text(
    "SELECT seq, path, salt, value FROM disclosures WHERE seq >= :start AND seq < :stop ORDER BY seq, path"
)
_KEYS: Final[dict[Keyed, sa.TextClause]] = {
    "claims": sa.text("SELECT seq, key FROM claims WHERE seq >= :start AND seq < :stop"),
    "tags": sa.text("SELECT seq, tag FROM tags WHERE seq >= :start AND seq < :stop"),
}
_EVERY_KEY: Final[dict[Keyed, sa.TextClause]] = {
    "claims": sa.text("SELECT seq, key FROM claims"),
    "tags": sa.text("SELECT seq, tag FROM tags"),
}
_KEYS_IN_ORDER: Final[dict[Keyed, sa.TextClause]] = {
    "claims": sa.text("SELECT seq, key FROM claims WHERE seq >= :start AND seq < :stop ORDER BY seq, key"),
    "tags": sa.text("SELECT seq, tag FROM tags WHERE seq >= :start AND seq < :stop ORDER BY seq, tag"),
}
_STRANGERS: Final = {
    "events": sa.text("SELECT seq FROM events WHERE seq IS NULL OR seq < 0 OR seq >= :stop ORDER BY seq"),
    "nodes": sa.text("SELECT pos FROM nodes WHERE pos IS NULL OR pos < 0 OR pos >= :stop ORDER BY pos"),
    "claims": sa.text("SELECT seq, key FROM claims WHERE seq IS NULL OR seq < 0 OR seq >= :stop ORDER BY seq, key"),
    "tags": sa.text("SELECT seq, tag FROM tags WHERE seq IS NULL OR seq < 0 OR seq >= :stop ORDER BY seq, tag"),
    "disclosures": sa.text(
        "SELECT seq, path FROM disclosures WHERE seq IS NULL OR seq < 0 OR seq >= :stop ORDER BY seq, path"
    ),
}


class Ranges:
    """Reads ranges over one connection, within its transaction.

    Args:
        connection: of an engine that reads anything.
        strict: whether text that is no UTF-8 is an error, like rows that can't be read; that is quicker.

    Raises, from each method:
        StoreError: the database can't read the rows.
    """

    def __init__(self, connection: sa.Connection, *, strict: bool = False) -> None:
        self._connection = connection
        self._strict = strict

    def events(self, start: int, stop: int) -> list[Row]:
        """Give (seq, at, type, bytes) of the events from ``start`` up to ``stop``, in order."""
        return self._all(_EVENTS, {"start": start, "stop": stop})

    def nodes(self, start: int, stop: int) -> list[Row]:
        """Give (pos, blake3, sha256) of the nodes from position ``start`` up to ``stop``, in order."""
        return self._all(_NODES, {"start": start, "stop": stop})

    def nodes_at(self, places: Sequence[int]) -> list[Row]:
        """Give (pos, blake3, sha256) of the nodes at these positions, in order."""
        return self._all(_NODES_AT, {"places": list(places)}) if places else []

    def openings(self, start: int, stop: int) -> list[Row]:
        """Give (seq, path, salt, value) of the openings of these events, in order."""
        return self._all(_OPENINGS, {"start": start, "stop": stop})

    def keys(self, table: Keyed, start: int, stop: int) -> Iterator[Sequence[Row]]:
        """Give (seq, key) of the claims or tags of these events, in batches, in whatever order they lie."""
        return self._batches(_KEYS[table], {"start": start, "stop": stop})

    def every_key(self, table: Keyed) -> Iterator[Sequence[Row]]:
        """Give (seq, key) of all claims or tags, in batches, in whatever order they lie."""
        return self._batches(_EVERY_KEY[table], {})

    def keys_in_order(self, table: Keyed, start: int, stop: int) -> Iterator[Row]:
        """Give (seq, key) of the claims or tags of these events, by event."""
        for batch in self._batches(_KEYS_IN_ORDER[table], {"start": start, "stop": stop}):
            yield from batch

    def strangers(self, table: str, stop: int) -> Iterator[Row]:
        """Give the rows whose number is not one from 0 up to ``stop``: the number, and what else names the row."""
        for batch in self._batches(_STRANGERS[table], {"stop": stop}):
            yield from batch

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Read within a savepoint, so that a database that can't read these rows can still read others."""
        with translated(place(self._connection.engine)), self._connection.begin_nested():
            yield

    def _all(self, statement: sa.TextClause, values: dict[str, object]) -> list[Row]:
        with self.apart():
            return list(chain.from_iterable(self._batches(statement, values)))

    def _batches(self, statement: sa.TextClause, values: dict[str, object]) -> Iterator[Sequence[Row]]:
        connection = self._connection
        name, driver = place(connection.engine), connection.dialect.loaded_dbapi
        with translated(name), self._text():
            options = {"stream_results": True}
            with connection.execute(statement, values, execution_options=options) as result:
                # The first row, which SQLAlchemy has fetched already where the database streams; the rest straight
                # from the driver's cursor, for SQLAlchemy would make an object of each.
                cursor, first = result.cursor, result.fetchone()
                if first is None:
                    return
                yield [tuple(first)]
                try:
                    while rows := cursor.fetchmany(BATCH):
                        yield rows
                except driver.Error as error:
                    raise in_our_words(DBAPIError(str(statement), None, error), name) from error

    def _text(self) -> AbstractContextManager[object]:
        opened = self._connection.connection.dbapi_connection
        if opened is None or not self._strict:
            return nullcontext()
        return dialect.of(self._connection).strict_text(opened)
