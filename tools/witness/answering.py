"""What a witness answers: the rule of `verify.witness`, over the memory that makes it binding.

Source: C2SP tlog-witness; docs/spec/witness.md.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from ledger.cosignature import CosignatureSigner
from ledger.note import VerifierKey
from ledger.sql.witnessed import Cosigned
from ledger.witness import SIZE_TYPE, origin_hash, spell_size
from tools.errors import HomeError, InputError
from tools.replacing import replace_file
from tools.witness.place import WitnessPlace
from verify.equivocation import Equivocation
from verify.witness import NOTHING, Asked, Refusal, WitnessState, contradicts, judge, read_request

TEXT: Final = "text/plain; charset=utf-8"
MOST_EVIDENCE: Final = 100
"""How many equivocation files are kept: the first ones are those that matter."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer over HTTP: status, media type and bytes."""

    status: int
    kind: str
    body: bytes


class Witness:
    """A witness at work.

    Args:
        place: its directory.
        seconds: gives the POSIX time.
        say: tells the operator something.

    Raises:
        HomeError: the key can't be used.
        StoreError: the memory can't be used.
    """

    def __init__(self, place: WitnessPlace, seconds: Callable[[], int], say: Callable[[str], None]) -> None:
        self.signer: CosignatureSigner
        self._place = place
        self._seconds = seconds
        self._say = say
        self.signer, self._store = place.load()
        self._keys: tuple[tuple[int, ...], list[VerifierKey]] | None = None

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answer a request; a line is given only after what it says is on the disk.

        Raises:
            StoreError: the memory can't be read or written; nothing was cosigned.
            ToolError: the file of logs can't be read.
            PolicyFileError: the file of logs breaks its form.
        """
        asked = read_request(body, self._known())
        if isinstance(asked, Refusal):
            return _refused(asked)
        return self._store.exchange(asked.head.origin, lambda last: self._decide(asked, last))

    def checkpoint(self, named: str) -> Answer:
        """Give what was cosigned last of the log with this hash of its origin.

        Raises:
            StoreError: the memory can't be read.
        """
        for one in self._store.cosigned():
            if origin_hash(one.origin) == named:
                return Answer(HTTPStatus.OK, TEXT, one.note)
        return _text(HTTPStatus.NOT_FOUND, "this witness has cosigned nothing of such a log")

    def cosigned(self) -> list[Cosigned]:
        """Give what was cosigned last of every log."""
        return self._store.cosigned()

    def close(self) -> None:
        """Let go of the memory."""
        self._store.close()

    def _decide(self, asked: Asked, last: Cosigned | None) -> tuple[Cosigned | None, Answer]:
        state = NOTHING if last is None else WitnessState(last.size, last.root)
        if last is not None and contradicts(asked, state):
            self._keep_evidence(asked, last)
        outcome = judge(asked, state)
        if isinstance(outcome, Refusal):
            return None, _refused(outcome)
        # A clock that steps back must not make an older time the time of a larger size.
        at = max(self._seconds(), last.at if last else 1)
        line = self.signer.cosign(asked.note.text, at)
        log_lines = "".join(signature.line() for signature in asked.note.verified)
        note = f"{asked.note.text}\n{log_lines}{line}".encode()
        kept = Cosigned(asked.head.origin, outcome.size, outcome.root, at, note)
        return kept, Answer(HTTPStatus.OK, TEXT, line.encode())

    def _keep_evidence(self, asked: Asked, last: Cosigned) -> None:
        """Keep the two checkpoints; that this fails is no reason to answer otherwise."""
        log_lines = "".join(signature.line() for signature in asked.note.verified)
        data = Equivocation(last.note, f"{asked.note.text}\n{log_lines}".encode()).to_bytes()
        file = self._place.evidence / f"equivocation-{hashlib.sha256(data).hexdigest()[:16]}.json"
        try:
            kept = len(list(self._place.evidence.glob("*.json")))
            if kept < MOST_EVIDENCE and not file.exists():
                replace_file(file, data)
                self._say(f"{asked.head.origin} has signed two roots for size {last.size}: kept in {file}")
        except (OSError, HomeError) as error:
            self._say(f"{asked.head.origin} has signed two roots for size {last.size}; not kept: {error}")

    def _known(self) -> list[VerifierKey]:
        """Read the file of logs where it has changed since it was read last."""
        try:
            status = self._place.logs.stat()
        except OSError as error:
            raise InputError(f"{self._place.logs} can't be read: {error.strerror}") from error
        mark = (status.st_mtime_ns, status.st_size, status.st_ino)
        if self._keys is None or self._keys[0] != mark:
            self._keys = (mark, [log.key for log in self._place.known().logs])
        return self._keys[1]


def _refused(refusal: Refusal) -> Answer:
    if refusal.size is not None:
        return Answer(refusal.status, SIZE_TYPE, spell_size(refusal.size))
    return _text(refusal.status, refusal.why)


def _text(status: int, why: str) -> Answer:
    return Answer(status, TEXT, f"{why}\n".encode())
