"""From a table in a statement to the reference of its resource.

    users, public.users (PostgreSQL), main.users (SQLite)    db://<database>/users
    audit.users                                              db://<database>/audit.users
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

_DEFAULT_SCHEMA = {"postgres": "public", "sqlite": "main", "mysql": None}


def check_database(name: str) -> None:
    """Accept the name of a database.

    Raises:
        UnreadableError: ID_INVALID.
    """
    if "/" in name:
        raise UnreadableError("the name of a database holds no slash", "ID_INVALID")
    canonical(f"db://{name}")


def table_target(table: exp.Table, database: str, dialect: str) -> str:
    """Name the resource that a table of a statement is.

    Raises:
        UnreadableError: ID_INVALID, or a table of another database.
    """
    name = _folded(table.this, dialect)
    schema = _folded(table.args["db"], dialect) if table.args.get("db") else None
    catalog = _folded(table.args["catalog"], dialect) if table.args.get("catalog") else None
    if catalog is not None and catalog != database:
        raise UnreadableError(f"a table of another database: {catalog[:60]!a}")
    if schema in {None, _DEFAULT_SCHEMA[dialect]} or (dialect == "mysql" and schema == database):
        return f"db://{database}/{name}"
    return f"db://{database}/{schema}.{name}"


def _folded(identifier: object, dialect: str) -> str:
    if not isinstance(identifier, exp.Identifier):
        raise UnreadableError("a name that isn't read")  # pragma: no cover
    text = identifier.name
    if not text or "." in text or "/" in text:
        raise UnreadableError(f"a name that may not stand in a reference: {text[:60]!a}", "ID_INVALID")
    lowered = text.lower()
    if lowered == text:
        return text
    if dialect == "mysql" or (not text.isascii() and not (dialect == "postgres" and identifier.args.get("quoted"))):
        raise UnreadableError(f"a name whose case the server may or may not fold: {text[:60]!a}", "ID_INVALID")
    return text if dialect == "postgres" and identifier.args.get("quoted") else lowered
