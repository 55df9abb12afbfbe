"""Filling a log with what another one held: events with their bytes, in batches of bounded size, then their seals.

Each batch is one transaction, and what an append would have added is added with it (`SqlLog.extend`). Whatever was
interrupted is a log of fewer events, and is gone on with from its head.

Source: DESIGN section 6; docs/spec/store.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Protocol

import sqlalchemy as sa

from ledger import canon
from ledger.disclosure import Opening
from ledger.errors import AppendError, CanonError, CorruptError, DisclosureError, EventError, StoreError
from ledger.event import Event, Registry
from ledger.sql import schema
from ledger.sql.dump import Seal, StoredOpening
from ledger.sql.engine import place, writer
from ledger.sql.failure import translated
from ledger.sql.log import SqlLog

BATCH_EVENTS: Final = 1000
BATCH_BYTES: Final = 8 * 1024 * 1024
"""A batch has at most so many events, and at most so many bytes but for its last event and that one's openings."""

_SEALS: Final = 500

Progress = Callable[[int], None]
"""Is told how many events are there."""


class Source(Protocol):
    """Where a log is read from: another database, or an export."""

    def events(self, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``, in order."""

    def openings_between(self, start: int, stop: int) -> Iterator[StoredOpening]:
        """Give the openings of these events, sorted by event and path."""

    def seals(self, after: int, upto: int) -> Iterator[Seal]:
        """Give the checkpoints of more than ``after`` and at most ``upto`` events, smallest first."""


@dataclass(slots=True)
class _Batch:
    events: list[Event] = field(default_factory=list)
    openings: dict[int, list[Opening]] = field(default_factory=dict)
    bytes: int = 0


def load(log: SqlLog, registry: Registry, source: Source, size: int, progress: Progress) -> None:
    """Add the events behind the log's head, up to ``size``, with their openings.

    Raises:
        CorruptError: the source holds what is no log, or does not follow.
        StoreError: a database can't be read or written.
    """
    stands = log.read(lambda look: look.head.size)
    for batch in _batches(registry, source, stands, size):
        try:
            head = log.extend(batch.events, batch.openings)
        except (EventError, AppendError, DisclosureError) as error:
            if log.read(lambda look: look.head.size) != stands:
                raise StoreError(
                    "somebody else writes to the log that is filled: let them end, then try again"
                ) from error
            raise CorruptError(f"what is read is no log that could stand ({error}): run `tally audit` on it") from error
        stands = head.size
        progress(stands)


def load_seals(engine: sa.Engine, seals: Iterable[Seal]) -> None:
    """Add checkpoints with what was added to them, as far as they do not stand yet.

    Raises:
        CorruptError: another one stands in the place of one of them.
        StoreError: the database can't be written.
    """
    rest = iter(seals)
    while part := list(islice(rest, _SEALS)):
        with translated(place(engine)), writer(engine).begin() as connection:
            _add_missing(connection, schema.checkpoints, part, [(one.size, one.note) for one in part])
            cosigned = [(one.size, *line) for one in part for line in one.cosignatures]
            _add_missing(connection, schema.cosignatures, part, cosigned)
            stamped = [(one.size, *stamp) for one in part for stamp in one.timestamps]
            _add_missing(connection, schema.timestamps, part, stamped)


def _batches(registry: Registry, source: Source, start: int, stop: int) -> Iterator[_Batch]:
    openings = source.openings_between(start, stop)
    opening, batch = next(openings, None), _Batch()
    for seq, data in source.events(start, stop):
        event = _event(registry, seq, data)
        batch.events.append(event)
        batch.bytes += len(data)
        while opening is not None and opening.seq <= seq:
            batch.openings.setdefault(opening.seq, []).append(_opening(opening))
            batch.bytes += len(opening.value)
            opening = next(openings, None)
        if len(batch.events) >= BATCH_EVENTS or batch.bytes >= BATCH_BYTES:
            yield batch
            batch = _Batch()
    if batch.events:
        yield batch


def _event(registry: Registry, seq: int, data: bytes) -> Event:
    try:
        event = registry.parse(data)
    except EventError as error:
        raise CorruptError(f"event {seq} of what is read can't be: {error}; run `tally audit` on it") from error
    if event.seq != seq:
        raise CorruptError(f"event {event.seq} stands in the place of event {seq}: run `tally audit` on what is read")
    return event


def _opening(stored: StoredOpening) -> Opening:
    try:
        return Opening(stored.path, stored.salt, canon.decode(stored.value))
    except CanonError as error:
        where = f"the opening {stored.path} of event {stored.seq}"
        raise CorruptError(f"{where} can't be read ({error}): run `tally audit` on what is read") from error


def _add_missing(
    connection: sa.Connection, table: sa.Table, part: Sequence[Seal], rows: Sequence[tuple[Any, ...]]
) -> None:
    within = sa.select(table).where(table.c.size >= part[0].size, table.c.size <= part[-1].size)
    keyed = len(table.primary_key)
    standing = {tuple(row)[:keyed]: tuple(row) for row in connection.execute(within)}
    for row in rows:
        if standing.get(row[:keyed], row) != row:
            key = " ".join(map(str, row[:keyed]))
            raise CorruptError(
                f"{place(connection.engine)}: another row stands in {table.name} for {key}: no copy of it"
            )
    names = [column.name for column in table.columns]
    missing = [dict(zip(names, row, strict=True)) for row in rows if row[:keyed] not in standing]
    if missing:
        connection.execute(sa.insert(table), missing)
