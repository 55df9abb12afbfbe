"""The SQL reducer: every statement, with the tables that it reads and changes.

Source: DESIGN sections 2 and 10; policy cases B09, B11, J01, J03.
"""

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.sql.names import check_database
from decisions.reducers.sql.parse import parse
from decisions.reducers.sql.statement import Statement


def reduce_sql(effects: Effects, text: str, *, database: str | None, dialect: str | None, part: str = "") -> None:
    """Note what a script does.

    Args:
        effects: where it is noted.
        text: the statements.
        database: the store that they go to, by the word of the enforcement point that holds the connection.
        dialect: ``postgres`` unless given.
        part: what stands before the number of each statement, for people.
    """
    try:
        dialect = "postgres" if dialect is None else dialect
        statements = parse(text, dialect)
        if database is None:
            raise unresolved("it isn't known which database these statements go to")
        check_database(database)
    except UnreadableError as error:
        effects.refuse(error, part)
        return
    for number, tree in enumerate(statements, 1):
        shown = f"{part}statement {number}: {type(tree).__name__.upper()}"
        try:
            Statement(effects, tree, database, dialect, shown, quotes='"' in text).reduce()
        except UnreadableError as error:
            effects.refuse(error, shown)
