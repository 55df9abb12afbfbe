"""One range of the log, checked by whoever has a connection: this process, or one of several workers.

Both trees over it, then what its events say. Where a row of it does not fit, or can't be read, the walk is the careful
one, from peaks that only the caller knows: a worker then gives the range back.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from ledger import digest, mmr
from ledger.errors import StoreError
from ledger.event import Registry
from ledger.multiset import PRIME
from ledger.sql.ranges import Keyed, Ranges, Row
from ledger.sql.raw import RawTables
from ledger.view import View
from tools.audit.contents import ContentCheck, Contents
from tools.audit.erasures import Closed
from tools.audit.grown import grown
from tools.audit.keys import BUCKET, stored_sums, weights_of
from tools.audit.memo import Remembered, beside
from tools.audit.report import Tallies
from tools.audit.trees import Node, Pair, TreeCheck

MAX_UNREADABLE = 64
"""So many rows that can't be read are singled out in a range; beyond them all that is left counts as unreadable."""


@dataclass(frozen=True, slots=True)
class Span:
    """What is asked of a range.

    Attributes:
        start: its first event.
        stop: the one behind its last.
        wanted: the sizes within it whose roots are asked for, in order.
        known: what a run that was interrupted has judged of it, or None.
        remember: whether what it comes to may be asked for again.
    """

    start: int
    stop: int
    wanted: tuple[int, ...]
    known: Remembered | None = None
    remember: bool = False


@dataclass(frozen=True, slots=True)
class RangeResult:
    """What became of a range.

    Attributes:
        base: the peaks that it was grown from, as they are stored.
        peaks: the peaks after it.
        roots: the roots that were asked for.
        contents: what its events come to; None where it must be walked with care.
        tallies: what was found in it.
        record: what may be remembered of it, or None.
        taken_over: whether it was judged by an earlier run.
    """

    span: Span
    base: tuple[Pair, ...] = ()
    peaks: tuple[Node, ...] = ()
    roots: dict[int, tuple[Pair, ...]] | None = None
    contents: Contents | None = None
    tallies: Tallies | None = None
    record: Remembered | None = None
    taken_over: bool = False


@dataclass(frozen=True, slots=True)
class RangeCheck:
    """Checks ranges over one connection.

    Attributes:
        openings: whether there is a table of openings at all.
    """

    raw: RawTables
    registry: Registry
    views: Sequence[View]
    secret: bytes
    openings: bool

    @property
    def ranges(self) -> Ranges:
        """Read ranges of the large tables."""
        return self.raw.ranges

    def quick(self, span: Span) -> RangeResult:
        """Check a range from the peaks that are stored; whoever asked must compare these with what it believes."""
        # What can't be read as it was written is for the careful walk.
        careful, ranges = RangeResult(span), self.raw.strict
        try:
            base = stored_peaks(ranges, span.start)
            events = ranges.events(span.start, span.stop)
            nodes = ranges.nodes(mmr.size(span.start), mmr.size(span.stop))
            openings = ranges.openings(span.start, span.stop) if self.openings else []
        except StoreError:
            return careful
        if base is None or len(events) != span.stop - span.start:
            return careful
        trees = grown(span.start, base, events, nodes, span.wanted)
        if trees is None:
            return careful
        tallies = Tallies()
        tallies.checked("events", len(events))
        tallies.checked("nodes", len(nodes))
        result = RangeResult(span, base, tuple(trees.peaks), trees.roots, None, tallies)
        peaks = [node.hashes[0] for node in trees.peaks]
        digest_ = beside(events, openings) if span.remember or span.known else b""
        if span.known is not None and span.known.fits(peaks, digest_):
            tallies.checked("disclosures", len(openings))
            return replace(result, contents=span.known.contents(events), taken_over=True)
        contents = self._contents(span, events, openings, set(), tallies)
        record = remembered(span, peaks, digest_, contents, tallies, len(openings)) if span.remember else None
        return replace(result, contents=contents, record=record)

    def careful(self, span: Span, base: list[Node], last_peak: bytes | None, *, last: bool) -> RangeResult:
        """Check a range row by row, from the peaks that are believed."""
        tallies = Tallies()
        events, lost = read_each(self.ranges.events, span.start, span.stop)
        nodes, lost_nodes = read_each(self.ranges.nodes, mmr.size(span.start), mmr.size(span.stop))
        openings, _ = read_each(self.ranges.openings, span.start, span.stop) if self.openings else ([], set())
        tallies.checked("events", span.stop - span.start)
        tallies.checked("nodes", mmr.size(span.stop) - mmr.size(span.start))
        walk = TreeCheck(span.start, span.stop, list(base), last_peak, tallies, (lost, lost_nodes))
        trees = walk.run(events, nodes, span.wanted, last=last)
        contents = self._contents(span, events, openings, trees.damaged, tallies)
        return RangeResult(span, (), tuple(trees.peaks), trees.roots, contents, tallies)

    def sums(self, table: Keyed, start: int, stop: int) -> dict[int, int]:
        """Add up what stands in a table of keys."""
        weights = weights_of(self.secret)
        try:
            with self.raw.strict.apart():
                return stored_sums(self.raw.strict, table, weights, start, stop)
        except StoreError:
            # Perhaps for a text that is none, which the other way of reading gives.
            return stored_sums(self.ranges, table, weights, start, stop)

    def _contents(
        self, span: Span, events: list[Row], openings: list[Row], damaged: set[int], tallies: Tallies
    ) -> Contents:
        first = span.start // BUCKET * BUCKET
        check = ContentCheck(self.raw, self.registry, weights_of(self.secret), tallies, first)
        return check.run(span.start, span.stop, events, openings, damaged)


