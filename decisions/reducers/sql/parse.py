"""SQL text to syntax trees, or to the reason why it can't be read.

sqlglot is a transpiler: it is lenient, and where databases differ it takes one side. So text is refused in which
the difference could hide a statement: executable and nested comments, a backslash before a quote, dollar quotes,
unicode escapes. Statements that sqlglot does not understand (its ``Command``) are opaque.

Source: DESIGN section 2 (reducers through sqlglot); policy cases A03, B09.
"""

import logging
import re

import sqlglot
from sqlglot import ErrorLevel, exp

from decisions.reducers.characters import check_characters
from decisions.reducers.errors import UnreadableError, too_complex

MAX_CHARACTERS = 64 * 1024
MAX_STATEMENTS = 50
DIALECTS = ("postgres", "sqlite", "mysql")

_DOUBTFUL = re.compile(
    r"/\*[!M+]"  # a comment that MySQL executes, or that hints
    r"|/\*(?:(?!\*/).)*/\*"  # a comment in a comment: nested for PostgreSQL, not for MySQL
    r"|\\['\"`]"  # escaped or not, as the server is set
    r"|\$\w*\$"  # dollar quotes
    r"|[uU]&['\"]"  # unicode escapes
    r"|\{[#%{]",  # comments of templates, which sqlglot skips and no database does
    re.DOTALL,
)
# For MySQL two dashes start a comment only before white space; the others don't know the number sign.
_DOUBTFUL_MYSQL = re.compile(r"--(?![ \t\r\n]|$)")

# What it can't parse, it reports by an exception or as a Command; its warnings say nothing more.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def parse(text: str, dialect: str) -> list[exp.Expression]:
    """Parse a script into its statements.

    Raises:
        UnreadableError: too long, or not SQL that can be read for certain.
    """
    if len(text) > MAX_CHARACTERS:
        raise too_complex(f"SQL of more than {MAX_CHARACTERS} characters")
    check_characters(text, "\n\t\r")
    if _DOUBTFUL.search(text) or (dialect == "mysql" and _DOUBTFUL_MYSQL.search(text)):
        raise UnreadableError("a comment or a quote that databases read differently")
    if dialect not in DIALECTS:
        raise UnreadableError(f"a dialect that isn't known: {dialect[:40]!a}")
    try:
        parsed = sqlglot.parse(text, read=dialect, error_level=ErrorLevel.RAISE)
    except RecursionError:
        raise
    except Exception as error:  # broken text makes its parser fail in ways that it does not declare
        raise UnreadableError(f"not SQL that can be read for certain: {type(error).__name__}") from error
    statements = [
        statement
        for statement in parsed
        if isinstance(statement, exp.Expression) and not isinstance(statement, exp.Semicolon)
    ]
    if len(statements) > MAX_STATEMENTS:
        raise too_complex(f"more than {MAX_STATEMENTS} statements")
    return statements
