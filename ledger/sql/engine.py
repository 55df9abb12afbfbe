"""Engines: how a database is opened, and what begins a transaction on it.

A SQLite file is in WAL mode with ``synchronous=FULL``: readers never wait, and a commit is on the disk before it is
said. A transaction of the `writer` engine begins with BEGIN IMMEDIATE, so that it reads what it will add to, with no
other process between; any other begins with BEGIN and sees one state of the log until it ends. What is deleted is
overwritten in its page (``secure_delete``).

Source: DESIGN section 6.
"""

import sqlite3
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

BUSY_SECONDS = 10.0
"""How long a writer waits for another one."""

_WRITER = "ledger_writer"
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "trusted_schema = OFF",
    "secure_delete = ON",
)


def sqlite_engine(path: Path, *, create: bool = False, busy_seconds: float = BUSY_SECONDS) -> sa.Engine:
    """Give an engine for a SQLite file.

    Args:
        path: the file.
        create: make the file if there is none; otherwise a missing file is an error.
        busy_seconds: how long a writer waits for another one.
    """
    address = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    # isolation_level=None: the driver begins nothing by itself, `_begin` does.
    engine = sa.create_engine(
        sa.URL.create("sqlite+pysqlite", database=str(path)),
        creator=lambda: sqlite3.connect(
            address, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False
        ),
        poolclass=sa.QueuePool,
        pool_size=8,
        max_overflow=-1,
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def writer(engine: sa.Engine) -> sa.Engine:
    """Give the same engine, of which each transaction holds the log's only writer."""
    return engine.execution_options(**{_WRITER: True})


def place(engine: sa.Engine) -> str:
    """Name the database in messages."""
    return engine.url.database or engine.url.render_as_string()


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


def _begin(connection: sa.Connection) -> None:
    holds_writer = connection.get_execution_options().get(_WRITER, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if holds_writer else "BEGIN")
