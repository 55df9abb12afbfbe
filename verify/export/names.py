"""Under which name and key the log speaks, as the events of an export say it, and which of its keys an auditor trusts.

A key that the policy does not name is trusted where it came after one that is: by an event that a human whom the
auditor has pinned has signed, and, for a rotation, by a checkpoint that both keys have signed, or, for a restore, by a
checkpoint of the former key that the copy still holds, and the last one of the former log, which the event brings.

Source: DESIGN section 9; docs/spec/export.md.
"""

from dataclasses import dataclass, field

from grants.book.genesis import GENESIS, LedgerView
from grants.book.states import GenesisState
from grants.errors import GrantError
from ledger.checkpoint import Checkpoint, open_checkpoint, open_cosigned
from ledger.errors import CheckpointError, LedgerError, NoteError
from ledger.event import Event
from ledger.events import LedgerKeyRotated, LedgerOpened, LedgerRestored
from ledger.note import VerifierKey, parse_note
from ledger.policy import Witnessed
from verify.bundle.linking import goes_on_as_another
from verify.check.lineage import signed_by
from verify.check.log import Anchor


@dataclass(slots=True)
class Names:
    """What the events so far say of the log's name and key.

    Attributes:
        state: the names and keys; None before genesis, and where an event contradicts them.
    """

    anchor: Anchor
    state: GenesisState | None = None
    _turns: dict[int, Event] = field(default_factory=dict)
    _spoke: dict[str, int] = field(default_factory=dict)
    _shared: set[int] = field(default_factory=set)

    def take(self, event: Event) -> None:
        """Note an event, if it is one of the log's own."""
        if not isinstance(event.body, LedgerOpened | LedgerKeyRotated | LedgerRestored):
            return
        before = self.state.json_form() if self.state is not None else None
        try:
            self.state = GenesisState.model_validate(LedgerView().apply(GENESIS, before, event))
        except LedgerError:  # told where the states are folded
            return
        self._turns[event.seq] = event

    def open(self, note: bytes) -> Witnessed:
        """Open a checkpoint that a key of the policy has signed, or one that came after it.

        Raises:
            NoteError: malformed, or signed by a key that the auditor has no reason to trust.
        """
        policy = self.anchor.policy
        try:
            return policy.open(note)
        except CheckpointError:
            checkpoint = Checkpoint.parse(parse_note(note)[0])
            vkey = self.state.at(checkpoint.size)[1] if self.state is not None else ""
            if vkey not in self._trusted(checkpoint.size) - {log.key.text() for log in policy.logs}:
                raise
        key = VerifierKey.parse(vkey)
        checkpoint, cosignatures = open_cosigned(note, key, [witness.key for witness in policy.witnesses])
        times = {one.key: one.time for one in cosignatures}
        return Witnessed(checkpoint, key, {one.name: times[one.key] for one in policy.witnesses if one.key in times})

    def check(self, note: bytes, witnessed: Witnessed) -> None:
        """Check that a checkpoint is of the name and under the key that the events give its size.

        Raises:
            NoteError: it is not.
        """
        if self.state is None:
            raise CheckpointError("no event 0 opens the log that it could be of")
        size, by = witnessed.checkpoint.size, witnessed.log
        origin, vkey = self.state.at(size)
        key = VerifierKey.parse(vkey)
        former = {reign.log_key for reign in self.state.former if reign.origin == origin}
        both = by.text() in former and signed_by(note, [key])
        if witnessed.checkpoint.origin != origin or not (by == key or both):
            last = max((seq for seq in self._turns if seq < size), default=0)
            what = "opens" if last == 0 else "goes on as"
            raise CheckpointError(
                f"signed for {witnessed.checkpoint.origin}, but event {last} {what} {origin} with another key"
            )
        self._spoke[vkey] = size
        self._note_shared(note, size)

    def _trusted(self, size: int) -> set[str]:
        trusted = {log.key.text() for log in self.anchor.policy.logs}
        state = self.state
        for reign in state.former if state is not None else ():
            if state is None or reign.until >= size or reign.log_key not in trusted or not self._pinned(reign.until):
                continue
            restored = goes_on_as_another(state, reign)
            if self._left_copy(reign.until, reign.log_key) if restored else reign.until in self._shared:
                trusted.add(state.at(reign.until + 1)[1])
        return trusted

    def _note_shared(self, note: bytes, size: int) -> None:
        """Note which changes of key a checkpoint shows both keys to know of."""
        state = self.state
        for reign in state.former if state is not None else ():
            if state is not None and reign.until < size and reign.until not in self._shared:
                both = [VerifierKey.parse(reign.log_key), VerifierKey.parse(state.at(reign.until + 1)[1])]
                if both[0].name == both[1].name and signed_by(note, both):
                    self._shared.add(reign.until)

    def _pinned(self, seq: int) -> bool:
        event, signers = self._turns[seq], self.anchor.signers
        body = event.body
        if signers is None or not isinstance(body, LedgerKeyRotated | LedgerRestored):
            return False
        try:
            signers.lookup(body.signed.key, body.namespace(), self.anchor.at or event.at, event.by)
        except (GrantError, LedgerError):
            return False
        return True

    def _left_copy(self, seq: int, vkey: str) -> bool:
        body = self._turns[seq].body
        if not isinstance(body, LedgerRestored) or not 0 < self._spoke.get(vkey, 0) <= seq:
            return False
        try:
            open_checkpoint(body.checkpoint.encode(), VerifierKey.parse(vkey))
        except NoteError:
            return False
        return True
