"""How much a WHERE picks out: one row by its id, many rows, or all.

A condition counts as picking something out only in the forms listed here: a column held against a constant, another
column, or a query that itself picks something out. Whatever else it says, a condition that may be true of every row
is as good as none: ``1 = 1``, ``id = id``, ``id > 0``, ``name LIKE '%'``, ``NOT false``.

One row is named by ``id = <literal>`` and nothing else, in the literal's one spelling: ``'042'`` or ``'A'`` may be
the same row as another spelling to the database, so such a condition picks out many.

Source: DESIGN section 10 (scope); issue 2 (missing WHERE).
"""

import re
from collections.abc import Callable, Mapping

from sqlglot import exp

_ID = re.compile(r"0|[1-9][0-9]{0,17}|[a-z][a-z0-9-]{0,63}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_WILD = re.compile(r"[%_*?]+", re.ASCII)
_YEAR = re.compile(r"([0-9]{4})-[0-9]{2}-[0-9]{2}", re.ASCII)
_LOWEST, _HIGHEST = 1, 2**31 - 1
_FIRST_YEAR, _LAST_YEAR = 1970, 2099


def row_id(where: exp.Expr | None, names: frozenset[str]) -> str | None:
    """Give the id of the one row that a condition names, or None.

    Args:
        where: the statement's WHERE.
        names: how the statement calls its table.
    """
    condition = None if where is None else _bare(where.this)
    if not isinstance(condition, exp.EQ):
        return None
    left, right = _bare(condition.this), _bare(condition.expression)
    if isinstance(left, exp.Literal):
        left, right = right, left
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Literal):
        return None
    quoted = isinstance(left.this, exp.Identifier) and left.this.args.get("quoted")
    if (
        (left.name if quoted else left.name.lower()) != "id"
        or (left.table and left.table.lower() not in names)
        or left.args.get("db")
    ):
        return None
    text = right.name
    spelled = _ID.fullmatch(text) if right.is_string else _NUMBER.fullmatch(text) and _ID.fullmatch(text)
    return text if spelled else None


def selects(where: exp.Expr | None) -> bool:
    """Whether a WHERE picks some rows out of all."""
    return where is not None and _picks(where.this)


def _picks(condition: exp.Expr) -> bool:
    condition = _bare(condition)
    if isinstance(condition, exp.And):
        return _picks(condition.left) or _picks(condition.right)
    if isinstance(condition, exp.Or):
        return _picks(condition.left) and _picks(condition.right)
    if isinstance(condition, exp.Not):
        return isinstance(_bare(condition.this), exp.Column)
    return _compares(condition)


def _compares(condition: exp.Expr) -> bool:
    picks = _FORMS.get(type(condition))
    flags = [name for name, value in condition.args.items() if value is True]
    return picks is not None and not flags and picks(condition)


def _equals(condition: exp.Expr) -> bool:
    left, right = _bare(condition.this), _bare(condition.args["expression"])
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return left.sql() != right.sql() and (left.name != right.name or left.table != right.table)
    if isinstance(left, exp.Column):
        return _is_constant(right)
    return isinstance(right, exp.Column) and _is_constant(left)


def _bounds(condition: exp.Expr) -> bool:
    """A bound on one side, unless it lies where no row is expected beyond."""
    left, right = _bare(condition.this), _bare(condition.args["expression"])
    above = isinstance(condition, exp.GT | exp.GTE)
    if isinstance(right, exp.Column):
        left, right, above = right, left, not above
    return isinstance(left, exp.Column) and _is_constant(right) and not _is_extreme(right, above=above)


def _within(condition: exp.Expr) -> bool:
    low, high = condition.args["low"], condition.args["high"]
    constant = isinstance(condition.this, exp.Column) and _is_constant(low) and _is_constant(high)
    return constant and not (_is_extreme(low, above=True) and _is_extreme(high, above=False))


def _is_extreme(bound: exp.Expr, *, above: bool) -> bool:
    if isinstance(bound, exp.Neg):
        return above
    if isinstance(bound, exp.Cast):
        return _is_extreme(bound.this, above=above)
    if not isinstance(bound, exp.Literal):
        return False
    if not bound.is_string:
        return not _NUMBER.fullmatch(bound.name) or (
            int(bound.name) <= _LOWEST if above else int(bound.name) >= _HIGHEST
        )
    year = _YEAR.match(bound.name)
    if year is None:
        return True
    return int(year[1]) <= _FIRST_YEAR if above else int(year[1]) > _LAST_YEAR


def _listed(condition: exp.Expr) -> bool:
    if not isinstance(condition.this, exp.Column):
        return False
    query = condition.args.get("query")
    if query is not None:
        inner = query.this if isinstance(query, exp.Subquery) else query
        return isinstance(inner, exp.Select) and selects(inner.args.get("where"))
    return bool(condition.expressions) and all(_is_constant(value) for value in condition.expressions)


def _pattern(condition: exp.Expr) -> bool:
    pattern = condition.args["expression"]
    return (
        isinstance(condition.this, exp.Column)
        and isinstance(pattern, exp.Literal)
        and bool(_WILD.sub("", pattern.name))
    )


def _exists(condition: exp.Expr) -> bool:
    return isinstance(condition.this, exp.Select) and selects(condition.this.args.get("where"))


def _is_known(condition: exp.Expr) -> bool:
    return isinstance(condition.this, exp.Column) and isinstance(condition.args["expression"], exp.Null | exp.Boolean)


_FORMS: Mapping[type[exp.Expr], Callable[[exp.Expr], bool]] = {
    exp.Column: lambda _: True,
    exp.EQ: _equals,
    exp.GT: _bounds,
    exp.GTE: _bounds,
    exp.LT: _bounds,
    exp.LTE: _bounds,
    exp.In: _listed,
    exp.Exists: _exists,
    exp.Between: _within,
    exp.Like: _pattern,
    exp.ILike: _pattern,
    exp.Is: _is_known,
}


def _is_constant(value: exp.Expr) -> bool:
    return value.find(exp.Column, exp.Select) is None


def _bare(value: exp.Expr) -> exp.Expr:
    while isinstance(value, exp.Paren):
        value = value.this
    return value
