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

from grants.allowed_signers import AllowedSigners
from ledger.checkpoint import Checkpoint
from ledger.errors import ProofError
from ledger.note import MAX_SIZE
from ledger.policy import Policy
from tools.errors import EvidenceError, HomeError, RemoteError
from tools.evidence import tell_evidence
from tools.replacing import replace_file
from tools.watching.sources import Source
from tools.watching.trusting import Opened, Trust
from verify.continuation import Continuation
from verify.equivocation import Equivocation, check_equivocation
from verify.errors import ContinuationFormError, InclusionError

Seen: TypeAlias = Literal["first", "same", "grown", "restored"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a look has found.

    Attributes:
        seen: the first checkpoint ever, the same as before, one that continues it, or one of the log that goes on from
            there after a restore.
        checkpoint: what it says.
        witnesses: the policy's names of the witnesses whose lines hold.
        witnessed: whether they make the policy's quorum.
        before: the size that was seen last, or None.
        others: at the first look, the policy's other origins: this checkpoint continues none of them.
        followed: what became of the log's name and key, where links led to the key of this checkpoint; else None.
    """

    seen: Seen
    checkpoint: Checkpoint
    witnesses: tuple[str, ...]
    witnessed: bool
    before: int | None
    others: tuple[str, ...] = ()
    followed: str | None = None


class Follower:
    """Follows one log.

    Args:
        source: where it is.
        policy: the log's key, and the witnesses.
        state: the file of what was seen last; it is made at the first look.
        evidence: the directory for equivocation files.
        signers: the humans whom the watcher has pinned, to follow the log's links; None, and they are not followed.
    """

    def __init__(
        self, source: Source, policy: Policy, state: Path, evidence: Path, signers: AllowedSigners | None = None
    ) -> None:
        self._source = source
        self._policy = policy
        self._state = state
        self._evidence = evidence
        self._trust = Trust(source, policy, signers, state)

    def look(self) -> Look:
        """Look at the log once.

        Raises:
            EvidenceError: it does not continue what was seen last, or is not signed as it must be.
            NotFollowedError: no key signed it that the policy names, or that links from there lead to.
            RemoteError: it can't be asked now, or does not answer as a log does, which contradicts nothing.
            HomeError: what was seen last can't be read or written.
            LedgerError: the ledger can't be read now.
        """
        with self._alone():
            last = self._read()
            now = self._trust.shown(self._source.newest(), last)
            seen = self._compare(last, now)
            self._trust.keep(now)
            # The same checkpoint may have been cosigned by more witnesses since.
            replace_file(self._state, now.note)
        return self._told(seen, last, now)

    def _told(self, seen: Seen, last: Opened | None, now: Opened) -> Look:
        checkpoint, witnesses = now.checkpoint, now.witnessed.witnesses
        others = {log.key.name for log in self._policy.logs} - {checkpoint.origin} if last is None else set()
        led = now.followed if last is None or last.witnessed.log != now.witnessed.log else None
        if led is not None:
            others -= {reign.origin for reign in led.state.former}
        return Look(
            seen,
            checkpoint,
            tuple(sorted(witnesses)),
            self._policy.satisfied(witnesses),
            None if last is None else last.checkpoint.size,
            tuple(sorted(others)),
            None if led is None else led.line().why,
        )

    def _compare(self, last: Opened | None, now: Opened) -> Seen:
        if last is None:
            return "first"
        before, after = last.checkpoint, now.checkpoint
        if before.origin != after.origin:
            self._check_restored(last, now)
            return "restored"
        if before.size == after.size:
            if (before.sha256_root, before.blake3_root) != (after.sha256_root, after.blake3_root):
                self._accuse(Equivocation(last.note, now.note), now, last)
            return "same"
        if before.size > after.size:
            self._accuse(Equivocation(last.note, now.note), now, last)
        if before.size > 0:
            self._check(last, now)
        return "grown"

    def _check_restored(self, last: Opened, now: Opened) -> None:
        """Hold the log that goes on against what was seen of the former one, as far as both have the same events."""
        before = last.checkpoint
        kept = 0 if now.followed is None else now.followed.shared_with(before.origin)
        if not 0 < before.size <= kept:
            return  # that the former log's part went over unchanged its links prove; what came after it is lost
        said = self._said(before.size, now.checkpoint.size)
        try:
            said.check(before, now.checkpoint)
        except InclusionError as error:
            raise EvidenceError(
                f"the log {now.checkpoint.origin} says that it goes on from {before.origin}, and does not show the "
                f"{before.size} events that were seen of it ({error}): keep {self._state} and what the log shows now"
            ) from error

    def _check(self, last: Opened, now: Opened) -> None:
        before, after = last.checkpoint, now.checkpoint
        said = self._said(before.size, after.size)
        try:
            said.check(before, after)
        except InclusionError:
            self._accuse(Equivocation(last.note, now.note, said.blake3, said.sha256), now, last)

    def _said(self, old: int, new: int) -> Continuation:
        """Ask for the proofs; whatever is no answer to this question is no evidence."""
        try:
            said = self._source.continuation(old, new)
        except (ContinuationFormError, ProofError) as error:
            raise _unanswered(old, new, str(error)) from error
        for proof in (said.blake3.proof, said.sha256.proof):
            if (proof.old_size, proof.new_size) != (old, new):
                raise _unanswered(old, new, f"it speaks of sizes {proof.old_size} and {proof.new_size}")
        return said

    def _accuse(self, equivocation: Equivocation, *opened: Opened) -> None:
        led = next((one for one in opened if one.followed is not None), None)
        policy = self._policy if led is None or led.followed is None else led.followed.policy()
        finding = check_equivocation(equivocation, policy)
        kept = tell_evidence(self._evidence, equivocation, None if led is None else led.links)
        raise EvidenceError(f"{finding.verdict}: {finding.why}; {kept}")

    def _read(self) -> Opened | None:
        try:
            with self._state.open("rb") as file:
                data = file.read(MAX_SIZE + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HomeError(f"{self._state} can't be read ({error.strerror}): check its owner and mode") from error
        return self._trust.seen(data)

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


def _unanswered(old: int, new: int, why: str) -> RemoteError:
    return RemoteError(
        f"no proof was given that size {new} continues size {old} ({why}); this contradicts nothing: look again later, "
        "and where it stays so ask the log's keeper"
    )
