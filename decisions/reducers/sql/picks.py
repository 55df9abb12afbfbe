"""Which rows one condition picks out of one table, form by form.

A form that is not listed picks out nothing: the condition counts as true of every row.

Source: DESIGN section 10 (scope); issue 2 (missing WHERE).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from decisions.reducers.sql.bounds import is_extreme
from decisions.reducers.sql.source import (
    GATHERS,
    NARROW,
    SYSTEM,
    WILD,
    Pick,
    Reading,
    Source,
    bare,
    conjuncts,
    is_value,
    name_of,
    sources,
    truth_of,
)


def picks_of(condition: exp.Expr, source: Source) -> Pick | None:
    """Tell what a condition picks out of a table; None where it may be true of every row."""
    condition = bare(condition)
    if isinstance(condition, exp.And):
        left, right = picks_of(condition.left, source), picks_of(condition.right, source)
        return NARROW if NARROW in {left, right} else left or right
    if isinstance(condition, exp.Or):
        return _either(picks_of(condition.left, source), picks_of(condition.right, source))
    if isinstance(condition, exp.Not):
        return _truth(bare(condition.this), source)
    picks = _FORMS.get(type(condition))
    flags = [name for name, value in condition.args.items() if value is True]
    return picks(condition, source) if picks is not None and not flags else None


def _either(left: Pick | None, right: Pick | None) -> Pick | None:
    """Two conditions that leave rows out leave rows out together, unless the one takes what the other leaves."""
    if left is None or right is None or left.open & right.open:
        return None
    return Pick(left.open | right.open)


def _opens(column: exp.Expr) -> Pick:
    return Pick(frozenset({column.name.lower()}))


def _truth(column: exp.Expr, source: Source) -> Pick | None:
    """A column by itself, where it must be a truth value: elsewhere every number but 0 is true."""
    return _opens(column) if source.owns(column) and source.reading.dialect == "postgres" else None


def equals(condition: exp.Expr, source: Source) -> Pick | None:
    """Tell what ``column = value`` picks out."""
    left, right = bare(condition.this), bare(condition.args["expression"])
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return _links_column(left, right, source)
    if isinstance(right, exp.Column):
        left, right = right, left
    if not source.owns(left) or not is_value(left, [right], source):
        return None
    return _opens(left) if truth_of(right) is not None else NARROW


def _links_column(left: exp.Column, right: exp.Column, source: Source) -> Pick | None:
    own = [column for column in (left, right) if source.owns(column)]
    if not own or any(
        column.name.lower() in SYSTEM or column.args.get("db") or source.may_be_text(column) for column in (left, right)
    ):
        return None
    if len(own) == 1:
        return None if source.again or not (left.table and right.table) else NARROW
    return NARROW if left.name.lower() != right.name.lower() else None


def _bounds(condition: exp.Expr, source: Source) -> Pick | None:
    """A bound on one side, unless it lies where no row is expected beyond."""
    left, right = bare(condition.this), bare(condition.args["expression"])
    above = isinstance(condition, exp.GT | exp.GTE)
    if isinstance(right, exp.Column):
        left, right, above = right, left, not above
    if not source.owns(left) or source.may_be_text(left) or is_extreme(right, above=above):
        return None
    return _opens(left)


def _within(condition: exp.Expr, source: Source) -> Pick | None:
    column, low, high = bare(condition.this), condition.args["low"], condition.args["high"]
    if not source.owns(column) or source.may_be_text(column):
        return None
    return None if is_extreme(low, above=True) and is_extreme(high, above=False) else _opens(column)


def _listed(condition: exp.Expr, source: Source) -> Pick | None:
    column = bare(condition.this)
    if not source.owns(column):
        return None
    query = condition.args.get("query")
    if query is not None:
        inner = query.this if isinstance(query, exp.Subquery) else query
        return NARROW if isinstance(inner, exp.Select) and _gives_some(inner, column, source) else None
    values = [bare(value) for value in condition.expressions]
    if not values or not is_value(column, values, source):
        return None
    truths = {truth_of(value) for value in values} - {None}
    return (None, _opens(column), NARROW)[(2, 1, 0)[len(truths)]]


def _gives_some(inner: exp.Select, column: exp.Expr, source: Source) -> bool:
    """Whether a query gives values of a column of its own, and of some of its rows: a name may be the outer table's."""
    tables, _ = sources(inner)
    given = inner.expressions[0].unalias() if len(inner.expressions) == 1 else None
    if not isinstance(given, exp.Column) or source.may_be_text(column) or source.may_be_text(given):
        return False
    named = {name_of(table): table for table in tables}
    own = given.table.lower() if given.table else next(iter(named)) if len(named) == 1 else None
    if own not in named or (
        not given.table
        and given.name.lower() == column.name.lower()
        and not (isinstance(named[own], exp.Table) and named[own].name.lower() == source.table)
    ):
        return False
    where = inner.args.get("where")
    within = replace(source.reading, repeated=lambda table: source.again or source.reading.repeated(table))
    return where is not None and own in restricted(inner, where.this, within)


