"""Whoever names a new log key holds it."""

import hashlib
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger import canon
from ledger.checkpoint import Checkpoint
from ledger.errors import CheckpointError, NoteError
from ledger.note import COSIGNATURE_V1, NoteSigner, VerifierKey
from ledger.possession import check_possession, possession_text, prove_possession

SPEC = (Path(__file__).parents[2] / "docs" / "spec" / "checkpoint.md").read_text("utf-8")


def signer(name, origin="example.com/ledger"):
    return NoteSigner(origin, Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest()))


OLD, NEW = signer("example log"), signer("example log, second")
OLD_KEY, NEW_KEY = OLD.verifier_key.text(), NEW.verifier_key.text()
PROOF = prove_possession(OLD_KEY, NEW)


def test_holder_proves_it():
    check_possession(OLD_KEY, NEW_KEY, PROOF)


def test_specification_shows_this_very_proof():
    assert re.search(rf"^{re.escape(NEW_KEY)}\n{PROOF}$", SPEC, re.MULTILINE)


@pytest.mark.parametrize(
    ("old", "new", "proof"),
    [
        (NEW_KEY, NEW_KEY, PROOF),
        (OLD_KEY, signer("another").verifier_key.text(), PROOF),
        (OLD_KEY, NEW_KEY, prove_possession(OLD_KEY, OLD)),
        (OLD_KEY, NEW_KEY, prove_possession(NEW_KEY, NEW)),
        (OLD_KEY, NEW_KEY, PROOF[:-4]),
        (OLD_KEY, NEW_KEY, PROOF + "="),
        (OLD_KEY, NEW_KEY, ""),
        (OLD_KEY, "no key", PROOF),
        (OLD_KEY, VerifierKey("w", NEW.verifier_key.public_key, COSIGNATURE_V1).text(), PROOF),
    ],
)
def test_nothing_else_proves_it(old, new, proof):
    with pytest.raises(NoteError):
        check_possession(old, new, proof)


def test_every_bit_of_the_proof_counts():
    raw = canon.from_base64url(PROOF)
    for bit in range(len(raw) * 8):
        flipped = bytearray(raw)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(NoteError):
            check_possession(OLD_KEY, NEW_KEY, canon.to_base64url(bytes(flipped)))


def test_proof_is_never_a_signature_over_a_checkpoint():
    with pytest.raises(CheckpointError):
        Checkpoint.parse(possession_text(OLD_KEY, NEW_KEY))
