"""The third stage: checkpoints and what witnesses added to them.

A checkpoint verifies under the key that the log names at its size, the first after a change of key under both, and its
roots are those that the events come to. A cosignature must be a line of its witness; whether it holds is said where the
witness's key is given.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grants.book.states import GenesisState
from ledger import canon, instant
from ledger.checkpoint import Checkpoint, open_checkpoint, require_blake3
from ledger.cosignature import Cosigner, parse_cosignature, witness_id
from ledger.errors import CanonError, LedgerError, LibraryMissingError, NoteError
from ledger.events import LedgerOpened
from ledger.instant import Instant
from ledger.note import VerifierKey, parse_note
from ledger.sql.raw import CheckpointRow, CosignatureRow, RawTables, TimestampRow
from tools.audit.reigns import keys_at, read_reigns, wrong_roots
from tools.audit.report import Tallies, spell
from tools.audit.side import Side
from tools.audit.trees import Pair
from verify.errors import StampError
from verify.stamp import Stamp, read_stamp


@dataclass(frozen=True, slots=True)
class SealCheck:
    """One run of the stage.

    Attributes:
        start: checkpoints of a smaller size are passed over.
        verified: sizes of the checkpoints that verify, smallest first.
        held: the names of the witnesses whose lines hold, one for each line.
    """

    raw: RawTables
    size: int
    roots: Mapping[int, Sequence[Pair]]
    witnesses: Sequence[VerifierKey]
    tallies: Tallies
    start: int = 0
    verified: list[int] = field(default_factory=list)
    held: list[str] = field(default_factory=list)

    def run(self, genesis: LedgerOpened | None) -> None:
        """Check every checkpoint and cosignature."""
        state = self._state(genesis)
        before = 0
        cosignatures = Side(self.raw.cosignatures(), self._strange_cosignature)
        timestamps = Side(self.raw.timestamps(), self._strange_timestamp)
        for row in self.raw.checkpoints():
            if type(row.size) is int and 0 <= row.size < self.start:
                cosignatures.take(row.size)
                timestamps.take(row.size)
                before = row.size
                continue
            checkpoint = self._checkpoint(row, state, before)
            if type(row.size) is int:
                before = row.size
                for line in cosignatures.take(row.size):
                    self._cosignature(line, checkpoint)
                for stamp in timestamps.take(row.size):
                    self._timestamp(stamp, checkpoint)
        cosignatures.finish()
        timestamps.finish()
        if self.held:
            names = ", ".join(sorted(set(self.held)))
            self.tallies.note("cosignatures", f"{len(self.held)} verified under the keys of {names}")

    def _log_key(self, genesis: LedgerOpened) -> VerifierKey | None:
        try:
            key = VerifierKey.parse(genesis.log_key)
        except NoteError as error:
            self.tallies.find("checkpoints", "events", "seq 0", f"its log key can't be read: {error}")
            return None
        if key.name != genesis.origin:
            self.tallies.find("checkpoints", "events", "seq 0", "its log key is of another origin")
        return key

    def _state(self, genesis: LedgerOpened | None) -> GenesisState | None:
        """Work out the names and keys of the log, and hold each restore to the roots that it names."""
        if genesis is None or self._log_key(genesis) is None:
            return None
        found = read_reigns(self.raw, genesis, self.tallies)
        if found is None:
            return None
        for key, message in wrong_roots(found[1], self.roots):
            self.tallies.find("checkpoints", "events", key, message)
        return found[0]

    def _checkpoint(self, row: CheckpointRow, state: GenesisState | None, before: int) -> Checkpoint | None:
        try:
            checkpoint = self._open(row, state, before)
        except NoteError as error:
            self.tallies.find(
                "checkpoints", "checkpoints", f"size {spell(row.size)}", str(error), events=self._doubted(row)
            )
            return None
        return checkpoint

    def _doubted(self, row: CheckpointRow) -> tuple[int, int] | None:
        """Give the events that a checkpoint leaves in doubt which was signed over other roots."""
        if type(row.size) is not int or row.size not in self.roots or not isinstance(row.note, bytes):
            return None
        return max(self.verified, default=0), row.size

    def _open(self, row: CheckpointRow, state: GenesisState | None, before: int) -> Checkpoint | None:
        if not isinstance(row.note, bytes):
            raise NoteError("the note is not bytes")
        if isinstance(row.size, int) and row.size > self.size:
            raise NoteError(f"the log was larger once: it has {self.size} events now")
        if state is None:
            self.tallies.skip("checkpoints", "genesis, which names the log's key, can't be believed")
            return None
        self.tallies.checked("checkpoints")
        keys = keys_at(state, row.size if isinstance(row.size, int) else 0, before)
        checkpoint, *_ = [open_checkpoint(row.note, key) for key in keys]
        if len(parse_note(row.note)[1]) != len(keys):
            raise NoteError("a line stands in the note that is not the log's")
        if checkpoint.size != row.size:
            raise NoteError(f"the note speaks of size {checkpoint.size}")
        roots = self.roots.get(checkpoint.size, ())
        if not roots:
            self.tallies.skip("checkpoints", f"the roots at size {checkpoint.size} can't be known")
        elif (require_blake3(checkpoint), checkpoint.sha256_root) not in roots:
            raise NoteError("the events do not come to the roots that it commits to")
        else:
            self.verified.append(checkpoint.size)
        return checkpoint

    def _cosignature(self, row: CosignatureRow, checkpoint: Checkpoint | None) -> None:
        self.tallies.checked("cosignatures")
        try:
            self._check_line(row, checkpoint)
        except NoteError as error:
            key = f"{spell(row.size)} {spell(row.witness)}"
            self.tallies.find("cosignatures", "cosignatures", key, str(error))

    def _check_line(self, row: CosignatureRow, checkpoint: Checkpoint | None) -> None:
        if not isinstance(row.line, str):
            raise NoteError("the line is not text")
        # A line stands under a text; any will do to read it.
        signatures = parse_note(f"-\n\n{row.line}".encode("utf-8", "surrogateescape"))[1]
        if len(signatures) != 1 or witness_id(signatures[0]) != row.witness:
            raise NoteError("not one line of this witness's key")
        parse_cosignature(signatures[0].signature)
        key = next((key for key in self.witnesses if witness_id(key) == row.witness), None)
        if key is None or checkpoint is None:
            self.tallies.skip("cosignatures", "lines are read, not verified, where the witness's key is not given")
            return
        Cosigner(key).check(checkpoint.text(), signatures[0].signature)
        self.held.append(key.name)

    def _strange_cosignature(self, row: CosignatureRow) -> None:
        key = f"{spell(row.size)} {spell(row.witness)}"
        self.tallies.find("cosignatures", "cosignatures", key, "there is no checkpoint of this size")

    def _timestamp(self, row: TimestampRow, checkpoint: Checkpoint | None) -> None:
        self.tallies.checked("timestamps")
        if not (isinstance(row.authority, str) and isinstance(row.token, bytes)):
            self._wrong_timestamp(row, "not the name of an authority and a token")
            return
        try:
            stamp, imprint = read_stamp(row.token)
        except StampError as error:
            self._wrong_timestamp(row, str(error))
        except LibraryMissingError as error:
            self.tallies.skip("timestamps", str(error))
        else:
            if checkpoint is not None and imprint != hashlib.sha256(checkpoint.text().encode()).digest():
                self._wrong_timestamp(row, "it stamps another text than this checkpoint's")
            elif checkpoint is not None and (newest := self._time_of(checkpoint.size - 1)) is not None:
                self._check_later(row, stamp, newest)

    def _check_later(self, row: TimestampRow, stamp: Stamp, newest: Instant) -> None:
        try:
            stamp.check_after(newest)
        except StampError as error:
            self._wrong_timestamp(row, str(error))

    def _time_of(self, seq: int) -> Instant | None:
        """Give the time of an event; None where it can't be read, which the events' own check finds."""
        data = self.raw.event_bytes(seq)
        try:
            at = canon.decode_object(data)["at"] if isinstance(data, bytes) else None
            return instant.parse(at) if isinstance(at, str) else None
        except (CanonError, LedgerError, KeyError):
            return None

    def _strange_timestamp(self, row: TimestampRow) -> None:
        self._wrong_timestamp(row, "there is no checkpoint of this size")

    def _wrong_timestamp(self, row: TimestampRow, message: str) -> None:
        self.tallies.find("timestamps", "timestamps", f"{spell(row.size)} {spell(row.authority)}", message)
