"""An audit of what is new: it begins at the peaks that a signed checkpoint commits to.

The stored nodes must come to the checkpoint's roots. What stands before it is then taken as it stands: it is read only
for what must be folded, so that the states that the new events change and the keys that sign them are known, and its
bytes are not held against the trees.
"""

from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, open_checkpoint, require_blake3
from ledger.errors import CheckpointError, EventError, NoteError
from ledger.note import VerifierKey, parse_note
from ledger.sql.raw import RawTables
from tools.audit.ranged import stored_peaks
from tools.audit.reigns import read_reigns
from tools.audit.report import Tallies
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
    if size:
        # Whose key it is, earlier events say; that they are the ones that were signed then is what was not looked at.
        tallies.skip("signatures", "judged by earlier events that were not held against the trees")
    left_out = tuple(body.type for body in walk.task.registry if not body.folded)
    walk.fold.begin(raw.ranges.folded(size, left_out))


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
