"""What a witness adds to a checkpoint, under both kinds of key."""

import contextlib
import doctest
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import cosignature, note
from ledger.checkpoint import Checkpoint, open_cosigned, sign_checkpoint
from ledger.cosignature import (
    MAX_NUMBER,
    CosignatureSigner,
    Cosigner,
    TreeHead,
    parse_cosignature,
    subtree_message,
    witness_id,
)
from ledger.errors import CheckpointError, NoteError
from ledger.note import NoteSigner, VerifierKey, parse_note
from ledger.policy import parse_policy

LOG = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"l" * 32))
HEAD = Checkpoint("log.example/a", 8, b"s" * 32, b"b" * 32, (("x", "AA=="),))
OLD = CosignatureSigner("w.example/old", Ed25519PrivateKey.from_private_bytes(b"w" * 32))
NEW = CosignatureSigner("w.example/new", MLDSA44PrivateKey.from_seed_bytes(b"w" * 32))
ROOT = note.to_base64(b"s" * 32)

both = pytest.mark.parametrize("witness", [OLD, NEW], ids=["ed25519", "ml-dsa-44"])


def test_module_examples_hold() -> None:
    assert doctest.testmod(cosignature).failed == 0


@both
def test_a_cosigned_checkpoint_opens_with_its_time(witness: CosignatureSigner) -> None:
    data = sign_checkpoint(HEAD, LOG) + witness.cosign(HEAD.text(), 1679315147).encode()
    head, said = open_cosigned(data, LOG.verifier_key, [witness.verifier_key])
    assert (head, [(one.key, one.time) for one in said]) == (HEAD, [(witness.verifier_key, 1679315147)])


@both
def test_every_flipped_byte_of_a_line_is_refused(witness: CosignatureSigner) -> None:
    line = witness.cosign(HEAD.text(), 5)
    blob = note.from_base64(line.split(" ")[2].strip())[note.KEY_ID_SIZE :]
    for at in range(0, len(blob), 1 if len(blob) < 100 else 37):
        changed = bytearray(blob)
        changed[at] ^= 1
        with pytest.raises(NoteError):
            Cosigner(witness.verifier_key).check(HEAD.text(), bytes(changed))


@both
@pytest.mark.parametrize(
    "change", [("log.example/a", "log.example/b"), ("\n8\n", "\n9\n"), (ROOT, ROOT.replace("c", "d"))]
)
def test_it_speaks_for_origin_size_and_root(witness: CosignatureSigner, change: tuple[str, str]) -> None:
    blob = note.from_base64(witness.cosign(HEAD.text(), 5).split(" ")[2].strip())[note.KEY_ID_SIZE :]
    Cosigner(witness.verifier_key).check(HEAD.text(), blob)
    with pytest.raises(NoteError, match="does not hold"):
        Cosigner(witness.verifier_key).check(HEAD.text().replace(*change), blob)


def test_an_ml_dsa_line_says_nothing_of_the_extension_lines() -> None:
    """The specification leaves them out; an Ed25519 line covers their bytes and vouches for nothing in them."""
    other = Checkpoint(HEAD.origin, HEAD.size, HEAD.sha256_root, b"c" * 32)
    for witness, holds in ((NEW, True), (OLD, False)):
        blob = note.from_base64(witness.cosign(HEAD.text(), 5).split(" ")[2].strip())[note.KEY_ID_SIZE :]
        with contextlib.nullcontext() if holds else pytest.raises(NoteError):
            Cosigner(witness.verifier_key).check(other.text(), blob)


def test_the_ml_dsa_message_is_laid_out_as_specified() -> None:
    """Label, name, time, origin, start, end, root: written out by hand."""
    head = TreeHead("example.com/log", 20852163, bytes(range(32)))
    laid_out = (
        "737562747265652f76310a00"
        "0e 6d6972726f722e746573742f6d31"
        "000000006418 50cb"
        "0f 6578616d706c652e636f6d2f6c6f67"
        "0000000000000000"
        "00000000013e2dc3"
    )
    assert subtree_message("mirror.test/m1", 1679315147, head) == bytes.fromhex(laid_out) + bytes(range(32))


