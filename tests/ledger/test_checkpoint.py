import doctest
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import checkpoint, note
from ledger.checkpoint import (
    Checkpoint,
    may_sign,
    open_checkpoint,
    open_cosigned,
    require_blake3,
    sign_checkpoint,
)
from ledger.cosignature import Cosigner, cosigned_message, parse_cosignature
from ledger.errors import CheckpointError, NoteError
from ledger.note import NoteSignature, NoteSigner, VerifierKey

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "published" / "c2sp_note_vectors.json").read_text("utf-8")
)
BODY = VECTORS["checkpoint"]["body"]

LOG = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"l" * 32))
WITNESS = Ed25519PrivateKey.from_private_bytes(b"w" * 32)
WITNESS_KEY = VerifierKey("witness.example", WITNESS.public_key().public_bytes_raw(), note.COSIGNATURE_V1)
HEAD = Checkpoint("log.example/a", 8, b"s" * 32, b"b" * 32)

checkpoints = st.builds(
    Checkpoint,
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1),
    st.integers(0, checkpoint.MAX_NUMBER),
    st.binary(min_size=32, max_size=32),
    st.none() | st.binary(min_size=32, max_size=32),
    st.dictionaries(st.text("abz-.019", min_size=1), st.binary(min_size=1).map(note.to_base64), max_size=4).map(
        lambda found: tuple(sorted(found.items()))
    ),
)


def cosigned(time: int, text: str, stated: int | None = None) -> bytes:
    raw = WITNESS.sign(cosigned_message(time, text))
    blob = (time if stated is None else stated).to_bytes(8, "big") + raw
    return NoteSignature(WITNESS_KEY.name, WITNESS_KEY.key_id, blob).line().encode()


def test_module_examples_hold() -> None:
    assert doctest.testmod(checkpoint).failed == 0


def test_reads_the_published_checkpoint() -> None:
    found = Checkpoint.parse(BODY)
    assert (found.origin, found.size, found.blake3_root) == ("example.com/behind-the-sofa", 20852163, None)
    assert found.text() == BODY


def test_reads_the_published_cosignature() -> None:
    published = VECTORS["cosignature_v1"]
    time, raw = parse_cosignature(note.from_base64(published["blob_b64"])[note.KEY_ID_SIZE :])
    assert (time, len(raw)) == (published["timestamp"], note.SIGNATURE_SIZE)
    assert cosigned_message(time, BODY) == published["signed_message"].encode()


@pytest.mark.parametrize("case", VECTORS["negative_parse_cases"], ids=lambda case: case["why"])
def test_refuses_the_published_negative_case(case: dict[str, str]) -> None:
    with pytest.raises(CheckpointError):
        Checkpoint.parse(case["body"])


@given(checkpoints)
def test_a_checkpoint_reads_back(value: Checkpoint) -> None:
    assert Checkpoint.parse(value.text()) == value


def test_our_extension_stands_in_its_place_by_name() -> None:
    value = Checkpoint("o", 1, bytes(32), bytes(32), (("a", "AA=="), ("c", "AQ==")))
    assert [line.split(" ")[0] for line in value.text().splitlines()[3:]] == ["a", "blake3-mmr", "c"]
    assert Checkpoint.parse(value.text()) == value


ROOT = note.to_base64(bytes(32))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "o\n1\n",
        f"\n1\n{ROOT}\n",
        f"o\n\n{ROOT}\n",
        f"o\n+1\n{ROOT}\n",
        f"o\n 1\n{ROOT}\n",
        f"o\n00\n{ROOT}\n",
        f"o\n1_0\n{ROOT}\n",
        f"o\n\u0661\n{ROOT}\n",
        f"o\n{2**63}\n{ROOT}\n",
        f"o\n{'9' * 5000}\n{ROOT}\n",
        f"o\n1\n{ROOT} \n",
        f"o\n1\n{ROOT[:-2]}B=\n",
        f"o\n1\n{note.to_base64(bytes(33))}\n",
        f"o\n1\n{ROOT}\nx\n",
        f"o\n1\n{ROOT}\nx \n",
        f"o\n1\n{ROOT}\n AA==\n",
        f"o\n1\n{ROOT}\nx AA\n",
        f"o\n1\n{ROOT}\nx  AA==\n",
        f"o\n1\n{ROOT}\nx AB==\n",
        f"o\n1\n{ROOT}\nx AA== AA==\n",
        f"o\n1\n{ROOT}\n\u00e9 AA==\n",
        f"o\n1\n{ROOT}\nb AA==\na AA==\n",
        f"o\n1\n{ROOT}\na AA==\na AA==\n",
        f"o\n1\n{ROOT}\na AA==\na AQ==\n",
        f"o\n1\n{ROOT}\nblake3-mmr AA==\n",
        f"o\n1\n{ROOT}\nblake3-mmr {ROOT}\nblake3-mmr {ROOT}\n",
        f"o\n1\n{ROOT}\nc AA==\nblake3-mmr {ROOT}\n",
        f"o\t\n1\n{ROOT}\n",
    ],
)
def test_refuses_another_spelling(text: str) -> None:
    with pytest.raises(CheckpointError):
        Checkpoint.parse(text)


