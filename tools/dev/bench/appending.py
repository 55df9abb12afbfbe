"""Appending: one event a transaction and many, each turn beside the raw floor in the same turn."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ledger.sql.address import Address
from tools.dev.bench.floor import Floor, SqliteFloor, transactions
from tools.dev.bench.logs import LogPath, append_booked, append_one, full_log, plain_log
from tools.dev.bench.sample import contents
from tools.dev.bench.sheet import RAW_SQLITE, SQLITE, Sheet, rate

SINGLE = "append one event, durable"
BATCHES = (100, 1000)
TURNS = 7
ONES = 200


def log_path(batch: int) -> str:
    """Name the row of the log path alone."""
    return f"append {batch:,} events a transaction, log path alone"


def full(batch: int) -> str:
    """Name the row of full events."""
    return f"append {batch:,} full events a transaction"


def on_sqlite(sheet: Sheet, place: Path) -> None:
    """Measure SQLite beside ``sqlite3``."""
    measure(
        sheet, lambda name: place / f"{name}.db", lambda name: SqliteFloor(place / f"{name}.db"), SQLITE, RAW_SQLITE
    )


def measure(
    sheet: Sheet, address: Callable[[str], Address], floor: Callable[[str], Floor], column: str, raw: str
) -> None:
    """Measure one database."""
    _singles(sheet, address("one"), floor("raw_one"), column, raw)
    for batch in BATCHES:
        _batches(sheet, batch, address(f"path_{batch}"), floor(f"raw_{batch}"), column, raw)
        _full(sheet, batch, address(f"full_{batch}"), column)


def _singles(sheet: Sheet, address: Address, floor: Floor, column: str, raw: str) -> None:
    log = plain_log(address)
    ready = transactions(contents(0, ONES * (TURNS + 1)), 1)

    def ours(start: int) -> None:
        for number in range(start, start + ONES):
            append_one(log, number)

    def theirs(start: int) -> None:
        for rows in ready[start : start + ONES]:
            floor.write(rows)

    # The first turn warms caches on both sides and is not noted.
    ours(0)
    theirs(0)
    for start in range(ONES, ONES * (TURNS + 1), ONES):
        sheet.add(SINGLE, "events/s", column, rate(ONES, lambda start=start: ours(start)))  # type: ignore[misc]
        sheet.add(SINGLE, "events/s", raw, rate(ONES, lambda start=start: theirs(start)))  # type: ignore[misc]
    log.close()


def _batches(sheet: Sheet, batch: int, address: Address, floor: Floor, column: str, raw: str) -> None:
    log = plain_log(address)
    path, share = LogPath(log), max(2000, 10 * batch)
    entries = contents(0, share * (TURNS + 1))
    ready = transactions(entries, batch)

    def ours(start: int) -> None:
        for at in range(start, start + share, batch):
            path.append(entries[at : at + batch])

    def theirs(start: int) -> None:
        for rows in ready[start // batch : (start + share) // batch]:
            floor.write(rows)

    ours(0)
    theirs(0)
    for start in range(share, share * (TURNS + 1), share):
        sheet.add(log_path(batch), "events/s", column, rate(share, lambda start=start: ours(start)))  # type: ignore[misc]
        sheet.add(log_path(batch), "events/s", raw, rate(share, lambda start=start: theirs(start)))  # type: ignore[misc]
    path.close()
    log.close()


def _full(sheet: Sheet, batch: int, address: Address, column: str) -> None:
    log, share = full_log(address), max(1000, 2 * batch)

    def ours(start: int) -> None:
        for at in range(start, start + share, batch):
            append_booked(log, at, batch)

    ours(0)
    for start in range(share, share * (TURNS + 1), share):
        sheet.add(full(batch), "events/s", column, rate(share, lambda start=start: ours(start)))  # type: ignore[misc]
    log.close()


def fill(path: LogPath, entries: Sequence[bytes], batch: int = 1000) -> None:
    """Append many events by the log path."""
    for start in range(0, len(entries), batch):
        path.append(entries[start : start + batch])