@both
def test_a_witness_is_named_by_the_first_two_parts_of_its_vkey(witness: CosignatureSigner) -> None:
    key = witness.verifier_key
    (line,) = parse_note(f"-\n\n{witness.cosign(HEAD.text(), 1)}".encode())[1]
    assert key.text().startswith(witness_id(key) + "+")
    assert witness_id(line) == witness_id(key)
    assert VerifierKey.parse(key.text()) == key


def test_a_policy_takes_both_kinds_of_witness() -> None:
    lines = [f"log {LOG.verifier_key.text()}"]
    lines += [f"witness {name} {one.verifier_key.text()}" for name, one in (("old", OLD), ("new", NEW))]
    policy = parse_policy(("\n".join([*lines, "group both all old new", "quorum both"]) + "\n").encode())
    cosigned = sign_checkpoint(HEAD, LOG) + OLD.cosign(HEAD.text(), 1).encode()
    assert not policy.satisfied(policy.open(cosigned).witnesses)
    found = policy.open(cosigned + NEW.cosign(HEAD.text(), 2).encode())
    assert (policy.satisfied(found.witnesses), found.witnesses) == (True, {"old": 1, "new": 2})


@pytest.mark.parametrize("time", [0, -1, MAX_NUMBER + 1])
def test_nothing_is_signed_without_a_time(time: int) -> None:
    with pytest.raises(CheckpointError, match="time"):
        OLD.cosign(HEAD.text(), time)


@pytest.mark.parametrize("name", ["w" * 256, "é" * 128])
def test_a_name_that_is_too_long_for_ml_dsa_is_refused(name: str) -> None:
    with pytest.raises(CheckpointError, match="255 bytes"):
        CosignatureSigner(name, NEW.private_key).cosign(HEAD.text(), 1)


def test_an_ml_dsa_key_has_its_size() -> None:
    with pytest.raises(NoteError, match="1312 bytes"):
        VerifierKey("w.example", b"k" * 32, note.ML_DSA_44)


@pytest.mark.parametrize("size", [0, 71, 73, 2427, 2429])
def test_a_cosignature_has_one_of_two_sizes(size: int) -> None:
    with pytest.raises(CheckpointError, match="has 72 bytes, or 2428"):
        parse_cosignature(bytes(size))


def test_a_head_is_read_of_any_log() -> None:
    text = f"go.sum database tree\n7\n{ROOT}\nfree text of another log\nand more\n"
    assert TreeHead.parse(text) == TreeHead("go.sum database tree", 7, b"s" * 32)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o\n1\n",
        f"\n1\n{ROOT}\n",
        f"o\n01\n{ROOT}\n",
        f"o\n{2**63}\n{ROOT}\n",
        f"o\n1\n{ROOT}",
        f"o\n1\n{ROOT}\n\n",
        f"o\n1\n{ROOT}\nx\n\ny\n",
        f"o\n1\n{ROOT} \n",
        "o\n1\nAAAA\n",
        f"o\t\n1\n{ROOT}\n",
    ],
)
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(CheckpointError):
        TreeHead.parse(text)


@given(st.text() | st.builds("{}\n{}\n{}\n{}".format, st.text(), st.integers(), st.just(ROOT), st.text()))
def test_only_checkpoint_errors_escape(text: str) -> None:
    with contextlib.suppress(CheckpointError):
        TreeHead.parse(text)


def test_the_signer_does_not_print_its_private_key() -> None:
    assert "PrivateKey" not in repr(OLD) + repr(NEW)


def test_the_specification_names_both_types() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spec" / "checkpoint.md").read_text("utf-8")
    assert "`0x04`" in page
    assert "`0x06`" in page
