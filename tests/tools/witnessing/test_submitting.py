"""From which size a witness is asked."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.checkpoint import sign_checkpoint
from ledger.cosignature import CosignatureSigner, witness_id
from ledger.errors import StoreError
from ledger.memory import MemoryLog
from ledger.note import NoteSigner
from ledger.policy import PolicyWitness
from tests.tools.witness.story import HONEST, LOG, Story
from tools.errors import EvidenceError
from tools.home import Home
from tools.ledger import open_ledger
from tools.witnessing import submitting
from tools.witnessing.submitting import Outcome, cosigned_before, submit

WITNESS = CosignatureSigner("w.example", Ed25519PrivateKey.from_private_bytes(b"w" * 32))
KNOWN = PolicyWitness("w", WITNESS.verifier_key)


def test_a_restored_log_begins_anew_with_its_witnesses():
    """They have cosigned its former origin; that they know nothing of the new one is no forgetting."""
    log = MemoryLog((), lambda: 1)
    restored = NoteSigner("log.example/restored", LOG.private_key)
    log.store_checkpoint(7, HONEST.note(7))
    log.store_checkpoint(9, sign_checkpoint(Story([b"x"] * 9, restored).checkpoint(9), restored))

    def before(origin):
        return log.read(lambda look: cosigned_before(look, KNOWN, origin))

    assert before(LOG.name) == 0
    log.store_cosignature(7, witness_id(WITNESS.verifier_key), WITNESS.cosign(HONEST.checkpoint(7).text(), 5))
    assert (before(LOG.name), before(restored.name)) == (7, 0)
    log.store_cosignature(9, witness_id(WITNESS.verifier_key), "line\n")
    assert (before(LOG.name), before(restored.name)) == (0, 9)


@pytest.mark.parametrize(("result", "raised"), [("evidence", EvidenceError), ("failed", StoreError)])
def test_one_that_broke_off_hides_nothing_that_another_says(tally, ledger, tmp_path, monkeypatch, result, raised):
    for name, seed in (("a", b"a"), ("b", b"b")):
        key = CosignatureSigner(f"{name}.example", Ed25519PrivateKey.from_private_bytes(seed * 32)).verifier_key
        assert tally("witness", "add", name, key.text(), "--url", "http://127.0.0.1:9").exit_code == 0

    def answer(_ledger, _policy, witness, _evidence):
        if witness.name == "a":
            raise StoreError("the disk is full")
        return Outcome(witness.name, result, 3, "another root")

    monkeypatch.setattr(submitting, "_submit_to", answer)
    opened = open_ledger(Home(ledger))
    try:
        with pytest.raises(raised, match="the disk is full"):
            submit(opened, tmp_path)
    finally:
        opened.close()
