"""What statements define, drop and allow: the changes to what a database is made of.

Source: DESIGN section 10; policy cases B09, J05.
"""

from sqlglot import exp

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.sql.names import own_name, table_target
from decisions.reducers.sql.shapes import table_of
from decisions.reducers.sql.source import Reading


class Definitions:
    """One statement of a script, as far as it defines something.

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

    def _comment(self, node: exp.Expr) -> None:
        self._act("define", self._target(table_of(node.this)), "many")

    def _into(self, node: exp.Expr) -> None:
        target = self._target(table_of(node.this))
        self._act("define", target, "many")
        self._act("insert", target, "many")

    def _create(self, node: exp.Expr) -> None:
        kind = str(node.args.get("kind")).upper()
        if kind not in {"TABLE", "VIEW", "INDEX", "SCHEMA"}:
            raise UnreadableError(f"CREATE {kind[:40]} isn't read")
        if kind == "SCHEMA":
            self._act("define", self._whole, "one")
            self._changed.add(id(node.this))
            return
        target = self._target(table_of(node.this))
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
        target = self._target(table_of(node.this))
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
                self._act("define", self._target(table_of(action.this)), "one")

    def _truncate(self, node: exp.Expr) -> None:
        for table in node.expressions:
            self._act("delete", self._target(table_of(table)), "all")
        if node.args.get("option") == "CASCADE":
            raise unresolved("TRUNCATE CASCADE empties tables that are not named")

    def _authorize(self, node: exp.Expr) -> None:
        if str(node.args.get("kind") or "TABLE").upper() != "TABLE":
            raise UnreadableError("a GRANT that isn't read")
        self._act("authorize", self._target(table_of(node.args.get("securable"))), "many")
