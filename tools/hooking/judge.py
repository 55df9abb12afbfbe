"""Before a tool: decide. After it: report what became of it, and decide on what ran without having been asked for.

    hook:<session>:<tool use>       the id of a request
    hook:<session>:<tool use>:2     the same call asked again after a hold, when a human may have consented
    hook:<session>:-:<random>       a call without an id of its own
    hook:<session>:<tool use>:ran   what ran, where nobody had asked or the host ran something else

A hold is the only answer after which the same call is asked again: after an allow its effect may have run.

Source: DESIGN section 10; policy cases D15, D17, F01, F07.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, cast

from decisions.answer import Answer
from decisions.errors import OutcomeError
from decisions.events import DecisionMade, Effect
from decisions.operation import Operation, receive, unreadable
from decisions.outcome import Report
from decisions.pep import DecisionService, Kept, Spool, why_not
from decisions.pep.seam import asked
from decisions.record import Request
from decisions.reducers import reduce_operation
from ledger import canon
from ledger.canon import Json
from ledger.errors import CanonError, LedgerError
from tools.hooking import wire
from tools.hooking.wire import SILENCE, Call, Permission, Spoken

OnAllow: TypeAlias = Literal["say", "host"]
OnHold: TypeAlias = Literal["deny", "defer"]
_ASKED_AGAIN: Final = 20
"""How often one call may be asked again after a hold."""


def tool_call(payload: Mapping[str, object]) -> Operation:
    """Make the operation of a call; what can't be recorded is unreadable, and denied."""
    try:
        data = canon.encode(cast("Json", dict(payload)))
    except CanonError as error:
        what = repr(payload).encode("utf-8", "backslashreplace")
        return unreadable(what, f"the tool call can't be recorded: {error}")
    return receive("tool_call", data)


@dataclass(frozen=True, slots=True)
class Ways:
    """How a host is answered; nothing here allows anything.

    Attributes:
        on_allow: say ``allow``, or nothing, which leaves it to the host's own permissions.
        on_hold: say ``deny``, or ``defer`` to a host that runs unattended and is told how to go on.
    """

    on_allow: OnAllow = "say"
    on_hold: OnHold = "deny"


@dataclass(frozen=True, slots=True)
class Known:
    """A decision that stands under a request id.

    Attributes:
        decision: its place.
        operation: what was decided, or None where it was erased.
    """

    decision: int
    body: DecisionMade
    operation: Operation | None


