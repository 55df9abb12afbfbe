"""The databases that a log can be kept in, each with what is its own: `of` finds the one of an engine or a connection.

Nothing outside of this package asks which database it is. What PostgreSQL needs is read when a log is kept there: it
would be a tenth of the time that a command takes to start.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from ledger.sql.address import Address
from ledger.sql.dialect.base import Dialect

_MODULES: Final = {"sqlite": "ledger.sql.dialect.sqlite", "postgresql": "ledger.sql.dialect.postgresql"}
"""By SQLAlchemy's names; each module has its `DIALECT`."""

_met: dict[str, Dialect] = {}


def met() -> Iterator[Dialect]:
    """Give the dialects that were asked for in this process: of no other can there be an error."""
    yield from tuple(_met.values())


def of(bind: sa.Engine | sa.Connection) -> Dialect:
    """Give the dialect of an engine or a connection."""
    return _named(bind.dialect.name)


def at(address: Address) -> Dialect:
    """Give the dialect of an address."""
    return _named("sqlite" if isinstance(address, Path) else "postgresql")


def _named(name: str) -> Dialect:
    found = _met.get(name)
    if found is None:
        dialect: Dialect = importlib.import_module(_MODULES[name]).DIALECT
        found = _met[name] = dialect
    return found
