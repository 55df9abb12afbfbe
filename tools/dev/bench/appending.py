"""Appending to the log on SQLite, one event to a transaction and many, beside plain inserts of the same bytes.

The floor is what SQLite takes for the rows of the log alone (events, both trees, the head), made beforehand and put
into tables without triggers by the plain driver, with the same fsync. The log path alone is the same rows by
tallystick: given the events' bytes, as every other store is given them, or drafts that are sealed first. Full events
have claims, tags and states beside that.
"""

import sqlite3
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from ledger.event import Body, Draft, Event, seal
from ledger.growth import Growth, NodePair
from ledger.instant import Instant, from_microseconds
from ledger.log import EMPTY_HEAD, Head
from ledger.sql.driver import Driver
from ledger.sql.engine import writer
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log
from ledger.sql.rows import write_log
from ledger.sql.snapshot import SqlSnapshot
from ledger.transaction import Batch, transaction_time
from ledger.view import State
from tools.dev.bench.row import Row, rate

TURNS = 5
ONE, SOME, MANY = 1, 100, 1000


class Noted(Body):
    type: ClassVar[str] = "bench.noted"

    text: str


class Filed(Noted):
    """A full event: it takes a key, is found by two tags, and moves a state."""

    type: ClassVar[str] = "bench.filed"

    number: int

    def claims(self, by: str, request: str | None) -> Iterable[str]:  # noqa: ARG002  (as every body)
        yield f"filed:{self.number}"

    def tags(self) -> Iterable[str]:
        yield f"drawer:{self.number % 100}"


class Drawers:
    """How many were filed in each of a hundred drawers."""

    name = "drawer"

    def keys(self, event: Event) -> Iterable[str]:
        return (str(event.body.number % 100),) if isinstance(event.body, Filed) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (one number a key)
        return {"count": int(str(state["count"])) + 1 if state else 1}


def draft(number: int) -> Draft:
    return Draft(Noted(text=f"{number:0350d}"), "agent:bench", "ledger")


def filed(number: int) -> Draft:
    return Draft(Filed(text=f"{number:0320d}", number=number), "agent:bench", "ledger")


def clock() -> int:
    return time.time_ns() // 1000


def append(log: SqlLog, drafts: Sequence[Draft], size: int = MANY) -> None:
    """Append drafts, so many to a transaction."""
    for start in range(0, len(drafts), size):
        part = drafts[start : start + size]
        log.transact(lambda tx, part=part: [tx.append(one) for one in part])  # type: ignore[misc]  # bound in the loop


def batch(log: SqlLog, count: int) -> None:
    append(log, [draft(number) for number in range(count)])


def log_path(log: SqlLog, contents: Sequence[bytes] | Sequence[Draft], size: int) -> None:
    """Hash and write the log's own rows and nothing beside them: of bytes that are given, or of drafts sealed first."""
    body = Noted(text="")
    for start in range(0, len(contents), size):
        with writer(log.engine).begin() as connection:
            old = SqlSnapshot(connection).head
            at = transaction_time(old, clock(), confirmed=False)
            events = [
                Event(seq, at, "agent:bench", "ledger", None, None, (), body, one)
                if isinstance(one, bytes)
                else seal(one, seq, at)  # type: ignore[arg-type]  # a draft: the other of the two
                for seq, one in enumerate(contents[start : start + size], old.size)
            ]
            growth = Growth(old)
            growth.extend([event.data for event in events])
            write_log(Driver(connection), old, Batch(Head(growth.size, *growth.peaks, at), events, growth.nodes))


EventRow = tuple[int, Instant, str, bytes]
Part = tuple[list[EventRow], list[NodePair], Head]


class Floor:
    """The log's rows in tables of the same columns, by the plain driver."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL)",
            "CREATE TABLE nodes (pos INTEGER PRIMARY KEY, blake3 BLOB NOT NULL, sha256 BLOB NOT NULL)",
            "CREATE TABLE head (one INTEGER PRIMARY KEY, size INTEGER, blake3_peaks BLOB, sha256_peaks BLOB, at TEXT)",
            "INSERT INTO head VALUES (1, 0, x'', x'', '')",
        ):
            self.connection.execute(statement)
        self.growth = Growth(EMPTY_HEAD)

    def rows(self, count: int, size: int) -> list[Part]:
        """Make what an append of so many events writes, in parts of so many."""
        parts = []
        for _ in range(0, count, size):
            at = transaction_time(EMPTY_HEAD, clock(), confirmed=False)
            events = [seal(draft(number), self.growth.size + number, at) for number in range(size)]
            before = len(self.growth.nodes)
            self.growth.extend([event.data for event in events])
            rows = [(event.seq, event.at, event.type, event.data) for event in events]
            parts.append((rows, self.growth.nodes[before:], Head(self.growth.size, *self.growth.peaks, at)))
        return parts

    def insert(self, parts: Iterable[Part]) -> None:
        """Insert each part in one durable transaction."""
        run, run_each = self.connection.execute, self.connection.executemany
        for events, nodes, head in parts:
            run("BEGIN IMMEDIATE")
            run_each("INSERT INTO events VALUES (?, ?, ?, ?)", events)
            run_each("INSERT INTO nodes VALUES (?, ?, ?)", nodes)
            run(
                "UPDATE head SET size = ?, blake3_peaks = ?, sha256_peaks = ?, at = ?",
                (head.size, b"".join(head.blake3_peaks), b"".join(head.sha256_peaks), head.at),
            )
            run("COMMIT")


def measure(place: Path) -> list[Row]:
    log = create_log(place / "ledger.db", (), clock)
    path_alone = create_log(place / "path.db", (), clock)
    full = create_log(place / "full.db", (Drawers(),), clock)
    floor = Floor(place / "floor.db")
    beside = "plain inserts"
    single = Row("append one event a transaction, durable", "events/s", floor_name=beside)
    some = Row("append 100 a transaction, the log path alone", "events/s", floor_name=beside)
    many = Row("append 1,000 a transaction, the log path alone", "events/s", floor_name=beside)
    sealed = Row("append 1,000 a transaction, the log path from drafts", "events/s", floor_name=beside)
    whole = Row("append 1,000 a transaction, with claims, tags and views", "events/s", floor_name=beside)
    append(log, [draft(number) for number in range(20)], ONE)
    count = 10 * MANY
    drafts = [draft(number) for number in range(count)]
    contents = [seal(one, seq, from_microseconds(clock())).data for seq, one in enumerate(drafts)]
    for turn in range(TURNS):
        filings = [filed(turn * count + number) for number in range(count)]
        ones, hundreds, thousands = floor.rows(200, ONE), floor.rows(count, SOME), floor.rows(count, MANY)
        single.rates.append(rate(200, lambda: append(log, drafts[:200], ONE)))
        single.floor.append(rate(200, lambda: floor.insert(ones)))  # noqa: B023  (run at once)
        some.rates.append(rate(count, lambda: log_path(path_alone, contents, SOME)))
        some.floor.append(rate(count, lambda: floor.insert(hundreds)))  # noqa: B023
        many.rates.append(rate(count, lambda: log_path(path_alone, contents, MANY)))
        many.floor.append(rate(count, lambda: floor.insert(thousands)))  # noqa: B023
        sealed.rates.append(rate(count, lambda: log_path(path_alone, drafts, MANY)))
        whole.rates.append(rate(count, lambda: append(full, filings, MANY)))  # noqa: B023
    sealed.floor = whole.floor = many.floor
    for one in (log, path_alone, full):
        one.close()
    return [single, some, many, sealed, whole]
