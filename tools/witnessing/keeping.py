"""Having each new checkpoint cosigned, beside whoever signs: a witness that is slow or away delays no checkpoint.

Source: DESIGN section 9.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ledger.errors import LedgerError
from tools.errors import EvidenceError, ToolError
from tools.ledger import OpenLedger
from tools.witnessing.submitting import read_policy, submit
from verify.errors import VerifyError

AGAIN: Final = 60.0
"""Seconds after which those are asked again who have not cosigned."""


@dataclass(slots=True)
class Submitter:
    """Asks the witnesses of the ledger's policy that have a URL, in a thread of its own; without any it does nothing.

    Attributes:
        evidence: the directory for equivocation files.
        told: is given a text for each change of what came of asking.
        stop: is set when a witness speaks against the log: nothing may be signed any more.
    """

    ledger: OpenLedger
    evidence: Path
    told: Callable[[str], None]
    stop: threading.Event
    _due: threading.Event = field(default_factory=threading.Event, init=False)
    _ends: bool = field(default=False, init=False)
    _said: str = field(default="", init=False)
    _found: EvidenceError | None = field(default=None, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="witnesses")
        self.ask()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ends = True
        self._due.set()
        if self._thread is not None:
            self._thread.join()
        if kind is None and self._found is not None:
            raise self._found

    @property
    def contradicted(self) -> bool:
        """Whether a witness has spoken against the log."""
        return self._found is not None

    def ask(self) -> None:
        """Have the newest checkpoint cosigned, as soon as those are done that are being asked."""
        self._due.set()

    def _run(self) -> None:
        again: float | None = None
        while self._found is None:
            self._due.wait(again)
            self._due.clear()
            last = self._ends
            again = None if self._submit() else AGAIN
            if last:
                return

    def _submit(self) -> bool:
        """Ask once; tell whether nobody is left to be asked again."""
        try:
            if not any(witness.url for witness in read_policy(self.ledger).witnesses):
                return True
            if self.ledger.log.read(lambda look: look.newest_checkpoint()) is None:
                return True
            done = submit(self.ledger, self.evidence)
        except EvidenceError as error:
            self._stop(error)
            return True
        except (ToolError, LedgerError, VerifyError, OSError) as error:
            self._say(f"The witnesses could not be asked: {error}")
            return False
        found = next((one for one in done.outcomes if one.result == "evidence"), None)
        if found is not None:
            self._stop(EvidenceError(f"{found.name}: {found.why}"))
            return True
        failed = [f"{one.name}: {one.why}" for one in done.outcomes if one.result == "failed"]
        size = done.standing.checkpoint.size
        self._say("; ".join([f"The checkpoint of {size} events is {done.standing.state}", *failed]))
        return not failed

    def _stop(self, error: EvidenceError) -> None:
        self._found = error
        self.stop.set()

    def _say(self, text: str) -> None:
        if text != self._said:
            self.told(text)
        self._said = text
