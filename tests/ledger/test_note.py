import contextlib
import doctest
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import note
from ledger.errors import NoteError
from ledger.note import NoteSignature, NoteSigner, VerifierKey, open_note, parse_note

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "published" / "c2sp_note_vectors.json").read_text("utf-8")
)
SIGNED = VECTORS["signed_note"]
KEY = VerifierKey.parse(SIGNED["vkey"])
NOTE = SIGNED["full_note"].encode()

ADA = NoteSigner("ada.example", Ed25519PrivateKey.from_private_bytes(b"a" * 32))
EVE = NoteSigner("eve.example", Ed25519PrivateKey.from_private_bytes(b"e" * 32))

PRIME = 2**255 - 19
ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"


def line(signer: NoteSigner, text: str) -> bytes:
    return signer.sign(text)[len(text.encode()) + 1 :]


def test_module_examples_hold() -> None:
    assert doctest.testmod(note).failed == 0


def test_opens_the_published_note() -> None:
    opened = open_note(NOTE, [KEY])
    assert opened.text == SIGNED["text"]
    assert [signature.line() for signature in opened.verified] == [NOTE.decode().splitlines(keepends=True)[-1]]
    assert opened.unverified == ()


def test_published_key_has_one_spelling() -> None:
    assert KEY.text() == SIGNED["vkey"]
    assert (KEY.name, KEY.key_id.hex(), KEY.algorithm) == ("example.com/foo", "530d903a", note.ED25519)


def test_published_cosignature_line_parses() -> None:
    blob = note.from_base64(VECTORS["cosignature_v1"]["blob_b64"])
    text = VECTORS["checkpoint"]["body"]
    whole = text + "\n" + NoteSignature("w.example", blob[:4], blob[4:]).line()
    assert parse_note(whole.encode())[1][0].key_id.hex() == VECTORS["cosignature_v1"]["key_id_hex"]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])).map(lambda text: text + "\n"))
def test_opens_what_it_signs(text: str) -> None:
    assert open_note(ADA.sign(text), [ADA.verifier_key]).text == text


@pytest.mark.parametrize(
    "text", ["\n", "a\n\n", "a\n\n\u2014 eve.example AAAAAAA=\n", "\n\n\n", "\ufeffa\n", "e\u0301\u2028\n"]
)
def test_the_last_empty_line_parts_text_and_signatures(text: str) -> None:
    assert open_note(ADA.sign(text), [ADA.verifier_key]).text == text


def test_every_flipped_bit_of_the_text_or_signature_is_refused() -> None:
    data = ADA.sign("a log\n")
    for at in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            with pytest.raises(NoteError):
                open_note(bytes(changed), [ADA.verifier_key])


def test_every_cut_is_refused() -> None:
    for end in range(len(NOTE)):
        with pytest.raises(NoteError):
            open_note(NOTE[:end], [KEY])


def test_unknown_keys_are_kept_apart() -> None:
    text = "a\n"
    data = ADA.sign(text) + line(EVE, text)
    opened = open_note(data, [EVE.verifier_key])
    assert [signature.name for signature in opened.verified] == ["eve.example"]
    assert [signature.name for signature in opened.unverified] == ["ada.example"]


@pytest.mark.parametrize(
    "verifiers", [[], [EVE.verifier_key], [VerifierKey("other.example", ADA.verifier_key.public_key)]]
)
def test_a_note_of_no_known_key_is_refused(verifiers: list[VerifierKey]) -> None:
    with pytest.raises(NoteError, match="no known key"):
        open_note(ADA.sign("a\n"), verifiers)


def test_a_bad_line_of_a_known_key_refuses_the_whole_note() -> None:
    bad = line(EVE, "another text\n")
    with pytest.raises(NoteError, match="does not hold"):
        open_note(ADA.sign("a\n") + bad, [ADA.verifier_key, EVE.verifier_key])


def test_a_second_line_of_one_key_counts_once() -> None:
    data = ADA.sign("a\n") + line(ADA, "a\n")
    assert len(open_note(data, [ADA.verifier_key]).verified) == 1


def test_a_second_line_of_one_key_must_hold_too() -> None:
    with pytest.raises(NoteError, match="does not hold"):
        open_note(ADA.sign("a\n") + line(ADA, "b\n"), [ADA.verifier_key])


def test_a_cosignature_key_checks_no_plain_note() -> None:
    key = VerifierKey("ada.example", ADA.verifier_key.public_key, note.COSIGNATURE_V1)
    data = ("a\n\n" + NoteSignature(key.name, key.key_id, bytes(64)).line()).encode()
    with pytest.raises(NoteError, match="cosignatures"):
        open_note(data, [key])


GOOD = "\u2014 a.example AAAAAAA=\n"


