"""The enforcement point for Python callables and blocks.

Source: DESIGN sections 2, 10 and 11; policy cases D03, D13, D15, D17, F01, F11, C09.
"""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from decisions.answer import Answer, unavailable
from decisions.errors import EnforcementError
from decisions.events import Effect
from decisions.operation import Operation, unreadable
from decisions.outcome import Report
from decisions.pep.denied import GovernanceDenied
from decisions.pep.guard import guarded_by
from decisions.pep.intime import in_time
from decisions.pep.permit import Permit
from decisions.pep.refuge import Refuge, recover
from decisions.pep.seam import DecisionService, asked, why_not
from decisions.pep.spool import Kept, MemorySpool, Spool
from decisions.record import Request

P = ParamSpec("P")
R = TypeVar("R")

WITHIN: Final = 5.0
"""How many seconds an answer may take."""


class EnforcementPoint:
    """Asks a decision point about operations, and runs their effects on a fresh, recorded allow alone.

    It may be used by many threads at once.

    Args:
        service: the decision point. There is no default one.
        uid: the operating system user that asks.
        claimed: the subject chain that it asks for, or None for itself.
        within: how many seconds an answer may take; whatever comes later is a deny.
        spool: keeps what can't be recorded at once; in memory unless given.

    Raises:
        EnforcementError: there is no decision point.
    """

    def __init__(
        self,
        service: DecisionService,
        *,
        uid: int | None = None,
        claimed: str | None = None,
        within: float = WITHIN,
        spool: Spool | None = None,
    ) -> None:
        if not all(callable(getattr(service, name, None)) for name in ("decide", "report", "open_class")):
            raise EnforcementError("an enforcement point needs a decision point to ask: there is no default one")
        if not 0 < within <= threading.TIMEOUT_MAX:
            raise EnforcementError("an answer may take some seconds, and not for ever")
        self._service = service
        self._uid = uid
        self._claimed = claimed
        self._within = within
        self.spool: Final[Spool] = MemorySpool() if spool is None else spool
        self._refuge = Refuge(service)
        in_time(self._refuge.look, within)

    def ask(self, operation: Operation, *, request: str | None = None) -> Permit:
        """Ask, and give the permit of a fresh, recorded allow.

        Args:
            operation: what is to be done.
            request: the request's own id, asked once; a new one unless given.

        Raises:
            GovernanceDenied: everything else.
        """
        named = f"call-{secrets.token_hex(16)}" if request is None else request
        answer = self._answer(Request(operation, self._uid, self._claimed, named))
        if answer.decision is not None:
            self._caught_up(answer)
        why = why_not(answer)
        if why is not None:
            raise GovernanceDenied(answer, why, self._local(operation, answer))
        return Permit(operation, answer, self._report)

    @contextmanager
    def enforce(self, operation: Operation, *, request: str | None = None) -> Iterator[Permit]:
        """Run a block as the effect of an operation.

        Raises:
            GovernanceDenied: the block did not run.
        """
        with self.ask(operation, request=request) as permit:
            yield permit

    def guard(
        self,
        operation_of: Callable[P, Operation],
        *,
        request_of: Callable[P, str] | None = None,
        otherwise: Callable[[str], Any] | None = None,
    ) -> Callable[[Callable[Concatenate[Permit, P], R]], Callable[P, R]]:
        """Make a function the effect of an operation; it is given its permit first, and then its own arguments.

        Args:
            operation_of: gives the operation of a call; a fault in it is a recorded deny.
            request_of: gives the call's own id; a new one for each call unless given.
            otherwise: says the fixed words of the always-open class where no verdict can be had.

        Raises:
            EnforcementError: what the function does would go on after it has returned: a generator.
        """

        def asking(*args: P.args, **kwargs: P.kwargs) -> Permit:
            named = None if request_of is None else request_of(*args, **kwargs)
            return self.ask(_formed(operation_of, *args, **kwargs), request=named)

        def guarded(effect: Callable[Concatenate[Permit, P], R]) -> Callable[P, R]:
            return guarded_by(asking, effect, otherwise)

        return guarded

    def recover(self) -> int:
        """Record what was kept while the ledger could not be had, as far as it can be now; give how much that was."""
        try:
            return sum(1 for _ in recover(self._service, self._uid, self.spool))
        except Exception:  # noqa: BLE001  (what is kept stays kept, and nobody's effect hangs on it)
            return 0

    def _caught_up(self, answer: Answer) -> None:
        """Do what waits for a ledger that answers."""
        if answer.body is not None and self._refuge.law != answer.body.constitution:
            self._refuge.law = answer.body.constitution
            in_time(self._refuge.look, self._within)
        if self.spool.pending():
            in_time(self.recover, self._within)

    def _answer(self, request: Request) -> Answer:
        """Ask in a thread of its own, so that a decision point that hangs holds nobody."""
        asking = _Asking(self._service, request, self._report)
        asking.start()
        asking.join(self._within)
        return asking.taken() or unavailable(f"no answer within {self._within:g} s")

    def _local(self, operation: Operation, answer: Answer) -> str | None:
        words = self._refuge.words(operation, answer)
        if words is not None:
            self._keep(Kept("said", claimed=self._claimed, operation=operation))
        return words

    def _report(self, decision: int, outcome: Effect, note: str) -> None:
        """Report an outcome, or keep it for later: that it can't be recorded undoes no effect."""
        report = Report(decision, outcome, self._uid, note)
        if in_time(lambda: self._service.report(report), self._within) is None:
            self._keep(Kept("outcome", decision=decision, outcome=outcome, note=note))

    def _keep(self, kept: Kept) -> None:
        try:
            self.spool.keep(kept)
        except OSError:
            return  # words are still said, and a decision stays open: the log never says more than is known


class _Asking(threading.Thread):
    """One question, whose answer is taken in time or not at all; an allow that comes too late is withdrawn."""

    def __init__(self, service: DecisionService, request: Request, report: Callable[[int, Effect, str], None]) -> None:
        super().__init__(name="asking", daemon=True)
        self._service = service
        self._request = request
        self._report = report
        self._ending = threading.Lock()
        self._answer: Answer | None = None
        self._late = False

    def run(self) -> None:
        """Ask."""
        answer = asked(self._service, self._request)
        with self._ending:
            self._answer = answer
            late = self._late
        if late and why_not(answer) is None and answer.decision is not None:
            self._report(answer.decision, "failed", "it was not run: the answer came too late")

    def taken(self) -> Answer | None:
        """Give the answer, or None; from then on it is too late."""
        with self._ending:
            self._late = self._answer is None
            return self._answer


def _formed(operation_of: Callable[P, Operation], *args: P.args, **kwargs: P.kwargs) -> Operation:
    try:
        operation: object = operation_of(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  (fail closed: what can't be said can't be allowed, and is recorded)
        return unreadable(b"", f"the operation of a call can't be told: {type(error).__name__}")
    if not isinstance(operation, Operation):
        return unreadable(b"", f"the operation of a call is no operation: {type(operation).__name__}")
    return operation
