"""Opening a ledger: the database, the folds, the event types and the clock put together.

This is the only place of the whole program that reads the time of day.

Source: DESIGN section 2.
"""

import time
from dataclasses import dataclass
from functools import partial

from grants.book import genesis
from grants.book.states import GenesisState
from grants.reading import read_state
from ledger.errors import CanonError, CorruptError
from ledger.event import Registry
from ledger.instant import Instant, from_microseconds
from ledger.log import Clock, Snapshot
from ledger.sql.failure import of_database
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log, open_log
from ledger.view import View
from tools.errors import HomeError
from tools.home import Home
from tools.mark import not_behind
from verify.views import EVENTS, VIEWS


@dataclass(frozen=True, slots=True)
class OpenLedger:
    """A ledger that is open.

    Attributes:
        origin: the log's name.
        demonstration: whether claimed identities are believed; such a ledger binds nobody.
    """

    home: Home
    log: SqlLog
    registry: Registry
    views: tuple[View, ...]
    genesis: GenesisState
    clock: Clock

    @property
    def origin(self) -> str:
        """The log's name."""
        return self.genesis.origin

    @property
    def demonstration(self) -> bool:
        """Whether claimed identities are believed; such a ledger binds nobody."""
        return self.genesis.demonstration

    def now(self) -> Instant:
        """Read the clock."""
        return from_microseconds(self.clock())

    def close(self) -> None:
        """Let go of the database."""
        self.log.close()


def time_of_day() -> int:
    """Give the microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


def open_ledger(home: Home, *, confirm_clock: bool = False, clock: Clock = time_of_day) -> OpenLedger:
    """Open the ledger of a directory.

    Args:
        home: the directory.
        confirm_clock: an operator says that a long jump of the clock is right.
        clock: the time of day, or another clock for a story that is told in less time than it takes.

    Raises:
        StoreError: there is none, or it can't be used.
        CorruptError: the views do not say how the log began.
        HomeError: the log in it was never opened with a first event.
    """
    log = open_database(home, confirm_clock=confirm_clock, clock=clock)
    try:
        ledger = begun(home, log, clock)
    except BaseException:
        log.close()
        raise
    log.guard = not_behind(home, ledger.origin)
    return ledger


def open_database(home: Home, *, confirm_clock: bool = False, clock: Clock = time_of_day) -> SqlLog:
    """Open the log of a directory, whatever its views say: for who makes them anew.

    Raises:
        StoreError: there is none, or it can't be used.
    """
    return open_log(home.database, VIEWS, clock, registry=EVENTS, confirm_clock=confirm_clock)


def create_empty(home: Home, clock: Clock = time_of_day) -> SqlLog:
    """Make the empty log of a directory that is being built."""
    return create_log(home.database, VIEWS, clock, registry=EVENTS)


def begun(home: Home, log: SqlLog, clock: Clock = time_of_day) -> OpenLedger:
    """Give the open ledger of a log that has its first event.

    Raises:
        CorruptError: the views do not say how it began.
        HomeError: it has none.
    """
    check_not_empty(home, log)
    return OpenLedger(home, log, EVENTS, VIEWS, log.read(partial(_read_genesis, home)), clock)


def check_not_empty(home: Home, log: SqlLog) -> None:
    """Refuse a log that has no event at all; the head says so, not a view.

    Raises:
        HomeError: it has none.
    """
    if not log.read(lambda snapshot: snapshot.head.size):
        raise HomeError(f"{home.database} holds an empty log that nobody opened: begin another with tally init")


def _read_genesis(home: Home, snapshot: Snapshot) -> GenesisState:
    holds = f"{home.database} holds a log of {snapshot.head.size} events"
    try:
        row = read_state(snapshot, genesis.NAME, genesis.GENESIS, GenesisState)
    except (CanonError, CorruptError) as error:
        if of_database(error):
            # No view is to blame where the file can't be read.
            raise
        raise CorruptError(f"{holds}, and the views are damaged: run tally rebuild") from error
    if row is None:
        raise CorruptError(f"{holds}, and the views are missing: run tally rebuild")
    return row
