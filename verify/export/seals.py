"""The checkpoints of an export: each one opened under the policy's keys, and held against the trees at its size.

Source: DESIGN section 9; docs/spec/export.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography import x509

from ledger.checkpoint import require_blake3
from ledger.errors import CheckpointError, NoteError
from ledger.instant import Instant
from ledger.note import parse_note
from ledger.policy import Witnessed
from verify.check.log import Anchor
from verify.errors import StampError
from verify.export.lines import CheckpointLine
from verify.export.names import Names
from verify.export.report import Tally
from verify.export.trees import Pair
from verify.stamp import check_stamp


@dataclass(slots=True)
class Seals:
    """The checkpoints so far.

    Attributes:
        reached: the size of the last one, whether or not it holds; -1 before the first.
        last: the last one, if it holds.
        stamps: the time stamps, as far as certificates are trusted to check them by.
        existed: when the last stamped checkpoint existed, by a stamp that holds.
    """

    anchor: Anchor
    certificates: Sequence[x509.Certificate] = ()
    tally: Tally = field(default_factory=lambda: Tally("checkpoints"))
    reached: int = -1
    last: Witnessed | None = None
    stamps: Tally = field(default_factory=lambda: Tally("time stamps"))
    existed: Instant | None = None
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        self.names = Names(self.anchor)

    def check(self, line: CheckpointLine, roots: Pair) -> None:
        """Check one checkpoint with what was added to it.

        Args:
            line: the checkpoint.
            roots: what the events come to at its size.
        """
        self.tally.tried()
        self.reached = line.size
        self.last = None
        for authority, token in line.timestamps:
            self._stamp(line, authority, token)
        try:
            self.last = self._open(line, roots)
        except NoteError as error:
            self.tally.fault(f"at size {line.size}: {error}")

    def _stamp(self, line: CheckpointLine, authority: str, token: bytes) -> None:
        self.stamps.tried()
        if not self.certificates:
            return
        try:
            self.existed = check_stamp(token, parse_note(line.note)[0], self.certificates).at
        except (StampError, NoteError) as error:
            self.stamps.fault(f"of {authority!a} at size {line.size}: {error}")

    def _open(self, line: CheckpointLine, roots: Pair) -> Witnessed:
        for witness, text in line.cosignatures:
            _check_line(witness, text)
        note = line.whole_note()
        witnessed = self.names.open(note)
        checkpoint = witnessed.checkpoint
        if checkpoint.size != line.size:
            raise CheckpointError(f"the note speaks of size {checkpoint.size}")
        if (require_blake3(checkpoint), checkpoint.sha256_root) != roots:
            raise CheckpointError("the events do not come to the roots that it commits to")
        self.names.check(note, witnessed)
        return witnessed


def _check_line(witness: str, text: str) -> None:
    """Check that what is filed under a witness is one line of that witness."""
    # A line stands under a text; any will do to read it.
    _, lines = parse_note(f"-\n\n{text}".encode())
    if [f"{line.name}+{line.key_id.hex()}" for line in lines] != [witness]:
        raise CheckpointError(f"what is kept of the witness {witness!a} is not one line of it")