@dataclass(frozen=True, slots=True)
class Judge:
    """One asker at one decision point.

    Attributes:
        service: where decisions are made.
        find: gives the decision under a request id of this asker, or None.
        explain: says an answer in words, for the agent.
        uid: the system user that asks.
        claimed: the subject that it asks for, or None.
        spool: keeps an outcome that can't be recorded now.
        operation_of: makes the operation of a call.
    """

    service: DecisionService
    find: Callable[[str], Known | None]
    explain: Callable[[Answer], str]
    uid: int
    claimed: str | None
    spool: Spool
    ways: Ways = Ways()
    operation_of: Callable[[Mapping[str, object]], Operation] = tool_call

    def before(self, call: Call) -> tuple[Spoken, Answer]:
        """Decide a call, and say what the host is told."""
        named = _named(call)
        answer = self._asked(call.payload, named)
        for again in range(2, _ASKED_AGAIN + 2):
            if not (answer.repeated and answer.outcome == "hold"):
                break
            answer = self._asked(call.payload, f"{named}:{again}")
        why = why_not(answer)
        if why is None:
            return (SILENCE if self.ways.on_allow == "host" else self._said("allow", answer)), answer
        if answer.decision is None:
            return wire.fault(f"DENY  {answer.reason}  (not recorded)  {why}"), answer
        held = answer.outcome == "hold" and self.ways.on_hold == "defer" and not answer.repeated
        return self._said("defer" if held else "deny", answer), answer

    def refused(self, text: bytes, why: str) -> Spoken:
        """Record that something came which could not be read, and say no."""
        answer = asked(self.service, Request(unreadable(text, why), self.uid, self.claimed, f"hook:-:{_random()}"))
        told = f"decision {answer.decision}" if answer.decision is not None else "not recorded"
        return wire.fault(f"DENY  {why} ({told})")

    def after(self, call: Call) -> Spoken:
        """Report what became of a call; say something only where it should not have run."""
        if call.use is None:
            return SILENCE  # nobody can tell which of the calls it was: its decision stays open
        effect = _effect(call)
        known = self._last(call)
        if known is None:
            return self._ran(call, effect, "nobody had asked whether it may run")
        if not _is_same(known.operation, self.operation_of(call.payload)):
            self._report(known.decision, "unknown", "the host ran another operation in its place")
            return self._ran(call, effect, f"it is not what decision {known.decision} was about")
        told = self._report(known.decision, effect, "")
        if told is not None:
            return self._ran(call, effect, told)
        if known.body.outcome != "allow":
            return wire.complaint(f"decision {known.decision} was {known.body.outcome}, and the tool ran all the same")
        return SILENCE

    def withdraw(self, answer: Answer) -> None:
        """Take an allow back that the host has never heard of."""
        if why_not(answer) is None and answer.decision is not None:
            self._report(answer.decision, "failed", "it was not run: the host did not wait for the answer")

    def _asked(self, payload: Mapping[str, object], named: str) -> Answer:
        return asked(self.service, Request(self.operation_of(payload), self.uid, self.claimed, named))

    def _said(self, permission: Permission, answer: Answer) -> Spoken:
        waits = ""
        if answer.outcome == "hold" and answer.request is not None:
            waits = f" A human can consent: tally grant issue {answer.request}. Then call the tool again."
        try:
            explained = self.explain(answer)
        except Exception:  # noqa: BLE001  (a verdict that stands in the log is told, in however few words)
            explained = f"{answer.outcome.upper()}  {answer.reason}  (decision {answer.decision})"
        return wire.answer(permission, f"{explained}{waits}")

    def _last(self, call: Call) -> Known | None:
        """Give the decision of a call: of several, asked again after a hold, the last."""
        named = _named(call)
        found = self.find(named)
        for again in range(2, _ASKED_AGAIN + 2):
            if found is None or found.body.outcome != "hold":
                break
            later = self.find(f"{named}:{again}")
            if later is None:
                break
            found = later
        return found

    def _report(self, decision: int, effect: Effect, note: str) -> str | None:
        """Report, or keep it for later; say why it can't be said of this decision."""
        try:
            self.service.report(Report(decision, effect, self.uid, note))
        except OutcomeError as error:
            return str(error)
        except LedgerError:
            self.spool.keep(Kept("outcome", claimed=self.claimed, decision=decision, outcome=effect, note=note))
        return None

    def _ran(self, call: Call, effect: Effect, why: str) -> Spoken:
        """Decide after the fact on what ran, and report it: the record shows what the enforcement point saw."""
        answer = self._asked(call.payload, f"{_named(call)}:ran")
        if answer.decision is None:
            return wire.complaint(f"the tool ran, and {why}; that could not be recorded: {answer.trouble}")
        self._report(answer.decision, effect, why[:200])
        return wire.complaint(f"the tool ran, and {why}: decision {answer.decision} says {answer.outcome} of it")


def _named(call: Call) -> str:
    return f"hook:{call.session}:{call.use or f'-:{_random()}'}"


def _random() -> str:
    return secrets.token_hex(16)


def _effect(call: Call) -> Effect:
    if call.broken_off:
        return "unknown"
    return "failed" if call.event == "PostToolUseFailure" else "done"


def _is_same(decided: Operation | None, ran: Operation) -> bool:
    """Tell whether what ran is what was decided: the same call, or one that does the same.

    A host may fill in defaults, and the working directory after a tool is where the tool has left it.
    """
    if decided is None:
        return True  # it was erased: nobody can tell any more
    cwd = {"cwd": decided.payload["cwd"]} if "cwd" in decided.payload else {}
    moved = {**{name: value for name, value in ran.payload.items() if name != "cwd"}, **cwd}
    if (ran.form, moved) == (decided.form, decided.payload):
        return True
    reduced = [
        reduce_operation(form, one, home="/") for form, one in ((decided.form, decided.payload), (ran.form, moved))
    ]
    actions = [{replace(action, part="") for action in one.actions} for one in reduced]
    return not any(one.problems for one in reduced) and actions[0] == actions[1]
