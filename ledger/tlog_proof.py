r"""The C2SP tlog-proof: that an entry stands in a log, in one text file that any C2SP verifier reads.

    c2sp.org/tlog-proof@v1
    extra <base64>                          what the verifier may need beside; this line may be missing
    index <decimal>
    <base64 of one SHA-256 hash>            the RFC 6962 audit path, the leaf's sibling first
    ...
                                            an empty line
    <the signed checkpoint, with whatever witnesses added>

The extra data is not authenticated. We put the event's exact bytes there: whoever reads them has to hash them, and so
knows whether they are the leaf.

Source: C2SP tlog-proof; RFC 6962 section 2.1.1.
"""

import re
from dataclasses import dataclass

from ledger.errors import NoteError, ProofError
from ledger.event import MAX_EVENT_BYTES
from ledger.note import MAX_SIZE as MAX_NOTE
from ledger.note import from_base64, to_base64
from ledger.proof import MAX_HASHES

FIRST_LINE = "c2sp.org/tlog-proof@v1"
SUFFIX = ".tlog-proof"
MAX_SIZE = MAX_NOTE + 2 * MAX_EVENT_BYTES

_INDEX = re.compile(r"index (0|[1-9][0-9]{0,15})")
_HASH_SIZE = 32


@dataclass(frozen=True, slots=True)
class TlogProof:
    """What the file says; nothing of it is verified.

    Attributes:
        index: the entry's place, from 0.
        path: the audit path, 32 bytes each, the leaf's sibling first.
        note: the checkpoint, verbatim.
        extra: data of the application's own, or None.
    """

    index: int
    path: tuple[bytes, ...]
    note: bytes
    extra: bytes | None = None

    def to_bytes(self) -> bytes:
        """Spell the file."""
        lines = [FIRST_LINE]
        if self.extra is not None:
            lines.append(f"extra {to_base64(self.extra)}")
        lines += [f"index {self.index}", *map(to_base64, self.path), ""]
        return "".join(f"{line}\n" for line in lines).encode() + self.note

    @classmethod
    def parse(cls, data: bytes) -> "TlogProof":
        """Read the file, in its one spelling.

        Raises:
            ProofError: it is no tlog-proof.
        """
        if len(data) > MAX_SIZE:
            raise ProofError(f"a tlog-proof has at most {MAX_SIZE} bytes")
        head, empty_line, note = data.partition(b"\n\n")
        if not empty_line:
            raise ProofError("a tlog-proof is a few lines, an empty line and a checkpoint")
        try:
            first, *lines = head.decode("ascii").split("\n")
            return cls._read(first, lines, note)
        except (UnicodeDecodeError, NoteError) as error:
            raise ProofError(f"not a tlog-proof: {error}") from error

    @classmethod
    def _read(cls, first: str, lines: list[str], note: bytes) -> "TlogProof":
        if first != FIRST_LINE:
            raise ProofError(f"the first line of a tlog-proof is {FIRST_LINE}")
        extra = None
        if lines and lines[0].startswith("extra "):
            extra = from_base64(lines.pop(0).removeprefix("extra "))
        index = _INDEX.fullmatch(lines[0]) if lines else None
        if index is None:
            raise ProofError("a tlog-proof has a line 'index <number>' before its hashes")
        if len(lines) - 1 > MAX_HASHES:
            raise ProofError(f"an audit path has at most {MAX_HASHES} hashes")
        path = tuple(map(from_base64, lines[1:]))
        if any(len(one) != _HASH_SIZE for one in path):
            raise ProofError(f"a hash of a tlog-proof has {_HASH_SIZE} bytes")
        return cls(int(index[1]), path, note, extra)
