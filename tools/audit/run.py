"""`audit`: range after range of the log, then what they add up to, all over one consistent look at the tables."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ledger.errors import CorruptError, StoreError
from ledger.event import Registry
from ledger.note import VerifierKey
from ledger.sql.address import Address
from ledger.sql.raw import RawTables, open_raw
from ledger.sql.scratch import ScratchStates
from ledger.view import View
from tools.audit.crew import KEYED, Crew, Task, crew, fitting, seldom_collected
from tools.audit.fold import CheckSignature, Fold, FoldedStates
from tools.audit.head import HeadCheck, believed_size, last_peak
from tools.audit.memo import Memo
from tools.audit.reigns import turns
from tools.audit.report import DIMENSIONS, AuditReport, Damage, Progress, Status, Tallies
from tools.audit.seals import SealCheck
from tools.audit.since import begin_at
from tools.audit.tables import TableCheck
from tools.audit.walk import Walk

TABLES = ("events", "nodes", "head", "claims", "tags", "states", "disclosures")


def audit(  # noqa: PLR0913  (each says what to look at, or how)
    address: Address,
    registry: Registry,
    views: Sequence[View],
    check_signature: CheckSignature,
    *,
    witnesses: Sequence[VerifierKey] = (),
    jobs: int | None = 1,
    since: bytes | int | None = None,
    progress: Path | None = None,
    fresh: bool = False,
    status: Status | None = None,
    mark: int | None = None,
) -> AuditReport:
    """Recompute everything in a log's database from the stored event bytes, and compare.

    Args:
        address: where the database is.
        registry: the event types to read by.
        views: the folds whose states are kept.
        check_signature: raises if an event is not signed by who had the authority.
        witnesses: keys of the witnesses whose cosignatures are to be verified.
        jobs: how many processes check; 1 is this one, None as many as the log's size and the machine suggest. With
            more, registry and views must be such that another process can import them.
        since: a checkpoint of this log, as a note or by the size of one that is stored: what is before it is taken as
            it commits to it, and only what is new is looked at.
        progress: a file in which the run is remembered, should it be interrupted, and from which it continues.
        fresh: judge everything anew, whatever that file says.
        status: is told of progress now and then.
        mark: a size whose roots are wanted in the report, besides.

    Returns:
        What was found; damage of any kind is a finding, never an error. It is the same for any number of jobs.

    Raises:
        StoreError: there is no database, it can't be opened at all, or its tables are of an earlier version.
        InputError: ``since`` is no checkpoint of this log.
    """
    with ExitStack() as stack:
        stack.enter_context(seldom_collected())
        try:
            raw = stack.enter_context(open_raw(address))
        except CorruptError as error:
            return _unreadable(error)
        raw.check_not_older()
        scratch = stack.enter_context(ScratchStates())
        tallies = Tallies()
        memo = Memo(progress, registry, views, fresh=fresh)
        fold = Fold(FoldedStates(raw, scratch), registry, views, check_signature, tallies)
        task = Task(address, raw.share(), registry, views, memo.secret, openings=raw.readable("disclosures"))
        walk = Walk(raw, task, fold, tallies, 0, None, status or _ignore, memo)
        try:
            report = _Audit(raw, walk, witnesses, since, mark).run(jobs)
        finally:
            memo.close()
        return report


def _unreadable(error: CorruptError) -> AuditReport:
    """Give the report of a database that is so damaged that it can't even be opened."""
    tallies = Tallies()
    tallies.find("file", "file", "", str(error), kind="torn")
    for dimension in DIMENSIONS[:-1]:
        tallies.skip(dimension, "the database can't be opened")
    return AuditReport(0, tallies.lines(), tuple(tallies.findings), None, dict(tallies.kinds))


@dataclass(slots=True)
class _Audit:
    raw: RawTables
    walk: Walk
    witnesses: Sequence[VerifierKey]
    since: bytes | int | None
    mark: int | None

    @property
    def tallies(self) -> Tallies:
        return self.walk.tallies

    def run(self, jobs: int | None) -> AuditReport:
        walk = self.walk
        with self._stage(*TABLES, "signatures"):
            heads = list(self.raw.heads())
            walk.size, walk.last_peak = believed_size(heads, self.raw), last_peak(heads)
            if self.since is not None:
                begin_at(self.since, self.raw, walk, self.tallies)
            with crew(walk.task, self.raw, fitting(walk.size - walk.start) if jobs is None else jobs) as others:
                walk.run(others, self._sizes() | ({self.mark} if self.mark else set()))
                self._tables(walk, others)
        seals = SealCheck(self.raw, walk.size, walk.roots, self.witnesses, self.tallies, walk.start)
        if walk.done:
            self._judge(walk, seals)
        else:
            # Without the events nothing else can be judged, and accusing it would mislead.
            for dimension in ("checkpoints", "cosignatures", "timestamps"):
                self.tallies.skip(dimension, "the events can't be read")
        with self._stage("schema"):
            for name, message in self.raw.schema_faults():
                self.tallies.find("schema", "schema", name, message)
            self.tallies.checked("schema")
        with self._stage("file"):
            for message in self.raw.file_faults():
                self.tallies.find("file", "file", "", message, kind="torn")
            self.tallies.checked("file")
        walk.memo.done()
        return self._report(walk, seals)

    def _judge(self, walk: Walk, seals: SealCheck) -> None:
        with self._stage("states"):
            walk.fold.compare()
        head = HeadCheck(self.raw, walk, self.tallies)
        with self._stage("head"):
            head.run()
        with self._stage("states"):
            head.generation()
        with self._stage("checkpoints", "cosignatures", "timestamps"):
            seals.run(walk.genesis)

    def _tables(self, walk: Walk, others: Crew) -> None:
        tables = TableCheck(self.raw, walk, self.tallies, walk.status)
        tables.strange_events()
        tables.strange_nodes()
        for table in KEYED:
            with self._stage(table):
                tables.keys(table, others)
        with self._stage("disclosures"):
            tables.strange_openings()
        walk.closed.tell(self.tallies)

    def _report(self, walk: Walk, seals: SealCheck) -> AuditReport:
        damage = None
        if self.tallies.reach is not None:
            start, stop = self.tallies.reach
            before = [size for size in seals.verified if size <= start]
            after = [size for size in seals.verified if size >= stop]
            damage = Damage(start, stop, max(before, default=None), min(after, default=None))
        return AuditReport(
            walk.size,
            self.tallies.lines(),
            tuple(self.tallies.findings),
            damage,
            dict(self.tallies.kinds),
            walk.start,
            walk.taken_over,
            () if self.mark is None else tuple(walk.roots.get(self.mark, ())),
        )

    @contextmanager
    def _stage(self, *dimensions: str) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            # The database itself can't read on: what this stage would have said is not known.
            self.tallies.find("file", "file", "", str(error), kind="torn")
            for dimension in dimensions:
                self.tallies.skip(dimension, "the database can't be read")

    def _sizes(self) -> set[int]:
        try:
            return {row.size for row in self.raw.checkpoints() if isinstance(row.size, int)} | {*turns(self.raw)}
        except StoreError:
            # Said where the checkpoints are checked.
            return set()


def _ignore(_progress: Progress) -> None:
    """Nobody watches."""
