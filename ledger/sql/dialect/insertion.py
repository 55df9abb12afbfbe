"""The text of an INSERT of whole rows, with ``?`` for each value."""

from functools import cache

import sqlalchemy as sa


@cache
def insertion(table: sa.Table, rows: int = 1) -> str:
    """Give the INSERT of so many whole rows, the columns of each in their order."""
    columns = ", ".join(column.name for column in table.columns)
    row = f"({', '.join('?' for _ in table.columns)})"
    return f"INSERT INTO {table.name} ({columns}) VALUES {', '.join([row] * rows)}"  # noqa: S608  (our own names)


@cache
def replacement(table: sa.Table) -> str:
    """Give the INSERT of a whole row that takes the place of the one with the same key."""
    keys = ", ".join(column.name for column in table.primary_key)
    others = ", ".join(f"{column.name} = excluded.{column.name}" for column in table.columns if not column.primary_key)
    return f"{insertion(table)} ON CONFLICT ({keys}) DO UPDATE SET {others}"
