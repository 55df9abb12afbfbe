"""Makes the published export: ``python -m tools.dev.golden_export``.

The history of the published bundles, in a database, with three checkpoints (the last one witnessed), exported in files
of 16 events. The policies and the pinned signer are those of the bundles.
"""

import shutil
import tempfile
from pathlib import Path

from ledger import digest, mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.event import Event
from ledger.log import Snapshot, Tree
from ledger.note import parse_note
from tools.copying.exporting import export
from tools.dev.golden_bundle import Stage, cosign, counted_randomness, history, witness_key
from tools.home import Home
from tools.ledger import OpenLedger, begun, create_empty
from verify.views import EVENTS

FOLDER = Path(__file__).parents[2] / "tests" / "vectors" / "exports" / "golden"
CHUNK = 16
TREES: tuple[Tree, Tree] = ("blake3", "sha256")
SIZES = (11, 32)
"""Where checkpoints were signed before the last one."""


def signed(stage: Stage, look: Snapshot, size: int) -> bytes:
    """Sign a checkpoint of the log as it stood at a size."""
    own, twin = (look.nodes(tree).read(mmr.peak_positions(size)) for tree in TREES)
    return sign_checkpoint(Checkpoint(stage.origin, size, rfc6962.root(twin), digest.root(size, own)), stage.log_signer)


def stored(stage: Stage, home: Home) -> OpenLedger:
    """Put the stage's log into a database, event by event with the same bytes, and its checkpoints beside it."""
    log = create_empty(home, lambda: stage.now)
    events: list[Event] = [EVENTS.parse(data) for _, data in stage.log.events()]
    log.extend(events, {event.seq: stage.log.openings(event.seq) for event in events})
    size = len(events)
    for at in (*SIZES, size):
        log.store_checkpoint(at, log.read(lambda look, at=at: signed(stage, look, at)))  # type: ignore[misc]
    note = cosign(stage.checkpoint())
    line = parse_note(note)[1][-1].line()
    log.store_cosignature(size, f"{witness_key().name}+{witness_key().key_id.hex()}", line)
    home.policy.write_bytes(stage.policy().text().encode())
    home.signers.write_bytes(stage.pins())
    return begun(home, log, lambda: stage.now)


def make(folder: Path, stage: Stage | None = None, *, openings: bool = True) -> None:
    """Write the export of a stage's log, or of the history."""
    if stage is None:
        with counted_randomness():
            stage, _ = history()
    with tempfile.TemporaryDirectory() as name:
        ledger = stored(stage, Home(Path(name)))
        try:
            export(ledger, folder, size=None, openings=openings, progress=lambda *_: None, chunk=CHUNK)
        finally:
            ledger.close()


def main() -> None:
    FOLDER.parent.mkdir(exist_ok=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    make(FOLDER)
    FOLDER.chmod(0o755)
    print("1 export in tests/vectors/exports")


if __name__ == "__main__":
    main()
