r"""Checkpoints: what the log commits to at one size, as a signed note that every C2SP tool can read.

The text, each line ended by a newline::

    <origin>
    <size, in decimal>
    <base64 of the RFC 6962 SHA-256 root>
    blake3-mmr <base64 of the BLAKE3 root>

Extension lines are ``<name> <base64>``, sorted by name, each name once; unknown ones are kept. Key name = origin.
What a witness adds is in `ledger.cosignature`.

>>> print(Checkpoint("example.com/log", 0, bytes(32), b"\xff" * 32).text(), end="")
example.com/log
0
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
blake3-mmr //////////////////////////////////////////8=

Source: C2SP tlog-checkpoint; DESIGN section 9.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.cosignature import MAX_NUMBER, NUMBER, Cosignature, Cosigner, parse_cosignature
from ledger.errors import CheckpointError, NoteError
from ledger.note import ED25519, NoteSigner, VerifierKey, check_text, from_base64, open_note, to_base64

BLAKE3_EXTENSION = "blake3-mmr"

_ROOT_SIZE = 32
_HEAD_LINES = 3
_NAME = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: its origin, its size, and its roots at this size.

    Attributes:
        origin: which log; also the name of the key that signs.
        size: how many events.
        sha256_root: the RFC 6962 root.
        blake3_root: the root of the log's own tree; None only in a checkpoint of another kind of log.
        extensions: the other extension lines, name and base64 text, sorted by name.

    Raises:
        CheckpointError: a value that has no place in a checkpoint.
    """

    origin: str
    size: int
    sha256_root: bytes
    blake3_root: bytes | None = None
    extensions: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.origin or "\n" in self.origin:
            raise CheckpointError("the origin of a checkpoint is one line that is not empty")
        _check_text(self.origin + "\n")
        if not 0 <= self.size <= MAX_NUMBER:
            raise CheckpointError("the size of a checkpoint lies outside 0 to 2^63 - 1")
        for root in (self.sha256_root, self.blake3_root):
            if root is not None and len(root) != _ROOT_SIZE:
                raise CheckpointError(f"a root has {_ROOT_SIZE} bytes, not {len(root)}")
        names = [name for name, _ in self.extensions]
        if names != sorted(set(names)) or BLAKE3_EXTENSION in names:
            raise CheckpointError("extension lines are sorted by name, and each name stands once")
        for name, value in self.extensions:
            if not _NAME.fullmatch(name):
                raise CheckpointError(f"not the name of an extension line: {name[:80]!r}")
            _from_base64(value)

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Read the text of a checkpoint, in its one spelling.

        Raises:
            CheckpointError: not a checkpoint.
        """
        _check_text(text)
        lines = text[:-1].split("\n")
        if len(lines) < _HEAD_LINES:
            raise CheckpointError("a checkpoint has at least three lines: origin, size and root")
        if not NUMBER.fullmatch(lines[1]):
            raise CheckpointError(f"not the size of a checkpoint: {lines[1][:40]!r}")
        extensions = [_extension(line) for line in lines[_HEAD_LINES:]]
        own = [value for name, value in extensions if name == BLAKE3_EXTENSION]
        checkpoint = cls(
            origin=lines[0],
            size=int(lines[1]),
            sha256_root=_from_base64(lines[2]),
            blake3_root=_from_base64(own[0]) if own else None,
            extensions=tuple(item for item in extensions if item[0] != BLAKE3_EXTENSION),
        )
        if checkpoint.text() != text:
            raise CheckpointError("extension lines are sorted by name, and each name stands once")
        return checkpoint

    def text(self) -> str:
        """Spell the text that is signed."""
        extensions = dict(self.extensions)
        if self.blake3_root is not None:
            extensions[BLAKE3_EXTENSION] = to_base64(self.blake3_root)
        head = f"{self.origin}\n{self.size}\n{to_base64(self.sha256_root)}\n"
        return head + "".join(f"{name} {extensions[name]}\n" for name in sorted(extensions))


def sign_checkpoint(checkpoint: Checkpoint, signer: NoteSigner, *before: NoteSigner) -> bytes:
    """Give the signed note. Whoever calls has asked `may_sign` and moved the high-water mark first.

    Args:
        checkpoint: what is signed.
        signer: the key in force.
        before: the keys that it has replaced since the last checkpoint; they sign this one too.

    Raises:
        CheckpointError: a key's name is not the origin.
    """
    for one in (signer, *before):
        if checkpoint.origin != one.name:
            raise CheckpointError(f"the key of {one.name} can't sign for {checkpoint.origin}")
    text = checkpoint.text()
    return signer.sign(text) + "".join(one.line(text) for one in before).encode()


def open_checkpoint(data: bytes, key: VerifierKey) -> Checkpoint:
    """Open the checkpoint that the log's key has signed.

    Raises:
        NoteError: malformed, or not signed by the key.
        CheckpointError: signed, but no checkpoint of this log.
    """
    return open_cosigned(data, key, ())[0]


def open_cosigned(
    data: bytes, key: VerifierKey, witnesses: Sequence[VerifierKey]
) -> tuple[Checkpoint, tuple[Cosignature, ...]]:
    """Open the checkpoint that the log's key has signed, and tell which of the witnesses have cosigned it.

    Raises:
        NoteError: malformed, not signed by the log, or a line of a known key does not hold.
        CheckpointError: signed, but no checkpoint of this log.
    """
    if key.algorithm != ED25519:
        raise CheckpointError(f"the key of {key.name} is no log's: its type is not 0x01")
    cosigners = {(witness.name, witness.key_id): witness for witness in witnesses}
    note = open_note(data, [key, *map(Cosigner, witnesses)])
    if not any((line.name, line.key_id) == (key.name, key.key_id) for line in note.verified):
        raise CheckpointError(f"the key of {key.name} has not signed this checkpoint")
    checkpoint = Checkpoint.parse(note.text)
    if checkpoint.origin != key.name:
        raise CheckpointError(f"the key of {key.name} has signed for another origin: {checkpoint.origin[:80]!r}")
    return checkpoint, tuple(
        Cosignature(witness, parse_cosignature(line.signature)[0])
        for line in note.verified
        if (witness := cosigners.get((line.name, line.key_id)))
    )


def require_blake3(checkpoint: Checkpoint) -> bytes:
    """Give the root of the log's own tree, which every checkpoint of ours carries.

    Raises:
        CheckpointError: the checkpoint has none.
    """
    if checkpoint.blake3_root is None:
        raise CheckpointError(f"the checkpoint of {checkpoint.origin} carries no {BLAKE3_EXTENSION} line")
    return checkpoint.blake3_root


def may_sign(mark: Checkpoint | None, following: Checkpoint) -> None:
    """Refuse to sign what would give one size two roots, or step back: the rule of the high-water mark.

    Args:
        mark: the checkpoint signed last, from beside the key; None before the first.
        following: the checkpoint about to be signed.

    Raises:
        CheckpointError: it must not be signed.
    """
    if mark is None:
        return
    if following.origin != mark.origin:
        raise CheckpointError(f"the high-water mark is of {mark.origin}, not of {following.origin}")
    if following.size < mark.size:
        raise CheckpointError(
            f"size {mark.size} is signed already and the log has {following.size}: a restored backup can't continue "
            "its origin"
        )
    roots = (following.sha256_root, following.blake3_root)
    if following.size == mark.size and roots != (mark.sha256_root, mark.blake3_root):
        raise CheckpointError(f"another root is signed already for size {mark.size}")


def _extension(line: str) -> tuple[str, str]:
    name, space, value = line.partition(" ")
    if not space:
        raise CheckpointError(f"not an extension line of the form name, space, base64: {line[:80]!r}")
    return name, value


def _check_text(text: str) -> None:
    try:
        check_text(text)
    except NoteError as error:
        raise CheckpointError(f"not the text of a checkpoint: {error}") from error


def _from_base64(text: str) -> bytes:
    try:
        return from_base64(text)
    except NoteError as error:
        raise CheckpointError(f"in a checkpoint: {error}") from error
