"""Who does the work: this process alone, or as many others as there are cores, each with a look of its own.

The others open the database themselves. What they read is the rows below the size that was read first, which nothing
changes; what may change is read by this process alone, in one transaction. Results come in the order of the log, and
only so many are asked for ahead, so that memory does not grow where the folding is slower than the checking.
"""

import gc
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from ledger.event import Registry
from ledger.sql.address import Address
from ledger.sql.ranges import Keyed
from ledger.sql.raw import RawTables, open_raw
from ledger.view import View
from tools.audit.ranged import RangeCheck, RangeResult, Span
from tools.errors import ToolError

KEYED: Final[tuple[Keyed, ...]] = ("claims", "tags")

AHEAD = 3
"""So many ranges are asked of each worker before the first is taken."""

SELDOM: Final = 100_000
"""So many new objects are worth a look for cycles; the events of a range are a tenth."""

WORTH = 20_000
"""So many events are worth another process."""


class Crew(Protocol):
    """Checks ranges and adds up keys."""

    def ranges(self, spans: Iterable[Span]) -> Iterator[RangeResult]:
        """Check ranges, in order."""

    def sums(self, table: Keyed, start: int, stop: int) -> dict[int, int]:
        """Add up a table of keys; may have been begun with the ranges."""


@dataclass(frozen=True, slots=True)
class Task:
    """What every worker needs to know.

    Attributes:
        address: where the database is.
        shared: what is seen of it, where the database lets several connections see the same (`RawTables.share`).
    """

    address: Address
    shared: str | None
    registry: Registry
    views: Sequence[View]
    secret: bytes
    openings: bool

    def check(self, raw: RawTables) -> RangeCheck:
        """Give the check over a connection."""
        return RangeCheck(raw, self.registry, self.views, self.secret, self.openings)


@dataclass(frozen=True, slots=True)
class Alone:
    """This process."""

    check: RangeCheck

    def ranges(self, spans: Iterable[Span]) -> Iterator[RangeResult]:
        """Check ranges, in order."""
        return map(self.check.quick, spans)

    def sums(self, table: Keyed, start: int, stop: int) -> dict[int, int]:
        """Add up a table of keys."""
        return self.check.sums(table, start, stop)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let this process look for cycles seldom: what an audit makes has none, and each look goes over all of a range."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], SELDOM) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def fitting(events: int) -> int:
    """Give the number of processes that pays for so many events: each takes about a second to start."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, events // WORTH))


@contextmanager
def crew(task: Task, raw: RawTables, jobs: int) -> Iterator[Crew]:
    """Give a crew of so many processes; one is this process itself.

    Raises:
        ToolError: one of the others was killed.
    """
    if jobs <= 1:
        yield Alone(task.check(raw))
        return
    # Not forked: a fork would share this process's connection, and its locks.
    method = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=method, initializer=_begin, initargs=(task,))
    try:
        yield _Team(pool, jobs)
    except BrokenProcessPool as error:
        raise ToolError(
            "a process of the audit was killed, perhaps for want of memory, or could not begin: run it again, with "
            "--jobs 1 if need be; a program of your own that audits must do so below `if __name__ == '__main__':`, for "
            "each process reads it from its beginning"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Team:
    pool: ProcessPoolExecutor
    jobs: int
    _begun: dict[tuple[Keyed, int, int], Future[dict[int, int]]] = field(default_factory=dict)

    def ranges(self, spans: Iterable[Span]) -> Iterator[RangeResult]:
        waiting: deque[Future[RangeResult]] = deque()
        start = stop = None
        for span in spans:
            start, stop = span.start if start is None else start, span.stop
            waiting.append(self.pool.submit(_quick, span))
            if len(waiting) > AHEAD * self.jobs:
                yield waiting.popleft().result()
        if start is not None and stop is not None:
            # While the last ranges are folded here, nobody need be idle.
            for table in KEYED:
                self._begun[table, start, stop] = self.pool.submit(_sums, table, start, stop)
        while waiting:
            yield waiting.popleft().result()

    def sums(self, table: Keyed, start: int, stop: int) -> dict[int, int]:
        begun = self._begun.pop((table, start, stop), None)
        return (begun or self.pool.submit(_sums, table, start, stop)).result()


_OPEN = ExitStack()
_CHECK: list[RangeCheck] = []
"""In a worker: its check, over the connection that it keeps."""


def _begin(task: Task) -> None:
    # Who is at the terminal interrupts this process's parent, which ends the work.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _OPEN.enter_context(seldom_collected())
    _CHECK.append(task.check(_OPEN.enter_context(open_raw(task.address, task.shared))))


def _quick(span: Span) -> RangeResult:
    result = _CHECK[0].quick(span)
    return replace(result, contents=result.contents and result.contents.packed(_CHECK[0].views))


def _sums(table: Keyed, start: int, stop: int) -> dict[int, int]:
    return _CHECK[0].sums(table, start, stop)
