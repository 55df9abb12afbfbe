"""The logs that are measured, and the ways in which events come into them."""

from collections.abc import Sequence
from pathlib import Path

from ledger.growth import Growth
from ledger.log import Head, Transaction
from ledger.sql.address import Address
from ledger.sql.driver import Driver
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log
from ledger.sql.rows import write_log
from ledger.sql.snapshot import SqlSnapshot
from ledger.sql.writer import Writer
from tools.dev.bench.sample import AT, REGISTRY, VIEWS, Noted, booked, clock, noted


def plain_log(address: Address) -> SqlLog:
    """Make a log without views."""
    return create_log(address, (), clock, registry=REGISTRY)


def full_log(address: Address) -> SqlLog:
    """Make a log with a view."""
    return create_log(address, VIEWS, clock, registry=REGISTRY)


def append_one(log: SqlLog, number: int) -> None:
    """Append a small event in a transaction of its own, as every caller does."""
    log.transact(lambda tx: tx.append(noted(number)))


def append_booked(log: SqlLog, start: int, count: int) -> None:
    """Append full events in one transaction."""

    def work(tx: Transaction) -> None:
        for number in range(start, start + count):
            tx.append(booked(number))

    log.transact(work)


class LogPath:
    """The log alone, for small events whose bytes are given: events, both trees, the head; no claims, tags or views."""

    def __init__(self, log: SqlLog) -> None:
        self._writer = Writer(log.engine)

    def append(self, entries: Sequence[bytes]) -> None:
        """Hash and write events in one transaction, durably."""

        def work(driver: Driver) -> None:
            old = SqlSnapshot(driver.connection, driver).head
            growth = Growth(old)
            growth.extend(entries)
            head = Head(growth.size, *growth.peaks, AT)
            events = [(seq, AT, Noted.type, data) for seq, data in enumerate(entries, old.size)]
            write_log(driver, old, head, events, growth.nodes)

        self._writer.transaction(work)

    def close(self) -> None:
        """Let go of the connection."""
        self._writer.close()


def bytes_on_disk(path: Path) -> int:
    """Measure a SQLite file with what stands beside it."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
