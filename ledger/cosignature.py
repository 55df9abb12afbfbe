r"""Cosignatures: what a witness says of a checkpoint, dated by its own clock, as one more signature line of the note.

After the key id a line holds ``be64(time) || signature``. There are two kinds of key::

    0x04  Ed25519    over  cosignature/v1\ntime <time>\n<the text of the checkpoint>
    0x06  ML-DSA-44  over  "subtree/v1\n\0" || len(name) || name || be64(time) || len(origin) || origin
                           || be64(0) || be64(size) || root            (len is one byte)

Both speak for origin, size and RFC 6962 root, and for nothing else of the checkpoint: neither the other extension lines
nor the root of the log's own tree is vouched for.

>>> cosigned_message(7, "example.com/log\n0\nAA==\n")
b'cosignature/v1\ntime 7\nexample.com/log\n0\nAA==\n'

Source: C2SP tlog-cosignature; DESIGN section 9.
"""

import re
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

from ledger.errors import CheckpointError, NoteError
from ledger.note import (
    COSIGNATURE_V1,
    ML_DSA_44,
    SIGNATURE_SIZE,
    NoteSignature,
    VerifierKey,
    check_ed25519,
    check_text,
    from_base64,
    ml_dsa_key,
)

MAX_NUMBER = 2**63 - 1
"""The most that a size or a time may be."""

COSIGNING = frozenset({COSIGNATURE_V1, ML_DSA_44})
"""The types of key that cosign."""

NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")

_ROOT_SIZE = 32
_HEAD_LINES = 3
_TIME_SIZE = 8
_ML_DSA_SIGNATURE_SIZE = 2420
_SUBTREE = b"subtree/v1\n\0"
_MAX_NAME = 255

CosigningKey: TypeAlias = Ed25519PrivateKey | MLDSA44PrivateKey


@dataclass(frozen=True, slots=True)
class TreeHead:
    """What a witness speaks of: the first three lines of any C2SP checkpoint.

    Attributes:
        origin: which log.
        size: its leaves.
        root: the RFC 6962 root.
    """

    origin: str
    size: int
    root: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text of a checkpoint of any log; what its extension lines hold is the log's own matter.

        Raises:
            CheckpointError: not a checkpoint.
        """
        try:
            check_text(text)
            origin, number, root, *extensions = text[:-1].split("\n")
            value = from_base64(root)
        except NoteError as error:
            raise CheckpointError(f"not the text of a checkpoint: {error}") from error
        except ValueError as error:
            raise CheckpointError("a checkpoint has at least three lines: origin, size and root") from error
        if not origin or not all(extensions):
            raise CheckpointError("no line of a checkpoint is empty")
        if not NUMBER.fullmatch(number) or int(number) > MAX_NUMBER:
            raise CheckpointError(f"not the size of a checkpoint: {number[:40]!r}")
        if len(value) != _ROOT_SIZE:
            raise CheckpointError(f"a root has {_ROOT_SIZE} bytes, not {len(value)}")
        return cls(origin, int(number), value)


@dataclass(frozen=True, slots=True)
class Cosigner:
    """A witness's key, as a verifier of the lines that it adds to checkpoints.

    Raises:
        CheckpointError: the key is of a type that does not cosign.
    """

    key: VerifierKey

    def __post_init__(self) -> None:
        if self.key.algorithm not in COSIGNING:
            raise CheckpointError(f"the key of {self.key.name} is no witness's: its type is neither 0x04 nor 0x06")

    @property
    def name(self) -> str:
        """Give the witness's key name."""
        return self.key.name

    @property
    def key_id(self) -> bytes:
        """Give the witness's key id."""
        return self.key.key_id

    def check(self, text: str, signature: bytes) -> None:
        """Check a cosignature over a checkpoint's text.

        Raises:
            NoteError: malformed, or it does not hold.
        """
        time, raw = parse_cosignature(signature)
        if self.key.algorithm == COSIGNATURE_V1:
            check_ed25519(self.key.public_key, raw, cosigned_message(time, text))
            return
        try:
            ml_dsa_key(self.key.public_key).verify(raw, subtree_message(self.key.name, time, TreeHead.parse(text)))
        except InvalidSignature as error:
            raise NoteError("the signature does not hold") from error


