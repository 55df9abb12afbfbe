"""PostgreSQL: one schema, for many machines.

A writer begins READ COMMITTED and takes the row lock on the head, which is the writer's lock: whoever comes second
waits, for `busy_seconds` at the most, and reads what the first one left. Anybody else begins REPEATABLE READ, READ
ONLY, and sees one state of the log until it ends. A server that would say a commit before it is on the disk is refused.

Error classes are told apart by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError

from ledger.errors import CorruptError, StoreBusyError, StoreError, StoreMissingError
from ledger.sql.address import Address, PostgresAddress
from ledger.sql.dialect import postgresql_catalog, postgresql_grants, postgresql_scrub, postgresql_triggers
from ledger.sql.dialect.base import BUSY_SECONDS, LOST, PURPOSE, Purpose, Words

if TYPE_CHECKING:
    import psycopg

_CONNECTING: Final = {
    "application_name": "tallystick",
    "client_encoding": "utf8",
    "connect_timeout": "10",
    # A peer that is gone without a word is noticed within a minute.
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
"""What the address may say otherwise."""

_BEGIN: Final[dict[Purpose, str]] = {
    "read": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "write": "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT FROM head FOR UPDATE",
    "migrate": "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
}
_HAS_HEAD: Final = "SELECT to_regclass('head') IS NOT NULL"
_SETTINGS: Final = {"synchronous_commit": {"on", "remote_apply"}, "fsync": {"on"}, "full_page_writes": {"on"}}
"""What durability rests on."""

_GOING: Final = ("57P01", "57P02", "57P03")
"""The server ends the connection, crashes, or is not yet up."""

_WORDS: Final[dict[str, Words]] = {
    "55P03": (StoreBusyError, "another process is writing and did not finish in time: try again"),
    "40001": (StoreBusyError, "another transaction came in between: try again"),
    "40P01": (StoreBusyError, "two transactions waited for each other: try again"),
    "57014": (StoreBusyError, "the server cut the statement off: try again, or raise its statement_timeout"),
    "53100": (StoreError, "the server's disk is full: make room and run the command again; nothing was written"),
    "53200": (StoreBusyError, "the server is out of memory: try again"),
    "53300": (StoreBusyError, "the server takes no more connections: try again, or raise its max_connections"),
    "25006": (StoreError, "this server takes no writes: name the primary, not a standby"),
    "42501": (StoreError, "this role may not: use the owner's, or let the owner run what `tally db grant-sql` prints"),
    "54000": (StoreError, "a key is longer than PostgreSQL can index, some 2,700 bytes; nothing was written"),
    "22021": (StoreError, "a text holds a character that PostgreSQL can't keep; nothing was written"),
    "3D000": (StoreMissingError, "there is no such database: check the address"),
    "XX001": (CorruptError, "the server found a damaged page: restore a backup, then run `tally audit`"),
    "XX002": (CorruptError, "the server found a damaged index: run REINDEX, then `tally audit`"),
    **dict.fromkeys(("42P01", "42703", "3F000"), (StoreError, "not the tables of this version: run `tally doctor`")),
    **dict.fromkeys(_GOING, (StoreError, LOST)),
}
_CLASSES: Final[dict[str, Words]] = {
    "08": (StoreError, LOST),
    "28": (StoreError, "the server lets this role not in: check the user, ~/.pgpass, PGPASSWORD and pg_hba.conf"),
    "23": (CorruptError, "the database refuses what the log's head asks for: run `tally audit`"),
    "58": (StoreError, "the server can't read or write its files: look at its disk, then run `tally audit`"),
}
_MANY: Final = 32
"""From so many rows on, COPY is quicker than one INSERT for all."""


class PostgreSQL:
    """The log in a schema."""

    mark = "%s"
    # It would plan such a row anew each time.
    scalars = 0
    listed = "= ANY(CAST(? AS bigint[]))"

    def missing(self, address: Address) -> str | None:  # noqa: ARG002  (a server is asked, not looked at)
        """Say nothing: whether the schema is there shows when it is opened."""
        return None

    def engine(self, address: Address, *, busy_seconds: float = BUSY_SECONDS) -> sa.Engine:
        """Give an engine for a schema, which need not be there."""
        at = _address(address)
        connect = _connector(at, busy_seconds)
        engine = sa.create_engine(
            # The schema is part of the name, so that messages tell it.
            at.url.update_query_dict({"schema": at.schema}),
            creator=connect,
            poolclass=sa.QueuePool,
            pool_size=8,
            max_overflow=8,
            pool_timeout=busy_seconds,
            # A connection that the server has closed meanwhile is replaced before anything is asked of it.
            pool_pre_ping=True,
            use_native_hstore=False,
        )
        sa.event.listen(engine, "begin", self._on_begin)
        return engine

    def begin(self, connection: sa.Connection, purpose: Purpose) -> None:
        """Begin a transaction; one that writes holds the head's row from then on, one that migrates its table."""
        connection.exec_driver_sql(_BEGIN[purpose])
        if purpose == "migrate" and connection.exec_driver_sql(_HAS_HEAD).scalar_one():
            connection.exec_driver_sql("LOCK TABLE head IN ACCESS EXCLUSIVE MODE")

    def _on_begin(self, connection: sa.Connection) -> None:
        self.begin(connection, connection.get_execution_options().get(PURPOSE, "read"))

    def create(self, address: Address, fill: Callable[[sa.Connection], None]) -> None:
        """Make the schema and all that is in it, in one transaction."""
        at = _address(address)
        engine = self.engine(at)
        try:
            with engine.execution_options(**{PURPOSE: "migrate"}).begin() as connection:
                connection.exec_driver_sql(f"CREATE SCHEMA {_quoted(at.schema)}")
                fill(connection)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in {"42P06", "23505"}:
                raise
            raise StoreError(
                f"{at}: a schema of this name is there already; a log is made once: name another with ?schema=NAME"
            ) from error
        finally:
            engine.dispose()

    def discard(self, address: Address) -> None:
        """Drop the schema."""
        at = _address(address)
        engine = self.engine(at)
        try:
            with engine.execution_options(**{PURPOSE: "migrate"}).begin() as connection:
                connection.exec_driver_sql(f"DROP SCHEMA IF EXISTS {_quoted(at.schema)} CASCADE")
        finally:
            engine.dispose()

    def place(self, engine: sa.Engine) -> str:
        """Give the address; no password is in it."""
        return engine.url.render_as_string()

    def array(self, numbers: Sequence[int]) -> str:
        """Spell it in braces."""
        return f"{{{','.join(map(str, numbers))}}}"

    def words(self, cause: BaseException) -> Words | None:
        """Look the SQLSTATE up, then its class."""
        if not hasattr(cause, "sqlstate"):
            return None
        state = cause.sqlstate
        if state is None:
            return _without_state(cause)
        return _WORDS.get(state) or _CLASSES.get(state[:2])

    def lost(self, cause: BaseException) -> bool:
        """Tell by the SQLSTATE, or by the lack of one: then it is the driver that could not go on."""
        import psycopg  # noqa: PLC0415  (an extra, which only PostgreSQL needs)

        if not isinstance(cause, psycopg.OperationalError):
            return False
        state = cause.sqlstate
        return state is None or state[:2] == "08" or state in _GOING

    def triggers(self, schema: str | None) -> Mapping[str, str]:
        """Give every function and trigger by name."""
        own = _quoted(schema or "")
        return {**postgresql_triggers.functions(own), **postgresql_triggers.triggers(own)}

    def create_triggers(self, connection: sa.Connection) -> None:
        """Create all functions and triggers."""
        schema = postgresql_catalog.schema_of(connection)
        for statement in self.triggers(schema).values():
            connection.exec_driver_sql(statement)
        for name in postgresql_triggers.triggers(_quoted(schema)):
            table = postgresql_triggers.table_of(name)
            connection.exec_driver_sql(f"ALTER TABLE {_quoted(schema)}.{table} ENABLE ALWAYS TRIGGER {name}")

    def grants(self, address: Address, role: str, *, read_only: bool) -> list[str]:
        """Give the statements; see `ledger.sql.dialect.postgresql_grants`."""
        return postgresql_grants.grants(_address(address).schema, role, read_only=read_only)

    def schema_faults(self, connection: sa.Connection) -> Iterator[tuple[str, str]]:
        """Hold what the catalogue says of every object in the schema against the migrations."""
        return postgresql_catalog.faults(connection)

    def file_faults(self, connection: sa.Connection) -> Iterator[str]:  # noqa: ARG002  (the server's pages are its own)
        """Find nothing more: the server checks a page as it reads it, and who reads every row has had all checked."""
        return iter(())

    def read_anything(self, engine: sa.Engine) -> None:
        """Nothing to do: a column's type holds here, and who reads begins READ ONLY."""

    def scrub(self, connection: DBAPIConnection, where: str, patience: float) -> None:
        """Write the table of the openings anew; see `ledger.sql.dialect.postgresql_scrub`."""
        postgresql_scrub.scrub(connection, where, patience)

    def share(self, connection: sa.Connection) -> str | None:
        """Export the transaction's snapshot."""
        return str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar_one())

    def see(self, connection: sa.Connection, shared: str) -> None:
        """Take over an exported snapshot."""
        connection.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{shared}'")

    @contextmanager
    def deletable(self, connection: sa.Connection, table: str) -> Iterator[None]:
        """Switch the trigger off that refuses it, and on again."""
        connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER {table}_no_delete")
        yield
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_no_delete")

    def settings(self, connection: sa.Connection) -> Iterator[tuple[str, bool]]:
        """Look at what durability rests on, and at the server's version."""
        version = connection.exec_driver_sql("SELECT current_setting('server_version')").scalar_one()
        yield f"PostgreSQL {version}", True
        for name, wanted in _SETTINGS.items():
            found = str(connection.exec_driver_sql(f"SELECT current_setting('{name}')").scalar_one())
            yield f"{name} {found}", found in wanted

    def add(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (psycopg's)
        """Send few rows as one INSERT of arrays, and many as a binary COPY."""
        kinds = [_KINDS[type(column.type).__name__] for column in table.columns]
        names = ", ".join(column.name for column in table.columns)
        if len(rows) < _MANY:
            arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
            statement = f"INSERT INTO {table.name} ({names}) SELECT * FROM unnest({arrays})"  # noqa: S608  (our names)
            cursor.execute(statement, [list(column) for column in zip(*rows, strict=True)])
            return
        with cursor.copy(f"COPY {table.name} ({names}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(kinds)
            for row in rows:
                copy.write_row(row)


_KINDS: Final = {"BigInteger": "int8", "Text": "text", "LargeBinary": "bytea"}


def _connector(address: PostgresAddress, busy_seconds: float) -> "Callable[[], psycopg.Connection[Any]]":
    try:
        import psycopg  # noqa: PLC0415  (an extra, which only PostgreSQL needs)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"{address}: PostgreSQL needs a driver that is not installed: pip install 'tallystick[postgres]'"
        ) from error
    words, options = address.url.get_dialect()().create_connect_args(address.url)

    def connect() -> "psycopg.Connection[Any]":
        # autocommit: the driver begins nothing by itself, `begin` does.
        connection = psycopg.connect(*words, **{**_CONNECTING, **options}, autocommit=True)
        try:
            _prepare(connection, address, busy_seconds)
        except BaseException:
            connection.close()
            raise
        return connection

    return connect


def _prepare(connection: "psycopg.Connection[Any]", address: PostgresAddress, busy_seconds: float) -> None:
    """Look into the log's schema alone, wait no longer than asked, and refuse a server that is not durable."""
    connection.execute(
        f"SET search_path = {_quoted(address.schema)}, pg_temp; SET lock_timeout = {max(1, int(busy_seconds * 1000))}; "
        # A client that is gone without a word must not hold the writer's lock for hours.
        "SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; "
        "SET client_min_messages = warning"
    )
    names = ("server_encoding", *_SETTINGS)
    wanted = ", ".join(f"current_setting('{name}')" for name in names)
    row = connection.execute(f"SELECT {wanted}").fetchone()
    found = dict(zip(names, row or (), strict=True))
    if found.pop("server_encoding") != "UTF8":
        raise StoreError(f"{address}: the database's encoding is not UTF8: make one with ENCODING 'UTF8'")
    for name, value in found.items():
        if value not in _SETTINGS[name]:
            raise StoreError(
                f"{address}: {name} is {value}, so that a commit may be lost after it was answered: "
                f"set it to on for the server, this database and this role"
            )


def _without_state(cause: BaseException) -> Words | None:
    """Tell errors of the driver itself: it could not connect, or the connection broke."""
    import psycopg  # noqa: PLC0415  (only its own errors come here)

    if isinstance(cause, psycopg.DataError):
        return _WORDS["22021"]
    if isinstance(cause, psycopg.OperationalError):
        text = str(cause)
        if "password" in text or "authentication" in text or "role " in text:
            return _CLASSES["28"]
        if "does not exist" in text:
            return _WORDS["3D000"]
        return StoreError, "the server can't be reached: look whether it runs, and check the address"
    return None


def _address(address: Address) -> PostgresAddress:
    if not isinstance(address, PostgresAddress):
        raise TypeError("a PostgreSQL schema is named by a URL")
    return address


def _quoted(name: str) -> str:
    """Spell a schema's name, which `ledger.sql.address` has checked; it may be one of SQL's own words."""
    return f'"{name}"'
