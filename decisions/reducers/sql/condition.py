"""How much a WHERE picks out of a table: one row by its id, many rows, or all.

A condition counts as picking something out only in the forms listed here: a column of that table held against a
constant, another column, or a query that itself picks something out. Whatever else it says, a condition that may be
true of every row is as good as none: ``1 = 1``, ``id = ID``, ``id > 0``, ``a < 5 OR a >= 5``, ``name LIKE '%'``,
``NOT false``, and one that is about another table alone.

One row is named by ``id = <literal>`` and nothing else, in the literal's one spelling: ``'042'`` or ``'A'`` may be
the same row as another spelling to the database, so such a condition picks out many.

Source: DESIGN section 10 (scope); issue 2 (missing WHERE).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sqlglot import exp

from decisions.reducers.sql.bounds import is_extreme

_ID = re.compile(r"0|[1-9][0-9]{0,17}|[a-z][a-z0-9-]{0,63}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_WILD = re.compile(r"[%_*?]+", re.ASCII)
_TRUE = frozenset({"1", "t", "true", "y", "yes", "on"})
_FALSE = frozenset({"0", "f", "false", "n", "no", "off"})
# Columns that every row has, and that say nothing of it, or the same as its id.
_SYSTEM = frozenset({"tableoid", "xmin", "xmax", "cmin", "cmax", "rowid", "oid", "_rowid_"})
_MOST_ROWS = 10_000
# What may make one row of many: an aggregate, and a function that the parser knows by its name alone.
_GATHERS = (exp.AggFunc, exp.JSONArrayAgg, exp.JSONObjectAgg, exp.Anonymous)

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
class _Source:
    """The table whose rows are picked: its name, whether it is the only one, whether the statement names it again."""

    name: str
    table: str
    alone: bool
    again: bool
    reading: Reading

    def owns(self, value: object) -> bool:
        if not isinstance(value, exp.Column) or not isinstance(value.this, exp.Identifier) or value.args.get("db"):
            return False
        if value.name.lower() in _SYSTEM:
            return False
        return value.table.lower() == self.name if value.table else self.alone

    def may_be_text(self, column: exp.Expr) -> bool:
        """Whether SQLite may take it for a text: a name in quotes that is no column."""
        quoted = isinstance(column.this, exp.Identifier) and bool(column.this.args.get("quoted"))
        return self.reading.dialect == "sqlite" and quoted and not column.args.get("table")


@dataclass(frozen=True, slots=True)
class _Pick:
    """That a condition picks something out: columns whose other half another condition may pick."""

    open: frozenset[str] = field(default_factory=frozenset)


_NARROW = _Pick()


def row_id(where: exp.Expr | None, table: exp.Table, reading: Reading) -> str | None:
    """Give the id of the one row that a condition names, or None.

    Args:
        where: the WHERE of a statement on this table alone.
        table: the table.
        reading: what the reading depends on.
    """
    condition = None if where is None else _bare(where.this)
    if not isinstance(condition, exp.EQ):
        return None
    left, right = _bare(condition.this), _bare(condition.expression)
    if isinstance(left, exp.Literal):
        left, right = right, left
    source = _Source(_name(table), table.name.lower(), True, False, reading)
    if not source.owns(left) or not isinstance(right, exp.Literal) or _equals(condition, source) is None:
        return None
    quoted = left.this.args.get("quoted")
    if (left.name if quoted else left.name.lower()) != "id":
        return None
    text = right.name
    # MySQL holds the text of a word to be the number 0.
    numeric = not right.is_string or reading.dialect == "mysql"
    spelled = _ID.fullmatch(text) and (not numeric or _NUMBER.fullmatch(text))
    return text if spelled else None


def selects(query: exp.Expr, table: exp.Expr, reading: Reading) -> bool:
    """Whether a statement or query picks some rows out of all that a table of it has.

    Args:
        query: a SELECT, UPDATE or DELETE.
        table: one of its tables.
        reading: what the reading depends on.
    """
    where = query.args.get("where")
    return where is not None and _name(table) in _restricted(query, where.this, reading)


def matches(merge: exp.Expr, table: exp.Table, reading: Reading) -> bool:
    """Whether the condition of a MERGE picks some rows out of all that its table has."""
    source = _Source(_name(table), table.name.lower(), False, reading.repeated(table), reading)
    return _picks(merge.args["on"], source) is not None


def limited(query: exp.Expr) -> bool:
    """Whether a LIMIT leaves few of the rows; one behind an aggregate does not."""
    limit = query.args.get("limit")
    if not isinstance(limit, exp.Limit | exp.Fetch):
        return False
    options = limit.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        return False
    count = limit.args.get("expression") or limit.args.get("count")
    gathers = query.args.get("group") or any(one.find(*_GATHERS) for one in query.expressions)
    return isinstance(count, exp.Literal) and _is_few(count) and not (isinstance(query, exp.Select) and gathers)


def _is_few(count: exp.Literal) -> bool:
    return not count.is_string and bool(_NUMBER.fullmatch(count.name)) and int(count.name) <= _MOST_ROWS


def _sources(query: exp.Expr) -> tuple[list[exp.Expr], list[exp.Expr]]:
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


def _restricted(query: exp.Expr, condition: exp.Expr, reading: Reading) -> set[str]:
    """The names of the tables of which a condition picks some rows, by itself or through what they are joined to."""
    tables, joins = _sources(query)
    again = {_name(table) for table in tables if reading.repeated(table)}
    found = set()
    for table in tables:
        source = _Source(_name(table), table.name.lower(), len(tables) == 1, _name(table) in again, reading)
        if _picks(condition, source) is not None:
            found.add(source.name)
    links = [link for join in joins for link in _links(join, [_name(table) for table in tables])]
    for _ in tables:
        for left, right in links:
            if {left, right} & found:
                found |= {left, right} - again
    return found


def _links(join: exp.Expr, names: list[str]) -> Iterator[tuple[str, str]]:
    joined = _name(join.this)
    if join.args.get("using"):
        yield from ((joined, name) for name in names[: names.index(joined)])
    for part in _conjuncts(join.args.get("on")):
        if isinstance(part, exp.EQ):
            left, right = _bare(part.this), _bare(part.expression)
            if isinstance(left, exp.Column) and isinstance(right, exp.Column) and left.table and right.table:
                yield left.table.lower(), right.table.lower()


def _conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    if condition is None:
        return
    condition = _bare(condition)
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _name(source: exp.Expr) -> str:
    return source.alias_or_name.lower()


def _picks(condition: exp.Expr, source: _Source) -> _Pick | None:
    condition = _bare(condition)
    if isinstance(condition, exp.And):
        left, right = _picks(condition.left, source), _picks(condition.right, source)
        return _NARROW if _NARROW in {left, right} else left or right
    if isinstance(condition, exp.Or):
        return _either(_picks(condition.left, source), _picks(condition.right, source))
    if isinstance(condition, exp.Not):
        return _truth(_bare(condition.this), source)
    picks = _FORMS.get(type(condition))
    flags = [name for name, value in condition.args.items() if value is True]
    return picks(condition, source) if picks is not None and not flags else None


def _either(left: _Pick | None, right: _Pick | None) -> _Pick | None:
    """Two conditions that leave rows out leave rows out together, unless the one takes what the other leaves."""
    if left is None or right is None or left.open & right.open:
        return None
    return _Pick(left.open | right.open)


def _opens(column: exp.Expr) -> _Pick:
    return _Pick(frozenset({column.name.lower()}))


def _truth(column: exp.Expr, source: _Source) -> _Pick | None:
    """A column by itself, where it must be a truth value: elsewhere every number but 0 is true."""
    return _opens(column) if source.owns(column) and source.reading.dialect == "postgres" else None


def _equals(condition: exp.Expr, source: _Source) -> _Pick | None:
    left, right = _bare(condition.this), _bare(condition.args["expression"])
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        return _links_column(left, right, source)
    if isinstance(right, exp.Column):
        left, right = right, left
    if not source.owns(left) or not _is_value(left, [right], source):
        return None
    return _opens(left) if _truth_of(right) is not None else _NARROW


def _links_column(left: exp.Column, right: exp.Column, source: _Source) -> _Pick | None:
    own = [column for column in (left, right) if source.owns(column)]
    if not own or any(
        column.name.lower() in _SYSTEM or column.args.get("db") or source.may_be_text(column)
        for column in (left, right)
    ):
        return None
    if len(own) == 1:
        return None if source.again or not (left.table and right.table) else _NARROW
    return _NARROW if left.name.lower() != right.name.lower() else None


def _bounds(condition: exp.Expr, source: _Source) -> _Pick | None:
    """A bound on one side, unless it lies where no row is expected beyond."""
    left, right = _bare(condition.this), _bare(condition.args["expression"])
    above = isinstance(condition, exp.GT | exp.GTE)
    if isinstance(right, exp.Column):
        left, right, above = right, left, not above
    if not source.owns(left) or source.may_be_text(left) or is_extreme(right, above=above):
        return None
    return _opens(left)


def _within(condition: exp.Expr, source: _Source) -> _Pick | None:
    column, low, high = _bare(condition.this), condition.args["low"], condition.args["high"]
    if not source.owns(column) or source.may_be_text(column):
        return None
    return None if is_extreme(low, above=True) and is_extreme(high, above=False) else _opens(column)


def _listed(condition: exp.Expr, source: _Source) -> _Pick | None:
    column = _bare(condition.this)
    if not source.owns(column):
        return None
    query = condition.args.get("query")
    if query is not None:
        inner = query.this if isinstance(query, exp.Subquery) else query
        return _NARROW if isinstance(inner, exp.Select) and _gives_some(inner, column, source) else None
    values = [_bare(value) for value in condition.expressions]
    if not values or not _is_value(column, values, source):
        return None
    truths = {_truth_of(value) for value in values} - {None}
    return (None, _opens(column), _NARROW)[(2, 1, 0)[len(truths)]]


def _gives_some(inner: exp.Select, column: exp.Expr, source: _Source) -> bool:
    """Whether a query gives values of a column of its own, and of some of its rows: a name may be the outer table's."""
    tables, _ = _sources(inner)
    given = inner.expressions[0].unalias() if len(inner.expressions) == 1 else None
    if not isinstance(given, exp.Column) or source.may_be_text(column) or source.may_be_text(given):
        return False
    named = {_name(table): table for table in tables}
    own = given.table.lower() if given.table else next(iter(named)) if len(named) == 1 else None
    if own not in named or (
        not given.table
        and given.name.lower() == column.name.lower()
        and not (isinstance(named[own], exp.Table) and named[own].name.lower() == source.table)
    ):
        return False
    where = inner.args.get("where")
    within = replace(source.reading, repeated=lambda table: source.again or source.reading.repeated(table))
    return where is not None and own in _restricted(inner, where.this, within)


