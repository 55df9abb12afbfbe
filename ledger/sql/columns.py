"""Column types that read back only what the log writes.

SQLite keeps a value of any type in any column, and the owner of any database can change a column's type, so a value of
another type is refused as it is read. Text is compared by its bytes, which is the order that the views are hashed in; a
database that sorts otherwise must be told to.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import sqlalchemy as sa

from ledger.errors import CorruptError

_Process = Callable[[Any], Any]


def _only(kind: type, value: object) -> object:
    if value is None or type(value) is kind:
        return value
    raise CorruptError(f"a column of {kind.__name__} holds {type(value).__name__}: run `tally audit`")


class _StrictRowId(sa.Integer):
    """INTEGER, not BIGINT, is what makes a primary key SQLite's row id."""

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return partial(_only, int)


class _StrictText(sa.Text):
    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return partial(_only, str)


class _StrictBytes(sa.LargeBinary):
    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return partial(_only, bytes)


class _Strict(sa.TypeDecorator[Any]):
    """What reads as strictly for PostgreSQL, whose dialect puts types of its own in the place of those above."""

    impl: type[sa.types.TypeEngine[Any]] = sa.types.NullType
    cache_ok = True
    kind: type

    def process_result_value(self, value: object, dialect: sa.Dialect) -> object:  # noqa: ARG002  (SQLAlchemy's form)
        return _only(self.kind, value)


class _Number(_Strict):
    impl = sa.BigInteger
    cache_ok = True
    kind = int


class _Text(_Strict):
    impl = sa.Text
    cache_ok = True
    kind = str


class _Bytes(_Strict):
    impl = sa.LargeBinary
    cache_ok = True
    kind = bytes


NUMBER = sa.BigInteger().with_variant(_StrictRowId(), "sqlite").with_variant(_Number(), "postgresql")
TEXT = sa.Text().with_variant(_StrictText(), "sqlite").with_variant(_Text(collation="C"), "postgresql")
BYTES = sa.LargeBinary().with_variant(_StrictBytes(), "sqlite").with_variant(_Bytes(), "postgresql")
