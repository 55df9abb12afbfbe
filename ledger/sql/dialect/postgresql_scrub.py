"""PostgreSQL: the table of the openings written anew, so that no file of it holds a deleted row.

VACUUM FULL copies the rows that somebody may still see into new files, and the old ones go. A row that was deleted a
moment ago is copied too while an older look at the database lives; the server says how many there were.

Source: https://www.postgresql.org/docs/current/sql-vacuum.html.
"""

import re
import time
from contextlib import closing
from typing import Any

from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor

from ledger.errors import StoreBusyError, StoreError
from ledger.sql.dialect.base import PAUSE, STILL_READ


def scrub(connection: DBAPIConnection, where: str, patience: float) -> None:
    """Write it anew until nobody's older look keeps a deleted row alive in it.

    Raises:
        StoreBusyError: somebody's look outlives our patience.
        StoreError: this role may not.
    """
    told: list[str] = []

    def hear(notice: Any) -> None:  # noqa: ANN401  (psycopg's)
        told.append(notice.message_detail or "")

    listening: Any = connection
    listening.add_notice_handler(hear)
    try:
        with closing(connection.cursor()) as cursor:
            _until_gone(cursor, told, where, time.monotonic() + patience)
    finally:
        listening.remove_notice_handler(hear)


def _until_gone(cursor: DBAPICursor, told: list[str], where: str, until: float) -> None:
    before = _files(cursor)
    while True:
        told.clear()
        cursor.execute("VACUUM (FULL, VERBOSE) disclosures")
        if _files(cursor) == before:
            # A role that may not is warned, and nothing is done.
            raise StoreError(
                f"{where}: this role may not write the table anew: what was erased is gone from the log, and its "
                "bytes from the database once `tally erase --scrub` was run as the table's owner, or by a role with "
                "MAINTAIN on disclosures"
            )
        if not any(map(_dead, told)):
            return
        if time.monotonic() >= until:
            raise StoreBusyError(f"{where}: {STILL_READ}")
        time.sleep(PAUSE)


def _files(cursor: DBAPICursor) -> object:
    cursor.execute("SELECT pg_relation_filenode('disclosures')")
    return (cursor.fetchone() or (None,))[0]


def _dead(detail: str) -> bool:
    """Tell from what VACUUM says, in whatever language, whether it kept rows that are deleted: it counts them first."""
    count = re.search(r"\d+", detail.partition("\n")[0])
    return count is not None and int(count[0]) > 0
