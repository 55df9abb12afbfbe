"""How rows come into PostgreSQL: by binary COPY, or by INSERT where they are so few that they go with others.

In the driver's pipeline a statement costs no round trip of its own, but each row costs more, and COPY is not to be
had. So whoever has few rows for several tables sends them together (`TOGETHER`), and whoever has many copies. Measured
on one machine: a row costs 15 microseconds by INSERT and 4 by COPY, a round trip some 100.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from ledger.sql.dialect.insertion import insertion, replacement

_KINDS: Final = {"BigInteger": "int8", "Text": "text", "LargeBinary": "bytea"}


def add(cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (psycopg's)
    """Add whole rows."""
    if _in_pipeline(cursor):
        cursor.executemany(insertion(table).replace("?", "%s"), rows)
        return
    kinds, statement = _copying(table)
    with cursor.copy(statement) as copy:
        copy.set_types(kinds)
        for row in rows:
            copy.write_row(row)


def put(cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (psycopg's)
    """Put whole rows, no two with the same key, over those that stand."""
    if _in_pipeline(cursor):
        cursor.executemany(replacement(table).replace("?", "%s"), rows)
        return
    # Arrays as binary: as text each element would be spelled, and read again from the whole.
    cursor.execute(_putting(table), [list(column) for column in zip(*rows, strict=True)])


def _in_pipeline(cursor: Any) -> bool:  # noqa: ANN401  (psycopg's)
    return bool(cursor.connection.pgconn.pipeline_status)


@cache
def _copying(table: sa.Table) -> tuple[list[str], str]:
    names = ", ".join(column.name for column in table.columns)
    return _kinds(table), f"COPY {table.name} ({names}) FROM STDIN (FORMAT BINARY)"


@cache
def _putting(table: sa.Table) -> str:
    values = ", ".join("?" for _ in table.columns)
    arrays = ", ".join(f"%b::{kind}[]" for kind in _kinds(table))
    return replacement(table).replace(f"VALUES ({values})", f"SELECT * FROM unnest({arrays})")  # noqa: S608  (ours)


def _kinds(table: sa.Table) -> list[str]:
    return [_KINDS[type(column.type).__name__] for column in table.columns]
