"""The text of an INSERT of whole rows, with ``?`` for each value."""

from functools import cache

import sqlalchemy as sa


@cache
def insertion(table: sa.Table, rows: int = 1) -> str:
    """Give the INSERT of so many whole rows, the columns of each in their order."""
    columns = ", ".join(column.name for column in table.columns)
    row = f"({', '.join('?' for _ in table.columns)})"
    return f"INSERT INTO {table.name} ({columns}) VALUES {', '.join([row] * rows)}"  # noqa: S608  (our own names)
