"""What a statement does to which tables.

Every table that a statement names is read, unless it is what the statement changes or stands for a common table
expression. Changes are found wherever they stand, within a WITH too.

Source: DESIGN section 10; policy cases B09, B11, J01, J05.
"""

from collections.abc import Callable, Mapping

from sqlglot import exp

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.sql.condition import limited, matches, row_id, selects
from decisions.reducers.sql.definitions import Definitions
from decisions.reducers.sql.names import table_target
from decisions.reducers.sql.nodes import check_nodes
from decisions.reducers.sql.parse import parse
from decisions.reducers.sql.shapes import assigned, explained, is_expression_name, is_savepoint, table_of

_HARMLESS_SETTINGS = frozenset(
    {"application_name", "datestyle", "extra_float_digits", "idle_in_transaction_session_timeout",
     "intervalstyle", "lock_timeout", "statement_timeout", "timezone", "work_mem"}
)  # fmt: skip
# What SQLite calls the id of a row.
_KEYS = frozenset({"id", "rowid", "oid", "_rowid_"})


class Statement(Definitions):
    """One statement of a script.

    Args:
        effects: where its effects are noted.
        tree: its syntax tree.
        database: the store that its tables are in.
        dialect: how it is read.
        part: which statement it is, for people.
        quotes: whether a text in double quotes may stand in it.
    """

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
        if is_savepoint(tree) or isinstance(tree, exp.Transaction | exp.Commit | exp.Rollback | exp.EndStatement):
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

    def _control(self, _node: exp.Expr) -> None:
        self._act("control_transaction", self._whole, "one")

    def _insert(self, node: exp.Expr) -> None:
        target = self._target(table_of(node.this))
        table = table_of(node.this)
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
        moved = any(column.name.lower() in _KEYS for item in node.expressions for column in assigned(item))
        self._rows(node, "update", moved=moved)

    def _delete_rows(self, node: exp.Expr) -> None:
        self._changed.update(id(table) for table in node.args.get("tables") or ())
        self._rows(node, "delete", moved=False)

    def _rows(self, node: exp.Expr, verb: str, *, moved: bool) -> None:
        """Note a change to rows: of the one that the condition names, of some, of all; of each table joined."""
        where = node.args.get("where")
        first = table_of(node.this)
        joined = [table_of(join.this) for join in first.args.get("joins") or ()]
        alone = not joined and not node.args.get("from_") and not node.args.get("using")
        row = row_id(where, first, self._reading) if alone and not moved else None
        for table in [first, *joined]:
            target = self._target(table)
            scope = "many" if limited(node) or selects(node, table, self._reading) else "all"
            self._act(verb, target if row is None else f"{target}/{row}", scope if row is None else "one")

    def _merge(self, node: exp.Expr) -> None:
        table = table_of(node.this)
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

    # Reads.

    def _read(self, tree: exp.Expr) -> None:
        for table in [table for table in tree.find_all(exp.Table) if id(table) not in self._changed]:
            if isinstance(table.this, exp.Func):
                continue
            if not isinstance(table.this, exp.Identifier):
                raise unresolved("a table that isn't named")
            if is_expression_name(table, self._dialect):
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
        text, executes = explained(tree.expression.name)
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
