"""Making and opening a log in a SQLite file.

A new log appears whole or not at all: it is made beside its place and linked there when it is done. Opening never
makes a file and never migrates one.
"""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa

from ledger.errors import StoreError, StoreMissingError
from ledger.log import Clock
from ledger.sql.engine import BUSY_SECONDS, sqlite_engine
from ledger.sql.log import SqlLog
from ledger.sql.revision import check_revision
from ledger.view import View


def create_log(path: Path, views: Sequence[View], clock: Clock) -> SqlLog:
    """Make an empty log and open it.

    Raises:
        StoreError: something stands there already, or it can't be written.
    """
    from ledger.sql.migrate import upgrade  # noqa: PLC0415  (only a new log needs Alembic, which is slow to import)

    if path.exists():
        raise StoreError(f"{path}: something stands here already; a log is made once")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        engine = sqlite_engine(unfinished, create=True)
        try:
            upgrade(engine)
        finally:
            # The last connection folds the write-ahead log into the file.
            engine.dispose()
        # Unlike a rename, a link never replaces what another process made in the meantime.
        path.hardlink_to(unfinished)
        _sync(path.parent)
    except FileExistsError as error:
        raise StoreError(f"{path}: something stands here already; a log is made once") from error
    except OSError as error:
        raise StoreError(f"{path}: can't be made: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return open_log(path, views, clock)


def open_log(
    path: Path,
    views: Sequence[View],
    clock: Clock,
    *,
    confirm_clock: bool = False,
    busy_seconds: float = BUSY_SECONDS,
) -> SqlLog:
    """Open a log that stands.

    Raises:
        StoreMissingError: there is none.
        StoreError: it is no log, or of another version.
    """
    engine = open_engine(path, busy_seconds=busy_seconds)
    try:
        check_revision(engine, str(path))
    except StoreError:
        engine.dispose()
        raise
    return SqlLog(engine, views, clock, confirm_clock=confirm_clock)


def open_engine(path: Path, *, busy_seconds: float = BUSY_SECONDS) -> sa.Engine:
    """Open a database that stands, of whatever revision.

    Raises:
        StoreMissingError: there is none.
        StoreError: it can't be looked at.
    """
    try:
        found = path.is_file()
    except OSError as error:  # a directory above it that may not be entered
        raise StoreError(f"{path}: can't be looked at ({error.strerror}): run as the user that keeps it") from error
    if not found:
        raise StoreMissingError(f"{path}: no ledger here: check the path, or run `tally init`")
    return sqlite_engine(path, busy_seconds=busy_seconds)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
