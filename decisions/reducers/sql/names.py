"""From a table in a statement to the reference of its resource.

    users, public.users (PostgreSQL), main.users (SQLite)    db://<database>/users
    audit.users                                              db://<database>/audit.users
    users, of a database on a host                           db://<database>@<host>/users
    users, of a database in a file (SQLite)                  db://sqlite/<path>/users
    the row of users with the id 42                          db://<database>/users/42
    the database, a whole schema                             db://<database>

The default schema is left out, so that one table has one name. A schema and its table are one part, so that no table
is ever spelled as another's row. Case is folded as the dialect folds it; where that depends on how the server was
set up, the name is refused.

Source: DESIGN section 8; policy cases B01, J03.
"""

from sqlglot import exp

from decisions.reducers.effects import canonical
from decisions.reducers.errors import UnreadableError

FILES = "sqlite/"
"""What the name of a database that is a file starts with; its path stands behind."""

_DEFAULT_SCHEMA = {"postgres": "public", "sqlite": "main", "mysql": None}
_LONGEST_NAME = 63
# Modifiers of statements, in places where the parser reads a name.
_MYSQL_WORDS = frozenset(
    {"low_priority", "high_priority", "delayed", "ignore", "quick", "straight_join", "distinctrow", "force", "use",
     "sql_no_cache", "sql_cache", "sql_calc_found_rows", "sql_small_result", "sql_big_result", "sql_buffer_result"}
)  # fmt: skip


def check_database(name: str) -> None:
    """Accept the name of a database.

    Raises:
        UnreadableError: ID_INVALID.
    """
    if "/" in name and not name.startswith(FILES):
        raise UnreadableError("the name of a database holds no slash", "ID_INVALID")
    canonical(f"db://{name}")


def own_name(database: str) -> str:
    """Give the name that a database goes by in its own statements: without the host, and none for a file."""
    return "" if database.startswith(FILES) else database.partition("@")[0]


def table_target(table: exp.Table, database: str, dialect: str) -> str:
    """Name the resource that a table of a statement is.

    Raises:
        UnreadableError: ID_INVALID, or a table of another database.
    """
    name = folded(table.this, dialect)
    schema = folded(table.args["db"], dialect) if table.args.get("db") else None
    catalog = folded(table.args["catalog"], dialect) if table.args.get("catalog") else None
    own = own_name(database)
    if catalog is not None and catalog != own:
        raise UnreadableError(f"a table of another database: {catalog[:60]!a}")
    if schema in {None, _DEFAULT_SCHEMA[dialect]} or (dialect == "mysql" and schema == own):
        return f"db://{database}/{name}"
    if dialect == "mysql" and "@" in database:
        # A schema of MySQL's is a database of the same host.
        return f"db://{schema}@{database.partition('@')[2]}/{name}"
    return f"db://{database}/{schema}.{name}"


def folded(identifier: object, dialect: str) -> str:
    """Fold the case of a name as the dialect does.

    Raises:
        UnreadableError: ID_INVALID where it can't be told, or a name that a database reads otherwise.
    """
    if not isinstance(identifier, exp.Identifier):
        raise UnreadableError("a name that isn't read")  # pragma: no cover
    text = identifier.name
    if not text or "." in text or "/" in text:
        raise UnreadableError(f"a name that may not stand in a reference: {text[:60]!a}", "ID_INVALID")
    if dialect == "postgres" and len(text.encode()) > _LONGEST_NAME:
        raise UnreadableError(f"a name that the database cuts short: {text[:60]!a}", "ID_INVALID")
    if dialect == "mysql" and not identifier.args.get("quoted") and text.lower() in _MYSQL_WORDS:
        raise UnreadableError(f"a word that is no name unless it is quoted: {text[:60]!a}")
    lowered = text.lower()
    if lowered == text:
        return text
    if dialect == "mysql" or (not text.isascii() and not (dialect == "postgres" and identifier.args.get("quoted"))):
        raise UnreadableError(f"a name whose case the server may or may not fold: {text[:60]!a}", "ID_INVALID")
    return text if dialect == "postgres" and identifier.args.get("quoted") else lowered
