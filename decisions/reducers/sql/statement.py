"""What a statement does to which tables.

Every table that a statement names is read, unless it is what the statement changes or stands for a common table
expression. Changes are found wherever they stand, within a WITH too.

Source: DESIGN section 10; policy cases B09, B11, J01, J05.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.sql.condition import Reading, limited, matches, row_id, selects
from decisions.reducers.sql.names import folded, own_name, table_target
from decisions.reducers.sql.nodes import check_nodes
from decisions.reducers.sql.parse import parse

_EXPLAIN_OPTION = re.compile(r"\s*(?:\(([^()']*)\)|(ANALY[ZS]E|VERBOSE|QUERY\s+PLAN)\b)", re.IGNORECASE)
_HARMLESS_SETTINGS = frozenset(
    {"application_name", "datestyle", "extra_float_digits", "idle_in_transaction_session_timeout",
     "intervalstyle", "lock_timeout", "statement_timeout", "timezone", "work_mem"}
)  # fmt: skip
# What SQLite calls the id of a row.
_KEYS = frozenset({"id", "rowid", "oid", "_rowid_"})


class Statement:
    """One statement of a script.

    Args:
        effects: where its effects are noted.
        tree: its syntax tree.
        database: the store that its tables are in.
        dialect: how it is read.
        part: which statement it is, for people.
        quotes: whether a text in double quotes may stand in it.
    """

    def __init__(
        self, effects: Effects, tree: exp.Expr, database: str, dialect: str, part: str, *, quotes: bool
    ) -> None:
        self._effects = effects
        self._tree = tree
        self._database = database
        self._dialect = dialect
        self._part = part
        self._quotes = quotes
        self._reading = Reading(dialect, quotes, self._is_repeated)
        self._changed: set[int] = set()
        self._noted = False

    def reduce(self) -> None:
        """Note what the statement does.

        Raises:
            UnreadableError: it can't be read.
        """
        tree = self._tree
        if isinstance(tree, exp.Command):
            self._command(tree)
            return
        check_nodes(tree)
        if _is_savepoint(tree) or isinstance(tree, exp.Transaction | exp.Commit | exp.Rollback | exp.EndStatement):
            self._control(tree)
        elif isinstance(tree, exp.Set):
            self._set(tree)
        elif isinstance(tree, exp.Describe):
            self._describe(tree)
        elif isinstance(tree, _STATEMENTS):
            for node in tree.find_all(*_CHANGING):
                if id(node) not in self._changed:
                    self._change(node)
            self._read(tree)
        else:
            raise UnreadableError(f"a statement that isn't read: {type(tree).__name__}")

    @property
    def _whole(self) -> str:
        return f"db://{self._database}"

    def _act(self, verb: str, target: str, scope: str) -> None:
        self._noted = True
        self._effects.act("data", verb, target, self._part, scope=scope)

    def _target(self, table: exp.Table) -> str:
        self._changed.add(id(table))
        return table_target(table, self._database, self._dialect)

    def _is_repeated(self, table: exp.Expr) -> bool:
        """Whether the statement names the same table more than once: what holds of it there may hold of every row."""
        if not isinstance(table, exp.Table):
            return False
        same = [one for one in self._tree.find_all(exp.Table) if one.name.lower() == table.name.lower()]
        return len([one for one in same if one.arg_key != "tables"]) > 1

    # Changes.

    def _change(self, node: exp.Expr) -> None:
        changes: Mapping[type[exp.Expr], Callable[[exp.Expr], None]] = {
            exp.Insert: self._insert,
            exp.Update: self._update_rows,
            exp.Delete: self._delete_rows,
            exp.Merge: self._merge,
            exp.Create: self._create,
            exp.Drop: self._drop,
            exp.Alter: self._alter,
            exp.TruncateTable: self._truncate,
            exp.Grant: self._authorize,
            exp.Revoke: self._authorize,
            exp.Comment: self._comment,
            exp.Into: self._into,
            exp.Lock: self._control,
        }
        changes[type(node)](node)

    def _comment(self, node: exp.Expr) -> None:
        self._act("define", self._target(_table(node.this)), "many")

    def _into(self, node: exp.Expr) -> None:
        target = self._target(_table(node.this))
        self._act("define", target, "many")
        self._act("insert", target, "many")

    def _control(self, _node: exp.Expr) -> None:
        self._act("control_transaction", self._whole, "one")

    def _insert(self, node: exp.Expr) -> None:
        target = self._target(_table(node.this))
        table = _table(node.this)
        columns = node.this.expressions if isinstance(node.this, exp.Schema) else node.args.get("columns") or ()
        if self._dialect == "sqlite" and any(one.name.lower() == table.name.lower() for one in columns):
            raise UnreadableError("a column called as its table: an index of text takes what is inserted for a command")
        values = node.args.get("expression")
        one = isinstance(values, exp.Values) and len(values.expressions) == 1
        self._act("insert", target, "one" if one else "many")
        conflict = node.args.get("conflict")
        updates = isinstance(conflict, exp.OnConflict) and bool(conflict.expressions)
        replaces = node.args.get("alternative") == "REPLACE"
        if updates or replaces:
            self._act("update", target, "many")
        if replaces:
            self._act("delete", target, "many")

    def _update_rows(self, node: exp.Expr) -> None:
        moved = any(column.name.lower() in _KEYS for item in node.expressions for column in _assigned(item))
        self._rows(node, "update", moved=moved)

    def _delete_rows(self, node: exp.Expr) -> None:
        self._changed.update(id(table) for table in node.args.get("tables") or ())
        self._rows(node, "delete", moved=False)

    def _rows(self, node: exp.Expr, verb: str, *, moved: bool) -> None:
        """Note a change to rows: of the one that the condition names, of some, of all; of each table joined."""
        where = node.args.get("where")
        first = _table(node.this)
        joined = [_table(join.this) for join in first.args.get("joins") or ()]
        alone = not joined and not node.args.get("from_") and not node.args.get("using")
        row = row_id(where, first, self._reading) if alone and not moved else None
        for table in [first, *joined]:
            target = self._target(table)
            scope = "many" if limited(node) or selects(node, table, self._reading) else "all"
            self._act(verb, target if row is None else f"{target}/{row}", scope if row is None else "one")

    def _merge(self, node: exp.Expr) -> None:
        table = _table(node.this)
        target = self._target(table)
        some = matches(node, table, self._reading)
        for when in node.find_all(exp.When):
            scope = "many" if some and not when.args.get("source") else "all"
            then = when.args.get("then")
            if isinstance(then, exp.Insert | exp.Update):
                self._changed.add(id(then))
                inserts = isinstance(then, exp.Insert)
                self._act("insert" if inserts else "update", target, "many" if inserts else scope)
            elif isinstance(then, exp.Var) and then.name.upper() == "DELETE":
                self._act("delete", target, scope)
            elif not (isinstance(then, exp.Var) and then.name.upper() == "DO NOTHING"):
                raise UnreadableError("a branch of MERGE that isn't read")  # pragma: no cover

    def _create(self, node: exp.Expr) -> None:
        kind = str(node.args.get("kind")).upper()
        if kind not in {"TABLE", "VIEW", "INDEX", "SCHEMA"}:
            raise UnreadableError(f"CREATE {kind[:40]} isn't read")
        if kind == "SCHEMA":
            self._act("define", self._whole, "one")
            self._changed.add(id(node.this))
            return
        target = self._target(_table(node.this))
        self._act("define", target, "many" if kind == "INDEX" else "one")
        if node.args.get("replace"):
            self._act("drop", target, "all")
        if node.args.get("expression") is not None and kind == "TABLE":
            self._act("insert", target, "many")

    def _drop(self, node: exp.Expr) -> None:
        if isinstance(node.parent, exp.Alter):
            return
        kind = str(node.args.get("kind")).upper()
        if kind not in {"TABLE", "VIEW", "INDEX", "SCHEMA", "DATABASE"}:
            raise UnreadableError(f"DROP {kind[:40]} isn't read")
        for table in node.args.get("tables") or [node.this]:
            if not isinstance(table, exp.Table):
                raise UnreadableError("a DROP that isn't read")  # pragma: no cover
            self._changed.add(id(table))
            if kind in {"SCHEMA", "DATABASE"}:
                self._act("drop", self._whole, "all")
            else:
                self._act("drop", self._target(table), "many" if kind == "INDEX" else "all")
        if node.args.get("cascade") and kind != "SCHEMA":
            raise unresolved("CASCADE drops what depends on it, which is not named")
        if kind == "DATABASE" and [t.name for t in node.args.get("tables") or ()] != [own_name(self._database)]:
            raise unresolved("a database that is not the one that this is asked of")

    def _alter(self, node: exp.Expr) -> None:
        if str(node.args.get("kind")).upper() != "TABLE":
            raise UnreadableError("an ALTER that isn't read")
        target = self._target(_table(node.this))
        self._act("define", target, "many")
        for action in node.args.get("actions") or ():
            if isinstance(action, exp.Drop):
                self._changed.update(id(table) for table in action.find_all(exp.Table))
                self._act("drop", target, "many")
                if action.args.get("cascade"):
                    raise unresolved("CASCADE drops what depends on it, which is not named")
            elif isinstance(action, exp.AlterColumn) and action.args.get("using"):
                self._act("update", target, "all")
            elif isinstance(action, exp.AlterRename):
                self._act("drop", target, "all")
                self._act("define", self._target(_table(action.this)), "one")

    def _truncate(self, node: exp.Expr) -> None:
        for table in node.expressions:
            self._act("delete", self._target(_table(table)), "all")
        if node.args.get("option") == "CASCADE":
            raise unresolved("TRUNCATE CASCADE empties tables that are not named")

    def _authorize(self, node: exp.Expr) -> None:
        if str(node.args.get("kind") or "TABLE").upper() != "TABLE":
            raise UnreadableError("a GRANT that isn't read")
        self._act("authorize", self._target(_table(node.args.get("securable"))), "many")

    # Reads.

    def _read(self, tree: exp.Expr) -> None:
        for table in [table for table in tree.find_all(exp.Table) if id(table) not in self._changed]:
            if isinstance(table.this, exp.Func):
                continue
            if not isinstance(table.this, exp.Identifier):
                raise unresolved("a table that isn't named")
            if _is_expression_name(table, self._dialect):
                continue
            target = table_target(table, self._database, self._dialect)
            query = table.find_ancestor(exp.Select, exp.Update, exp.Delete, exp.Merge)
            self._act("read", *self._read_scope(table, query, target))
        if not self._noted:
            self._act("read", self._whole, "one")

    def _read_scope(self, table: exp.Table, query: exp.Expr | None, target: str) -> tuple[str, str]:
        if query is None or isinstance(query, exp.Merge):
            return target, "many"
        source = query.args.get("from_")
        alone = isinstance(query, exp.Select) and not any(
            part.args.get(name) for part in (query, table) for name in ("joins", "laterals")
        )
        first = isinstance(source, exp.From) and source.this is table
        row = row_id(query.args.get("where"), table, self._reading) if alone and first else None
        if row is not None:
            return f"{target}/{row}", "one"
        return target, "many" if limited(query) or selects(query, table, self._reading) else "all"

    # Statements about statements.

    def _command(self, tree: exp.Command) -> None:
        name = str(tree.this).upper()
        if name != "EXPLAIN" or not isinstance(tree.expression, exp.Literal):
            raise UnreadableError(f"a statement that isn't read: {name[:40]}")
        text, executes = _explained(tree.expression.name)
        inner = parse(text, self._dialect)
        if len(inner) != 1 or isinstance(inner[0], exp.Command):
            raise UnreadableError("an EXPLAIN that isn't read")
        self._inner(inner[0], executes=executes)

    def _describe(self, tree: exp.Describe) -> None:
        if isinstance(tree.this, exp.Table):
            self._act("read", self._target(tree.this), "one")
        elif isinstance(tree.this, exp.Expr):
            self._inner(tree.this, executes="ANALY" in str(tree.args.get("style") or "").upper())
        else:
            raise UnreadableError("a DESCRIBE that isn't read")  # pragma: no cover

    def _inner(self, tree: exp.Expr, *, executes: bool) -> None:
        """Note the explained statement: as itself if it runs, else as reading what it names."""
        inner = Effects()
        Statement(inner, tree, self._database, self._dialect, self._part, quotes=self._quotes).reduce()
        for action in inner.actions:
            verb = action.verb if executes else "read"
            self._act(verb, action.target, str(dict(action.facts)["scope"]))

    def _set(self, tree: exp.Set) -> None:
        for item in tree.expressions:
            setting = item.this if isinstance(item, exp.SetItem) else None
            if (
                not isinstance(setting, exp.EQ)
                or setting.this.name.lower() not in _HARMLESS_SETTINGS
                or setting.expression.find(exp.Query)
            ):
                raise UnreadableError("a setting that may change what statements mean")
        self._act("control_transaction", self._whole, "one")


_CHANGING = (
    exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.TruncateTable, exp.Grant,
    exp.Revoke, exp.Comment, exp.Into, exp.Lock,
)  # fmt: skip
_STATEMENTS = (
    exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Values, exp.Subquery, exp.Insert, exp.Update, exp.Delete,
    exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.TruncateTable, exp.Grant, exp.Revoke, exp.Comment,
)  # fmt: skip


def _table(node: object) -> exp.Table:
    """Find the table in what names it: itself, with columns, or with an index."""
    if isinstance(node, exp.Schema):
        node = node.this
    if isinstance(node, exp.Index):
        node = node.args.get("table")
    if not isinstance(node, exp.Table):
        raise UnreadableError("a statement without the table that it changes")
    return node


def _is_savepoint(tree: exp.Expr) -> bool:
    """Whether it is START TRANSACTION or SAVEPOINT, which the parser takes for a name with another one."""
    if not isinstance(tree, exp.Alias) or not isinstance(tree.this, exp.Column) or len(tree.this.parts) != 1:
        return False
    if tree.this.this.args.get("quoted"):
        return False
    first = tree.this.name.upper()
    return first == "SAVEPOINT" or (first == "START" and tree.alias.upper() == "TRANSACTION")


def _assigned(item: exp.Expr) -> Iterator[exp.Column]:
    """The columns that one assignment of UPDATE sets."""
    target = item.this if isinstance(item, exp.EQ) else item
    yield from target.find_all(exp.Column)


def _is_expression_name(table: exp.Table, dialect: str) -> bool:
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


def _explained(text: str) -> tuple[str, bool]:
    """Take the options off an EXPLAIN; tell whether they make it run."""
    executes = False
    place = 0
    while match := _EXPLAIN_OPTION.match(text, place):
        executes = executes or "ANALY" in match[0].upper()
        place = match.end()
    return text[place:], executes
