"""Appending to the log on SQLite, one event to a transaction and many, beside plain inserts of the same bytes."""

import sqlite3
import time
from pathlib import Path
from typing import ClassVar

from ledger.event import Body, Draft
from ledger.log import Transaction
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log
from tools.dev.bench.row import Row, rate

TURNS = 5


class Noted(Body):
    type: ClassVar[str] = "bench.noted"

    text: str


def draft(number: int) -> Draft:
    return Draft(Noted(text=f"{number:0350d}"), "agent:bench", "ledger")


def clock() -> int:
    return time.time_ns() // 1000


def single(log: SqlLog, count: int) -> None:
    for number in range(count):
        log.transact(lambda tx, number=number: tx.append(draft(number)))  # type: ignore[misc]  # one at a time


def batch(log: SqlLog, count: int) -> None:
    def work(tx: Transaction) -> None:
        for number in range(count):
            tx.append(draft(number))

    log.transact(work)


class Floor:
    """The same bytes, in one table, with the same durability."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=FULL")
        self.connection.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        self.bytes = b"x" * 520

    def single(self, count: int) -> None:
        for _ in range(count):
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("INSERT INTO events (bytes) VALUES (?)", (self.bytes,))
            self.connection.execute("COMMIT")

    def batch(self, count: int) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT INTO events (bytes) VALUES (?)", [(self.bytes,)] * count)
        self.connection.execute("COMMIT")


def measure(place: Path) -> list[Row]:
    log = create_log(place / "ledger.db", (), clock)
    floor = Floor(place / "floor.db")
    one = Row("append one event a transaction, durable", "events/s", floor_name="plain insert")
    many = Row("append 1,000 events a transaction, durable", "events/s", floor_name="plain insert")
    single(log, 20)
    for _ in range(TURNS):
        one.rates.append(rate(200, lambda: single(log, 200)))
        one.floor.append(rate(200, lambda: floor.single(200)))
        many.rates.append(rate(1000, lambda: batch(log, 1000)))
        many.floor.append(rate(1000, lambda: floor.batch(1000)))
    log.close()
    return [one, many]