@pytest.mark.parametrize(
    "fields",
    [
        {"origin": ""},
        {"origin": "a\nb"},
        {"origin": "a\x00"},
        {"size": -1},
        {"size": 2**63},
        {"sha256_root": bytes(31)},
        {"blake3_root": b""},
        {"extensions": (("b", "AA=="), ("a", "AA=="))},
        {"extensions": (("a", "AA=="), ("a", "AA=="))},
        {"extensions": (("blake3-mmr", ROOT),)},
        {"extensions": (("a b", "AA=="),)},
        {"extensions": (("a", "AA==\nb AA=="),)},
        {"extensions": (("a", ""),)},
    ],
)
def test_no_checkpoint_holds_what_its_text_cannot(fields: dict[str, Any]) -> None:
    with pytest.raises(CheckpointError):
        Checkpoint(**{"origin": "o", "size": 1, "sha256_root": bytes(32), **fields})


def test_opens_what_it_signs() -> None:
    assert open_checkpoint(sign_checkpoint(HEAD, LOG), LOG.verifier_key) == HEAD


def test_a_key_signs_for_its_own_origin_only() -> None:
    other = Checkpoint("log.example/b", 8, b"s" * 32)
    with pytest.raises(CheckpointError, match="can't sign for"):
        sign_checkpoint(other, LOG)
    with pytest.raises(CheckpointError, match="another origin"):
        open_checkpoint(LOG.sign(other.text()), LOG.verifier_key)


def test_a_signed_text_that_is_no_checkpoint_is_refused() -> None:
    with pytest.raises(CheckpointError):
        open_checkpoint(LOG.sign("log.example/a\n"), LOG.verifier_key)


def test_a_checkpoint_of_another_key_is_refused() -> None:
    stranger = NoteSigner("log.example/a", WITNESS)
    with pytest.raises(NoteError, match="no known key"):
        open_checkpoint(sign_checkpoint(HEAD, stranger), LOG.verifier_key)


def test_a_cosignature_key_is_no_log_key() -> None:
    with pytest.raises(CheckpointError, match="no log's"):
        open_checkpoint(sign_checkpoint(HEAD, LOG), WITNESS_KEY)


def test_a_log_key_is_no_witness() -> None:
    with pytest.raises(CheckpointError, match="no witness's"):
        Cosigner(LOG.verifier_key)


def test_one_of_ours_carries_its_own_root() -> None:
    assert require_blake3(HEAD) == b"b" * 32
    with pytest.raises(CheckpointError, match="carries no blake3-mmr line"):
        require_blake3(Checkpoint("o", 8, b"s" * 32))


def test_a_witness_is_heard_with_its_time() -> None:
    data = sign_checkpoint(HEAD, LOG) + cosigned(1679315147, HEAD.text())
    found, cosignatures = open_cosigned(data, LOG.verifier_key, [WITNESS_KEY])
    assert found == HEAD
    assert [(cosignature.key, cosignature.time) for cosignature in cosignatures] == [(WITNESS_KEY, 1679315147)]


def test_an_unknown_witness_is_not_heard() -> None:
    data = sign_checkpoint(HEAD, LOG) + cosigned(1, HEAD.text())
    assert open_cosigned(data, LOG.verifier_key, []) == (HEAD, ())
    assert open_checkpoint(data, LOG.verifier_key) == HEAD


def test_a_cosignature_with_another_time_refuses_the_checkpoint() -> None:
    data = sign_checkpoint(HEAD, LOG) + cosigned(1, HEAD.text(), stated=2)
    with pytest.raises(NoteError, match="does not hold"):
        open_cosigned(data, LOG.verifier_key, [WITNESS_KEY])


