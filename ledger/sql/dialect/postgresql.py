"""PostgreSQL: one schema, for many machines.

A writer begins READ COMMITTED and takes the row lock on the head, which is the writer's lock: whoever comes second
waits, for `busy_seconds` at the most, and reads what the first one left. Anybody else begins REPEATABLE READ, READ
ONLY, and sees one state of the log until it ends. A server that would say a commit before it is on the disk is refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError

from ledger.errors import StoreError
from ledger.sql.address import Address, PostgresAddress
from ledger.sql.dialect import (
    postgresql_catalog,
    postgresql_grants,
    postgresql_rows,
    postgresql_scrub,
    postgresql_triggers,
    postgresql_words,
)
from ledger.sql.dialect.base import BUSY_SECONDS, PURPOSE, STANDING, Dialect, Purpose, Words

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
# To plan the two anew each time takes the server longer than to run them.
_PREPARE: Final = f"PREPARE ledger_standing AS {STANDING}; PREPARE ledger_lock AS SELECT FROM head FOR UPDATE"
_IS_PREPARED: Final = "SELECT 1 FROM pg_prepared_statements WHERE name = 'ledger_lock'"
_BEGIN_WRITING: Final = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; EXECUTE ledger_lock; EXECUTE ledger_standing"
_HAS_HEAD: Final = "SELECT to_regclass('head') IS NOT NULL"
_SETTINGS: Final = {"synchronous_commit": {"on", "remote_apply"}, "fsync": {"on"}, "full_page_writes": {"on"}}
"""What durability rests on."""


class PostgreSQL:
    """The log in a schema."""

    mark = "%s"
    # It would plan such a row anew each time.
    scalars = 0
    distant = True

    listed = "= ANY(CAST(? AS bigint[]))"

    def __init__(self) -> None:
        # The writers' cursors for which `_PREPARE` was run. What is prepared belongs to the connection, and the driver
        # throws it away with its own after a ROLLBACK; but a cursor whose transaction failed is not used again.
        self._prepared: WeakSet[psycopg.Cursor[Any]] = WeakSet()

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

    def begin_writing(self, cursor: Any) -> tuple[Any, ...] | None:  # noqa: ANN401  (psycopg's)
        """Take the lock on the head, and then read it, in one round trip."""
        if cursor not in self._prepared:
            if cursor.execute(_IS_PREPARED).fetchone() is None:
                cursor.execute(_PREPARE)
            self._prepared.add(cursor)
        cursor.execute(_BEGIN_WRITING)
        # The third statement sees all that was committed before the second one had the lock.
        while cursor.nextset():
            pass
        found: tuple[Any, ...] | None = cursor.fetchone()
        return found

    def _on_begin(self, connection: sa.Connection) -> None:
        purpose = connection.get_execution_options().get(PURPOSE, "read")
        if purpose == "write" and connection.connection.driver_connection.info.transaction_status:  # type: ignore[union-attr]
            # Of `begin_writing`.
            return
        self.begin(connection, purpose)

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
        return postgresql_words.words(cause)

    def lost(self, cause: BaseException) -> bool:
        """Tell by the SQLSTATE, or by the lack of one."""
        return postgresql_words.lost(cause)

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

    def strict_text(self, connection: DBAPIConnection) -> AbstractContextManager[object]:  # noqa: ARG002  (the protocol's form)
        """Do nothing: text is UTF-8 here."""
        return nullcontext()

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

    def together(self, connection: Any) -> AbstractContextManager[object]:  # noqa: ANN401  (psycopg's)
        """Send what is changed in the driver's pipeline, and wait once for all of it."""
        return cast("AbstractContextManager[object]", connection.pipeline())

    def add(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (psycopg's)
        """Add rows; see `ledger.sql.dialect.postgresql_rows`."""
        postgresql_rows.add(cursor, table, rows)

    def put(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (psycopg's)
        """Put rows; see `ledger.sql.dialect.postgresql_rows`."""
        postgresql_rows.put(cursor, table, rows)


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


def _address(address: Address) -> PostgresAddress:
    if not isinstance(address, PostgresAddress):
        raise TypeError("a PostgreSQL schema is named by a URL")
    return address


def _quoted(name: str) -> str:
    """Spell a schema's name, which `ledger.sql.address` has checked; it may be one of SQL's own words."""
    return f'"{name}"'


DIALECT: Final[Dialect] = PostgreSQL()
