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

from sqlglot import exp

from decisions.reducers.sql.picks import equals, picks_of, restricted
from decisions.reducers.sql.source import GATHERS, NUMBER, Reading, Source, bare, name_of

_ID = re.compile(r"0|[1-9][0-9]{0,17}|[a-z][a-z0-9-]{0,63}", re.ASCII)
_MOST_ROWS = 10_000


def row_id(where: exp.Expr | None, table: exp.Table, reading: Reading) -> str | None:
    """Give the id of the one row that a condition names, or None.

    Args:
        where: the WHERE of a statement on this table alone.
        table: the table.
        reading: what the reading depends on.
    """
    condition = None if where is None else bare(where.this)
    if not isinstance(condition, exp.EQ):
        return None
    left, right = bare(condition.this), bare(condition.expression)
    if isinstance(left, exp.Literal):
        left, right = right, left
    source = Source(name_of(table), table.name.lower(), True, False, reading)
    if not source.owns(left) or not isinstance(right, exp.Literal) or equals(condition, source) is None:
        return None
    quoted = left.this.args.get("quoted")
    if (left.name if quoted else left.name.lower()) != "id":
        return None
    text = right.name
    # MySQL holds the text of a word to be the number 0.
    numeric = not right.is_string or reading.dialect == "mysql"
    spelled = _ID.fullmatch(text) and (not numeric or NUMBER.fullmatch(text))
    return text if spelled else None


def selects(query: exp.Expr, table: exp.Expr, reading: Reading) -> bool:
    """Whether a statement or query picks some rows out of all that a table of it has.

    Args:
        query: a SELECT, UPDATE or DELETE.
        table: one of its tables.
        reading: what the reading depends on.
    """
    where = query.args.get("where")
    return where is not None and name_of(table) in restricted(query, where.this, reading)


def matches(merge: exp.Expr, table: exp.Table, reading: Reading) -> bool:
    """Whether the condition of a MERGE picks some rows out of all that its table has."""
    source = Source(name_of(table), table.name.lower(), False, reading.repeated(table), reading)
    return picks_of(merge.args["on"], source) is not None


def limited(query: exp.Expr) -> bool:
    """Whether a LIMIT leaves few of the rows; one behind an aggregate does not."""
    limit = query.args.get("limit")
    if not isinstance(limit, exp.Limit | exp.Fetch):
        return False
    options = limit.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        return False
    count = limit.args.get("expression") or limit.args.get("count")
    gathers = query.args.get("group") or any(one.find(*GATHERS) for one in query.expressions)
    return isinstance(count, exp.Literal) and _is_few(count) and not (isinstance(query, exp.Select) and gathers)


def _is_few(count: exp.Literal) -> bool:
    return not count.is_string and bool(NUMBER.fullmatch(count.name)) and int(count.name) <= _MOST_ROWS
