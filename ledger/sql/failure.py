"""What the database says, in the ledger's words: one line that tells what to do.

SQLite's result codes are told apart by their low byte, https://sqlite.org/rescode.html.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, ResourceClosedError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ledger.errors import CorruptError, StoreBusyError, StoreError, StoreMissingError

_SQLITE: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreBusyError, "another process is writing and did not finish in time: try again"),
    sqlite3.SQLITE_LOCKED: (StoreBusyError, "the database is locked: try again"),
    sqlite3.SQLITE_READONLY: (StoreError, "the file can't be written: check its owner and mode, and the folder's"),
    sqlite3.SQLITE_PERM: (StoreError, "the file can't be opened: check its owner and mode"),
    sqlite3.SQLITE_FULL: (StoreError, "the disk is full: make room and run the command again; nothing was written"),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "the disk is full or broken: make room, or replace it, then run the command again, and `tally audit`",
    ),
    sqlite3.SQLITE_CANTOPEN: (StoreMissingError, "the database can't be opened: check the path, or run `tally init`"),
    sqlite3.SQLITE_NOTADB: (StoreError, "this file is no ledger: check the path"),
    sqlite3.SQLITE_CORRUPT: (CorruptError, "the file is damaged: restore a backup, then run `tally audit`"),
    sqlite3.SQLITE_CONSTRAINT: (CorruptError, "the database refuses what the log's head asks for: run `tally audit`"),
}
_PRIMARY_CODE = 0xFF


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Let no error of the database library pass: each becomes a `StoreError` that names the place."""
    try:
        yield
    except SQLAlchemyError as error:
        raise in_our_words(error, place) from error


def in_our_words(error: SQLAlchemyError, place: str) -> StoreError:
    """Give the `StoreError` that says the same."""
    if isinstance(error, PoolTimeoutError):
        return StoreBusyError(f"{place}: too many threads wait for the database: try again")
    if isinstance(error, ResourceClosedError):
        return StoreError(f"{place}: this look at the log has ended; read within it")
    cause = error.orig if isinstance(error, DBAPIError) else error
    first_line = str(cause).partition("\n")[0]
    code = getattr(cause, "sqlite_errorcode", None)
    if isinstance(code, int) and code & _PRIMARY_CODE in _SQLITE:
        kind, advice = _SQLITE[code & _PRIMARY_CODE]
        return kind(f"{place}: {advice} ({first_line})")
    if "no such table" in first_line or "no such column" in first_line:
        return StoreError(f"{place}: not the tables of this version: run `tally doctor` ({first_line})")
    if isinstance(error, IntegrityError) or first_line.startswith("Could not decode"):
        return CorruptError(f"{place}: what is stored contradicts itself: run `tally audit` ({first_line})")
    return StoreError(f"{place}: {first_line}")
