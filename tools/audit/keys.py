"""Claims and tags, held against the events: by a sum for each range of the log, and row by row where a sum differs.

The events of a range demand a set of rows; what stands is read once, in whatever order it lies, and added up by range.
Equal sums are equal sets (`ledger.multiset`), so nothing is sorted and nothing is kept.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ledger.errors import EventError
from ledger.event import Event, Registry
from ledger.multiset import PRIME, WIDTH, Sums, Weights
from ledger.sql.ranges import Keyed, Ranges, Row
from tools.audit.report import Kind, Tallies, spell
from tools.audit.side import Side

BUCKET = WIDTH
"""So many events make a range: its sums are compared, and it is what one worker does at a time."""


def weights_of(secret: bytes) -> Weights:
    """Give what rows weigh under a secret."""
    return _weights(secret, BUCKET)


@lru_cache(maxsize=1)
def _weights(secret: bytes, width: int) -> Weights:
    return Weights(secret, width)


def stored_sums(ranges: Ranges, table: Keyed, weights: Weights, start: int, stop: int) -> dict[int, int]:
    """Add up what stands in a table for the events from ``start`` up to ``stop``: a sum for each bucket."""
    sums = Sums(weights)
    for rows in ranges.keys(table, start, stop):
        sums.add_rows(rows)
    return sums.totals()


def equal(one: int, other: int) -> bool:
    """Tell whether two sums stand for one set."""
    return (one - other) % PRIME == 0


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """Goes through the rows of buckets whose sums differ.

    Attributes:
        unread: for each bucket that has any, the events that can't be believed, as bits counted from its first.
    """

    ranges: Ranges
    registry: Registry
    table: Keyed
    unread: Mapping[int, int]
    tallies: Tallies

    def run(self, buckets: Sequence[int], start: int, stop: int) -> None:
        """Name every row of these buckets that is missing or too many."""
        first, last = max(start, buckets[0] * BUCKET), min(stop, (buckets[-1] + 1) * BUCKET)
        rows = Side(self.ranges.keys_in_order(self.table, first, last), self.stranger)
        bad = frozenset(buckets)
        for bucket in range(buckets[0], buckets[-1] + 1):
            begin, end = max(start, bucket * BUCKET), min(stop, (bucket + 1) * BUCKET)
            events = self._events(begin, end) if bucket in bad else iter(())
            expected = dict(events)
            for seq in range(begin, end):
                found = rows.take(seq)
                if seq in expected:
                    self._compare(seq, expected[seq], found)
        rows.finish()

    def stranger(self, row: Row, kind: Kind = "tampering") -> None:
        """Name a row that no event demands."""
        seq, key = row
        inside = (seq, seq + 1) if type(seq) is int and seq >= 0 else None
        message = f"event {spell(seq)} has no such entry"
        self.tallies.find(self.table, self.table, self._key(spell(key), spell(seq)), message, kind=kind, events=inside)

    def _events(self, start: int, stop: int) -> Iterator[tuple[int, Event]]:
        bits = self.unread.get(start // BUCKET, 0)
        for seq, _, _, data in self.ranges.events(start, stop):
            if type(seq) is int and not bits >> seq % BUCKET & 1 and isinstance(data, bytes):
                try:
                    yield seq, self.registry.parse(data)
                except EventError:
                    # Said before, or changed since: either way nothing can be demanded of it.
                    continue

    def _compare(self, seq: int, event: Event, rows: list[Row]) -> None:
        demanded = keys_of(self.table, event)
        try:
            missing = set(demanded())
        except Exception:  # noqa: BLE001  (said where the events were read)
            return
        self.tallies.checked(self.table, len(rows))
        strange = []
        for row in rows:
            if row[1] in missing:
                missing.discard(str(row[1]))
            else:
                strange.append(row)
        for key in sorted(missing):
            told = f"missing: event {seq} demands it"
            where = self._key(key, seq)
            self.tallies.find(self.table, self.table, where, told, kind="view", events=(seq, seq + 1))
        for row in strange:
            self.stranger(row)

    def _key(self, key: str, seq: object) -> str:
        return f"{key} {seq}" if self.table == "tags" else key


def keys_of(table: Keyed, event: Event) -> Callable[[], Sequence[str]]:
    """Give what works out the rows of a table that an event demands."""
    return event.claims if table == "claims" else event.tags
