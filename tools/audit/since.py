"""An audit of what is new: it begins at the peaks that a signed checkpoint commits to.

The stored nodes must come to the checkpoint's roots, and so must the events before it: they are hashed again, so that
they are the ones that were audited then, every byte of them, and none is left out. They are not judged again: they are
folded, so that the states that the new events change and the keys that sign them are known. That the new signatures
hold rests on the checkpoint, then, and on the audit that was made of what it commits to.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ledger import canon, digest, rfc6962
from ledger.checkpoint import Checkpoint, open_checkpoint, require_blake3
from ledger.errors import CanonError, CheckpointError, EventError, NoteError
from ledger.growth import Growth
from ledger.log import EMPTY_HEAD
from ledger.note import VerifierKey, parse_note
from ledger.sql.raw import RawTables
from tools.audit.ranged import spans, stored_peaks
from tools.audit.reigns import read_reigns
from tools.audit.report import Progress, Tallies
from tools.audit.trees import Node
from tools.audit.walk import Walk, genesis_of
from tools.errors import InputError

NARROWED = ("events", "nodes", "claims", "tags", "states", "disclosures", "checkpoints", "signatures")


def begin_at(since: bytes | int, raw: RawTables, walk: Walk, tallies: Tallies) -> None:
    """Let a walk begin at a checkpoint: a signed note, or the size of one that is stored.

    Raises:
        InputError: it is no checkpoint of this log.
        StoreError: the database can't be read.
    """
    walk.genesis = genesis_of(walk.task, raw.event_bytes(0))
    checkpoint = _checkpoint(since, raw, walk)
    size = checkpoint.size
    if size > walk.size:
        told = f"the log was larger once: a checkpoint of {size} events was signed, and it has {walk.size} now"
        tallies.find("checkpoints", "checkpoints", f"size {size}", told)
        return
    peaks = stored_peaks(raw.ranges, size)
    roots = None
    if peaks is not None:
        roots = digest.root(size, [own for own, _ in peaks]), rfc6962.root([twin for _, twin in peaks])
    if roots != (require_blake3(checkpoint), checkpoint.sha256_root):
        told = "the stored nodes do not come to the roots that it commits to: audit the whole log"
        tallies.find("checkpoints", "checkpoints", f"size {size}", told, events=(0, size))
    walk.start, walk.fold.since = size, size
    walk.peaks = [Node([pair]) for pair in peaks] if peaks is not None else [Node([]) for _ in range(size.bit_count())]
    walk.roots[size] = () if roots is None else (roots,)
    if size:
        walk.last_at = _time(raw, walk, size - 1)
    for dimension in NARROWED:
        tallies.note(dimension, f"from event {size} on")
    _Earlier(raw, walk, tallies, checkpoint).fold()


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The events before a checkpoint."""

    raw: RawTables
    walk: Walk
    tallies: Tallies
    checkpoint: Checkpoint

    def fold(self) -> None:
        """Fold them, and hold them against the checkpoint's roots.

        Raises:
            StoreError: the database can't read them.
        """
        size, fold = self.checkpoint.size, self.walk.fold
        growth = Growth(EMPTY_HEAD)
        rows = self._folded(growth)
        fold.begin(rows)
        # What the fold could not go on with is hashed all the same.
        deque(rows, 0)
        own, twin = growth.peaks
        roots = digest.root(size, own), rfc6962.root(twin)
        if growth.size == size and roots == (require_blake3(self.checkpoint), self.checkpoint.sha256_root):
            if size:
                told = f"by the keys and states that the {size} events before say, which are those of the checkpoint"
                self.tallies.note("signatures", told)
            return
        told = "the events before it do not come to the roots that it commits to: audit the whole log"
        self.tallies.find("checkpoints", "checkpoints", f"size {size}", told, events=(0, size))
        fold.distrust("the events before the checkpoint are not those that it commits to")

    def _folded(self, growth: Growth) -> Iterator[tuple[object, ...]]:
        """Hash all of them, and give (seq, bytes) of those whose type a view may fold."""
        left_out = {(body.type, body.schema_number) for body in self.walk.task.registry if not body.folded}
        size = self.checkpoint.size
        for span in spans(0, size, ()):
            rows = self.raw.ranges.events(span.start, span.stop)
            entries = [row[3] for row in rows if isinstance(row[3], bytes)]
            if [row[0] for row in rows] != list(range(span.start, span.stop)) or len(entries) != len(rows):
                # There is no root to come to.
                return
            growth.extend(entries)
            growth.nodes.clear()
            yield from ((seq, data) for seq, data in enumerate(entries, span.start) if _kind(data) not in left_out)
            self.walk.status(Progress("events before", span.stop, size))


def _kind(data: bytes) -> tuple[str, int] | None:
    """Read an event's type and schema; the column beside its bytes may say something else."""
    try:
        value = canon.respelled(data)
    except CanonError:
        return None
    if not isinstance(value, dict):
        return None
    name, schema = value.get("type"), value.get("schema")
    return (name, schema) if isinstance(name, str) and isinstance(schema, int) else None


def _checkpoint(since: bytes | int, raw: RawTables, walk: Walk) -> Checkpoint:
    note: object = since
    if isinstance(since, int):
        note = next((row.note for row in raw.checkpoints() if row.size == since), None)
        if note is None:
            raise InputError(f"no checkpoint of {since} events is stored: name another size, or give the note's file")
    if walk.genesis is None or not isinstance(note, bytes):
        raise InputError("the log's first event, or the checkpoint, can't be read: audit the whole log")
    found = read_reigns(raw, walk.genesis, walk.tallies)
    if found is None:
        raise InputError("the events that changed the log's key can't be followed: audit the whole log")
    try:
        size = Checkpoint.parse(parse_note(note)[0]).size
        checkpoint = open_checkpoint(note, VerifierKey.parse(found[0].at(size)[1]))
        require_blake3(checkpoint)
    except (NoteError, CheckpointError) as error:
        raise InputError(f"this is no checkpoint of this log: {error}") from error
    return checkpoint


def _time(raw: RawTables, walk: Walk, seq: int) -> str | None:
    data = raw.event_bytes(seq)
    try:
        return walk.task.registry.parse(data if isinstance(data, bytes) else b"").at
    except EventError:
        return None
