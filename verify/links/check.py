"""Following a file of links: which keys speak for a log at which size, for a verifier who trusts an earlier one.

Everything in the file must hold: its events under both roots of its checkpoint, their signatures back to genesis, each
link. Then a key that came after one of the policy's is trusted for the sizes that the log's own events give it, and for
no others; each step is signed by a human whom the verifier has pinned.

Source: DESIGN section 9; docs/spec/links.md.
"""

from dataclasses import dataclass, replace
from typing import Final

from grants.book.states import GenesisState
from ledger.checkpoint import Checkpoint
from ledger.errors import NoteError
from ledger.note import VerifierKey, parse_note
from ledger.policy import Policy, PolicyLog, Witnessed
from verify.bundle.form import Bundle
from verify.bundle.selection import select_life
from verify.check import guarded
from verify.check.evidence import Evidence
from verify.check.lineage import check_links, check_way, life_of_the_log, told
from verify.check.log import Anchor, check_own_inclusion, check_twin_inclusion
from verify.check.report import Line, passed
from verify.check.states import check_events, check_signatures
from verify.errors import LineageError
from verify.links.form import parse_links
from verify.views import EVENTS, VIEWS

CHECK: Final = "links"


@dataclass(frozen=True, slots=True)
class Followed:
    """A log's names and keys, as far as a file of links shows them.

    Attributes:
        anchor: what the verifier trusts beforehand.
        state: the names and keys as of the file's checkpoint.
        checkpoint: the file's, opened under the key in force there.
    """

    anchor: Anchor
    state: GenesisState
    checkpoint: Checkpoint
    _evidence: Evidence

    def open(self, note: bytes) -> Witnessed:
        """Open a checkpoint of the log under the key that was in force at its size, with the witnesses' lines.

        Raises:
            LineageError: that key does not come after one of the policy's, or the file's own checkpoint contradicts it.
            NoteError: malformed, or not signed by that key.
        """
        witnessed = self.signed(note)
        found = witnessed.checkpoint
        self.check_root(found.size, found.sha256_root, found.blake3_root)
        return witnessed

    def signed(self, note: bytes) -> Witnessed:
        """Open a checkpoint likewise, for whoever looks himself whether it contradicts the file's own.

        Raises:
            LineageError: that key does not come after one of the policy's.
            NoteError: malformed, or not signed by that key.
        """
        size = Checkpoint.parse(parse_note(note)[0]).size
        try:
            return self.anchor.policy.open_under(note, self.key_at(size))
        except NoteError as error:
            if size <= self.checkpoint.size:
                raise
            newer = f"the links are those of {self.checkpoint.size} events: newer ones may lead on"
            raise LineageError(f"{error}; {newer}") from error

    def key_at(self, size: int) -> VerifierKey:
        """Give the key in force at a size; beyond the file's checkpoint the last that it knows of.

        Raises:
            LineageError: it does not come after one of the policy's.
            NoteError: a checkpoint that a step rests on does not hold.
        """
        check_way(self._evidence, self.anchor, self.state, size)
        return VerifierKey.parse(self.state.at(size)[1])

    def check_root(self, size: int, sha256: bytes, blake3: bytes | None = None) -> None:
        """Check that what is signed for the size of the file's checkpoint is what that one says.

        Raises:
            LineageError: it is not.
        """
        own = self.checkpoint
        if size == own.size and (sha256 != own.sha256_root or blake3 not in {None, own.blake3_root}):
            raise LineageError(f"the links are of another log of {size} events: two roots are signed for one size")

    def shared_with(self, origin: str) -> int:
        """Give how many events of the log of a former name went over into this one; 0 where it had no such name."""
        return max((reign.until for reign in self.state.former if reign.origin == origin), default=0)

    def policy(self) -> Policy:
        """Give the policy with the keys beside its own that came after one of them."""
        keys = [log.key for log in self.anchor.policy.logs]
        for size in (*(reign.until for reign in self.state.former), self.checkpoint.size):
            try:
                key = self.key_at(size)
            except (LineageError, NoteError):
                continue
            keys += [key] if key not in keys else []
        return replace(self.anchor.policy, logs=tuple(PolicyLog(key) for key in keys))

    def line(self) -> Line:
        """Say what became of the log's name and key."""
        became = told(self._evidence, self.state, self.checkpoint)
        return passed(CHECK, became or "the log has had one name and one key")


def follow_links(data: bytes, anchor: Anchor) -> Followed:
    """Check a file of links, and give what it shows.

    Raises:
        NotALinksFileError: the bytes are none, or only a part of one.
        LineageError: something in it does not hold, or it does not lead back to a key of the policy.
    """
    file = parse_links(data)
    evidence = Evidence(Bundle(0, file.checkpoint, file.events, (), file.links), EVENTS, VIEWS)
    found: list[Followed] = []

    def followed() -> Line:
        found.append(_follow(evidence, anchor))
        return found[0].line()

    line = guarded(CHECK, followed)
    if line.status == "FAIL":
        raise LineageError(line.why)
    return found[0]


def _follow(evidence: Evidence, anchor: Anchor) -> Followed:
    _hold(check_events(evidence))
    selection = select_life(evidence, evidence.size)
    if selection.missing:
        raise LineageError(f"event {min(selection.missing)} is missing, and the links rest on it")
    unused = sorted(evidence.events.keys() - selection.events.keys())
    if unused:
        raise LineageError(f"event {unused[0]} has no part in the links; their file holds nothing else")
    state = life_of_the_log(evidence)
    size = Checkpoint.parse(parse_note(evidence.bundle.checkpoint)[0]).size
    witnessed = anchor.policy.open_under(evidence.bundle.checkpoint, VerifierKey.parse(state.at(size)[1]))
    _hold(check_own_inclusion(evidence, witnessed))
    _hold(check_twin_inclusion(evidence, witnessed))
    _hold(check_signatures(evidence))
    check_links(evidence, state, witnessed.checkpoint)
    check_way(evidence, anchor, state, size)
    return Followed(anchor, state, witnessed.checkpoint, evidence)


def _hold(line: Line) -> None:
    if line.status != "PASS":
        raise LineageError(f"{line.check}: {line.why}")
