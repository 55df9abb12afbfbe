"""Bundles of a log whose key was replaced, and of one that went on after a restore: of version 2, with links.

Part of `tools.dev.golden_bundle`, which writes them beside the others.
"""

from dataclasses import dataclass

from decisions.adoption import adopt
from grants import life
from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.note import NoteSigner
from tools.dev import golden_bundle as golden
from verify.links import make_links

SECOND_KEY = "second log key"
CONTINUED = "tally.example/golden-2"
LOST = 7


@dataclass
class Life:
    """A history that goes on.

    Attributes:
        decision: one that was made afterwards.
        signer: who signs for the log now.
        turn: the event that replaced the key.
    """

    stage: golden.Stage
    decision: int
    signer: NoteSigner
    turn: int

    def checkpoint(self) -> bytes:
        return signed(self.stage, self.signer)

    def links(self) -> bytes:
        return self.stage.log.read(lambda look: make_links(look, self.checkpoint()))

    def bundle(self, note: bytes | None = None) -> bytes:
        return self.stage.bundle(self.decision, note=note or self.checkpoint())


def signed(stage: golden.Stage, signer: NoteSigner, *before: NoteSigner) -> bytes:
    """Sign what the log commits to."""
    head = stage.log.head
    roots = rfc6962.root(head.sha256_peaks), digest.root(head.size, head.blake3_peaks)
    return sign_checkpoint(Checkpoint(signer.name, head.size, *roots), signer, *before)


def kept(stage: golden.Stage, note: bytes) -> None:
    """Keep a checkpoint in the log."""
    stage.log.store_checkpoint(stage.log.head.size, note)


def rotated(stage: golden.Stage | None = None) -> Life:
    """Play the history, replace the key, and go on."""
    with golden.counted_randomness():
        stage, _ = golden.history(stage)
        kept(stage, stage.checkpoint())
        new = NoteSigner(stage.origin, golden.key(SECOND_KEY))
        turn = stage.act(life.rotate_key, by="human:ada", new=new).seq
        kept(stage, signed(stage, new, stage.log_signer))
        decision = stage.do("delete", golden.FIXTURE, request="r-20").decision
    assert decision is not None
    return Life(stage, decision, new, turn)


def restored(stage: golden.Stage | None = None) -> Life:
    """Play the history, lose what came after it, and go on as another log."""
    with golden.counted_randomness():
        stage, _ = golden.history(stage)
        kept(stage, stage.checkpoint())
        head = stage.log.head
        lost = digest.document(b"the root over what is lost")
        last = sign_checkpoint(Checkpoint(stage.origin, head.size + LOST, lost, lost), stage.log_signer)
        new = NoteSigner(CONTINUED, golden.key(CONTINUED))
        turn = stage.act(life.restore, by="human:ada", new=new, checkpoint=last).seq
        stage.act(adopt, by="human:ada", document=golden.CONSTITUTION.read_text())
        stage.act(life.confirm_principal, by="human:ada", principal="agent:ops-7")
        decision = stage.do("delete", golden.FIXTURE, request="r-20").decision
    assert decision is not None
    return Life(stage, decision, new, turn)


def files() -> dict[str, bytes]:
    """Make the bundles, and the links that lead to the same checkpoints."""
    restore, rotation = restored(), rotated()
    return {
        "after-restore.bundle": restore.bundle(),
        "after-restore.links": restore.links(),
        "after-rotation.bundle": rotation.bundle(),
        "after-rotation.links": rotation.links(),
    }
