"""The raw floor: the same bytes, with the same fsync, and nothing else.

It writes the rows of ``events``, ``nodes`` and ``head`` that tallystick writes, ready-made, into tables without
triggers or checks, through ``sqlite3`` and through psycopg's COPY.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ledger.growth import Growth
from ledger.log import EMPTY_HEAD
from tools.dev.bench.sample import AT, events_of

_EVENTS = "CREATE TABLE events (seq {number} PRIMARY KEY, at TEXT, type TEXT, bytes {bytes})"
_NODES = "CREATE TABLE nodes (pos {number} PRIMARY KEY, blake3 {bytes}, sha256 {bytes})"
_HEAD = (
    "CREATE TABLE head (one {number} PRIMARY KEY, size {number}, blake3_peaks {bytes}, sha256_peaks {bytes}, at TEXT)"
)
TABLES = (_EVENTS, _NODES, _HEAD, "INSERT INTO head VALUES (1, 0, '', '', NULL)")

Rows = tuple[Sequence[tuple[int, str, str, bytes]], Sequence[tuple[int, bytes, bytes]], tuple[int, bytes, bytes, str]]
"""What one transaction writes: events, nodes, the head."""


class Floor(Protocol):
    """Writes ready-made rows."""

    def write(self, rows: Rows) -> None:
        """Write one transaction's rows, durably."""


class SqliteFloor:
    """Plain ``sqlite3``, in WAL mode with ``synchronous=FULL``."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=FULL")
        for table in TABLES:
            self.connection.execute(table.format(number="INTEGER", bytes="BLOB"))

    def write(self, rows: Rows) -> None:
        """Write one transaction's rows, durably."""
        events, nodes, head = rows
        run = self.connection
        run.execute("BEGIN IMMEDIATE")
        run.execute("UPDATE head SET size = ?, blake3_peaks = ?, sha256_peaks = ?, at = ?", head)
        run.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", events)
        run.executemany("INSERT INTO nodes VALUES (?, ?, ?)", nodes)
        run.execute("COMMIT")


class CopyFloor:
    """Plain psycopg: COPY for a batch, INSERT for a single event, and the commit waits for the disk."""

    def __init__(self, conninfo: str, schema: str) -> None:
        import psycopg

        self.connection = psycopg.connect(conninfo, prepare_threshold=0)
        self.connection.execute(f"CREATE SCHEMA {schema}")
        self.connection.execute(f"SET search_path = {schema}")
        for table in TABLES:
            self.connection.execute(table.format(number="BIGINT", bytes="BYTEA"))
        self.connection.commit()

    def write(self, rows: Rows) -> None:
        """Write one transaction's rows, durably."""
        events, nodes, head = rows
        run = self.connection
        run.execute("UPDATE head SET size = %s, blake3_peaks = %s, sha256_peaks = %s, at = %s", head)
        if len(events) == 1:
            run.execute("INSERT INTO events VALUES (%s, %s, %s, %s)", events[0])
            for node in nodes:
                run.execute("INSERT INTO nodes VALUES (%s, %s, %s)", node)
        else:
            with run.cursor().copy("COPY events FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["int8", "text", "text", "bytea"])
                for event in events:
                    copy.write_row(event)
            with run.cursor().copy("COPY nodes FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(["int8", "bytea", "bytea"])
                for node in nodes:
                    copy.write_row(node)
        run.commit()


def transactions(entries: Sequence[bytes], batch: int) -> list[Rows]:
    """Give the rows of transactions of so many small events each, from an empty log on."""
    growth = Growth(EMPTY_HEAD)
    made: list[Rows] = []
    for start in range(0, len(entries), batch):
        together, before = entries[start : start + batch], len(growth.nodes)
        growth.extend(together)
        own, twin = growth.peaks
        rows = [(event.seq, event.at, event.type, event.data) for event in events_of(start, together)]
        made.append((rows, growth.nodes[before:], (growth.size, b"".join(own), b"".join(twin), AT)))
    return made
