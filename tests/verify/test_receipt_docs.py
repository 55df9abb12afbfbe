"""docs/spec/receipts.md shows the bytes that the code makes, and they verify."""

import textwrap
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger import mmr, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cose import sign
from ledger.digest import SHA256_TREE
from ledger.note import NoteSigner
from ledger.policy import parse_policy
from ledger.tlog_proof import TlogProof
from verify.receipt import check_receipt

PAGE = (Path(__file__).parents[2] / "docs" / "spec" / "receipts.md").read_text()
SIGNER = NoteSigner("example.com/log", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
ENTRIES = [b'{"seq":%d}' % number for number in range(3)]


class Nodes(dict[int, bytes]):
    def read(self, positions):
        return [self[position] for position in positions]


def example():
    """Make both files for event 1 of the page's three events."""
    nodes, peaks = Nodes(), ()
    for index, entry in enumerate(ENTRIES):
        new, peaks = mmr.append(SHA256_TREE, index, SHA256_TREE.leaf(index, entry), peaks)
        nodes.update(new)
    proof, root = rfc6962.prove_inclusion(nodes, 1, 3), rfc6962.root(peaks)
    note = sign_checkpoint(Checkpoint("example.com/log", 3, root), SIGNER)
    return TlogProof(1, proof.path, note, ENTRIES[1]).to_bytes(), sign(SIGNER, "event/1", proof, root).to_bytes()


def test_the_page_shows_the_tlog_proof_bit_by_bit():
    assert f"```text\n{example()[0].decode()}```" in PAGE


def test_the_page_shows_the_receipt_bit_by_bit():
    assert "\n".join(textwrap.wrap(example()[1].hex(), 96)) in PAGE


def test_both_verify_under_the_policy_of_the_page():
    policy = f"log {SIGNER.verifier_key.text()}\nquorum none\n"
    assert policy in PAGE
    for data in example():
        assert {line.status for line in check_receipt(data, ENTRIES[1], parse_policy(policy.encode()))} == {
            "PASS",
            "NOT-CHECKED",
        }
