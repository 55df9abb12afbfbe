"""A log in a database, and the database itself without the log's manners; SQLite unless a test is marked `both`."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ledger.sql.address import Address
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, closed, moved


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@pytest.fixture
def address(request: pytest.FixtureRequest, path: Path) -> Address:
    """Where the log is; a child process can open it by its text."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return path
    return request.getfixturevalue("postgres").address()


@pytest.fixture
def log(address: Address, clock: Clock) -> Iterator[SqlLog]:
    log = create_log(address, VIEWS, clock, registry=REGISTRY)
    yield log
    log.close()


@pytest.fixture
def filled(log: SqlLog) -> SqlLog:
    """A log with something in every table that it fills."""
    append(log, moved("a", 3, once="k", labels=("x", "y"), note="first"), moved("b", 4))
    append(log, moved("a", -1, once="l", note="second", by="agent:two"), closed("b"))
    log.store_checkpoint(3, b"note of three")
    log.store_cosignature(3, "witness.example+0000000a", "a line\n")
    log.store_timestamp(3, "authority.example", b"0")
    return log


@pytest.fixture
def raw(request: pytest.FixtureRequest, address: Address) -> Callable[..., list[tuple[Any, ...]]]:
    """Give a way to run one statement past the log."""

    def run_sqlite(statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(address)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    def run_postgresql(statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with request.getfixturevalue("postgres").connect() as connection:
            connection.execute(f"SET search_path = {address.schema}")
            cursor = connection.execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

    return run_sqlite if isinstance(address, Path) else run_postgresql
