"""The walk over the log: ranges in order, each continued from the peaks that are believed so far.

A range that a worker grew from other peaks than these, or could not grow at all, is walked again here with care. What
a range demands of the tables beside the events is kept as two numbers; what must be folded goes to the fold at once.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from ledger.errors import EventError
from ledger.event import Event
from ledger.events import LedgerOpened
from ledger.sql.ranges import Keyed
from ledger.sql.raw import RawTables
from tools.audit.contents import Contents
from tools.audit.crew import Crew, Task
from tools.audit.erasures import Closed
from tools.audit.fold import Fold
from tools.audit.keys import BUCKET
from tools.audit.memo import Memo
from tools.audit.ranged import RangeResult, spans
from tools.audit.report import Progress, Status, Tallies
from tools.audit.trees import Node, Pair, roots_of


@dataclass(slots=True)
class Walk:
    """One walk.

    Attributes:
        size: how many events the log has.
        last_peak: the last peak's BLAKE3 hash that the head holds.
        memo: what an earlier run had judged, and where this one writes.
        start: the first event that is looked at.
        peaks: the peaks so far; at first those of ``start``.
        roots: both roots at the sizes that were asked for.
        genesis: the first event's body, once it is read.
        last_at: the last event's time, or None where it can't be known.
        lives: how often the log was restored, and 1.
        done: whether the walk came to its end.
        taken_over: how many events an earlier run had judged.
        unread: the events that can't be believed, by bucket, as bits counted from its first.
        closed: the disclosable fields that have no opening.
    """

    raw: RawTables
    task: Task
    fold: Fold
    tallies: Tallies
    size: int
    last_peak: bytes | None
    status: Status
    memo: Memo
    start: int = 0
    peaks: list[Node] = field(default_factory=list)
    roots: dict[int, tuple[Pair, ...]] = field(default_factory=dict)
    genesis: LedgerOpened | None = None
    last_at: str | None = None
    lives: int = 1
    done: bool = False
    taken_over: int = 0
    unread: dict[int, int] = field(default_factory=dict)
    closed: Closed = field(default_factory=Closed)
    _demands: dict[Keyed, dict[int, tuple[int, int]]] = field(default_factory=lambda: {"claims": {}, "tags": {}})

    def run(self, crew: Crew, wanted: Collection[int]) -> None:
        """Check every event from ``start`` on."""
        if not self.start:
            self.roots[0] = roots_of(0, [])
        asked = (
            replace(span, known=self.memo.known.get(span.start), remember=self.memo.kept)
            for span in spans(self.start, self.size, wanted)
        )
        for result in crew.ranges(asked):
            self._take(result)
            self.status(Progress("events", result.span.stop, self.size))
        self.done = True

    def demanded(self, table: Keyed) -> dict[int, tuple[int, int]]:
        """Give what the events demand of a table, by bucket: how many rows, and their sum."""
        return self._demands[table]

    def believed(self) -> tuple[Pair, ...] | None:
        """Give the peaks, or None where one can't be known."""
        pairs = [node.hashes[0] for node in self.peaks if node.hashes]
        return tuple(pairs) if len(pairs) == len(self.peaks) else None

    def _take(self, result: RangeResult) -> None:
        span = result.span
        if result.contents is None or result.base != self.believed():
            check = self.task.check(self.raw)
            result = check.careful(span, self.peaks, self.last_peak, last=span.stop == self.size)
        elif result.record is not None:
            self.memo.keep(result.record)
        self.taken_over += (span.stop - span.start) * result.taken_over
        contents, tallies = result.contents, result.tallies
        if contents is None or tallies is None:
            raise AssertionError("a careful walk leaves nothing open")
        self.peaks = list(result.peaks)
        self.roots.update(result.roots or {})
        self._times(span.start, contents)
        self.tallies.merge(tallies)
        self._keep(span.start, contents)
        self.fold.take(span.start, contents)

    def _times(self, start: int, contents: Contents) -> None:
        first = contents.first_at
        if self.last_at is not None and first is not None and first < self.last_at:
            told = f"its time {first} is before that of the event before it"
            self.tallies.find("events", "events", f"seq {start}", told, events=(start, start + 1))
        self.last_at = contents.last_at

    def _keep(self, start: int, contents: Contents) -> None:
        bucket = start // BUCKET
        self.lives += contents.lives
        self.closed.merge(contents.closed)
        if contents.unread:
            self.unread[bucket] = contents.unread
        for table in ("claims", "tags"):
            demand = contents.demand(table)
            self._demands[table][bucket] = demand.rows, demand.sum
        if start == 0 and contents.acts and contents.acts[0][0] == 0:
            act = contents.acts[0][1]
            self.genesis = genesis_of(self.task, act.data if isinstance(act, Event) else act)


def genesis_of(task: Task, data: object) -> LedgerOpened | None:
    """Read what the first event says of the log, or None."""
    try:
        body = task.registry.parse(data if isinstance(data, bytes) else b"").body
    except EventError:
        return None
    return body if isinstance(body, LedgerOpened) else None
