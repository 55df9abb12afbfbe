r"""The messages between a log and a witness: C2SP tlog-witness, ``add-checkpoint``.

The body of a request, each line ended by a newline::

    old <size that the witness cosigned last>
    <base64 of a hash>                           0 to 63 lines: the RFC 6962 consistency proof
    <empty line>
    <the checkpoint: a signed note>

>>> AddCheckpoint(0, (), b"o\n1\n...\n").to_bytes()
b'old 0\n\no\n1\n...\n'

Source: C2SP tlog-witness; docs/spec/witness.md.
"""

import hashlib
from dataclasses import dataclass
from typing import Self

from ledger.cosignature import MAX_NUMBER, NUMBER
from ledger.errors import NoteError, WitnessFormError
from ledger.note import MAX_SIGNATURES, NoteSignature, from_base64, parse_note, to_base64

MAX_REQUEST = 2**16
MAX_PROOF = 63
SIZE_TYPE = "text/x.tlog.size"
"""The content type of an answer that tells which size the witness cosigned last."""

_HASH_SIZE = 32


@dataclass(frozen=True, slots=True)
class AddCheckpoint:
    """What a log asks of a witness.

    Attributes:
        old_size: the size that the witness cosigned last, as the log has it.
        proof: the RFC 6962 consistency proof from it to the checkpoint.
        note: the signed checkpoint.
    """

    old_size: int
    proof: tuple[bytes, ...]
    note: bytes

    def to_bytes(self) -> bytes:
        """Spell the body of the request."""
        lines = [f"old {self.old_size}", *map(to_base64, self.proof), ""]
        return "".join(f"{line}\n" for line in lines).encode() + self.note

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read the body of a request, in its one spelling; the note in it is not opened.

        Raises:
            WitnessFormError: not of this form.
        """
        if len(data) > MAX_REQUEST:
            raise WitnessFormError(f"a request has at most {MAX_REQUEST} bytes")
        head, empty_line, note = data.partition(b"\n\n")
        if not empty_line:
            raise WitnessFormError("no empty line parts the proof from the checkpoint")
        try:
            first, *lines = head.decode("ascii").split("\n")
        except UnicodeDecodeError as error:
            raise WitnessFormError("the lines before the checkpoint are ASCII") from error
        if not first.startswith("old "):
            raise WitnessFormError("the first line is 'old' and a size")
        if len(lines) > MAX_PROOF:
            raise WitnessFormError(f"a proof has at most {MAX_PROOF} lines")
        return cls(_number(first.removeprefix("old ")), tuple(map(_hash, lines)), note)


def parse_size(data: bytes) -> int:
    """Read the size that a witness's answer 409 tells.

    Raises:
        WitnessFormError: not a number and a newline.
    """
    if not data.endswith(b"\n") or not data.isascii():
        raise WitnessFormError("not a size and a newline")
    return _number(data[:-1].decode())


def spell_size(size: int) -> bytes:
    """Spell the body of an answer 409."""
    return b"%d\n" % size


def parse_lines(data: bytes) -> tuple[NoteSignature, ...]:
    """Read the signature lines that a witness gave; nothing is verified.

    Raises:
        WitnessFormError: not signature lines.
    """
    try:
        # A line stands under a text; any will do to read it.
        return parse_note(b"-\n\n" + data)[1]
    except NoteError as error:
        raise WitnessFormError(f"not signature lines of a witness: {error}") from error


def with_lines(note: bytes, lines: tuple[str, ...] | list[str]) -> bytes:
    """Give the note with signature lines added that it does not have yet, up to the most that a note may have.

    Raises:
        NoteError: not a note.
    """
    standing = {signature.line() for signature in parse_note(note)[1]}
    new = [line for line in dict.fromkeys(lines) if line not in standing]
    return note + "".join(new[: MAX_SIGNATURES - len(standing)]).encode()


def origin_hash(origin: str) -> str:
    """Give the name of a log in the addresses of a witness's monitoring endpoint."""
    return hashlib.sha256(origin.encode()).hexdigest()


def _number(text: str) -> int:
    if not NUMBER.fullmatch(text) or int(text) > MAX_NUMBER:
        raise WitnessFormError(f"not a size: {text[:40]!r}")
    return int(text)


def _hash(line: str) -> bytes:
    try:
        value = from_base64(line)
    except NoteError as error:
        raise WitnessFormError(f"in the proof: {error}") from error
    if len(value) != _HASH_SIZE:
        raise WitnessFormError(f"a hash has {_HASH_SIZE} bytes, not {len(value)}")
    return value