def test_a_cosignature_of_another_checkpoint_refuses_this_one() -> None:
    data = sign_checkpoint(HEAD, LOG) + cosigned(1, HEAD.text().replace("\n8\n", "\n9\n"))
    with pytest.raises(NoteError, match="does not hold"):
        open_cosigned(data, LOG.verifier_key, [WITNESS_KEY])


def test_a_plain_signature_is_no_cosignature() -> None:
    blob = bytes(8) + WITNESS.sign(HEAD.text().encode())
    line = NoteSignature(WITNESS_KEY.name, WITNESS_KEY.key_id, blob).line().encode()
    with pytest.raises(NoteError, match="does not hold"):
        open_cosigned(sign_checkpoint(HEAD, LOG) + line, LOG.verifier_key, [WITNESS_KEY])


def test_a_witness_alone_does_not_make_a_checkpoint() -> None:
    data = HEAD.text().encode() + b"\n" + cosigned(1, HEAD.text())
    with pytest.raises(CheckpointError, match="has not signed"):
        open_cosigned(data, LOG.verifier_key, [WITNESS_KEY])


@pytest.mark.parametrize("blob", [b"", bytes(71), bytes(73), b"\x80" + bytes(71)])
def test_refuses_what_is_no_cosignature(blob: bytes) -> None:
    with pytest.raises(CheckpointError):
        parse_cosignature(blob)


def test_the_mark_lets_the_log_grow_and_repeat_itself() -> None:
    may_sign(None, HEAD)
    may_sign(HEAD, HEAD)
    may_sign(HEAD, Checkpoint(HEAD.origin, 9, b"t" * 32, b"c" * 32))


@pytest.mark.parametrize(
    ("following", "reason"),
    [
        (Checkpoint(HEAD.origin, 7, b"s" * 32, b"b" * 32), "restored backup"),
        (Checkpoint(HEAD.origin, 8, b"t" * 32, b"b" * 32), "another root"),
        (Checkpoint(HEAD.origin, 8, b"s" * 32, b"c" * 32), "another root"),
        (Checkpoint(HEAD.origin, 8, b"s" * 32), "another root"),
        (Checkpoint("log.example/b", 9, b"s" * 32, b"b" * 32), "high-water mark is of"),
    ],
)
def test_the_mark_refuses_a_step_back_and_a_second_root(following: Checkpoint, reason: str) -> None:
    with pytest.raises(CheckpointError, match=reason):
        may_sign(HEAD, following)


def test_the_worked_example_of_the_specification_holds() -> None:
    """docs/spec/checkpoint.md shows one checkpoint; its seeds give exactly these bytes."""
    page = (Path(__file__).parents[2] / "docs" / "spec" / "checkpoint.md").read_text("utf-8")
    blocks = [block.split("\n", 1)[1] for block in page.split("```")[1::2]]
    log_seed, witness_seed = (hashlib.sha256(name).digest() for name in (b"example log", b"example witness"))
    log = NoteSigner("example.com/ledger", Ed25519PrivateKey.from_private_bytes(log_seed))
    witness = Ed25519PrivateKey.from_private_bytes(witness_seed)
    key = VerifierKey("witness.example.com/w1", witness.public_key().public_bytes_raw(), note.COSIGNATURE_V1)
    head = Checkpoint(log.name, 8, hashlib.sha256(b"sha256 root").digest(), hashlib.sha256(b"blake3 root").digest())
    blob = (1796040000).to_bytes(8, "big") + witness.sign(cosigned_message(1796040000, head.text()))
    whole = sign_checkpoint(head, log).decode() + NoteSignature(key.name, key.key_id, blob).line()
    assert whole in blocks
    assert f"log     {log.verifier_key.text()}\nwitness {key.text()}\n" in blocks
    assert open_cosigned(whole.encode(), log.verifier_key, [key])[0] == head


@given(
    st.text().map(lambda text: text + "\n")
    | st.builds("{}\n{}\n{}\n{}".format, st.text(), st.integers(), st.binary().map(note.to_base64), st.text())
)
def test_only_checkpoint_errors_escape(text: str) -> None:
    try:
        found = Checkpoint.parse(text)
    except CheckpointError:
        return
    assert found.text() == text
