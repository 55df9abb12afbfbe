"""Between rows and values: how a head, a state and an opening stand in their tables, and how a batch is written."""

import struct
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any, Final

import sqlalchemy as sa

from ledger import canon, digest
from ledger.errors import CanonError, CorruptError
from ledger.instant import Instant
from ledger.log import EMPTY_HEAD, Head
from ledger.sql import schema
from ledger.sql.driver import Driver
from ledger.transaction import Batch
from ledger.view import StateRow

RESTORED = "ledger.restored"
"""The event with which a log begins another life."""

# -- the head --


def to_head(row: tuple[Any, ...] | None) -> Head:
    """Read the head's row: size, peaks of both trees, time.

    Raises:
        CorruptError: no row, or its columns contradict each other.
    """
    if row is None:
        raise CorruptError("the head is missing: run `tally audit`")
    size, own, twin, at = row
    if size == 0:
        return EMPTY_HEAD
    length = size.bit_count() * digest.SIZE
    if at is None or {len(own), len(twin)} != {length}:
        raise CorruptError("the head contradicts itself: run `tally audit`")
    return Head(size, _split(own), _split(twin), Instant(at))


def _split(joined: bytes) -> tuple[bytes, ...]:
    return struct.unpack(f"{digest.SIZE}s" * (len(joined) // digest.SIZE), joined)


# -- states and openings --


def to_state(row: sa.Row[Any]) -> StateRow:
    """Read a row of ``states``."""
    return StateRow(row.view, row.key, row.seq, row.state)


def to_value(data: bytes) -> canon.Json:
    """Read the value of an opening.

    Raises:
        CorruptError: not canonical bytes.
    """
    try:
        return canon.decode(data)
    except CanonError as error:
        raise CorruptError(f"an opening can't be read: run `tally audit` ({error})") from error


# -- writing --

_MOVE = (
    "UPDATE head SET size = ?, blake3_peaks = ?, sha256_peaks = ?, at = ?, incarnation = incarnation + ? WHERE size = ?"
)
_ERASE = "DELETE FROM disclosures WHERE seq = ? AND path = ?"
TOGETHER: Final = 32
"""So few rows are sent as one; more of them each table takes by itself, in the quickest way."""


def write(connection: sa.Connection, old: Head, batch: Batch) -> None:
    """Write a batch that follows ``old``, within the connection's transaction.

    Raises:
        CorruptError: the head is not ``old``.
    """
    driver = Driver(connection)
    _move_head(driver, old, batch)
    few = _rows(batch) <= TOGETHER and not batch.erased
    with driver.together() if few else nullcontext():
        _add_log(driver, batch)
        driver.add(schema.claims, list(batch.claims.items()))
        driver.add(schema.tags, batch.tags)
        driver.add(schema.disclosures, _disclosures(batch))
        # After the claims: the trigger lets an opening go only beside the event that erases it.
        _erase(driver, batch)
        _put(driver, batch.states.values())


def write_log(driver: Driver, old: Head, batch: Batch) -> None:
    """Write the log itself: the head, the events, both trees.

    Raises:
        CorruptError: the head is not ``old``.
    """
    _move_head(driver, old, batch)
    _add_log(driver, batch)


def _add_log(driver: Driver, batch: Batch) -> None:
    driver.add(schema.events, [(event.seq, event.at, event.type, event.data) for event in batch.events])
    driver.add(schema.nodes, batch.nodes)


def _rows(batch: Batch) -> int:
    kept = len(batch.events) + len(batch.nodes) + len(batch.claims)
    return kept + len(batch.tags) + len(batch.openings) + len(batch.states)


def put_states(connection: sa.Connection, states: Iterable[StateRow]) -> None:
    """Write states over those that stand."""
    _put(Driver(connection), states)


def _put(driver: Driver, states: Iterable[StateRow]) -> None:
    driver.put(schema.states, [(row.view, row.key, row.seq, row.data) for row in states])


def _move_head(driver: Driver, old: Head, batch: Batch) -> None:
    new, lives = batch.head, sum(event.type == RESTORED for event in batch.events)
    peaks = b"".join(new.blake3_peaks), b"".join(new.sha256_peaks)
    if driver.change(_MOVE, (new.size, *peaks, new.at, lives, old.size)) != 1:
        raise CorruptError("the head moved while this process held the writer: run `tally audit`")


def _disclosures(batch: Batch) -> list[tuple[int, str, bytes, bytes]]:
    return [
        (seq, opening.path, opening.salt, canon.encode(opening.value))
        for seq, openings in batch.openings.items()
        for opening in openings
    ]


def _erase(driver: Driver, batch: Batch) -> None:
    for seq, path in sorted(batch.erased):
        if driver.change(_ERASE, (seq, path)) != 1:
            raise CorruptError(f"the opening {path} of event {seq} went while it was being erased: run `tally audit`")
