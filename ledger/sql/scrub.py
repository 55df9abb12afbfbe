"""Leaving nothing behind of rows that were deleted: what an erasure still owes after its commit.

A deleted row's bytes are overwritten in its page, but older copies of a page may lie in the write-ahead log and in
parts of other pages that nothing uses. So the database is written anew from what stands in it, and what it was before
is cut off. What has left the database is beyond it: backups, copies, archived logs, blocks that the file system has
given back.

Source: DESIGN section 8; docs/spec/store.md.
"""

from contextlib import closing

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ledger.sql import dialect
from ledger.sql.dialect.base import BUSY_SECONDS
from ledger.sql.engine import place
from ledger.sql.failure import translated


def scrub(engine: sa.Engine, *, patience: float = BUSY_SECONDS) -> None:
    """Write the database anew, so that it holds no byte of what was deleted; writers wait meanwhile.

    Args:
        engine: the database.
        patience: how many seconds to wait for readers that still look at what was.

    Raises:
        StoreBusyError: somebody still reads the state from before, or writes: the bytes are not gone yet.
        StoreError: the database can't be written.
    """
    driver = engine.dialect.loaded_dbapi
    with translated(place(engine)), closing(engine.raw_connection()) as pooled:
        connection = pooled.driver_connection
        if connection is None:  # pragma: no cover
            raise AssertionError(engine)  # it was opened just now
        try:
            dialect.of(engine).scrub(connection, place(engine), patience)
        except driver.Error as error:
            # No statement of SQLAlchemy's, so the error is not yet one of its own.
            raise DBAPIError.instance("scrub", None, error, driver.Error, dialect=engine.dialect) from error
