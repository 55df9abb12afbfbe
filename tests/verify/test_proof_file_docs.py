"""docs/spec/proof-file.md shows the bytes that the code makes, and they verify."""

import io
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.multiproof import prove_range
from ledger.note import NoteSigner
from ledger.policy import parse_policy
from tools.dev.vectors.tree import entry, grow
from verify.proof_file.check import CHECKS, check_proof_file
from verify.proof_file.form import ProofHead
from verify.proven import Roots

PAGE = (Path(__file__).parents[2] / "docs" / "spec" / "proof-file.md").read_text()
SIGNER = NoteSigner("example.com/log", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
POLICY = f"log {SIGNER.verifier_key.text()}\nquorum none\n"


def example() -> bytes:
    """Make the file of the page: all events from 1 to 2 of three."""
    entries = [entry(index) for index in range(3)]
    own, twin = grow(BLAKE3_TREE, entries), grow(SHA256_TREE, entries)
    roots = Roots(3, digest.root(3, own.peaks[3]), rfc6962.root(twin.peaks[3]))
    note = sign_checkpoint(Checkpoint(SIGNER.name, 3, roots.sha256, roots.blake3), SIGNER)
    head = ProofHead(note, roots, prove_range(own, 1, 2, 3), prove_range(twin, 1, 2, 3))
    return head.to_bytes() + b"".join(data + b"\n" for data in entries[1:])


def test_the_page_shows_the_file_bit_by_bit() -> None:
    assert f"```text\n{example().decode()}```" in PAGE


def test_the_example_verifies_under_the_policy_of_the_page() -> None:
    assert POLICY in PAGE
    lines = check_proof_file(io.BytesIO(example()), parse_policy(POLICY.encode()))
    assert [line.status for line in lines] == ["PASS", "PASS", "NOT-CHECKED", "PASS", "PASS"]


def test_the_page_names_every_check_and_every_field() -> None:
    for name in (*CHECKS, "format", "kind", "checkpoint", "roots", "blake3", "sha256", "link", "old"):
        assert f"`{name}`" in PAGE
