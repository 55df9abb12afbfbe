"""Engines: how a database is opened, and for what a transaction on it is begun.

A transaction of the `writer` engine holds the log's only writer from its first statement, so that it reads what it
will add to, with no other process between; any other sees one state of the log until it ends. How each database does
that is in `ledger.sql.dialect`.

Source: DESIGN section 6.
"""

import sqlalchemy as sa

from ledger.errors import StoreMissingError
from ledger.sql import dialect
from ledger.sql.address import Address
from ledger.sql.dialect.base import BUSY_SECONDS, PURPOSE
from ledger.sql.failure import translated

__all__ = ["BUSY_SECONDS", "migrator", "open_engine", "place", "settings", "writer"]


def open_engine(address: Address, *, busy_seconds: float = BUSY_SECONDS) -> sa.Engine:
    """Open a database that stands, of whatever revision.

    Args:
        address: where it is.
        busy_seconds: how long a writer waits for another one.

    Raises:
        StoreMissingError: there is none.
        StoreError: it can't be looked at, or its driver is not installed.
    """
    kind = dialect.at(address)
    reason = kind.missing(address)
    if reason is not None:
        raise StoreMissingError(f"{address}: {reason}")
    return kind.engine(address, busy_seconds=busy_seconds)


def writer(engine: sa.Engine) -> sa.Engine:
    """Give the same engine, of which each transaction holds the log's only writer."""
    return engine.execution_options(**{PURPOSE: "write"})


def migrator(engine: sa.Engine) -> sa.Engine:
    """Give the same engine, of which each transaction may change the tables, alone."""
    return engine.execution_options(**{PURPOSE: "migrate"})


def settings(engine: sa.Engine) -> list[tuple[str, bool]]:
    """Say what durability and isolation rest on, and whether each is as it must be.

    Raises:
        StoreError: the database can't be asked.
    """
    with translated(place(engine)), engine.connect() as connection:
        return list(dialect.of(engine).settings(connection))


def place(engine: sa.Engine) -> str:
    """Name the database in messages."""
    return dialect.of(engine).place(engine)
