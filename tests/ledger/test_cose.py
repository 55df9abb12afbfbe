"""The COSE receipt: the layout of RFC 9942, one encoding, and an independent verifier."""

import json
import sys
from pathlib import Path

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import mmr, rfc6962
from ledger.cose import Receipt, sign
from ledger.digest import SHA256_TREE
from ledger.errors import LibraryMissingError, NoteError, ProofError
from ledger.note import NoteSigner, VerifierKey

PUBLISHED = json.loads(
    (Path(__file__).parents[1] / "vectors" / "published" / "cose_receipts_rfc9162_examples.json").read_text()
)
SIGNER = NoteSigner("example.com/log", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
ENTRIES = [b"entry %d" % number for number in range(11)]


class Nodes:
    """The SHA-256 tree over the entries."""

    def __init__(self):
        self.nodes, self.peaks = [], ()
        for index, entry in enumerate(ENTRIES):
            nodes, peaks = mmr.append(SHA256_TREE, index, SHA256_TREE.leaf(index, entry), self.peaks)
            self.nodes += [value for _, value in nodes]
            self.peaks = tuple(peaks)

    def read(self, positions):
        return [self.nodes[position] for position in positions]


TREE = Nodes()
ROOT = rfc6962.root(TREE.peaks)


def receipt(index=4):
    return sign(SIGNER, f"event/{index}", rfc6962.prove_inclusion(TREE, index, len(ENTRIES)), ROOT)


def public_pem(key=SIGNER.private_key):
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@pytest.mark.parametrize("index", range(len(ENTRIES)))
def test_an_independent_verifier_accepts_each_receipt(index):
    from scitt_cose import verify_receipt

    told = verify_receipt(
        receipt(index).to_bytes(), leaf_entry_hex=ENTRIES[index].hex(), log_public_key_pem=public_pem()
    )
    assert (told.ok, told.errors, told.root) == (True, [], ROOT.hex())
    assert (told.tree_size, told.leaf_index, told.issuer) == (11, index, "example.com/log")
    assert told.subject == f"event/{index}"


def test_an_independent_verifier_refuses_another_entry_and_another_key():
    from scitt_cose import verify_receipt

    stranger = public_pem(Ed25519PrivateKey.from_private_bytes(bytes(32)))
    data = receipt().to_bytes()
    assert not verify_receipt(data, leaf_entry_hex=ENTRIES[5].hex(), log_public_key_pem=public_pem()).ok
    assert not verify_receipt(data, leaf_entry_hex=ENTRIES[4].hex(), log_public_key_pem=stranger).ok


def test_the_layout_is_that_of_the_published_example():
    theirs = cbor2.loads(bytes.fromhex(PUBLISHED["examples"]["inclusion-receipt"]["cbor_hex"]))
    ours = cbor2.loads(receipt().to_bytes())
    assert ours.tag == theirs.tag == 18
    assert [type(part) for part in ours.value] == [type(part) for part in theirs.value]
    assert cbor2.loads(ours.value[0]).keys() == cbor2.loads(theirs.value[0]).keys() == {1, 4, 15, 395}
    assert cbor2.loads(ours.value[0])[395] == cbor2.loads(theirs.value[0])[395] == PUBLISHED["vds"]
    (proof,), (published,) = ours.value[1][396][-1], theirs.value[1][396][-1]
    size, index, path = cbor2.loads(published)
    assert cbor2.dumps([size, index, list(path)]) == published
    assert [type(part) for part in cbor2.loads(proof)] == [type(part) for part in cbor2.loads(published)]


@given(st.integers(0, 10))
def test_reads_what_it_encodes(index):
    made = receipt(index)
    assert Receipt.parse(made.to_bytes()) == made
    made.check(SIGNER.verifier_key, ROOT)


def test_the_signature_holds_for_its_root_and_its_key_alone():
    stranger = VerifierKey("example.com/other", SIGNER.verifier_key.public_key)
    for key, root in ((SIGNER.verifier_key, bytes(32)), (stranger, ROOT)):
        with pytest.raises(NoteError):
            receipt().check(key, root)


WHOLE = receipt().to_bytes()


@settings(max_examples=400)
@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_no_changed_byte_leaves_a_receipt_that_holds(at, flip):
    data = WHOLE[:at] + bytes([WHOLE[at] ^ flip]) + WHOLE[at + 1 :]
    try:
        changed = Receipt.parse(data)
    except ProofError:
        return
    assert changed.to_bytes() == data
    with pytest.raises(NoteError):
        # A changed path leads to another root; what is left is under the signature.
        changed.check(SIGNER.verifier_key, ROOT if changed.proof == receipt().proof else bytes(32))


def other(header=None, proofs=([1, 0, []],), payload=None, signature=bytes(64)):
    """Encode a message that differs from a receipt in what is given."""
    right = {1: -8, 4: b"1234", 395: 1, 15: {1: "a", 2: "b"}}
    unprotected = {396: {-1: [cbor2.dumps(proof) for proof in proofs]}}
    return cbor2.CBORTag(18, [cbor2.dumps(right if header is None else header), unprotected, payload, signature])


@pytest.mark.parametrize(
    "value",
    [
        1,
        [1, 2, 3, 4],
        cbor2.CBORTag(18, [b"", {}, None, b""]),
        other({1: -7, 4: b"1234", 395: 1, 15: {1: "a", 2: "b"}}),
        other({1: -8, 4: b"1234", 395: 2, 15: {1: "a", 2: "b"}}),
        other({1: -8, 4: b"12345", 395: 1, 15: {1: "a", 2: "b"}}),
        other({1: -8, 4: b"1234", 395: 1, 15: {1: "a", 2: 3}}),
        other({1: -8, 4: b"1234", 395: 1}),
        other([1]),
        other(list(range(400))),
        other(proofs=()),
        other(proofs=([1, 0, []], [1, 0, []])),
        other(proofs=([True, 0, []],)),
        other(proofs=([1, -1, []],)),
        other(proofs=([1, 0, [b"short"]],)),
        other(proofs=([1, 0, "path"],)),
        other(proofs=([1, 0, 7],)),
        other(payload=b"root"),
        other(signature=bytes(63)),
    ],
)
def test_what_is_no_receipt_is_refused(value):
    with pytest.raises(ProofError):
        Receipt.parse(cbor2.dumps(value))


def test_a_receipt_in_another_encoding_is_refused():
    # The same value, with its header in another order.
    with pytest.raises(ProofError, match="one encoding"):
        Receipt.parse(cbor2.dumps(other({4: b"1234", 1: -8, 395: 1, 15: {1: "a", 2: "b"}})))


@given(st.binary())
def test_no_bytes_raise_anything_but_our_error(data):
    with pytest.raises(ProofError):
        Receipt.parse(data)


@pytest.mark.parametrize("data", [WHOLE + b"\x00", WHOLE[:-1], b"", WHOLE + bytes(20_000)])
def test_trailing_and_missing_bytes_are_refused(data):
    with pytest.raises(ProofError):
        Receipt.parse(data)


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cbor2", None)
    with pytest.raises(LibraryMissingError, match=r"tallystick\[exports\]"):
        receipt()
