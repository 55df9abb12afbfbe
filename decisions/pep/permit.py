"""A permit: one allow, for one run of one effect, on the objects that the verdict names.

Source: DESIGN sections 10 and 11; policy cases B05, D03, D13, D15, D17.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Final, Literal, Self

from decisions.answer import Answer
from decisions.errors import EnforcementError, MismatchError
from decisions.events import DecidedAction, Effect
from decisions.objects import FileObject
from decisions.operation import Operation
from decisions.pep.denied import GovernanceDenied
from decisions.pep.opening import directory_of, open_decided

_FILE: Final = "file://"


class Permit:
    """What an effect is run under; a context manager that can be entered once.

    An effect that ends is reported done; one that raises, failed; one that is broken off, by an interrupt or a
    cancellation, unknown. One whose process is killed is never reported: its decision stays open.

    Attributes:
        operation: what was decided, and nothing else.
        answer: the recorded allow.
        decision: its place in the log.
    """

    def __init__(self, operation: Operation, answer: Answer, report: Callable[[int, Effect, str], None]) -> None:
        if answer.decision is None or answer.body is None:
            raise EnforcementError("without a record there is no permit")
        self.operation: Final = operation
        self.answer: Final = answer
        self.decision: Final = answer.decision
        self.actions: Final[tuple[DecidedAction, ...]] = answer.body.actions
        self._report = report
        self._used = threading.Lock()

    def object(self, target: str) -> str:
        """Give what a target of the operation stands for: where a link led when it was decided, else the target.

        Whoever uses the name again lets a link be turned round between the decision and the effect.

        Raises:
            EnforcementError: the verdict names no such target.
        """
        if target not in {action.target for action in self.actions}:
            raise EnforcementError(f"decision {self.decision} names no {target[:120]!a}: use what was decided")
        return dict(self.answer.resolved).get(target, target)

    def path(self, target: str) -> str:
        """Give the path of the object that a target of the operation stands for.

        Raises:
            EnforcementError: the verdict names no such target, or it is no file of this machine.
        """
        found = self.object(target)
        if not found.startswith(f"{_FILE}/"):
            raise EnforcementError(f"{found[:120]!a} is no file of this machine")
        return found.removeprefix(_FILE)

    def open(self, target: str, flags: int, mode: int = 0o666) -> int:
        """Open the object that a target of the operation stands for, and give its descriptor.

        No link is followed, from the root down. What was absent is made (``os.O_CREAT``), and must still be absent.

        Args:
            target: a file that the verdict names.
            flags: those of ``os.open``.
            mode: of a file that is made.

        Raises:
            GovernanceDenied: what is there now is not what was decided on.
            EnforcementError: the verdict names no such target, or nobody said which object it was.
            OSError: the system refuses.
        """
        try:
            return open_decided(self._decided(target), flags, mode)
        except MismatchError as error:
            raise GovernanceDenied(self.answer, str(error)) from error

    @contextmanager
    def directory(self, target: str) -> Iterator[tuple[int, str]]:
        """Hold the directory of a target's object: its descriptor, and the object's name there, for ``dir_fd``.

        Raises:
            GovernanceDenied: what is there now is not what was decided on.
            EnforcementError: the verdict names no such target, or nobody said which object it was.
            OSError: the system refuses.
        """
        with ExitStack() as held:
            try:
                found = held.enter_context(directory_of(self._decided(target)))
            except MismatchError as error:
                raise GovernanceDenied(self.answer, str(error)) from error
            yield found

    def _decided(self, target: str) -> FileObject:
        reference = f"{_FILE}{self.path(target)}"
        found = next((one for one in self.answer.objects if one.reference == reference), None)
        if found is None:
            raise EnforcementError(
                f"nobody has said which object {target[:120]!a} was: the decision point looks at none"
            )
        return found

    def check_covers(self, operation: Operation) -> None:
        """Refuse an operation that is not exactly the one that was decided: what was edited is decided anew.

        Raises:
            GovernanceDenied: it is another one.
        """
        if operation != self.operation:
            raise GovernanceDenied(
                self.answer, f"decision {self.decision} is about another operation: what was edited is decided anew"
            )

    def withdraw(self, why: str) -> None:
        """Give the permit up unused: its effect will not run, which is reported as failed."""
        if self._used.acquire(blocking=False):
            self._report(self.decision, "failed", f"it was not run: {why}")

    def __enter__(self) -> Self:
        if not self._used.acquire(blocking=False):
            raise GovernanceDenied(self.answer, f"decision {self.decision} was acted on before: one allow, one effect")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        if kind is None:
            self._report(self.decision, "done", "")
        elif issubclass(kind, Exception):
            # Its name alone: the words of an error may hold what nobody meant to record.
            self._report(self.decision, "failed", kind.__name__)
        else:
            self._report(self.decision, "unknown", f"broken off: {kind.__name__}")
        return False
