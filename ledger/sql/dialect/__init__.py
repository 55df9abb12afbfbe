"""The databases that a log can be kept in, each with what is its own: `of` finds the one of an engine or a connection.

Nothing outside of this package asks which database it is.
"""

from pathlib import Path

import sqlalchemy as sa

from ledger.sql.address import Address
from ledger.sql.dialect.base import Dialect
from ledger.sql.dialect.postgresql import PostgreSQL
from ledger.sql.dialect.sqlite import SQLite

DIALECTS: dict[str, Dialect] = {"sqlite": SQLite(), "postgresql": PostgreSQL()}
"""By SQLAlchemy's names."""


def of(bind: sa.Engine | sa.Connection) -> Dialect:
    """Give the dialect of an engine or a connection."""
    return DIALECTS[bind.dialect.name]


def at(address: Address) -> Dialect:
    """Give the dialect of an address."""
    return DIALECTS["sqlite" if isinstance(address, Path) else "postgresql"]
