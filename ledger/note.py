r"""Signed notes: text that one or more keys have signed, readable as it is.

The bytes of a note, UTF-8, without control characters but newline::

    <text, which ends in a newline>
    <an empty line>
    — <key name> <base64(key id || signature)>
    ... more signature lines, each ended by a newline

The last empty line parts text and signatures. A key is written as its vkey, and its id follows from it::

    vkey   = <name>+<key id in 8 hex digits>+<base64(type || public key)>
    key id = first 4 bytes of SHA-256(name || 0x0A || type || public key)

Type 0x01 is Ed25519 over the text; 0x04 and 0x06 are a witness's, which `ledger.cosignature` checks.

>>> key = VerifierKey.parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
>>> line = "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
>>> open_note(f"This is an example message.\n\n\u2014 example.com/foo {line}\n".encode(), [key]).text
'This is an example message.\n'

Source: C2SP signed-note; DESIGN section 9.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

from ledger.errors import NoteError

ED25519 = 0x01
COSIGNATURE_V1 = 0x04
ML_DSA_44 = 0x06

MAX_SIZE = 2**18
MAX_SIGNATURES = 100

KEY_ID_SIZE = 4
PUBLIC_KEY_SIZE = 32
ML_DSA_KEY_SIZE = 1312
SIGNATURE_SIZE = 64

_DASH = "\u2014 "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_VKEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)")

# Both spellings of a small-order point share y: whoever holds such a key has signed everything and nothing.
_PRIME = 2**255 - 19
_ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL_ORDER_Y = frozenset({0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8})


class Verifier(Protocol):
    """Who can check one key's signature lines."""

    @property
    def name(self) -> str:
        """Give the key name that the lines carry."""

    @property
    def key_id(self) -> bytes:
        """Give the key id that the lines carry."""

    def check(self, text: str, signature: bytes) -> None:
        """Raise NoteError unless these are the key's signature bytes over the text."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with its name: what a vkey says.

    Raises:
        NoteError: a name that no line can carry, an unknown type, a public key that is none.
    """

    name: str
    public_key: bytes
    algorithm: int = ED25519

    def __post_init__(self) -> None:
        check_name(self.name)
        if self.algorithm not in {ED25519, COSIGNATURE_V1, ML_DSA_44}:
            raise NoteError(f"signature type 0x{self.algorithm:02x} is not accepted; 0x01, 0x04 and 0x06 are")
        if self.algorithm == ML_DSA_44:
            ml_dsa_key(self.public_key)
        else:
            ed25519_key(self.public_key)

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """Read a vkey, in its one spelling.

        Raises:
            NoteError: not a vkey, or its key id does not follow from it.
        """
        match = _VKEY.fullmatch(text)
        if match is None:
            raise NoteError(f"not a vkey of the form name+keyid+base64: {text[:80]!r}")
        material = from_base64(match[3])
        key = cls(match[1], material[1:], material[0])
        if key.key_id.hex() != match[2]:
            raise NoteError(f"the vkey's id is {match[2]}, and {key.key_id.hex()} follows from its name and key")
        return key

    @property
    def key_id(self) -> bytes:
        """Give the four bytes that name the key in a signature line."""
        return hashlib.sha256(self.name.encode() + b"\n" + self._material()).digest()[:KEY_ID_SIZE]

    def text(self) -> str:
        """Spell the vkey."""
        return f"{self.name}+{self.key_id.hex()}+{to_base64(self._material())}"

    def check(self, text: str, signature: bytes) -> None:
        """Check an Ed25519 signature over the text.

        Raises:
            NoteError: it does not hold, or the key signs cosignatures only.
        """
        if self.algorithm != ED25519:
            raise NoteError(f"the key of {self.name} signs cosignatures, not notes")
        check_ed25519(self.public_key, signature, text.encode())

    def _material(self) -> bytes:
        return bytes([self.algorithm]) + self.public_key


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: who signed, and the bytes after the key id."""

    name: str
    key_id: bytes
    signature: bytes

    def line(self) -> str:
        """Spell the line, with its newline."""
        return f"{_DASH}{self.name} {to_base64(self.key_id + self.signature)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A note that was opened: the text, the lines that were checked, and those of unknown keys."""

    text: str
    verified: tuple[NoteSignature, ...]
    unverified: tuple[NoteSignature, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteSigner:
    """An Ed25519 private key with the name under which it signs."""

    name: str
    private_key: Ed25519PrivateKey = field(repr=False)

    @property
    def verifier_key(self) -> VerifierKey:
        """Give the public half."""
        return VerifierKey(self.name, self.private_key.public_key().public_bytes_raw())

    def sign(self, text: str) -> bytes:
        """Give the note that holds the text and this key's signature.

        Raises:
            NoteError: the text can't be the text of a note.
        """
        check_text(text)
        return f"{text}\n{self.line(text)}".encode()

    def line(self, text: str) -> str:
        """Give this key's signature line over a text: a note may hold several."""
        return NoteSignature(self.name, self.verifier_key.key_id, self.private_key.sign(text.encode())).line()


def parse_note(data: bytes) -> tuple[str, tuple[NoteSignature, ...]]:
    """Split a note into its text and its signature lines. Nothing is verified: use `open_note`.

    Raises:
        NoteError: not the bytes of a note.
    """
    if len(data) > MAX_SIZE:
        raise NoteError(f"a note has at most {MAX_SIZE} bytes")
    try:
        whole = data.decode()
    except UnicodeDecodeError as error:
        raise NoteError("a note is UTF-8") from error
    text, empty_line, lines = whole.rpartition("\n\n")
    if not empty_line or not lines.endswith("\n"):
        raise NoteError("a note is a text, an empty line and signature lines, each ended by a newline")
    check_text(text + "\n")
    signatures = lines[:-1].split("\n")
    if len(signatures) > MAX_SIGNATURES:
        raise NoteError(f"a note has at most {MAX_SIGNATURES} signatures")
    return text + "\n", tuple(_parse_line(line) for line in signatures)


def open_note(data: bytes, verifiers: Sequence[Verifier]) -> Note:
    """Open a note that at least one of the keys has signed.

    Every line of a known key is checked, and one that does not hold refuses the note; a second line of the same key
    adds nothing. Lines of unknown keys are kept apart.

    Raises:
        NoteError: malformed, a known key's signature does not hold, or no known key has signed.
    """
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    text, signatures = parse_note(data)
    verified: dict[tuple[str, bytes], NoteSignature] = {}
    unverified = []
    for signature in signatures:
        verifier = known.get((signature.name, signature.key_id))
        if verifier is None:
            unverified.append(signature)
        else:
            verifier.check(text, signature.signature)
            verified.setdefault((signature.name, signature.key_id), signature)
    if not verified:
        raise NoteError("no known key has signed this note")
    return Note(text, tuple(verified.values()), tuple(unverified))


def check_text(text: str) -> None:
    """Check that the text can stand in a note.

    Raises:
        NoteError: no newline at the end, a control character, or no UTF-8 form.
    """
    if not text.endswith("\n"):
        raise NoteError("the text of a note ends in a newline")
    if _CONTROL.search(text):
        raise NoteError("a note holds no control character but newline")
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise NoteError("a note is UTF-8: it holds no lone surrogate")


def check_name(name: str) -> None:
    """Check that a signature line can carry the key name.

    Raises:
        NoteError: empty, or holds a space, a plus or a control character.
    """
    if not name or "+" in name or any(character.isspace() for character in name):
        raise NoteError(f"a key name is not empty and holds neither space nor plus: {name[:80]!r}")
    check_text(name + "\n")


def ed25519_key(raw: bytes) -> Ed25519PublicKey:
    """Load a public key, unless it is one under which anybody can sign.

    Raises:
        NoteError: not 32 bytes, another spelling of a point, or a point of small order.
    """
    if len(raw) != PUBLIC_KEY_SIZE:
        raise NoteError(f"an Ed25519 public key has {PUBLIC_KEY_SIZE} bytes, not {len(raw)}")
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= _PRIME or y in _SMALL_ORDER_Y:
        raise NoteError("the Ed25519 public key is no safe point")
    return Ed25519PublicKey.from_public_bytes(raw)


def ml_dsa_key(raw: bytes) -> MLDSA44PublicKey:
    """Load an ML-DSA-44 public key (FIPS 204).

    Raises:
        NoteError: not 1312 bytes, or the cryptographic library does not know the algorithm.
    """
    if len(raw) != ML_DSA_KEY_SIZE:
        raise NoteError(f"an ML-DSA-44 public key has {ML_DSA_KEY_SIZE} bytes, not {len(raw)}")
    try:
        return MLDSA44PublicKey.from_public_bytes(raw)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise NoteError(f"the ML-DSA-44 public key can't be used: {error}") from error


def check_ed25519(public_key: bytes, signature: bytes, message: bytes) -> None:
    """Check one Ed25519 signature.

    Raises:
        NoteError: it does not hold.
    """
    try:
        ed25519_key(public_key).verify(signature, message)
    except InvalidSignature as error:
        raise NoteError("the signature does not hold") from error


def to_base64(data: bytes) -> str:
    """Spell bytes as standard base64 with padding."""
    return base64.b64encode(data).decode("ascii")


def from_base64(text: str) -> bytes:
    """Read standard base64 with padding, in its one spelling.

    Raises:
        NoteError: another alphabet, missing padding, spare bits that are not zero, or nothing at all.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise NoteError(f"not base64: {text[:80]!r}") from error
    if not data or to_base64(data) != text:
        raise NoteError(f"not base64 in its one spelling: {text[:80]!r}")
    return data


def _parse_line(line: str) -> NoteSignature:
    fields = line.removeprefix(_DASH).split(" ")
    if not line.startswith(_DASH) or len(fields) != 2:  # noqa: PLR2004  (name and signature)
        raise NoteError(f"not a signature line: {line[:80]!r}")
    name, encoded = fields
    check_name(name)
    blob = from_base64(encoded)
    if len(blob) <= KEY_ID_SIZE:
        raise NoteError(f"the signature line of {name} holds no signature")
    return NoteSignature(name, blob[:KEY_ID_SIZE], blob[KEY_ID_SIZE:])