@pytest.mark.parametrize(
    "whole",
    [
        "",
        "a\n",
        "a\n" + GOOD,
        "a\n\n",
        "a\n\n" + GOOD.rstrip("\n"),
        "a\n\n" + GOOD + "x\n",
        "a\n\n" + GOOD + "\n",
        "a\n\n" + GOOD.replace("\n", "\r\n"),
        "a\tb\n\n" + GOOD,
        "a\x00\n\n" + GOOD,
        "a\r\n\r\n" + GOOD,
        "a\n\n- a.example AAAAAAA=\n",
        "a\n\n\u2014a.example AAAAAAA=\n",
        "a\n\n\u2014  AAAAAAA=\n",
        "a\n\n\u2014 a.example  AAAAAAA=\n",
        "a\n\n\u2014 a.example\n",
        "a\n\n\u2014 a.example AAAAAAA= x\n",
        "a\n\n\u2014 a+b AAAAAAA=\n",
        "a\n\n\u2014 a\u00a0b AAAAAAA=\n",
        "a\n\n\u2014 a\u2028b AAAAAAA=\n",
        "a\n\n\u2014 a.example AAAAAA==\n",
        "a\n\n\u2014 a.example AAAAAAB=\n",
        "a\n\n\u2014 a.example AAAAAAA\n",
        "a\n\n\u2014 a.example AAAA_AA=\n",
        "a\n\n\u2014 a.example \u00e9AAAAAA=\n",
    ],
)
def test_refuses_what_is_no_note(whole: str) -> None:
    with pytest.raises(NoteError):
        parse_note(whole.encode())


def test_refuses_what_is_not_utf8() -> None:
    with pytest.raises(NoteError, match="UTF-8"):
        parse_note(b"\xff\n\n" + GOOD.encode())


def test_accepts_a_hundred_signatures_and_no_more() -> None:
    assert len(parse_note(("a\n\n" + GOOD * note.MAX_SIGNATURES).encode())[1]) == note.MAX_SIGNATURES
    with pytest.raises(NoteError, match="at most"):
        parse_note(("a\n\n" + GOOD * (note.MAX_SIGNATURES + 1)).encode())


def test_refuses_a_note_beyond_the_size() -> None:
    tail = ("\n\n" + GOOD).encode()
    fits = b"a" * (note.MAX_SIZE - len(tail)) + tail
    assert len(parse_note(fits)[0]) == note.MAX_SIZE - len(tail) + 1
    with pytest.raises(NoteError, match="at most"):
        parse_note(b"a" + fits)


@pytest.mark.parametrize("text", ["", "a", "a\r\n", "a\x1f\n", "\ud800\n"])
def test_signs_no_text_that_a_note_cannot_hold(text: str) -> None:
    with pytest.raises(NoteError):
        ADA.sign(text)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u3000b", "a\nb", "\x01", "\ud800"])
def test_no_key_has_a_name_that_a_line_cannot_carry(name: str) -> None:
    with pytest.raises(NoteError):
        NoteSigner(name, ADA.private_key).sign("a\n")


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "example.com/foo",
        "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "example.com/fop+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k\n",
        "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U0=",
        "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
        "example.com/foo+530d903a+",
        "example.com/foo+530d903a+AQ==",
        "example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
    ],
)
def test_refuses_what_is_no_vkey(vkey: str) -> None:
    with pytest.raises(NoteError):
        VerifierKey.parse(vkey)


def test_names_the_types_that_are_accepted() -> None:
    with pytest.raises(NoteError, match="0x05 is not accepted; 0x01, 0x04 and 0x06 are"):
        VerifierKey("w.example", KEY.public_key, 0x05)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="+"), min_size=1))
def test_a_vkey_reads_back(name: str) -> None:
    key = VerifierKey(name, KEY.public_key, note.COSIGNATURE_V1)
    assert VerifierKey.parse(key.text()) == key


@pytest.mark.parametrize("y", [0, 1, PRIME - 1, PRIME, PRIME + 1, 2**255 - 1])
@pytest.mark.parametrize("sign", [0, 2**255])
def test_no_key_is_a_point_under_which_anybody_can_sign(y: int, sign: int) -> None:
    with pytest.raises(NoteError, match="no safe point"):
        VerifierKey("a.example", (y + sign).to_bytes(32, "little"))


def test_the_points_of_order_eight_are_refused() -> None:
    """Doubled, such a point has order 4 and so y = 0, which the curve's equations turn into one for y alone."""
    y = int.from_bytes(bytes.fromhex(ORDER_8), "little")
    d = -121665 * pow(121666, -1, PRIME) % PRIME
    # The curve is -x^2 + y^2 = 1 + d x^2 y^2; the y of 2P is (y^2 + x^2) / (1 - d x^2 y^2): 0 where x^2 = -y^2.
    assert (2 * y * y - 1 + d * y**4) % PRIME == 0
    for root in (y, PRIME - y):
        with pytest.raises(NoteError, match="no safe point"):
            note.ed25519_key(root.to_bytes(32, "little"))


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_key_has_32_bytes(size: int) -> None:
    with pytest.raises(NoteError, match="32 bytes"):
        VerifierKey("a.example", b"k" * size)


def test_a_signer_does_not_print_its_private_key() -> None:
    assert "Ed25519PrivateKey" not in repr(ADA)


@given(st.binary(max_size=300) | st.text(max_size=80).map(lambda text: (text + "\n\n" + GOOD).encode(errors="replace")))
def test_only_note_errors_escape_from_notes(data: bytes) -> None:
    try:
        open_note(data, [KEY])
    except NoteError:
        return
    pytest.fail("a note of nobody was opened")


@given(st.text() | st.builds("{}+{}+{}".format, st.text(), st.just("00000000"), st.binary().map(note.to_base64)))
def test_only_note_errors_escape_from_vkeys(text: str) -> None:
    with contextlib.suppress(NoteError):
        assert VerifierKey.parse(text).text() == text