def remembered(
    span: Span, peaks: Sequence[Pair], digest_: bytes, contents: Contents, tallies: Tallies, openings: int
) -> Remembered | None:
    """Give the record of a range in which all is well and that depends on no row outside of it; else None."""
    well = not (tallies.kinds or contents.unread or contents.closed != Closed() or contents.erases)
    first_at, last_at = contents.first_at, contents.last_at
    if not well or first_at is None or last_at is None:
        return None
    claims, tags = contents.claims, contents.tags
    return Remembered(
        span.start,
        span.stop,
        tuple(peaks),
        digest_,
        first_at,
        last_at,
        contents.lives,
        (claims.rows, claims.sum % PRIME),
        (tags.rows, tags.sum % PRIME),
        sum(1 << seq - span.start for seq, _ in contents.acts),
        openings,
    )


def spans(start: int, stop: int, wanted: Collection[int]) -> Iterable[Span]:
    """Divide the events from ``start`` up to ``stop``; every span lies within one bucket."""
    asked = sorted(size for size in wanted if start < size <= stop)
    at = 0
    while start < stop:
        end = min(stop, (start // BUCKET + 1) * BUCKET)
        until = at
        while until < len(asked) and asked[until] <= end:
            until += 1
        yield Span(start, end, tuple(asked[at:until]))
        start, at = end, until


def stored_peaks(ranges: Ranges, size: int) -> tuple[Pair, ...] | None:
    """Read the peaks of a size from the stored nodes; None where one is missing or is no pair of hashes.

    Raises:
        StoreError: the database can't read them.
    """
    places = mmr.peak_positions(size)
    rows = ranges.nodes_at(places)
    peaks = [
        (own, twin)
        for _, own, twin in rows
        if isinstance(own, bytes) and isinstance(twin, bytes) and len(own) == len(twin) == digest.SIZE
    ]
    return tuple(peaks) if [row[0] for row in rows] == list(places) and len(peaks) == len(places) else None


def read_each(read: Callable[[int, int], list[Row]], start: int, stop: int) -> tuple[list[Row], set[int]]:
    """Read a range, and where the database can't, all of it that it can: the rows, and the numbers that are lost."""
    rows: list[Row] = []
    lost: set[int] = set()
    waiting = [(start, stop)]
    while waiting:
        first, after = waiting.pop()
        try:
            rows += read(first, after)
        except StoreError:
            if after - first == 1 or len(lost) >= MAX_UNREADABLE:
                lost.update(range(first, after))
            else:
                middle = (first + after) // 2
                waiting += [(middle, after), (first, middle)]
    return rows, lost
