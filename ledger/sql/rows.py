"""Between rows and values: how a head, a state and an opening stand in their tables, and how a batch is written."""

import struct
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ledger import canon, digest
from ledger.errors import CanonError, CorruptError
from ledger.growth import NodePair
from ledger.instant import Instant
from ledger.log import EMPTY_HEAD, Head
from ledger.sql import schema
from ledger.sql.driver import Driver
from ledger.sql.loss import check_alive
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


def to_row(head: Head) -> tuple[int, bytes, bytes, str | None]:
    """Spell a head as its row has it."""
    return head.size, b"".join(head.blake3_peaks), b"".join(head.sha256_peaks), head.at


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

# A head that is not the one that was read is refused as a whole: this column takes no NULL. So nothing need be waited
# for between this and the commit.
_MOVE = (
    "UPDATE head SET size = ?, blake3_peaks = ?, sha256_peaks = ?, at = ?, "
    "incarnation = CASE size WHEN ? THEN incarnation + ? END"
)
_ERASE = "DELETE FROM disclosures WHERE seq = ? AND path = ?"
TOGETHER: Final = 32
"""So few rows are sent as one; more of them each table takes by itself, in the quickest way."""


def _nobody(_doubtful: bool) -> None:
    """Tell nobody."""


def write(driver: Driver, old: Head, batch: Batch, tell: Callable[[bool], None] = _nobody) -> None:
    """Write a batch that follows ``old``, and commit.

    Args:
        driver: within a transaction that writes.
        old: the head that was read in it.
        batch: what is written.
        tell: called with True when from now on it may be that it stands, and with False when it is known that it does
            not.

    Raises:
        ConnectionLostError: it broke while something was read that the batch rests on.
        DBAPIError: the database refuses; an IntegrityError where the head is not ``old``.
        CorruptError: an opening that is to be erased is not there.
    """
    check_alive(driver.connection)
    if driver.kind.distant and not batch.erased and _rows(batch) <= TOGETHER:
        tell(True)
        try:
            with driver.together():
                _add(driver, old, batch)
                driver.commit()
        except DBAPIError as error:
            # COMMIT was sent along, and nothing is done behind what was refused.
            if driver.refused(error):
                tell(False)
            raise
    else:
        _add(driver, old, batch)
        tell(True)
        driver.commit()


def _add(driver: Driver, old: Head, batch: Batch) -> None:
    events = list(map(_EVENT_ROW, batch.events))
    write_log(driver, old, batch.head, events, batch.nodes)
    if batch.claims:
        driver.add(schema.claims, list(batch.claims.items()))
    driver.add(schema.tags, batch.tags)
    if batch.openings:
        driver.add(schema.disclosures, _disclosures(batch))
    # After the claims: the trigger lets an opening go only beside the event that erases it.
    if batch.erased:
        _erase(driver, batch)
    if batch.states:
        _put(driver, batch.states.values())


_EVENT_ROW: Final = attrgetter("seq", "at", "body.type", "data")
_KIND: Final = itemgetter(2)

EventRow: TypeAlias = tuple[int, str, str, bytes]
"""A row of ``events``: number, time, type, exact bytes."""


def write_log(driver: Driver, old: Head, new: Head, events: Sequence[EventRow], nodes: Sequence[NodePair]) -> None:
    """Write the log itself: the head, the events, both trees.

    Raises:
        DBAPIError: the database refuses; an IntegrityError where the head is not ``old``.
    """
    _move_head(driver, old, new, list(map(_KIND, events)).count(RESTORED))
    driver.add(schema.events, events)
    driver.add(schema.nodes, nodes)


def _rows(batch: Batch) -> int:
    kept = len(batch.events) + len(batch.nodes) + len(batch.claims)
    return kept + len(batch.tags) + len(batch.openings) + len(batch.states)


def put_states(connection: sa.Connection, states: Iterable[StateRow]) -> None:
    """Write states over those that stand."""
    _put(Driver(connection), states)


def _put(driver: Driver, states: Iterable[StateRow]) -> None:
    driver.put(schema.states, [(row.view, row.key, row.seq, row.data) for row in states])


def _move_head(driver: Driver, old: Head, new: Head, lives: int) -> None:
    driver.change(_MOVE, (*to_row(new), old.size, lives))


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
