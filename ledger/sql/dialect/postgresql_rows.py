"""How rows come into PostgreSQL: by binary COPY, or by INSERT where they are so few that they go with others.

In the driver's pipeline a statement costs no round trip of its own, but each row costs more, and COPY is not to be
had. So whoever has few rows for several tables sends them together (`TOGETHER`), and whoever has many copies. Measured
on one machine: a row costs 15 microseconds by INSERT and 4 by COPY, a round trip some 100.
"""

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, repeat
from typing import Any, Final

import sqlalchemy as sa

from ledger.sql.dialect.insertion import insertion, replacement

_KINDS: Final = {"BigInteger": "int8", "Text": "text", "LargeBinary": "bytea"}


def add(cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (psycopg's)
    """Add whole rows."""
    if _in_pipeline(cursor):
        # Each statement is prepared, and sent, by itself: one for all rows costs little more than one for each.
        cursor.execute(_inserting(table, len(rows)), [*chain.from_iterable(rows)])
        return
    with cursor.copy(_copying(table)) as copy:
        copy.write(_binary(table, rows))


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
def _inserting(table: sa.Table, rows: int) -> str:
    return insertion(table, rows).replace("?", "%s")


@cache
def _copying(table: sa.Table) -> str:
    names = ", ".join(column.name for column in table.columns)
    return f"COPY {table.name} ({names}) FROM STDIN (FORMAT BINARY)"


def _binary(table: sa.Table, rows: Sequence[Sequence[Any]]) -> bytes:
    """Spell whole rows as binary COPY reads them: a header, each row as a count and its fields, and an end.

    A field is its length in four bytes, and its bytes; a number has eight. Whole columns are spelled, without a call
    for each value.

    Source: PostgreSQL's documentation of COPY, "Binary Format".
    """
    kinds = _kinds(table)
    columns = zip(kinds, zip(*rows, strict=True), strict=True)
    fields = chain.from_iterable(_SPELLED[kind](column) for kind, column in columns)
    spelled = zip(repeat(_COUNT(len(kinds)), len(rows)), *fields, strict=True)
    return b"".join((_HEADER, *chain.from_iterable(spelled), _END))


def _numbers(column: Sequence[int]) -> tuple[Iterable[bytes], ...]:
    return (map(_NUMBER, repeat(8), column),)


def _texts(column: Sequence[str]) -> tuple[Iterable[bytes], ...]:
    return _bytes([*map(str.encode, column)])


def _bytes(column: Sequence[bytes]) -> tuple[Iterable[bytes], ...]:
    return map(_LENGTH, map(len, column)), column


_COUNT: Final = struct.Struct(">h").pack
_NUMBER, _LENGTH = struct.Struct(">iq").pack, struct.Struct(">i").pack
_HEADER: Final = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_END: Final = _COUNT(-1)
_SPELLED: Final[dict[str, Callable[[Any], tuple[Iterable[bytes], ...]]]] = {
    "int8": _numbers,
    "text": _texts,
    "bytea": _bytes,
}


@cache
def _putting(table: sa.Table) -> str:
    values = ", ".join("?" for _ in table.columns)
    arrays = ", ".join(f"%b::{kind}[]" for kind in _kinds(table))
    return replacement(table).replace(f"VALUES ({values})", f"SELECT * FROM unnest({arrays})")  # noqa: S608  (ours)


def _kinds(table: sa.Table) -> list[str]:
    return [_KINDS[type(column.type).__name__] for column in table.columns]
