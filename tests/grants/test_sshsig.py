import contextlib
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from grants import sshsig
from grants.errors import GrantError, SignatureError
from grants.sshkey import ED25519, SK_ED25519, PublicKey, parse_line
from grants.sshwire import string
from ledger.note import from_base64
from tools.dev.sshsig_vectors import attacks, ssh_keygen_accepts

VECTORS = sorted((Path(__file__).parents[1] / "vectors" / "sshsig").glob("*.json"))
ADA = Ed25519PrivateKey.from_private_bytes(b"a" * 32)
KEY = PublicKey(ED25519, ADA.public_key().public_bytes_raw())
SIGNED = sshsig.sign(ADA, b"a text\n", "ns@v1")

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("ascii")))


def verify(case: dict[str, Any]) -> None:
    """Run one case, without pytest, so that others can take it over."""
    key = parse_line(case["public_key"])
    sshsig.verify(case["signature"], case["message"].encode(), case["namespace"], key)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_judges_every_vector_as_it_says(path: Path) -> None:
    case = load(path)
    if case["wantErr"]:
        with pytest.raises(GrantError):
            verify(case)
    else:
        verify(case)


@needs_ssh_keygen
@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_accepts_nothing_that_ssh_keygen_refuses(path: Path) -> None:
    case = load(path)
    assert case["wantErr"] or ssh_keygen_accepts(case)


def test_every_attack_of_the_maker_stands_among_the_vectors() -> None:
    stems = {path.stem for path in VECTORS}
    assert {stem for stem in stems if not stem.startswith("valid-")} >= {"doubled-armour", "sk-without-user-presence"}
    assert len(stems) > 60


@needs_ssh_keygen
def test_the_committed_vectors_are_what_the_maker_makes() -> None:
    made = {name: case["signature"] for name, case in attacks().items()}
    kept = {path.stem: load(path)["signature"] for path in VECTORS if not path.stem.startswith("valid-")}
    assert kept == made


def test_parses_every_field() -> None:
    signature = sshsig.parse(SIGNED)
    assert (signature.public_key, signature.namespace, signature.hash_name) == (KEY, "ns@v1", "sha512")
    assert (signature.flags, signature.counter) == (0, 0)
    touched = sshsig.parse(load(next(path for path in VECTORS if path.stem == "valid-sk-user-verified"))["signature"])
    assert (touched.public_key.algorithm, touched.flags, touched.counter) == (SK_ED25519, 5, 2**32 - 1)


@given(st.binary(max_size=200), st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=120))
def test_verifies_what_it_signs_and_nothing_else(message: bytes, namespace: str) -> None:
    signed = sshsig.sign(ADA, message, namespace)
    sshsig.verify(signed, message, namespace, KEY)
    with pytest.raises(SignatureError, match="has not signed this text"):
        sshsig.verify(signed, message + b" ", namespace, KEY)
    with pytest.raises(SignatureError, match="was made for"):
        sshsig.verify(signed, message, namespace + "x", KEY)


def test_the_hardware_twin_of_a_key_is_another_key() -> None:
    with pytest.raises(SignatureError, match="the signature is of"):
        sshsig.verify(SIGNED, b"a text\n", "ns@v1", PublicKey(SK_ED25519, KEY.key))


def test_every_flipped_bit_of_the_blob_is_refused() -> None:
    blob = from_base64("".join(SIGNED.splitlines()[1:-1]))
    for at in range(len(blob)):
        for bit in range(8):
            changed = bytearray(blob)
            changed[at] ^= 1 << bit
            with pytest.raises(SignatureError):
                sshsig.verify(sshsig.armour(bytes(changed)), b"a text\n", "ns@v1", KEY)


def test_every_cut_is_refused() -> None:
    for end in range(len(SIGNED)):
        with pytest.raises(SignatureError):
            sshsig.parse(SIGNED[:end])


def test_a_signature_has_a_bounded_size() -> None:
    with pytest.raises(SignatureError, match="at most"):
        sshsig.parse(SIGNED + "x" * sshsig.MAX_SIZE)


@pytest.mark.parametrize("namespace", ["", "a\nb", "\u00e9", "\x7f"])
def test_signs_in_no_namespace_that_it_would_not_read(namespace: str) -> None:
    with pytest.raises(SignatureError, match="printable ASCII"):
        sshsig.sign(ADA, b"", namespace)


blobs = st.binary(max_size=300) | st.builds(
    lambda parts: b"SSHSIG\x00\x00\x00\x01" + b"".join(string(part) for part in parts),
    st.lists(st.sampled_from([KEY.blob, b"ns", b"", b"sha512", b"sha256"]) | st.binary(max_size=90), max_size=6),
)


@given(st.text() | blobs.map(sshsig.armour))
def test_only_signature_errors_escape(armoured: str) -> None:
    with contextlib.suppress(SignatureError):
        sshsig.parse(armoured)


def test_the_worked_example_of_the_specification_holds() -> None:
    page = (Path(__file__).parents[2] / "docs" / "spec" / "signatures.md").read_text("utf-8")
    blocks = [block.split("\n", 1)[1] for block in page.split("```")[1::2]]
    key, message, armoured = blocks[-4:-1]
    private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"example human").digest())
    assert sshsig.sign(private, message.encode(), "tallystick-grant@v1") == armoured
    assert f"`{parse_line(key).fingerprint}`" in page
    sshsig.verify(armoured, message.encode(), "tallystick-grant@v1", parse_line(key))
