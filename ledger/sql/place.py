"""Making and opening a log in a database.

A new log appears whole or not at all. Opening never makes a database and never migrates one.
"""

from collections.abc import Sequence

from ledger.errors import StoreError
from ledger.event import Registry
from ledger.log import Clock
from ledger.sql import dialect
from ledger.sql.address import Address
from ledger.sql.engine import BUSY_SECONDS, open_engine
from ledger.sql.failure import translated
from ledger.sql.log import SqlLog
from ledger.sql.revision import check_revision
from ledger.view import View


def create_log(address: Address, views: Sequence[View], clock: Clock, *, registry: Registry | None = None) -> SqlLog:
    """Make an empty log and open it.

    Raises:
        StoreError: something stands there already, or it can't be written.
    """
    from ledger.sql.migrate import run  # noqa: PLC0415  (only a new log needs Alembic, which is slow to import)

    with translated(str(address)):
        dialect.at(address).create(address, run)
    return open_log(address, views, clock, registry=registry)


def discard_log(address: Address) -> None:
    """Take away a log that `create_log` made a moment ago, and that nobody was given.

    Raises:
        StoreError: it can't be taken away.
    """
    with translated(str(address)):
        dialect.at(address).discard(address)


def open_log(
    address: Address,
    views: Sequence[View],
    clock: Clock,
    *,
    registry: Registry | None = None,
    confirm_clock: bool = False,
    busy_seconds: float = BUSY_SECONDS,
) -> SqlLog:
    """Open a log that stands; see `SqlLog` for the arguments.

    Raises:
        StoreMissingError: there is none.
        StoreError: it is no log, or of another version.
    """
    engine = open_engine(address, busy_seconds=busy_seconds)
    try:
        check_revision(engine)
    except StoreError:
        engine.dispose()
        raise
    return SqlLog(engine, views, clock, registry=registry, confirm_clock=confirm_clock)
