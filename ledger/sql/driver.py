"""The few statements that every append and every lookup runs, straight on the database driver.

SQLAlchemy takes 30 to 90 microseconds for a statement, and SQLite a few; an append is six of them. So whatever runs
for each event or each proof is written here as text and given to the driver's own cursor, on the connection and
within the transaction of SQLAlchemy, which still opens and translates; the writer's transaction begins and ends here
too. All else is SQLAlchemy's.

Statements are written with ``?`` for a value, and spelled as the dialect's driver wants it. What is read is as strict
as `ledger.sql.columns`: a value of another type than the column's is damage.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError, ResourceClosedError

from ledger.errors import CorruptError
from ledger.sql import dialect
from ledger.sql.dialect.base import Dialect
from ledger.sql.dialect.insertion import insertion, replacement
from ledger.sql.loss import check_alive

T = TypeVar("T")

Kinds = tuple[type, ...]
"""The types of the columns that are read, in order; an empty column is never refused here."""


class Driver:
    """A connection's own cursor; errors come as SQLAlchemy's.

    Args:
        connection: a connection within a transaction.
        cursor: its driver's own, of whoever keeps one from one transaction to the next.
        kind: what is the own of the connection's database, of whoever knows.

    Attributes:
        connection: the connection itself.
        kind: what is the own of the connection's database.
        standing: the row of the head, as it was read when this began; or None.
    """

    __slots__ = ("_committed", "_cursor", "_dialect", "_ended", "_keeps", "connection", "kind", "standing")

    def __init__(
        self, connection: sa.Connection, cursor: DBAPICursor | None = None, kind: Dialect | None = None
    ) -> None:
        # A connection that SQLAlchemy has not begun on would be in no transaction at all.
        self.connection = connection
        self._dialect = connection.dialect
        self.kind = kind or dialect.of(connection)
        self._cursor: DBAPICursor = cursor or connection.connection.cursor()
        self._keeps = cursor is None
        self._ended = self._committed = False
        self.standing: tuple[Any, ...] | None = None

    def begin(self) -> None:
        """Begin to write: hold the log's only writer, and know where the log stands.

        Raises:
            StoreError: the database is another one than it was.
            DBAPIError: the database refuses, or another process held the writer for too long.
        """
        self.standing = self._checked("BEGIN", self.kind.begin_writing, self._cursor)

    def commit(self) -> None:
        """Make it durable.

        Raises:
            DBAPIError: the database refuses, or nobody knows.
        """
        self._checked("COMMIT", self._cursor.execute, "COMMIT")
        self._committed = True

    def finish(self) -> None:
        """Commit what was begun, if it is not.

        Raises:
            ConnectionLostError: it broke while somebody read through it, who may have kept the error to himself.
            DBAPIError: the database refuses, or nobody knows.
        """
        if not self._committed:
            check_alive(self.connection)
            self.commit()
        if self.connection.in_transaction():
            # What SQLAlchemy took for a transaction of its own was part of this one.
            self.connection.commit()

    def end(self) -> None:
        """Run nothing more: the transaction is over, and the connection may be in another one."""
        self._ended = True
        if self._keeps:
            self._cursor.close()

    def check(self) -> None:
        """Refuse to go on after the end.

        Raises:
            ResourceClosedError: the transaction is over.
        """
        # Whoever keeps the cursor ends this before the connection is closed.
        if self._ended or (self._keeps and self.connection.closed):
            raise ResourceClosedError("this transaction is over")

    def row(self, statement: str, values: Sequence[object], kinds: Kinds) -> tuple[Any, ...] | None:
        """Read one row, or None.

        Raises:
            CorruptError: a value is of another type.
            DBAPIError: the database refuses.
        """
        self._checked(statement, self._cursor.execute, _spelled(statement, self.kind.mark), values)
        try:
            found = self._cursor.fetchone()
        except self._dialect.loaded_dbapi.Error as error:
            raise self._wrapped(statement, error) from error
        return None if found is None else strict(found, kinds)

    def rows(self, statement: str, values: Sequence[object], kinds: Kinds) -> list[tuple[Any, ...]]:
        """Read all rows of a short answer; see `row`."""
        self._checked(statement, self._cursor.execute, _spelled(statement, self.kind.mark), values)
        try:
            found = self._cursor.fetchall()
        except self._dialect.loaded_dbapi.Error as error:
            raise self._wrapped(statement, error) from error
        return [strict(row, kinds) for row in found]

    def change(self, statement: str, values: Sequence[object]) -> int:
        """Run a statement and give how many rows it changed.

        Raises:
            DBAPIError: the database refuses.
        """
        self._checked(statement, self._cursor.execute, _spelled(statement, self.kind.mark), values)
        return self._cursor.rowcount

    def change_each(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row; nothing for none.

        Raises:
            DBAPIError: the database refuses.
        """
        if rows:
            self._checked(statement, self._cursor.executemany, _spelled(statement, self.kind.mark), rows)

    def add(self, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:
        """Add rows to a table, all of its columns in their order: the one place where many rows come in at once.

        Raises:
            DBAPIError: the database refuses.
        """
        if rows:
            self._checked(insertion(table), self.kind.add, self._cursor, table, rows)

    def put(self, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:
        """Put rows, no two with the same key, over those that stand; see `add`."""
        if rows:
            self._checked(replacement(table), self.kind.put, self._cursor, table, rows)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Send all that is changed within as one, where the database is at the other end of a connection.

        Raises:
            DBAPIError: the database refuses one of the statements.
        """
        self.check()
        try:
            with self.kind.together(self.connection.connection.driver_connection):
                yield
        except self._dialect.loaded_dbapi.Error as error:
            raise self._wrapped("", error) from error

    def refused(self, error: DBAPIError) -> bool:
        """Tell whether it is the database that said no, over a connection that stands: then nothing is committed."""
        cause = error.orig
        ours = isinstance(cause, self._dialect.loaded_dbapi.Error)
        return ours and cause is not None and not error.connection_invalidated and not self.kind.lost(cause)

    def _checked(self, statement: str, run: Callable[..., T], *values: object) -> T:
        self.check()
        try:
            return run(*values)
        except self._dialect.loaded_dbapi.Error as error:
            raise self._wrapped(statement, error) from error

    def _wrapped(self, statement: str, error: Exception) -> Exception:
        """Give SQLAlchemy's error for the driver's, and have a lost connection replaced."""
        base, lost = self._dialect.loaded_dbapi.Error, False
        raw = self.connection.connection
        if self._dialect.is_disconnect(error, raw.dbapi_connection, self._cursor):  # type: ignore[arg-type]
            lost = True
            self.connection.invalidate(error)
        return DBAPIError.instance(
            statement, None, error, base, connection_invalidated=lost, dialect=self._dialect, ismulti=None
        )


@cache
def _spelled(statement: str, mark: str) -> str:
    return statement.replace("?", mark)


def strict(row: Iterable[object], kinds: Kinds) -> tuple[Any, ...]:
    """Give a row whose values are of these types.

    Raises:
        CorruptError: one is not.
    """
    values = tuple(row)
    if tuple(map(type, values)) == kinds:
        return values
    for value, kind in zip(values, kinds, strict=True):
        if value is not None and type(value) is not kind:
            raise CorruptError(f"a column of {kind.__name__} holds {type(value).__name__}: run `tally audit`")
    return values
