"""SQLite: one file, for one machine.

The file is in WAL mode with ``synchronous=FULL``: readers never wait, and a commit is on the disk before it is said. A
writer begins with BEGIN IMMEDIATE, anybody else with BEGIN. What is deleted is overwritten in its page
(``secure_delete``).

SQLite's result codes are told apart by their low byte, https://sqlite.org/rescode.html.
"""

import functools
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from ledger.errors import CorruptError, StoreBusyError, StoreError, StoreMissingError
from ledger.sql.address import Address, PostgresAddress
from ledger.sql.dialect.base import BUSY_SECONDS, PAUSE, PURPOSE, STANDING, STILL_READ, Dialect, Purpose, Words
from ledger.sql.dialect.insertion import insertion, replacement
from ledger.sql.dialect.sqlite_connection import FileConnection
from ledger.sql.dialect.sqlite_triggers import TRIGGERS
from ledger.sql.schema import metadata

_PRAGMAS: Final = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "trusted_schema = OFF",
    "secure_delete = ON",
    # In KiB: room for most inner pages of the trees that a proof from ten million events is looked up in.
    "cache_size = -16384",
)
_SETTINGS: Final = {"journal_mode": "wal", "synchronous": "2"}
_WORDS: Final[dict[int, Words]] = {
    sqlite3.SQLITE_BUSY: (StoreBusyError, "another process is writing and did not finish in time: try again"),
    sqlite3.SQLITE_LOCKED: (StoreBusyError, "the database is locked: try again"),
    sqlite3.SQLITE_READONLY: (StoreError, "the file can't be written: check its owner and mode, and the folder's"),
    sqlite3.SQLITE_PERM: (StoreError, "the file can't be opened: check its owner and mode"),
    sqlite3.SQLITE_FULL: (StoreError, "the disk is full: make room and run the command again; nothing was written"),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "the disk is full or broken: make room, or replace it, then run the command again, and `tally audit`",
    ),
    sqlite3.SQLITE_CANTOPEN: (StoreMissingError, "the database can't be opened: check the path, or run `tally init`"),
    sqlite3.SQLITE_NOTADB: (StoreError, "this file is no ledger: check the path"),
    sqlite3.SQLITE_CORRUPT: (CorruptError, "the file is damaged: restore a backup, then run `tally audit`"),
    sqlite3.SQLITE_CONSTRAINT: (CorruptError, "the database refuses what the log's head asks for: run `tally audit`"),
}
_PRIMARY_CODE: Final = 0xFF
_TOGETHER: Final = (100, 10)
"""So many rows are put into one INSERT, the most first, which saves a sixth of the time that single ones take."""
_NOT_OURS: Final = {("table", name) for name in ("alembic_version", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4")}
"""What Alembic and SQLite's ANALYZE keep for themselves."""


class SQLite:
    """The log in a file."""

    mark = "?"
    # A proof of one event in a log of 2^53 has fewer rows.
    scalars = 64
    distant = False
    listed = "IN (SELECT value FROM json_each(?))"

    def missing(self, address: Address) -> str | None:
        """Say that there is no file, if there is none."""
        path = _path(address)
        try:
            found = path.is_file()
        except OSError as error:  # a directory above it that may not be entered
            raise StoreError(f"{path}: can't be looked at ({error.strerror}): run as the user that keeps it") from error
        return None if found else "no ledger here: check the path, or run `tally init`"

    def engine(self, address: Address, *, busy_seconds: float = BUSY_SECONDS, create: bool = False) -> sa.Engine:
        """Give an engine for a file; ``create`` makes it if there is none."""
        path = _path(address)
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"

        def connect() -> sqlite3.Connection:
            # isolation_level=None: the driver begins nothing by itself, `begin` does.
            connection = sqlite3.connect(
                uri,
                uri=True,
                timeout=busy_seconds,
                isolation_level=None,
                check_same_thread=False,
                factory=FileConnection,
            )
            connection.opened_on(str(path))
            return connection

        engine = sa.create_engine(
            sa.URL.create("sqlite+pysqlite", database=str(path)),
            creator=connect,
            poolclass=sa.QueuePool,
            pool_size=8,
            max_overflow=-1,
        )
        sa.event.listen(engine, "connect", _prepare)
        sa.event.listen(engine, "begin", self._on_begin)
        return engine

    def begin(self, connection: sa.Connection, purpose: Purpose) -> None:
        """Begin a transaction; one that writes takes the file's write lock at once."""
        raw: Any = connection.connection.driver_connection
        raw.check_place()
        statement = "BEGIN" if purpose == "read" else "BEGIN IMMEDIATE"
        try:
            # SQLAlchemy would take ten times as long for this as SQLite does.
            raw.execute(statement)
        except sqlite3.Error as error:
            raise DBAPIError.instance(statement, None, error, sqlite3.Error, dialect=connection.dialect) from error

    def begin_writing(self, cursor: Any) -> tuple[Any, ...] | None:  # noqa: ANN401  (sqlite3's)
        """Take the file's write lock, and read the head."""
        cursor.connection.check_place()
        cursor.execute("BEGIN IMMEDIATE")
        found: tuple[Any, ...] | None = cursor.execute(STANDING).fetchone()
        return found

    def _on_begin(self, connection: sa.Connection) -> None:
        purpose = connection.get_execution_options().get(PURPOSE, "read")
        if purpose == "write" and connection.connection.driver_connection.in_transaction:  # type: ignore[union-attr]
            # Of `begin_writing`.
            return
        self.begin(connection, purpose)

    def create(self, address: Address, fill: Callable[[sa.Connection], None]) -> None:
        """Make a file beside its place and link it there when it is whole."""
        path = _path(address)
        if path.exists():
            raise StoreError(f"{path}: something stands here already; a log is made once")
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
        try:
            engine = self.engine(unfinished, create=True)
            try:
                with engine.execution_options(**{PURPOSE: "migrate"}).begin() as connection:
                    fill(connection)
            finally:
                # The last connection folds the write-ahead log into the file.
                engine.dispose()
            # Unlike a rename, a link never replaces what another process made in the meantime.
            path.hardlink_to(unfinished)
            _sync(path.parent)
        except FileExistsError as error:
            raise StoreError(f"{path}: something stands here already; a log is made once") from error
        except OSError as error:
            raise StoreError(f"{path}: can't be made: {error.strerror}") from error
        finally:
            unfinished.unlink(missing_ok=True)

    def discard(self, address: Address) -> None:
        """Take the file away, and what SQLite keeps beside it."""
        path = _path(address)
        try:
            for name in (path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))):
                name.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: can't be taken away: {error.strerror}") from error

    def place(self, engine: sa.Engine) -> str:
        """Give the path."""
        return engine.url.database or engine.url.render_as_string()

    def array(self, numbers: Sequence[int]) -> str:
        """Spell it in JSON."""
        return f"[{','.join(map(str, numbers))}]"

    def words(self, cause: BaseException) -> Words | None:
        """Look the result code up."""
        code = getattr(cause, "sqlite_errorcode", None)
        return _WORDS.get(code & _PRIMARY_CODE) if isinstance(code, int) else None

    def lost(self, cause: BaseException) -> bool:  # noqa: ARG002  (there is no connection to lose)
        """Say no: a file is there or is not."""
        return False

    def triggers(self, schema: str | None = None) -> Mapping[str, str]:  # noqa: ARG002  (a file has one)
        """Give every trigger by name."""
        return TRIGGERS

    def create_triggers(self, connection: sa.Connection) -> None:
        """Create all triggers."""
        for statement in TRIGGERS.values():
            connection.exec_driver_sql(statement)

    def grants(self, address: Address, role: str, *, read_only: bool) -> list[str]:  # noqa: ARG002  (it has none)
        """Refuse: the file's mode is all that SQLite knows."""
        raise StoreError(f"{address}: SQLite has no roles: whoever may write the file may write the log")

    def schema_faults(self, connection: sa.Connection) -> Iterator[tuple[str, str]]:
        """Hold the text that SQLite keeps of every object against the text of the migrations."""
        expected = {table.name: _table_text(table) for table in metadata.sorted_tables} | dict(TRIGGERS)
        # A trigger may bear a table's name, and whoever can write the file can give any name at all: what is passed
        # over is told by its kind too. The indexes that SQLite makes by itself have no text.
        for kind, name, text in connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master"):
            if (kind, name) in _NOT_OURS or (kind == "index" and text is None):
                continue
            wanted = expected.pop(str(name), None)
            if wanted is None:
                yield str(name), "nothing of this name belongs here"
            elif _plain(str(text)) != _plain(wanted):
                yield str(name), "it is defined otherwise"
        for name in sorted(expected):
            yield name, "it is missing"

    def file_faults(self, connection: sa.Connection) -> Iterator[str]:
        """Let SQLite check every page."""
        for (message,) in connection.exec_driver_sql("PRAGMA integrity_check(10)"):
            if str(message) != "ok":
                yield str(message)

    def read_anything(self, engine: sa.Engine) -> None:
        """Read text that is no UTF-8 as lone surrogates, and write nothing."""
        sa.event.listen(engine, "connect", _read_anything)

    @contextmanager
    def strict_text(self, connection: DBAPIConnection) -> Iterator[None]:
        """Have the driver make the text itself, which takes a tenth of what a call for each does."""
        lenient, connection.text_factory = connection.text_factory, str
        try:
            yield
        finally:
            connection.text_factory = lenient

    def scrub(self, connection: DBAPIConnection, where: str, patience: float) -> None:
        """Write the whole file anew, into the write-ahead log and from there over the old pages, and cut both off."""
        with closing(connection.cursor()) as cursor:
            cursor.execute("VACUUM")
            until = time.monotonic() + patience
            while True:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                busy, *_ = cursor.fetchone() or (1,)
                if not busy:
                    return
                if time.monotonic() >= until:
                    raise StoreBusyError(f"{where}: {STILL_READ}")
                time.sleep(PAUSE)

    def share(self, connection: sa.Connection) -> str | None:  # noqa: ARG002  (the protocol's form)
        """Give no name: SQLite has none."""
        return None

    def see(self, connection: sa.Connection, shared: str) -> None:  # noqa: ARG002  (the protocol's form)
        """Refuse: nothing was shared."""
        raise StoreError("SQLite shares no look at a file")

    @contextmanager
    def deletable(self, connection: sa.Connection, table: str) -> Iterator[None]:
        """Take the trigger away that refuses it, and make it again."""
        name = f"{table}_no_delete"
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}")
        yield
        connection.exec_driver_sql(TRIGGERS[name])

    def settings(self, connection: sa.Connection) -> Iterator[tuple[str, bool]]:
        """Look at the pragmas."""
        for name, wanted in _SETTINGS.items():
            found = str(connection.exec_driver_sql(f"PRAGMA {name}").scalar())
            yield f"{name} {found}", found == wanted

    def add(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (sqlite3's)
        """Run one INSERT for as many rows as there are of `_TOGETHER`, and one for each that is left.

        Each kind of them is compiled once.
        """
        if len(rows) == 1:
            cursor.execute(insertion(table), rows[0])
            return
        for many in _TOGETHER:
            whole = len(rows) - len(rows) % many
            if whole:
                parts = (rows[start : start + many] for start in range(0, whole, many))
                cursor.executemany(insertion(table, many), ([*chain.from_iterable(part)] for part in parts))
                rows = rows[whole:]
        if rows:
            cursor.executemany(insertion(table), rows)

    def put(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (sqlite3's)
        """Run one INSERT for each row."""
        cursor.executemany(replacement(table), rows)

    def together(self, connection: Any) -> AbstractContextManager[object]:  # noqa: ANN401, ARG002  (sqlite3's)
        """Do nothing: a statement costs no round trip."""
        return nullcontext()


def _path(address: Address) -> Path:
    if isinstance(address, PostgresAddress):
        raise TypeError("a SQLite file is named by its path")
    return address


def _prepare(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    try:
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
    except UnicodeDecodeError as error:
        # The driver can't spell SQLite's own message, which quotes what stands in the damaged schema.
        damage = sqlite3.DatabaseError("malformed database schema")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage from error
    finally:
        cursor.close()


def _read_anything(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only = ON")
    cursor.close()
    # Not a function of ours: it is called for each text that is read.
    connection.text_factory = functools.partial(str, encoding="utf-8", errors="surrogateescape")


def _table_text(table: sa.Table) -> str:
    return str(sa.schema.CreateTable(table).compile(dialect=sqlite.dialect()))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


DIALECT: Final[Dialect] = SQLite()