def _exists(condition: exp.Expr, source: _Source) -> _Pick | None:
    """A query for what belongs to the row: a column of its own held against one of the table's."""
    inner = condition.this
    if not isinstance(inner, exp.Select) or source.again or inner.args.get("group") or inner.find(*_GATHERS):
        return None
    names = {_name(table) for table in _sources(inner)[0]} - {source.name}
    where = inner.args.get("where")
    for part in _conjuncts(None if where is None else where.this):
        if isinstance(part, exp.EQ):
            sides = [_bare(part.this), _bare(part.expression)]
            tables = [side.table.lower() if isinstance(side, exp.Column) else "" for side in sides]
            if source.name in tables and set(tables) & names:
                return _NARROW
    return None


def _pattern(condition: exp.Expr, source: _Source) -> _Pick | None:
    column, pattern = _bare(condition.this), condition.args["expression"]
    if not source.owns(column) or source.may_be_text(column) or not _is_value(column, [pattern], source):
        return None
    # With a backslash a database may read another pattern than is written.
    narrow = isinstance(pattern, exp.Literal) and "\\" not in pattern.name and _WILD.sub("", pattern.name)
    return _NARROW if narrow else None


def _is_known(condition: exp.Expr, source: _Source) -> _Pick | None:
    column, value = _bare(condition.this), condition.args["expression"]
    if isinstance(value, exp.Boolean):
        return _truth(column, source)
    # What a join did not find is NULL, too: of every row, if it finds none.
    return _NARROW if source.owns(column) and source.alone and isinstance(value, exp.Null) else None


