"""Between rows and values: how a head, a state and an opening stand in their tables, and how a batch is written."""

from collections.abc import Callable, Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from ledger import canon, digest
from ledger.errors import CanonError, CorruptError
from ledger.instant import Instant
from ledger.log import EMPTY_HEAD, Head
from ledger.sql import schema
from ledger.transaction import Batch
from ledger.view import StateRow

RESTORED = "ledger.restored"
"""The event with which a log begins another life."""

READ_HEAD = sa.select(schema.head)
# -- the head --


def to_head(row: sa.Row[Any] | None) -> Head:
    """Read the head's row.

    Raises:
        CorruptError: no row, or its columns contradict each other.
    """
    if row is None:
        raise CorruptError("the head is missing: run `tally audit`")
    if row.size == 0:
        return EMPTY_HEAD
    length = row.size.bit_count() * digest.SIZE
    if row.at is None or {len(row.blake3_peaks), len(row.sha256_peaks)} != {length}:
        raise CorruptError("the head contradicts itself: run `tally audit`")
    return Head(row.size, _split(row.blake3_peaks), _split(row.sha256_peaks), Instant(row.at))


def _split(joined: bytes) -> tuple[bytes, ...]:
    return tuple(joined[start : start + digest.SIZE] for start in range(0, len(joined), digest.SIZE))


# -- states and openings --


def to_state(row: sa.Row[Any]) -> StateRow:
    """Read a row of ``states``."""
    return StateRow(row.view, row.key, row.seq, row.state)


def from_state(row: StateRow) -> dict[str, Any]:
    """Give the row of ``states`` that holds a state."""
    return {"view": row.view, "key": row.key, "seq": row.seq, "state": row.data}


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

_INSERT: dict[str, Callable[[sa.Table], Any]] = {"sqlite": sqlite.insert}
"""Each dialect's INSERT that knows ON CONFLICT."""


def write(connection: sa.Connection, old: Head, batch: Batch) -> None:
    """Write a batch that follows ``old``, within the connection's transaction.

    Raises:
        CorruptError: the head is not ``old``.
    """
    _move_head(connection, old, batch)
    _add(connection, schema.events, _events(batch))
    _add(connection, schema.nodes, ({"pos": pos, "blake3": own, "sha256": twin} for pos, own, twin in batch.nodes))
    _add(connection, schema.claims, ({"key": key, "seq": seq} for key, seq in batch.claims.items()))
    _add(connection, schema.tags, ({"tag": tag, "seq": seq} for tag, seq in batch.tags))
    _add(connection, schema.disclosures, _disclosures(batch))
    # After the claims: the trigger lets an opening go only beside the event that erases it.
    _erase(connection, batch)
    put_states(connection, batch.states.values())


def put_states(connection: sa.Connection, states: Iterable[StateRow]) -> None:
    """Write states over those that stand."""
    rows = [from_state(state) for state in states]
    if not rows:
        return
    insert = _INSERT[connection.dialect.name](schema.states)
    new = insert.excluded
    changes = {"seq": new.seq, "state": new.state}
    connection.execute(insert.on_conflict_do_update(index_elements=["view", "key"], set_=changes), rows)


def _move_head(connection: sa.Connection, old: Head, batch: Batch) -> None:
    new, lives = batch.head, sum(event.type == RESTORED for event in batch.events)
    moved = connection.execute(
        sa.update(schema.head)
        .where(schema.head.c.size == old.size)
        .values(
            size=new.size,
            blake3_peaks=b"".join(new.blake3_peaks),
            sha256_peaks=b"".join(new.sha256_peaks),
            at=new.at,
            incarnation=schema.head.c.incarnation + lives,
        )
    )
    if moved.rowcount != 1:
        raise CorruptError("the head moved while this process held the writer: run `tally audit`")


def _events(batch: Batch) -> Iterable[dict[str, Any]]:
    return ({"seq": event.seq, "at": event.at, "type": event.type, "bytes": event.data} for event in batch.events)


def _disclosures(batch: Batch) -> Iterable[dict[str, Any]]:
    return (
        {"seq": seq, "path": opening.path, "salt": opening.salt, "value": canon.encode(opening.value)}
        for seq, openings in batch.openings.items()
        for opening in openings
    )


def _erase(connection: sa.Connection, batch: Batch) -> None:
    own = schema.disclosures.c
    statement = sa.delete(schema.disclosures).where(own.seq == sa.bindparam("at"), own.path == sa.bindparam("pointer"))
    for seq, path in sorted(batch.erased):
        if connection.execute(statement, {"at": seq, "pointer": path}).rowcount != 1:
            raise CorruptError(f"the opening {path} of event {seq} went while it was being erased: run `tally audit`")


def _add(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    found = list(rows)
    if found:
        connection.execute(sa.insert(table), found)
