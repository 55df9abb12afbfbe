"""Reading a tree's nodes, with or without events: one query for each proof, whatever its size.

A proof of one event asks for a few dozen rows at most and is asked for often. So on SQLite such a query goes straight
to the driver, as one row of scalar subqueries in the order of what was asked: SQLAlchemy would cost three times what
the database does. Longer lists are handed over as one JSON array, or as one array of PostgreSQL.
"""

import json
import sqlite3
from collections.abc import Sequence
from functools import cache

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ledger.errors import CorruptError, ProofError
from ledger.log import Tree, TreeReader
from ledger.sql.engine import place
from ledger.sql.failure import in_our_words, translated

_SHORT = 64
"""So many rows are asked for by scalar subqueries: a proof of one event in a log of 2^53 has fewer."""


_LISTS = (
    "SELECT 0, seq, bytes FROM events WHERE seq {listed} UNION ALL SELECT 1, pos, {tree} FROM nodes WHERE pos {listed}"
)


class _Nodes:
    """What both databases do with what they found."""

    def __init__(self, connection: sa.Connection, tree: Tree) -> None:
        self._connection = connection
        self._tree = tree

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Give the nodes at these positions, in the same order; see `ledger.mmr.NodeReader`."""
        return self.read_with((), positions)[1]

    def read_with(self, seqs: Sequence[int], positions: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        """Give events and nodes, each in the order asked; see `ledger.log.TreeReader`."""
        found = self._find(seqs, positions)
        for value in found:
            if type(value) is not bytes:
                raise _fault(value)
        return found[: len(seqs)], found[len(seqs) :]  # type: ignore[return-value]  # each was looked at

    def _find(self, seqs: Sequence[int], positions: Sequence[int]) -> Sequence[object]:
        raise NotImplementedError


class SqliteNodes(_Nodes):
    """Reads one tree's nodes from a SQLite file."""

    def _find(self, seqs: Sequence[int], positions: Sequence[int]) -> Sequence[object]:
        asked = len(seqs) + len(positions)
        try:
            if asked <= _SHORT:
                statement = _scalars(self._tree, len(seqs), len(positions))
                return list(self._rows(statement, (*seqs, *positions))[0]) if asked else []
            statement = _LISTS.format(listed="IN (SELECT value FROM json_each(?))", tree=self._tree)
            rows = self._rows(statement, (json.dumps(list(seqs)), json.dumps(list(positions))))
        except sqlite3.Error as error:
            raise in_our_words(DBAPIError(None, None, error), place(self._connection.engine)) from error
        return _in_order(rows, seqs, positions)

    def _rows(self, statement: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        with translated(place(self._connection.engine)):
            # Refused where the look has ended; the driver's own connection lives on in the pool.
            driver = self._connection.connection.driver_connection
        if not isinstance(driver, sqlite3.Connection):
            raise TypeError(f"this is no connection of SQLite's: {driver!r}")
        return driver.execute(statement, values).fetchall()


class PostgresNodes(_Nodes):
    """Reads one tree's nodes from PostgreSQL."""

    def _find(self, seqs: Sequence[int], positions: Sequence[int]) -> Sequence[object]:
        statement = _LISTS.format(listed="= ANY(%s::bigint[])", tree=self._tree)
        with translated(place(self._connection.engine)):
            rows = self._connection.exec_driver_sql(statement, (list(seqs), list(positions))).fetchall()
        return _in_order(rows, seqs, positions)


def nodes_of(connection: sa.Connection, tree: Tree) -> TreeReader:
    """Give access to one tree's nodes over a connection."""
    return (SqliteNodes if connection.dialect.name == "sqlite" else PostgresNodes)(connection, tree)


@cache
def _scalars(tree: Tree, seqs: int, positions: int) -> str:
    asked = [
        *["(SELECT bytes FROM events WHERE seq = ?)"] * seqs,
        *[f"(SELECT {tree} FROM nodes WHERE pos = ?)"] * positions,  # noqa: S608  (a Literal)
    ]
    return f"SELECT {', '.join(asked)}"


def _in_order(rows: Sequence[Sequence[object]], seqs: Sequence[int], positions: Sequence[int]) -> list[object]:
    found = {(kind, number): value for kind, number, value in rows}
    return [*(found.get((0, seq)) for seq in seqs), *(found.get((1, position)) for position in positions)]


def _fault(value: object) -> ProofError | CorruptError:
    if value is None:
        return ProofError("the log has no such node: run `tally audit` if it should")
    return CorruptError("a node or an event is stored as something else than bytes: run `tally audit`")
