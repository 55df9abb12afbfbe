"""`audit`: the stages in their order, each over the same consistent look at the tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ledger import mmr
from ledger.digest import SIZE
from ledger.errors import ProofError, StoreError
from ledger.event import Registry
from ledger.note import VerifierKey
from ledger.sql.raw import Extent, HeadRow, RawTables, open_raw
from ledger.view import View
from tools.audit.contents import CheckSignature, ContentCheck
from tools.audit.report import AuditReport, Progress, Status, Tallies, spell
from tools.audit.seals import SealCheck
from tools.audit.trees import TreeCheck, Trees


def audit(
    path: Path,
    registry: Registry,
    views: Sequence[View],
    check_signature: CheckSignature,
    *,
    witnesses: Sequence[VerifierKey] = (),
    status: Status | None = None,
) -> AuditReport:
    """Recompute everything in a log's database from the stored event bytes, and compare.

    Args:
        path: the SQLite file.
        registry: the event types to read by.
        views: the folds whose states are kept.
        check_signature: raises if a signed event is not signed by who had the authority.
        witnesses: keys of the witnesses whose cosignatures are to be verified.
        status: is told of progress now and then.

    Returns:
        What was found; damage of any kind is a finding, never an error.

    Raises:
        StoreError: there is no database, or it can't be opened at all.
    """
    with open_raw(path) as raw:
        return _Audit(raw, registry, views, check_signature, witnesses, status or _ignore).run()


class _Audit:
    def __init__(
        self,
        raw: RawTables,
        registry: Registry,
        views: Sequence[View],
        check_signature: CheckSignature,
        witnesses: Sequence[VerifierKey],
        status: Status,
    ) -> None:
        self._raw = raw
        self._witnesses = witnesses
        self._status = status
        self._tallies = Tallies()
        self._contents = ContentCheck(raw, registry, views, check_signature, self._tallies, status)

    def run(self) -> AuditReport:
        size, trees = 0, Trees(set(), (), {})
        with self._stage("events", "nodes", "head"):
            heads = list(self._raw.heads())
            size = believed_size(heads, self._raw.extent())
            trees = TreeCheck(self._raw, size, _last_peak(heads), self._tallies, self._status).run(self._sizes())
        with self._stage("events", "claims", "tags", "states", "disclosures", "signatures"):
            self._contents.run(size, trees.damaged)
        with self._stage("head"):
            self._head(size, trees)
        with self._stage("states"):
            self._generation()
        with self._stage("checkpoints", "cosignatures", "timestamps"):
            SealCheck(self._raw, size, trees.roots, self._witnesses, self._tallies).run(self._contents.genesis)
        with self._stage("schema"):
            for name, message in self._raw.schema_faults():
                self._tallies.find("schema", "schema", name, message)
            self._tallies.checked("schema")
        with self._stage("file"):
            for message in self._raw.file_faults():
                self._tallies.find("file", "file", "", message)
            self._tallies.checked("file")
        return self._tallies.report(size)

    @contextmanager
    def _stage(self, *dimensions: str) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            # The database itself can't read on: what this stage would have said is not known.
            self._tallies.find("file", "file", "", str(error))
            for dimension in dimensions:
                self._tallies.skip(dimension, "the database can't be read")

    def _sizes(self) -> set[int]:
        return {row.size for row in self._raw.checkpoints() if isinstance(row.size, int)}

    def _head(self, size: int, trees: Trees) -> None:
        self._tallies.checked("head")
        rows = list(self._raw.heads())
        if len(rows) != 1:
            self._tallies.find("head", "head", "", f"{len(rows)} rows stand where there is one")
            return
        for column, stored, expected in self._head_columns(rows[0], size, trees):
            # Types too: 1 is not True, and text is not bytes.
            if type(stored) is not type(expected) or stored != expected:
                self._tallies.find("head", "head", "", f"{column} is {spell(stored)}, and should be {spell(expected)}")

    def _generation(self) -> None:
        rows = list(self._raw.projections())
        if len(rows) != 1:
            self._tallies.find("states", "projections", "", f"{len(rows)} rows stand where there is one")
        for row in rows:
            if type(row.one) is not int or row.one != 1:
                self._tallies.find("states", "projections", "", f"one is {spell(row.one)}, and should be 1")
            if type(row.generation) is not int or row.generation < 0:
                self._tallies.find("states", "projections", "", f"generation is {spell(row.generation)}: no count")

    def _head_columns(self, row: HeadRow, size: int, trees: Trees) -> Iterator[tuple[str, object, object]]:
        yield "one", row.one, 1
        yield "size", row.size, size
        known = [pair for pair in trees.peaks if pair is not None]
        if len(known) == len(trees.peaks) == size.bit_count():
            yield "blake3_peaks", row.blake3_peaks, b"".join(own for own, _ in known)
            yield "sha256_peaks", row.sha256_peaks, b"".join(twin for _, twin in known)
        else:
            self._tallies.skip("head", "the peaks can't be known")
        if size == 0 or self._contents.last_at is not None:
            yield "at", row.at, self._contents.last_at
        else:
            self._tallies.skip("head", "the last event's time can't be known")
        if trees.damaged:
            self._tallies.skip("head", "the incarnation can't be known")
        else:
            yield "incarnation", row.incarnation, self._contents.lives


def believed_size(heads: Sequence[HeadRow], extent: Extent) -> int:
    """Give the size that most of the tables speak for; among equals, the head's.

    What no number of rows could bear out is no vote, so that a forged number can't make an audit endless.
    """
    most = extent.events + extent.nodes
    votes: Counter[int] = Counter()
    for vote in (
        *(row.size for row in heads),
        extent.events,
        _after(extent.last_event),
        _leaves(extent.nodes),
        _leaves(_after(extent.last_node)),
    ):
        if isinstance(vote, int) and 0 <= vote <= most:
            votes[vote] += 1
    return votes.most_common(1)[0][0]


def _after(last: object) -> int | None:
    if last is None:
        return 0
    return last + 1 if isinstance(last, int) else None


def _leaves(nodes: int | None) -> int | None:
    try:
        return None if nodes is None else mmr.leaf_count(nodes)
    except ProofError:
        return None


def _last_peak(heads: Sequence[HeadRow]) -> bytes | None:
    peaks = heads[0].blake3_peaks if heads else None
    return peaks[-SIZE:] if isinstance(peaks, bytes) else None


def _ignore(_progress: Progress) -> None:
    """Nobody watches."""
