"""Reading rows that may be many: a batch at a time, so that memory stays flat, and let go of when nobody reads on."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

STREAM = 1000
"""Rows fetched at once where all of a table may be asked for."""


def streamed(
    connection: sa.Connection, statement: sa.Executable, values: Mapping[str, object] | None = None
) -> Iterator[sa.Row[Any]]:
    """Run a statement and give its rows as they come.

    Raises:
        SQLAlchemyError: the database can't be read.
    """
    # What is not read to its end is closed here: PostgreSQL keeps a cursor for it.
    with connection.execute(statement, dict(values or {}), execution_options={"yield_per": STREAM}) as result:
        yield from result
