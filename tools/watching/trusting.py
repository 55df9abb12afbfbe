"""By which keys what a log shows is opened: those of the policy, and those that links from them lead to.

A file of links is held against the key that signed what was seen last, and kept beside that: with it the next look can
open what was seen, though the policy does not name its key.

Source: DESIGN section 9; docs/spec/links.md.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from grants.allowed_signers import AllowedSigners
from ledger.checkpoint import Checkpoint, require_blake3
from ledger.errors import CheckpointError, LedgerError, NoteError, UnknownLogError
from ledger.note import parse_note
from ledger.policy import Policy, PolicyLog, Witnessed
from tools.errors import EvidenceError, HomeError, NotFollowedError, RemoteError
from tools.files import read_bytes
from tools.replacing import replace_file
from tools.watching.sources import Source
from verify.check.log import Anchor
from verify.errors import LineageError, VerifyError
from verify.links import SUFFIX, Followed, follow_links
from verify.links.form import MAX_BYTES


@dataclass(frozen=True, slots=True)
class Opened:
    """A checkpoint of the log that is watched.

    Attributes:
        note: its bytes.
        witnessed: what it says, which key signed it, and the witnesses.
        followed: what led to that key, where the policy does not name it.
        links: the bytes of that.
    """

    note: bytes
    witnessed: Witnessed
    followed: Followed | None = None
    links: bytes | None = None

    @property
    def checkpoint(self) -> Checkpoint:
        """What it says."""
        return self.witnessed.checkpoint


class Trust:
    """Opens checkpoints for one watcher.

    Args:
        source: where the log is.
        policy: the log's key, and the witnesses.
        signers: the humans whom the watcher has pinned; None, and no key but the policy's is followed.
        state: the file of what was seen last.
    """

    def __init__(self, source: Source, policy: Policy, signers: AllowedSigners | None, state: Path) -> None:
        self._source = source
        self._policy = policy
        self._signers = signers
        self._state = state
        self._kept = state.with_name(f"{state.name}{SUFFIX}")

    def seen(self, note: bytes) -> Opened:
        """Open what was seen last, whoever has witnessed it.

        Raises:
            HomeError: it is none, or no key signed it that the policy names or that links lead to.
        """
        try:
            opened = self._kept_links(note) or Opened(note, parse_seen(note, self._policy))
        except UnknownLogError as error:
            raise HomeError(
                f"the policy does not name the key of the checkpoint that was seen last, in {self._state}: let it name "
                "the old key beside the new one, or begin anew with another --state"
            ) from error
        except (NoteError, CheckpointError) as error:
            raise HomeError(
                f"{self._state} is not the checkpoint that was seen last: restore it, or begin anew with another "
                f"--state ({error})"
            ) from error
        return opened

    def shown(self, note: bytes, seen: Opened | None) -> Opened:
        """Open what the log shows now.

        Raises:
            RemoteError: it is no checkpoint.
            EvidenceError: a key of the log signed it, and it does not hold.
            NotFollowedError: no key signed it that the policy names or that links lead to.
        """
        try:
            said = Checkpoint.parse(parse_note(note)[0])
        except NoteError as error:
            raise RemoteError(f"what is served is no checkpoint: {error}") from error
        try:
            found = Opened(note, self._policy.open(note))
            require_blake3(found.checkpoint)
        except UnknownLogError as error:
            return self._led(note, said, seen, str(error))
        except NoteError as error:
            raise EvidenceError(f"the checkpoint that is served does not hold: {error}") from error
        if seen is not None and seen.checkpoint.origin != found.checkpoint.origin:
            was, now = seen.checkpoint.origin, found.checkpoint.origin
            return self._led(note, said, seen, f"what was seen last is of {was}, and this is of {now}")
        return found

    def keep(self, opened: Opened) -> None:
        """Keep what led to the key of a checkpoint, before that counts as seen.

        Raises:
            HomeError: it can't be written.
        """
        if opened.links is not None:
            replace_file(self._kept, opened.links)

    def _led(self, note: bytes, said: Checkpoint, seen: Opened | None, why: str) -> Opened:
        if self._signers is None:
            raise NotFollowedError(
                f"{why}; that contradicts nothing, and continues nothing: if its keeper says that the key was rotated "
                "or the log restored, pin the human who signed that with --signers FILE, and the log's links are "
                "followed; or add the new key to the policy beside the old one, and after a restore watch with "
                "another --state"
            )
        if seen is not None and seen.followed is not None and seen.checkpoint.origin == said.origin:
            try:
                return _both_trees(Opened(note, seen.followed.signed(note), seen.followed, seen.links))
            except (LineageError, NoteError):  # the key has changed again since
                pass
        # From the key of what was seen, and from no other: a way that leads back to a former name is none.
        trusted = self._policy.logs if seen is None else (PolicyLog(seen.witnessed.log),)
        try:
            links = self._source.links(said.size)
            anchor = Anchor(replace(self._policy, logs=trusted), self._signers, None)
            followed = follow_links(links, anchor)
            return _both_trees(Opened(note, followed.open(note), followed, links))
        except (VerifyError, NoteError) as error:
            raise NotFollowedError(
                f"{why}; the links that the log shows don't lead there ({error}): ask its keeper, and believe nothing "
                "that it shows meanwhile"
            ) from error

    def _kept_links(self, note: bytes) -> Opened | None:
        """Open what was seen by the links beside it; None where there are none, or they are of a key before it."""
        if self._signers is None or not self._kept.exists():
            return None
        try:
            links = read_bytes(self._kept, MAX_BYTES)
            anchor = Anchor(Policy(self._policy.logs, (), ()), self._signers, None)
            followed = follow_links(links, anchor)
            return _both_trees(Opened(note, followed.open(note), followed, links))
        except (VerifyError, LedgerError):
            return None


def _both_trees(opened: Opened) -> Opened:
    require_blake3(opened.checkpoint)
    return opened


def parse_seen(note: bytes, policy: Policy) -> Witnessed:
    """Read the note that was seen last, whoever has witnessed it.

    Raises:
        NoteError: it is none, or no log of the policy has signed it.
        CheckpointError: it is no checkpoint of both trees.
    """
    witnessed = Policy(policy.logs, (), ()).open(note)
    require_blake3(witnessed.checkpoint)
    return witnessed
