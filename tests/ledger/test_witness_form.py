"""The messages between a log and a witness, in their one spelling."""

import contextlib
import doctest

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import witness
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.cosignature import MAX_NUMBER, CosignatureSigner
from ledger.errors import NoteError, WitnessFormError
from ledger.note import NoteSigner, parse_note, to_base64
from ledger.witness import (
    MAX_PROOF,
    MAX_REQUEST,
    AddCheckpoint,
    origin_hash,
    parse_lines,
    parse_size,
    spell_size,
    with_lines,
)

LOG = NoteSigner("log.example/a", Ed25519PrivateKey.from_private_bytes(b"l" * 32))
HEAD = Checkpoint(LOG.name, 8, b"s" * 32, b"b" * 32)
NOTE = sign_checkpoint(HEAD, LOG)
LINES = [
    CosignatureSigner(name, Ed25519PrivateKey.from_private_bytes(name.encode()[:1] * 32)).cosign(HEAD.text(), 1)
    for name in ("w.example", "x.example")
]
HASH = to_base64(bytes(32)).encode()


def test_module_examples_hold() -> None:
    assert doctest.testmod(witness).failed == 0


@given(st.integers(0, MAX_NUMBER), st.lists(st.binary(min_size=32, max_size=32), max_size=MAX_PROOF), st.binary())
def test_a_request_reads_back(old: int, proof: list[bytes], note: bytes) -> None:
    request = AddCheckpoint(old, tuple(proof), note)
    assert AddCheckpoint.parse(request.to_bytes()) == request


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"old 1\n",
        b"old 1\n" + NOTE.replace(b"\n\n", b"\n"),
        b"\n\n" + NOTE,
        b"old\n\n" + NOTE,
        b"old \n\n" + NOTE,
        b"old 01\n\n" + NOTE,
        b"old +1\n\n" + NOTE,
        b"old -1\n\n" + NOTE,
        b"old 1 \n\n" + NOTE,
        b"old  1\n\n" + NOTE,
        b"OLD 1\n\n" + NOTE,
        b"old 1\r\n\r\n" + NOTE,
        b"old %d\n\n" % 2**63 + NOTE,
        b"old \xd9\xa1\n\n" + NOTE,
        b"old 1\nAAAA\n\n" + NOTE,
        b"old 1\n" + HASH[:-1] + b"\n\n" + NOTE,
        b"old 1\n" + HASH.replace(b"AA=", b"AB=") + b"\n\n" + NOTE,
        b"old 1\n" + HASH + b" \n\n" + NOTE,
        b"old 1\n" + (HASH + b"\n") * (MAX_PROOF + 1) + b"\n" + NOTE,
        b"old 1\n\n" + b"a" * MAX_REQUEST,
    ],
)
def test_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(WitnessFormError):
        AddCheckpoint.parse(data)


@given(st.binary() | st.binary().map(lambda tail: b"old 1\n" + HASH + b"\n\n" + tail))
def test_only_form_errors_escape(data: bytes) -> None:
    for parse in (AddCheckpoint.parse, parse_size, parse_lines):
        with contextlib.suppress(WitnessFormError):
            parse(data)


@pytest.mark.parametrize("size", [0, 1, 50, MAX_NUMBER])
def test_a_size_reads_back(size: int) -> None:
    assert parse_size(spell_size(size)) == size


@pytest.mark.parametrize(
    "data", [b"", b"50", b"050\n", b"50\n\n", b" 50\n", b"-1\n", b"\n", b"\xd9\xa5\n", b"%d\n" % 2**63]
)
def test_what_is_no_size_is_refused(data: bytes) -> None:
    with pytest.raises(WitnessFormError):
        parse_size(data)


def test_the_lines_of_an_answer_are_read() -> None:
    assert [line.line() for line in parse_lines("".join(LINES).encode())] == LINES


@pytest.mark.parametrize("data", [b"", b"\n", b"hello\n", LINES[0].encode()[:-1], b"x\n\n" + LINES[0].encode() * 200])
def test_what_is_no_line_is_refused(data: bytes) -> None:
    with pytest.raises(WitnessFormError):
        parse_lines(data)


def test_lines_are_added_once_and_never_too_many() -> None:
    twice = with_lines(with_lines(NOTE, LINES), [*LINES, LINES[0]])
    assert twice == NOTE + "".join(LINES).encode()
    many = [LINES[0].replace("w.example", f"w{number}.example") for number in range(200)]
    assert len(parse_note(with_lines(NOTE, many))[1]) == 100
    with pytest.raises(NoteError):
        with_lines(b"no note", LINES)


def test_a_log_is_named_by_the_hash_of_its_origin() -> None:
    """The value is SHA-256 of the text, as `sha256sum` gives it."""
    assert origin_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
