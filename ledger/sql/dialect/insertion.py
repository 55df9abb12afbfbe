"""The text of an INSERT of whole rows, with ``?`` for each value."""

from functools import cache

import sqlalchemy as sa


@cache
def insertion(table: sa.Table) -> str:
    """Give the INSERT of a whole row, its columns in their order."""
    columns = ", ".join(column.name for column in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    return f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608  (names from our own schema)
