"""The table whose rows a condition is asked of, and the values that its columns are held against.

Source: DESIGN section 10 (scope).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

WILD = re.compile(r"[%_*?]+", re.ASCII)
_TRUE = frozenset({"1", "t", "true", "y", "yes", "on"})
_FALSE = frozenset({"0", "f", "false", "n", "no", "off"})
NUMBER = re.compile(r"[0-9]+", re.ASCII)
# Columns that every row has, and that say nothing of it, or the same as its id.
SYSTEM = frozenset({"tableoid", "xmin", "xmax", "cmin", "cmax", "rowid", "oid", "_rowid_"})
# What may make one row of many: an aggregate, and a function that the parser knows by its name alone.
GATHERS = (exp.AggFunc, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.Anonymous)

Repeated: TypeAlias = Callable[[exp.Expr], bool]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reading of a condition depends on beside its text.

    Attributes:
        dialect: the database's.
        quotes: whether a text in double quotes may stand in it, which MySQL may take for a column.
        repeated: tells of a table whether the statement names it again elsewhere.
    """

    dialect: str
    quotes: bool
    repeated: Repeated


@dataclass(frozen=True, slots=True)
class Source:
    """The table whose rows are picked: its name, whether it is the only one, whether the statement names it again."""

    name: str
    table: str
    alone: bool
    again: bool
    reading: Reading

    def owns(self, value: object) -> bool:
        """Whether a value is a column of this table."""
        if not isinstance(value, exp.Column) or not isinstance(value.this, exp.Identifier) or value.args.get("db"):
            return False
        if value.name.lower() in SYSTEM:
            return False
        return value.table.lower() == self.name if value.table else self.alone

    def may_be_text(self, column: exp.Expr) -> bool:
        """Whether SQLite may take it for a text: a name in quotes that is no column."""
        quoted = isinstance(column.this, exp.Identifier) and bool(column.this.args.get("quoted"))
        return self.reading.dialect == "sqlite" and quoted and not column.args.get("table")


@dataclass(frozen=True, slots=True)
class Pick:
    """That a condition picks something out: columns whose other half another condition may pick."""

    open: frozenset[str] = field(default_factory=frozenset)


NARROW = Pick()


def sources(query: exp.Expr) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """The tables and queries that a statement joins, and the joins."""
    first: list[exp.Expr] = [] if isinstance(query, exp.Select) else [query.this]
    from_ = query.args.get("from_")
    first += [from_.this] if isinstance(from_, exp.From) else []
    first += query.args.get("using") or []
    joins = list(query.args.get("joins") or ())
    for source in first:
        joins += source.args.get("joins") or ()
    for join in list(joins):
        joins += join.this.args.get("joins") or ()
    return [*first, *(join.this for join in joins), *(query.args.get("laterals") or ())], joins


def conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """Give the conditions that must all be true."""
    if condition is None:
        return
    condition = bare(condition)
    if isinstance(condition, exp.And):
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    else:
        yield condition


def name_of(source: exp.Expr) -> str:
    """Give the name that a table goes by in a query."""
    return source.alias_or_name.lower()


def is_value(column: exp.Expr, values: Iterable[exp.Expr], source: Source) -> bool:
    """Whether values are constants that the column of not every row equals."""
    return all(is_constant(value) and not is_any(column, value, source) for value in values)


def is_constant(value: exp.Expr) -> bool:
    """Whether a value is the same for every row."""
    return value.find(exp.Column, exp.Query, exp.Values, exp.Table, exp.Star) is None


def is_any(column: exp.Expr, value: exp.Expr, source: Source) -> bool:
    """A value that a database may find in every row: itself as a text, or 0, which is every word to MySQL."""
    if source.may_be_text(column) and (not isinstance(value, exp.Literal) or value.name == column.name):
        return True
    if source.reading.dialect != "mysql":
        return False
    if isinstance(value, exp.Literal):
        return source.reading.quotes if value.is_string else not value.name.strip("0.") or not NUMBER.match(value.name)
    return not isinstance(value, exp.Placeholder | exp.Parameter | exp.CurrentDate | exp.CurrentTimestamp) and not (
        isinstance(value, exp.Boolean) and value.this
    )


def truth_of(value: exp.Expr) -> bool | None:
    """Tell whether a constant counts as true; None where that isn't certain."""
    if isinstance(value, exp.Boolean):
        return bool(value.this)
    if not isinstance(value, exp.Literal):
        return None
    text = value.name.lower()
    return True if text in _TRUE else False if text in _FALSE else None


def bare(value: exp.Expr) -> exp.Expr:
    """Take the parentheses off."""
    while isinstance(value, exp.Paren):
        value = value.this
    return value
