"""Rows of the large tables by ranges of their numbers, as they stand: what an audit reads by the million.

Rows come as the driver gives them, plain tuples, since anything made of each would cost more than checking it. A
range is read with its bounds as the database orders values: what is no number stands outside every range, and is what
`strangers` gives.
"""

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ledger.sql.engine import place
from ledger.sql.failure import in_our_words, translated

Row: TypeAlias = tuple[object, ...]
Keyed: TypeAlias = Literal["claims", "tags"]

BATCH = 2000

_EVENTS: Final = sa.text("SELECT seq, at, type, bytes FROM events WHERE seq >= :start AND seq < :stop ORDER BY seq")
_NODES: Final = sa.text("SELECT pos, blake3, sha256 FROM nodes WHERE pos >= :start AND pos < :stop ORDER BY pos")
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
_FOLDED: Final = sa.text(
    "SELECT seq, bytes FROM events WHERE seq < :stop AND type NOT IN :left_out ORDER BY seq"
).bindparams(sa.bindparam("left_out", expanding=True))


class Ranges:
    """Reads ranges over one connection, within its transaction.

    Raises, from each method:
        StoreError: the database can't read the rows.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def events(self, start: int, stop: int) -> list[Row]:
        """Give (seq, at, type, bytes) of the events from ``start`` up to ``stop``, in order."""
        return self._all(_EVENTS, start, stop)

    def nodes(self, start: int, stop: int) -> list[Row]:
        """Give (pos, blake3, sha256) of the nodes from position ``start`` up to ``stop``, in order."""
        return self._all(_NODES, start, stop)

    def openings(self, start: int, stop: int) -> list[Row]:
        """Give (seq, path, salt, value) of the openings of these events, in order."""
        return self._all(_OPENINGS, start, stop)

    def keys(self, table: Keyed, start: int, stop: int) -> Iterator[list[Row]]:
        """Give (seq, key) of the claims or tags of these events, in batches, in whatever order they lie."""
        return self._batches(_KEYS[table], {"start": start, "stop": stop})

    def every_key(self, table: Keyed) -> Iterator[list[Row]]:
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

    def folded(self, stop: int, left_out: tuple[str, ...]) -> Iterator[Row]:
        """Give (seq, bytes) of the events before ``stop``, but for those of some types, by the column that names it."""
        for batch in self._batches(_FOLDED, {"stop": stop, "left_out": list(left_out)}):
            yield from batch

    def _all(self, statement: sa.TextClause, start: int, stop: int) -> list[Row]:
        # Within a savepoint, so that a database that can't read these rows can still read others.
        with translated(place(self._connection.engine)), self._connection.begin_nested():
            return [row for batch in self._batches(statement, {"start": start, "stop": stop}) for row in batch]

    def _batches(self, statement: sa.TextClause, values: dict[str, object]) -> Iterator[list[Row]]:
        name, driver = place(self._connection.engine), self._connection.dialect.loaded_dbapi
        with translated(name):
            options = {"stream_results": True}
            with self._connection.execute(statement, values, execution_options=options) as result:
                cursor = result.cursor
                # The first row, which SQLAlchemy has fetched already where the database streams; the rest straight from
                # the driver's cursor, for SQLAlchemy would make an object of each.
                first = result.fetchone()
                if first is None:
                    return
                yield [tuple(first)]
                try:
                    while rows := cursor.fetchmany(BATCH):
                        yield list(rows)
                except driver.Error as error:
                    raise in_our_words(DBAPIError(str(statement), None, error), name) from error
