"""What parts of SQL syntax trees are: tables in what names them, savepoints, names of common table expressions.

Source: sqlglot's trees; policy case B11.
"""

import re
from collections.abc import Iterator

from sqlglot import exp

from decisions.reducers.errors import UnreadableError
from decisions.reducers.sql.names import folded

_EXPLAIN_OPTION = re.compile(r"\s*(?:\(([^()']*)\)|(ANALY[ZS]E|VERBOSE|QUERY\s+PLAN)\b)", re.IGNORECASE)


def table_of(node: object) -> exp.Table:
    """Find the table in what names it: itself, with columns, or with an index."""
    if isinstance(node, exp.Schema):
        node = node.this
    if isinstance(node, exp.Index):
        node = node.args.get("table")
    if not isinstance(node, exp.Table):
        raise UnreadableError("a statement without the table that it changes")
    return node


def is_savepoint(tree: exp.Expr) -> bool:
    """Whether it is START TRANSACTION or SAVEPOINT, which the parser takes for a name with another one."""
    if not isinstance(tree, exp.Alias) or not isinstance(tree.this, exp.Column) or len(tree.this.parts) != 1:
        return False
    if tree.this.this.args.get("quoted"):
        return False
    first = tree.this.name.upper()
    return first == "SAVEPOINT" or (first == "START" and tree.alias.upper() == "TRANSACTION")


def assigned(item: exp.Expr) -> Iterator[exp.Column]:
    """The columns that one assignment of UPDATE sets."""
    target = item.this if isinstance(item, exp.EQ) else item
    yield from target.find_all(exp.Column)


def is_expression_name(table: exp.Table, dialect: str) -> bool:
    """Whether a table's name stands for a common table expression that it can see."""
    if table.args.get("db"):
        return False
    child: exp.Expr = table
    while isinstance(child.parent, exp.Expr):
        parent = child.parent
        with_ = child if isinstance(child, exp.With) else parent.args.get("with_")
        if isinstance(with_, exp.With) and not isinstance(parent, exp.With):
            visible = with_.expressions
            if child is with_:
                visible = _visible_within(table, with_)
            if any(folded(cte.args["alias"].this, dialect) == folded(table.this, dialect) for cte in visible):
                return True
        child = parent
    return False


def _visible_within(table: exp.Table, with_: exp.With) -> list[exp.Expr]:
    """The expressions that one of the same WITH can see: those before it, or all if it is recursive."""
    if with_.args.get("recursive"):
        return list(with_.expressions)
    own = table.find_ancestor(exp.CTE)
    while own is not None and own.parent is not with_:
        own = own.find_ancestor(exp.CTE)
    return with_.expressions[: with_.expressions.index(own)] if own is not None else []


def explained(text: str) -> tuple[str, bool]:
    """Take the options off an EXPLAIN; tell whether they make it run."""
    executes = False
    place = 0
    while match := _EXPLAIN_OPTION.match(text, place):
        executes = executes or "ANALY" in match[0].upper()
        place = match.end()
    return text[place:], executes
