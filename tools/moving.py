"""Moving a ledger to another database: its directory names the new one once that is known to hold the same log."""

from ledger.log import Head, Snapshot
from ledger.sql.address import PostgresAddress
from ledger.sql.log import SqlLog
from ledger.sql.place import open_log
from tools.errors import EvidenceError, HomeError, InputError
from tools.home import Home
from tools.ledger import OpenLedger, open_ledger, time_of_day
from tools.mark import check_continues, of_head
from verify.views import EVENTS, VIEWS


def move(home: Home, address: PostgresAddress) -> int:
    """Let a ledger's directory name another database, which holds the same log; give how many events it has.

    Nobody may write to the old one meanwhile; it stays as it is.

    Raises:
        EvidenceError: the new log does not continue the old one.
        InputError: the ledger is there already.
        HomeError: the directory can't be written.
        StoreError: one of the two can't be used.
    """
    if home.database == address:
        raise InputError(f"{address} holds this ledger already")
    ledger = open_ledger(home)
    try:
        new = open_log(address, VIEWS, time_of_day, registry=EVENTS)
        try:
            # As a transaction of the old log, so that nothing is added to it until the new one is named.
            return ledger.log.transact(lambda tx: _switch(ledger, new, tx.head, address))
        finally:
            new.close()
    finally:
        ledger.close()


def _switch(ledger: OpenLedger, new: SqlLog, old: Head, address: PostgresAddress) -> int:
    size = new.read(lambda snapshot: _checked(snapshot, old, ledger.origin))
    try:
        ledger.home.point_to(address)
    except OSError as error:
        raise HomeError(f"{ledger.home.pointer} can't be written ({error.strerror}): nothing was changed") from error
    return size


def _checked(snapshot: Snapshot, old: Head, origin: str) -> int:
    size = snapshot.head.size
    if size < old.size:
        raise InputError(f"it holds {size} events, and the ledger has {old.size}: run tally copy again, then this")
    try:
        check_continues(snapshot, of_head(old, origin))
    except EvidenceError as error:
        raise EvidenceError(f"it is not the log of this ledger: {error}") from error
    return size