_FORMS: Mapping[type[exp.Expr], Callable[[exp.Expr, _Source], _Pick | None]] = {
    exp.Column: _truth,
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


def _is_value(column: exp.Expr, values: Iterable[exp.Expr], source: _Source) -> bool:
    """Whether values are constants that the column of not every row equals."""
    return all(_is_constant(value) and not _is_any(column, value, source) for value in values)


def _is_constant(value: exp.Expr) -> bool:
    return value.find(exp.Column, exp.Query, exp.Values, exp.Table, exp.Star) is None


def _is_any(column: exp.Expr, value: exp.Expr, source: _Source) -> bool:
    """A value that a database may find in every row: itself as a text, or 0, which is every word to MySQL."""
    if source.may_be_text(column) and (not isinstance(value, exp.Literal) or value.name == column.name):
        return True
    if source.reading.dialect != "mysql":
        return False
    if isinstance(value, exp.Literal):
        return source.reading.quotes if value.is_string else not value.name.strip("0.") or not _NUMBER.match(value.name)
    return not isinstance(value, exp.Placeholder | exp.Parameter | exp.CurrentDate | exp.CurrentTimestamp) and not (
        isinstance(value, exp.Boolean) and value.this
    )


def _truth_of(value: exp.Expr) -> bool | None:
    if isinstance(value, exp.Boolean):
        return bool(value.this)
    if not isinstance(value, exp.Literal):
        return None
    text = value.name.lower()
    return True if text in _TRUE else False if text in _FALSE else None


def _bare(value: exp.Expr) -> exp.Expr:
    while isinstance(value, exp.Paren):
        value = value.this
    return value