def _exists(condition: exp.Expr, source: Source) -> Pick | None:
    """A query for what belongs to the row: a column of its own held against one of the table's."""
    inner = condition.this
    if not isinstance(inner, exp.Select) or source.again or inner.args.get("group") or inner.find(*GATHERS):
        return None
    names = {name_of(table) for table in sources(inner)[0]} - {source.name}
    where = inner.args.get("where")
    for part in conjuncts(None if where is None else where.this):
        if isinstance(part, exp.EQ):
            sides = [bare(part.this), bare(part.expression)]
            tables = [side.table.lower() if isinstance(side, exp.Column) else "" for side in sides]
            if source.name in tables and set(tables) & names:
                return NARROW
    return None


def _pattern(condition: exp.Expr, source: Source) -> Pick | None:
    column, pattern = bare(condition.this), condition.args["expression"]
    if not source.owns(column) or source.may_be_text(column) or not is_value(column, [pattern], source):
        return None
    # With a backslash a database may read another pattern than is written.
    narrow = isinstance(pattern, exp.Literal) and "\\" not in pattern.name and WILD.sub("", pattern.name)
    return NARROW if narrow else None


def _is_known(condition: exp.Expr, source: Source) -> Pick | None:
    column, value = bare(condition.this), condition.args["expression"]
    if isinstance(value, exp.Boolean):
        return _truth(column, source)
    # What a join did not find is NULL, too: of every row, if it finds none.
    return NARROW if source.owns(column) and source.alone and isinstance(value, exp.Null) else None


_FORMS: Mapping[type[exp.Expr], Callable[[exp.Expr, Source], Pick | None]] = {
    exp.Column: _truth,
    exp.EQ: equals,
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


def restricted(query: exp.Expr, condition: exp.Expr, reading: Reading) -> set[str]:
    """The names of the tables of which a condition picks some rows, by itself or through what they are joined to."""
    tables, joins = sources(query)
    again = {name_of(table) for table in tables if reading.repeated(table)}
    found = set()
    for table in tables:
        source = Source(name_of(table), table.name.lower(), len(tables) == 1, name_of(table) in again, reading)
        if picks_of(condition, source) is not None:
            found.add(source.name)
    links = [link for join in joins for link in _links(join, [name_of(table) for table in tables])]
    for _ in tables:
        for left, right in links:
            if {left, right} & found:
                found |= {left, right} - again
    return found


def _links(join: exp.Expr, names: list[str]) -> Iterator[tuple[str, str]]:
    joined = name_of(join.this)
    if join.args.get("using"):
        yield from ((joined, name) for name in names[: names.index(joined)])
    for part in conjuncts(join.args.get("on")):
        if isinstance(part, exp.EQ):
            left, right = bare(part.this), bare(part.expression)
            if isinstance(left, exp.Column) and isinstance(right, exp.Column) and left.table and right.table:
                yield left.table.lower(), right.table.lower()
