"""Leaving nothing behind of rows that were deleted: what an erasure still owes after its commit.

A deleted row's bytes are overwritten in its page, but older copies of a page may lie in the write-ahead log and in
parts of other pages that nothing uses. So the database is written anew from what stands in it, and what it was before
is cut off. What has left the database is beyond it: backups, copies, archived logs, blocks that the file system has
given back.

Each dialect does it in its own way; one that is missing here can't erase.

Source: DESIGN section 8; docs/spec/store.md.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError

from ledger.errors import StoreBusyError
from ledger.sql.engine import BUSY_SECONDS, place
from ledger.sql.failure import translated

_PAUSE: Final = 0.2


def scrub(engine: sa.Engine, *, patience: float = BUSY_SECONDS) -> None:
    """Write the database anew, so that it holds no byte of what was deleted.

    Writers wait meanwhile. It takes as long as writing the whole database takes.

    Args:
        engine: the database.
        patience: how many seconds to wait for readers that still look at what was.

    Raises:
        StoreBusyError: somebody still reads the state from before: the bytes are not gone yet.
        StoreError: the database can't be written.
    """
    with translated(place(engine)), closing(engine.raw_connection()) as pooled:
        connection = pooled.driver_connection
        if connection is None:  # pragma: no cover
            raise AssertionError(engine)  # it was opened just now
        dbapi = engine.dialect.loaded_dbapi
        try:
            _SCRUB[engine.dialect.name](connection, place(engine), patience)
        except dbapi.Error as error:
            # No statement of SQLAlchemy's, so the error is not yet one of its own.
            raise DBAPIError.instance("scrub", None, error, dbapi.Error, dialect=engine.dialect) from error


def _scrub_sqlite(connection: DBAPIConnection, where: str, patience: float) -> None:
    with closing(connection.cursor()) as cursor:
        # Into the write-ahead log, and from there over the old pages of the file.
        cursor.execute("VACUUM")
        until = time.monotonic() + patience
        while True:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy, *_ = cursor.fetchone() or (1,)
            if not busy:
                return
            if time.monotonic() >= until:
                raise StoreBusyError(
                    f"{where}: another process still reads it as it was before the erasure: what was erased is gone "
                    "from the log, and its bytes from the file once that process ends: then run `tally erase --scrub`"
                )
            time.sleep(_PAUSE)


_SCRUB: Final[Mapping[str, Callable[[DBAPIConnection, str, float], None]]] = {"sqlite": _scrub_sqlite}
