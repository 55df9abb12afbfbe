"""The checkpoints of an export: each one signed by the key in force at its size, and held against the trees there.

Which key is in force the log's own events say. Whether to believe the log is decided by its last checkpoint: its key is
one of the policy's, or came after one of them, step by step. A step from a key to the one that replaced it counts where
the event is signed by a human whom the verifier has pinned, and where the former key itself has signed a checkpoint
of this log: after a rotation one that covers the event, after a restore one of the restored copy.

Source: DESIGN section 9; docs/spec/export.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cryptography import x509

from grants.book.states import GenesisState, Reign
from grants.errors import GrantError
from ledger.checkpoint import Checkpoint, open_checkpoint, open_cosigned, require_blake3
from ledger.errors import CheckpointError, LedgerError, NoteError
from ledger.event import Event
from ledger.events import LedgerKeyRotated, LedgerRestored
from ledger.instant import Instant
from ledger.note import VerifierKey, parse_note
from ledger.policy import Witnessed
from verify.check.log import Anchor
from verify.errors import LineageError, StampError
from verify.export.lines import CheckpointLine
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
    _signed: dict[str, tuple[int, int]] = field(default_factory=dict)

    def check(self, line: CheckpointLine, roots: Pair, state: GenesisState | None, newest: Instant | None) -> None:
        """Check one checkpoint with what was added to it.

        Args:
            line: the checkpoint.
            roots: what the events come to at its size.
            state: the names and keys of the log as of its size; None where they can't be known.
            newest: the time of the last event under it; None where it has none.
        """
        self.tally.tried()
        self.reached = line.size
        self.last = None
        for authority, token in line.timestamps:
            self._stamp(line, authority, token, newest)
        try:
            self.last = self._open(line, roots, state)
        except NoteError as error:
            self.tally.fault(f"at size {line.size}: {error}")

    def follow(self, state: GenesisState | None, event: Callable[[int], Event | None]) -> str:
        """Check that the last checkpoint is signed by a key of the policy, or by one that came after.

        Args:
            state: the names and keys of the log in the end.
            event: gives an event by its place.

        Returns:
            What became of the policy's key, or an empty text where it is in force.
        """
        if self.last is None or state is None:
            return ""
        try:
            return "".join(f"; {one}" for one in self._way(state, self.last, event))
        except (LineageError, NoteError) as error:
            self.tally.fault(str(error))
            self.last = None
            return ""

    def _way(self, state: GenesisState, last: Witnessed, event: Callable[[int], Event | None]) -> Sequence[str]:
        """Go back from the key of the last checkpoint to one of the policy's, and tell the steps, the oldest first."""
        trusted, known, told = {log.key.text() for log in self.anchor.policy.logs}, last.log.text(), []
        steps = [reign for reign in state.former if reign.until < last.checkpoint.size]
        while known not in trusted:
            if not steps:
                raise LineageError("none of the policy's logs has signed the last checkpoint, nor did a former key")
            reign = steps.pop()
            told.append(self._step(reign, event(reign.until)))
            known = reign.log_key
        return told[::-1]

    def _open(self, line: CheckpointLine, roots: Pair, state: GenesisState | None) -> Witnessed:
        for witness, text in line.cosignatures:
            _check_line(witness, text)
        if state is None:
            raise CheckpointError("the key in force is not known: event 0 opens no log, or the views can't be folded")
        origin, vkey = state.at(line.size)
        key, witnesses = VerifierKey.parse(vkey), self.anchor.policy.witnesses
        checkpoint, found = open_cosigned(line.whole_note(), key, [witness.key for witness in witnesses])
        if checkpoint.size != line.size:
            raise CheckpointError(f"the note speaks of size {checkpoint.size}")
        if (require_blake3(checkpoint), checkpoint.sha256_root) != roots:
            raise CheckpointError("the events do not come to the roots that it commits to")
        self._note(vkey, line.size)
        for former in {reign.log_key for reign in state.former if reign.origin == origin} - {vkey}:
            self._note_former(line, VerifierKey.parse(former))
        times = {one.key: one.time for one in found}
        return Witnessed(checkpoint, key, {one.name: times[one.key] for one in witnesses if one.key in times})

    def _note_former(self, line: CheckpointLine, key: VerifierKey) -> None:
        """Take note of a former key that has signed too; one of its lines that does not hold refuses the checkpoint."""
        if any((one.name, one.key_id) == (key.name, key.key_id) for one in parse_note(line.note)[1]):
            open_checkpoint(line.note, key)
            self._note(key.text(), line.size)

    def _note(self, vkey: str, size: int) -> None:
        """Remember the smallest and the largest checkpoint that a key has signed."""
        least, most = self._signed.get(vkey, (size, size))
        self._signed[vkey] = (min(least, size), max(most, size))

    def _step(self, reign: Reign, event: Event | None) -> str:
        body = event.body if event is not None else None
        if event is None or not isinstance(body, LedgerKeyRotated | LedgerRestored):
            raise LineageError(f"event {reign.until} changes no key")
        what = f"event {event.seq} replaced the key that the policy names"
        if self.anchor.signers is None:
            raise LineageError(f"{what}; to follow it the human who signed it must be pinned: give --signers FILE")
        try:
            self.anchor.signers.lookup(body.signed.key, body.namespace(), self.anchor.at or event.at, event.by)
        except (GrantError, LedgerError) as error:
            raise LineageError(f"{what}; {event.by} signed it, and {error}") from error
        least, most = self._signed.get(reign.log_key, (-1, -1))
        if isinstance(body, LedgerRestored):
            note = body.checkpoint.encode()
            open_checkpoint(note, VerifierKey.parse(reign.log_key))
            if not 0 <= least <= event.seq:
                raise LineageError(f"{what}, and no checkpoint under it is of the restored copy")
            lost = Checkpoint.parse(parse_note(note)[0]).size
            return (
                f"the log {reign.origin} went on as {body.origin} with event {event.seq}, signed by {event.by}: events "
                f"{event.seq} to {lost - 1} of {reign.origin}, and any after them, are lost"
            )
        if most <= event.seq:
            raise LineageError(f"{what}, and no checkpoint under it covers that event")
        return f"event {event.seq}, signed by {event.by}, replaced the log's key"

    def _stamp(self, line: CheckpointLine, authority: str, token: bytes, newest: Instant | None) -> None:
        self.stamps.tried()
        if not self.certificates:
            return
        try:
            stamp = check_stamp(token, parse_note(line.note)[0], self.certificates)
            self.existed = stamp.at
            if newest is not None:
                stamp.check_after(newest)
        except (StampError, NoteError) as error:
            self.stamps.fault(f"of {authority!a} at size {line.size}: {error}")


def _check_line(witness: str, text: str) -> None:
    """Check that what is filed under a witness is one line of that witness."""
    # A line stands under a text; any will do to read it.
    _, lines = parse_note(f"-\n\n{text}".encode())
    if [f"{line.name}+{line.key_id.hex()}" for line in lines] != [witness]:
        raise CheckpointError(f"what is kept of the witness {witness!a} is not one line of it")
