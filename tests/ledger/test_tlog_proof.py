"""The C2SP tlog-proof: one spelling, and whatever else is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import ProofError
from ledger.note import to_base64
from ledger.tlog_proof import TlogProof

NOTE = "example.com/log\n3\n" + "A" * 43 + "=\n\n\u2014 example.com/log AAAAAAA=\n"
PATH = (bytes(range(32)), b"\xff" * 32)
SPELLED = (
    "c2sp.org/tlog-proof@v1\nextra aGVsbG8=\nindex 2\n"
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n//////////////////////////////////////////8=\n\n" + NOTE
).encode()  # fmt: skip

hashes = st.binary(min_size=32, max_size=32)


def test_spells_the_example():
    assert TlogProof(2, PATH, NOTE.encode(), b"hello").to_bytes() == SPELLED


def test_reads_the_example():
    assert TlogProof.parse(SPELLED) == TlogProof(2, PATH, NOTE.encode(), b"hello")


def test_reads_the_form_of_the_specification_without_extra_data():
    proof = TlogProof.parse(SPELLED.replace(b"extra aGVsbG8=\n", b""))
    assert proof.extra is None
    assert proof.path == PATH


@given(st.integers(0, 2**53 - 1), st.lists(hashes, max_size=64).map(tuple), st.none() | st.binary(min_size=1))
def test_reads_what_it_spells(index, path, extra):
    proof = TlogProof(index, path, NOTE.encode(), extra)
    assert TlogProof.parse(proof.to_bytes()) == proof


@given(
    st.binary()
    | st.builds(
        lambda at, byte: SPELLED[:at] + bytes([byte]) + SPELLED[at + 1 :], st.integers(0, 180), st.integers(0, 255)
    )
)
def test_what_is_read_is_spelled_again_bit_by_bit(data):
    try:
        proof = TlogProof.parse(data)
    except ProofError:
        return
    assert proof.to_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        SPELLED.replace(b"@v1", b"@v2"),
        SPELLED.replace(b"index 2", b"index 02"),
        SPELLED.replace(b"index 2", b"index -2"),
        SPELLED.replace(b"index 2\n", b""),
        SPELLED.replace(b"index 2\n", b"index 2\nindex 2\n"),
        SPELLED.replace(b"index 2\n", b"index 2\r\n"),
        SPELLED.replace(b"\nextra aGVsbG8=", b"\nextra aGVsbG8"),
        SPELLED.replace(b"\nextra aGVsbG8=", b"\nextra "),
        SPELLED.replace(b"//8=", b"//9="),
        SPELLED.replace(b"index 2\n", f"index 2\n{to_base64(b'x' * 31)}\n".encode()),
        SPELLED.replace(b"index 2\n", b"index 2\n" + 300 * (to_base64(b"x" * 32) + "\n").encode()),
        SPELLED.partition(b"\n\n")[0],
        SPELLED.replace(b"index", "índex".encode()),
    ],
)  # fmt: skip
def test_another_spelling_is_refused(data):
    with pytest.raises(ProofError):
        TlogProof.parse(data)
