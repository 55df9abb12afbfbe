"""One look at a log, and what it must be held against: the checkpoint that was seen last.

What was seen last is a file of its own, the note as it was, on the disk before it counts as seen. A checkpoint that
does not continue it is kept with it as an equivocation file, and what was seen last stays.

Source: DESIGN sections 5 and 9; docs/spec/equivocation.md.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ledger.checkpoint import Checkpoint, require_blake3
from ledger.errors import CheckpointError, CorruptError, NoteError, ProofError, UnknownLogError
from ledger.note import MAX_SIZE, parse_note
from ledger.policy import Policy
from tools.errors import EvidenceError, HomeError, NotFollowedError, RemoteError
from tools.evidence import tell_evidence
from tools.replacing import replace_file
from tools.watching.sources import Source
from verify.continuation import Continuation
from verify.equivocation import Equivocation, check_equivocation
from verify.errors import ContinuationFormError, InclusionError

Seen: TypeAlias = Literal["first", "same", "grown"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a look has found.

    Attributes:
        seen: the first checkpoint ever, the same as before, or one that continues it.
        checkpoint: what it says.
        witnesses: the policy's names of the witnesses whose lines hold.
        witnessed: whether they make the policy's quorum.
        before: the size that was seen last, or None.
        others: at the first look, the policy's other origins: this checkpoint continues none of them.
    """

    seen: Seen
    checkpoint: Checkpoint
    witnesses: tuple[str, ...]
    witnessed: bool
    before: int | None
    others: tuple[str, ...] = ()


class Follower:
    """Follows one log.

    Args:
        source: where it is.
        policy: the log's key, and the witnesses.
        state: the file of what was seen last; it is made at the first look.
        evidence: the directory for equivocation files.
    """

    def __init__(self, source: Source, policy: Policy, state: Path, evidence: Path) -> None:
        self._source = source
        self._policy = policy
        self._state = state
        self._evidence = evidence

    def look(self) -> Look:
        """Look at the log once.

        Raises:
            EvidenceError: it does not continue what was seen last, or is not signed as it must be.
            NotFollowedError: it is signed by no key of the policy, or is of another origin than what was seen last.
            RemoteError: it can't be asked now, or does not answer as a log does.
            HomeError: what was seen last can't be read or written.
            LedgerError: the ledger can't be read now.
        """
        with self._alone():
            last = self._read()
            note = self._source.newest()
            checkpoint, witnesses = self._open(note)
            seen = self._compare(last, note, checkpoint)
            # The same checkpoint may have been cosigned by more witnesses since.
            replace_file(self._state, note)
        before = None if last is None else last[1].size
        others = {log.key.name for log in self._policy.logs} - {checkpoint.origin} if last is None else ()
        satisfied = self._policy.satisfied(witnesses)
        return Look(seen, checkpoint, tuple(sorted(witnesses)), satisfied, before, tuple(sorted(others)))

    def _compare(self, last: tuple[bytes, Checkpoint] | None, note: bytes, now: Checkpoint) -> Seen:
        if last is None:
            return "first"
        seen, before = last
        if before.origin != now.origin:
            raise NotFollowedError(
                f"what was seen last is of {before.origin}, and this is of {now.origin}, which does not continue it: "
                "if its keeper says that the log was restored, have tally-verify show with a bundle or an export what "
                "was lost, and watch the new log with another --state"
            )
        if before.size == now.size:
            if (before.sha256_root, before.blake3_root) != (now.sha256_root, now.blake3_root):
                self._accuse(Equivocation(seen, note))
            return "same"
        if before.size > now.size:
            self._accuse(Equivocation(seen, note))
        if before.size > 0:
            self._check(seen, before, note, now)
        return "grown"

    def _check(self, seen: bytes, before: Checkpoint, note: bytes, now: Checkpoint) -> None:
        said: Continuation | None = None
        try:
            said = self._source.continuation(before.size, now.size)
            said.check(before, now)
        except (InclusionError, ContinuationFormError, ProofError, CorruptError):
            own, twin = (said.blake3, said.sha256) if said else (None, None)
            self._accuse(Equivocation(seen, note, own, twin))

    def _accuse(self, equivocation: Equivocation) -> None:
        finding = check_equivocation(equivocation, self._policy)
        raise EvidenceError(f"{finding.verdict}: {finding.why}; {tell_evidence(self._evidence, equivocation)}")

    def _open(self, note: bytes) -> tuple[Checkpoint, dict[str, int]]:
        try:
            parse_note(note)
        except NoteError as error:
            raise RemoteError(f"what is served is no checkpoint: {error}") from error
        try:
            found = self._policy.open(note)
            require_blake3(found.checkpoint)
        except UnknownLogError as error:
            raise NotFollowedError(
                f"{error}; that contradicts nothing, and continues nothing: if its keeper says that the key was "
                "rotated or the log restored, have tally-verify follow that with a bundle or an export, add the "
                "new key to the policy beside the old one, and watch again, after a restore with another --state"
            ) from error
        except NoteError as error:
            raise EvidenceError(f"the checkpoint that is served does not hold: {error}") from error
        return found.checkpoint, found.witnesses

    def _read(self) -> tuple[bytes, Checkpoint] | None:
        try:
            with self._state.open("rb") as file:
                data = file.read(MAX_SIZE + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HomeError(f"{self._state} can't be read ({error.strerror}): check its owner and mode") from error
        try:
            checkpoint = parse_seen(data, self._policy)
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
        return data, checkpoint

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one watcher at a time hold a log against what was seen last."""
        lock = self._state.with_name(f".{self._state.name}.lock")
        try:
            file = lock.open("wb")
        except OSError as error:
            raise HomeError(f"{lock} can't be made ({error.strerror}): choose another --state") from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def parse_seen(data: bytes, policy: Policy) -> Checkpoint:
    """Read the note that was seen last, whoever has witnessed it.

    Raises:
        NoteError: it is none, or no log of the policy has signed it.
        CheckpointError: it is no checkpoint of both trees.
    """
    checkpoint = Policy(policy.logs, (), ()).open(data).checkpoint
    require_blake3(checkpoint)
    return checkpoint
