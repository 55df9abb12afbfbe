"""What PostgreSQL and its driver say when something goes wrong, and what it means for whoever asked.

Errors of the server are told apart by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html; one
without is the driver's own: it could not connect, or the connection broke.
"""

from typing import Final

from ledger.errors import CorruptError, StoreBusyError, StoreError, StoreMissingError
from ledger.sql.dialect.base import LOST, Words

_GOING: Final = ("57P01", "57P02", "57P03")
"""The server ends the connection, crashes, or is not yet up."""

_WORDS: Final[dict[str, Words]] = {
    "55P03": (StoreBusyError, "another process is writing and did not finish in time: try again"),
    "40001": (StoreBusyError, "another transaction came in between: try again"),
    "40P01": (StoreBusyError, "two transactions waited for each other: try again"),
    "57014": (StoreBusyError, "the server cut the statement off: try again, or raise its statement_timeout"),
    "53100": (StoreError, "the server's disk is full: make room and run the command again; nothing was written"),
    "53200": (StoreBusyError, "the server is out of memory: try again"),
    "53300": (StoreBusyError, "the server takes no more connections: try again, or raise its max_connections"),
    "25006": (StoreError, "this server takes no writes: name the primary, not a standby"),
    "42501": (StoreError, "this role may not: use the owner's, or let the owner run what `tally db grant-sql` prints"),
    "54000": (StoreError, "a key is longer than PostgreSQL can index, some 2,700 bytes; nothing was written"),
    "22021": (StoreError, "a text holds a character that PostgreSQL can't keep; nothing was written"),
    "3D000": (StoreMissingError, "there is no such database: check the address"),
    "XX001": (CorruptError, "the server found a damaged page: restore a backup, then run `tally audit`"),
    "XX002": (CorruptError, "the server found a damaged index: run REINDEX, then `tally audit`"),
    **dict.fromkeys(("42P01", "42703", "3F000"), (StoreError, "not the tables of this version: run `tally doctor`")),
    **dict.fromkeys(_GOING, (StoreError, LOST)),
}
_CLASSES: Final[dict[str, Words]] = {
    "08": (StoreError, LOST),
    "28": (StoreError, "the server lets this role not in: check the user, ~/.pgpass, PGPASSWORD and pg_hba.conf"),
    "23": (CorruptError, "the database refuses what the log's head asks for: run `tally audit`"),
    "58": (StoreError, "the server can't read or write its files: look at its disk, then run `tally audit`"),
}


def words(cause: BaseException) -> Words | None:
    """Say what an error means; None where it is none of PostgreSQL's, or means nothing special."""
    if not hasattr(cause, "sqlstate"):
        return None
    state = cause.sqlstate
    if state is None:
        return _without_state(cause)
    return _WORDS.get(state) or _CLASSES.get(state[:2])


def lost(cause: BaseException) -> bool:
    """Tell whether an error says that the connection is lost, or that none can be had."""
    import psycopg  # noqa: PLC0415  (an extra, which only PostgreSQL needs)

    if not isinstance(cause, psycopg.OperationalError):
        return False
    state = cause.sqlstate
    return state is None or state[:2] == "08" or state in _GOING


def _without_state(cause: BaseException) -> Words | None:
    """Tell errors of the driver itself: it could not connect, or the connection broke."""
    import psycopg  # noqa: PLC0415  (only its own errors come here)

    if isinstance(cause, psycopg.DataError):
        return _WORDS["22021"]
    if isinstance(cause, psycopg.OperationalError):
        text = str(cause)
        if "password" in text or "authentication" in text or "role " in text:
            return _CLASSES["28"]
        if "does not exist" in text:
            return _WORDS["3D000"]
        return StoreError, "the server can't be reached: look whether it runs, and check the address"
    return None
