"""Column types that read back only what the log writes.

SQLite keeps a value of any type in any column, and the owner of any database can change a column's type, so a value of
another type is refused as it is read. Text is compared by its bytes, which is the order that the views are hashed in; a
database that sorts otherwise must be told to.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from ledger.errors import CorruptError

_Process = Callable[[Any], Any]


def _only(kind: type) -> _Process:
    def check(value: object) -> object:
        if value is None or type(value) is kind:
            return value
        raise CorruptError(f"a column of {kind.__name__} holds {type(value).__name__}: run `tally audit`")

    return check


class _StrictInteger(sa.BigInteger):
    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return _only(int)


class _StrictText(sa.Text):
    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return _only(str)


class _StrictBytes(sa.LargeBinary):
    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return _only(bytes)


class _StrictRowId(sa.Integer):
    """INTEGER, not BIGINT, is what makes a primary key SQLite's row id."""

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _Process:  # noqa: ARG002  (SQLAlchemy's form)
        return _only(int)


NUMBER = _StrictInteger().with_variant(_StrictRowId(), "sqlite")
TEXT = _StrictText(collation="C").with_variant(_StrictText(), "sqlite")
BYTES = _StrictBytes()
