"""Claims and tags, put right from the events: what is missing comes back, what no event demands goes.

An undamaged table is told by one reading: what stands and what the events demand are added up, and equal sums
are equal sets (`ledger.multiset`). Nothing is written then.

Source: DESIGN section 6.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import sqlalchemy as sa

from ledger.digest import SIZE
from ledger.errors import StoreError
from ledger.event import Event
from ledger.multiset import Sums, Weights
from ledger.sql import dialect, schema
from ledger.sql.driver import Driver
from ledger.sql.ranges import Keyed, Ranges

KEYED: Final[tuple[Keyed, ...]] = ("claims", "tags")
BATCH: Final = 1000

_ADD_MISSING: Final[dict[Keyed, str]] = {
    "claims": "INSERT INTO claims (key, seq) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM claims WHERE key = ?)",
    "tags": "INSERT INTO tags (tag, seq) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM tags WHERE tag = ? AND seq = ?)",
}
_EMPTY: Final[dict[Keyed, str]] = {"claims": "DELETE FROM claims", "tags": "DELETE FROM tags"}


class Demanded:
    """What the events of a log demand of both tables, added up."""

    def __init__(self) -> None:
        self._weights = Weights(secrets.token_bytes(SIZE))
        self._sums = {table: Sums(self._weights) for table in KEYED}

    def add(self, event: Event) -> None:
        """Take in an event."""
        self._sums["claims"].add(event.seq, set(event.claims()))
        self._sums["tags"].add(event.seq, event.tags())

    def stands(self, connection: sa.Connection, table: Keyed) -> bool:
        """Tell whether a table holds just what is demanded."""
        stored = Sums(self._weights)
        try:
            for rows in Ranges(connection).every_key(table):
                stored.add_rows(rows)
        except StoreError:
            # What can't be read is not what is demanded.
            return False
        return stored == self._sums[table]


def mend(connection: sa.Connection, table: Keyed, demanded: Demanded, events: Callable[[], Iterable[Event]]) -> bool:
    """Put a table right, within the connection's transaction; tell whether it was not.

    Args:
        connection: within a transaction that writes.
        table: which one.
        demanded: what all events come to.
        events: gives all events, each time it is called.

    What is missing is added. Only where that does not do, for there are rows that no event demands, is the table
    emptied and filled again: the database's owner alone may do that.

    Raises:
        StoreError: the database can't be written.
    """
    if demanded.stands(connection, table):
        return False
    driver = Driver(connection)
    for batch in _batches(_rows(table, events())):
        twice = [(key, seq, key) if table == "claims" else (key, seq, key, seq) for key, seq in batch]
        driver.change_each(_ADD_MISSING[table], twice)
    if not demanded.stands(connection, table):
        with dialect.of(connection).deletable(connection, table):
            driver.change(_EMPTY[table], ())
        for batch in _batches(_rows(table, events())):
            driver.add(schema.metadata.tables[table], batch)
    return True


def _rows(table: Keyed, events: Iterable[Event]) -> Iterator[tuple[str, int]]:
    for event in events:
        yield from ((key, event.seq) for key in keys_of(table, event))


def keys_of(table: Keyed, event: Event) -> Sequence[str]:
    """Give the rows of a table that an event demands, each once."""
    return sorted(set(event.claims() if table == "claims" else event.tags()))


def _batches(rows: Iterable[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        yield batch