@dataclass(frozen=True, slots=True)
class Cosignature:
    """What a witness has said, and the POSIX second at which, by its own clock, it said it."""

    key: VerifierKey
    time: int


@dataclass(frozen=True, slots=True)
class CosignatureSigner:
    """A witness's private key with the name under which it cosigns."""

    name: str
    private_key: CosigningKey = field(repr=False)

    @property
    def verifier_key(self) -> VerifierKey:
        """Give the public half."""
        algorithm = COSIGNATURE_V1 if isinstance(self.private_key, Ed25519PrivateKey) else ML_DSA_44
        return VerifierKey(self.name, self.private_key.public_key().public_bytes_raw(), algorithm)

    def cosign(self, text: str, time: int) -> str:
        """Give the signature line over a checkpoint's text. Whoever calls has made sure that it may be said.

        Args:
            text: the checkpoint's.
            time: POSIX seconds.

        Raises:
            CheckpointError: not a checkpoint, or no time.
        """
        head = TreeHead.parse(text)
        if not 0 < time <= MAX_NUMBER:
            raise CheckpointError("the time of a cosignature lies outside 1 to 2^63 - 1")
        if isinstance(self.private_key, Ed25519PrivateKey):
            raw = self.private_key.sign(cosigned_message(time, text))
        else:
            raw = self.private_key.sign(subtree_message(self.name, time, head))
        return NoteSignature(self.name, self.verifier_key.key_id, time.to_bytes(_TIME_SIZE, "big") + raw).line()


def cosigned_message(time: int, text: str) -> bytes:
    """Give the bytes that a witness's Ed25519 key signs over a checkpoint's text."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def subtree_message(name: str, time: int, head: TreeHead) -> bytes:
    """Give the bytes that a witness's ML-DSA-44 key signs: the whole tree as the subtree from 0.

    Raises:
        CheckpointError: a name has more than 255 bytes.
    """
    sizes = (b"\0" * _TIME_SIZE) + head.size.to_bytes(_TIME_SIZE, "big")
    stamped = _framed(name) + time.to_bytes(_TIME_SIZE, "big")
    return _SUBTREE + stamped + _framed(head.origin) + sizes + head.root


def witness_id(one: VerifierKey | NoteSignature) -> str:
    """Name a witness's key as a log keeps it beside its lines: ``<name>+<key id>``, the first two parts of its vkey."""
    return f"{one.name}+{one.key_id.hex()}"


def parse_cosignature(blob: bytes) -> tuple[int, bytes]:
    """Split what follows the key id in a witness's line into the POSIX time and the signature.

    Raises:
        CheckpointError: another length, or a time beyond 2^63 - 1.
    """
    sizes = [_TIME_SIZE + size for size in (SIGNATURE_SIZE, _ML_DSA_SIGNATURE_SIZE)]
    if len(blob) not in sizes:
        raise CheckpointError(f"a cosignature has {sizes[0]} bytes, or {sizes[1]} under ML-DSA-44, not {len(blob)}")
    time = int.from_bytes(blob[:_TIME_SIZE], "big")
    if time > MAX_NUMBER:
        raise CheckpointError("the time of a cosignature lies beyond 2^63 - 1")
    return time, blob[_TIME_SIZE:]


def _framed(name: str) -> bytes:
    data = name.encode()
    if not 0 < len(data) <= _MAX_NAME:
        raise CheckpointError(f"a name under ML-DSA-44 has 1 to {_MAX_NAME} bytes, not {len(data)}")
    return bytes([len(data)]) + data
