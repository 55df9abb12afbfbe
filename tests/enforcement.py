"""What every enforcement point must pass, whatever it stands in front of: one contract, with an adapter for each.

Policy cases C05, D03, D13, D15, D17, F01, F07, F09.

An adapter makes an enforcement point over a decision service and puts one operation to it:

    class TestMine(EnforcementContract):
        def attempt(self, service, operation, request, effect): ...

It gives ``allow``, ``deny`` or ``hold`` as the caller was told, and lets `effect` run where the enforcement point does.
An exception of the effect may pass. `WITHIN` is how long the enforcement point waits for an answer.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from decisions.answer import Answer, unavailable
from decisions.operation import Operation
from decisions.outcome import Report
from decisions.record import DecisionPoint, Request
from grants import acts
from grants.standing import StandingTerms
from ledger.errors import ClockError, CorruptError, StoreBusyError, StoreError

FIXTURE = "file:///srv/app/tests/fixtures/a.json"
ROW = "db://prod/users/42"
STAT = "db://prod/stats/7"
WITHIN = 0.3
"""How many seconds an enforcement point under test waits for an answer."""

ERRORS = (RuntimeError, KeyError, OSError, MemoryError, RecursionError, AssertionError, UnicodeError)
STORES = (StoreError, StoreBusyError, CorruptError, ClockError)


def typed(verb: str, target: str) -> Operation:
    return Operation("typed", {"verb": verb, "target": target})


@dataclass
class Service:
    """A decision service with a fault in it; a real one behind.

    Attributes:
        fault: makes something of the real answer: another one, garbage, an error, a wait.
        unreported: whether outcomes can't be recorded.
    """

    point: DecisionPoint
    fault: Callable[[Answer], Any] = lambda answer: answer
    unreported: bool = False
    asked: list[Request] = field(default_factory=list)

    def decide(self, request: Request) -> Any:
        self.asked.append(request)
        return self.fault(self.point.decide(request))

    def report(self, report: Report) -> Any:
        if self.unreported:
            raise StoreError("the disk is full")
        return self.point.report(report)

    def open_class(self) -> Any:
        return self.point.open_class()


def raising(error: type[Exception]) -> Callable[[Answer], Any]:
    def fault(_: Answer) -> Any:
        raise error("broken")

    return fault


def garbled(**fields: Any) -> Callable[[Answer], Any]:
    return lambda answer: replace(answer, **fields)


def of_body(**fields: Any) -> Callable[[Answer], Any]:
    return lambda answer: replace(answer, body=answer.body.model_copy(update=fields))


GARBAGE: dict[str, Callable[[Answer], Any]] = {
    "nothing": lambda _: None,
    "a word": lambda _: "allow",
    "true": lambda _: True,
    "an object": lambda answer: answer.to_json(),
    "the record alone": lambda answer: answer.body,
    "a list": lambda answer: [answer],
    "no number": garbled(decision=None),
    "a number that is a flag": garbled(decision=True),
    "a number that is a text": garbled(decision="7"),
    "no record": garbled(body=None),
    "a record that is a text": garbled(body="allow"),
    "an outcome in capitals": garbled(outcome="ALLOW"),
    "an outcome that is true": garbled(outcome=True),
    "an allow over a deny": of_body(outcome="deny"),
    "an allow over a hold": of_body(outcome="hold"),
    "a shadow": of_body(mode="shadow"),
    "repeated, perhaps": garbled(repeated=None),
    "repeated, in words": garbled(repeated="no"),
    "unavailable": lambda _: unavailable("gone"),
}


@dataclass
class Effect:
    """An effect that notes each run, with the allowed decisions that stood in the log at that moment."""

    court: Any
    request: str
    fails: type[BaseException] | None = None
    runs: list[list[int]] = field(default_factory=list)

    def __call__(self) -> str:
        events = [self.court.office.registry.parse(data) for _, data in self.court.office.log.events()]
        allowed = [
            event.seq
            for event in events
            if event.type == "decision.made" and self.request in event.request and event.body.outcome == "allow"
        ]
        self.runs.append(allowed)
        if self.fails is not None:
            raise self.fails("it broke")
        return "what it gives"


class EnforcementContract:
    """The contract; a subclass gives `attempt`."""

    def attempt(self, service: Service, operation: Operation, request: str, effect: Callable[[], Any]) -> str:
        raise NotImplementedError

    def tried(self, court: Any, operation: Operation, request: str = "r-1", *, fails: Any = None, **how: Any) -> Any:
        effect = Effect(court, request, fails)
        service = Service(court.point, **how)
        try:
            told = self.attempt(service, operation, request, effect)
        except BaseException as error:
            if fails is None or not isinstance(error, fails):
                raise
            told = "raised"
        return told, effect

    def outcomes(self, court: Any) -> list[str]:
        events = [court.office.registry.parse(data) for _, data in court.office.log.events()]
        return [event.body.outcome for event in events if event.type == "outcome.reported"]

    # D13: the effect sees its decision, and no effect comes before one.

    def test_the_effect_runs_once_with_its_allow_on_record(self, court):
        told, effect = self.tried(court, typed("delete", FIXTURE))
        assert told == "allow"
        assert [len(seen) for seen in effect.runs] == [1]
        assert self.outcomes(court) == ["done"]

    @pytest.mark.parametrize(
        ("operation", "expected"),
        [
            (typed("delete", ROW), "hold"),
            (Operation("typed", {"verb": "drop", "target": "db://prod/users", "scope": "all"}), "deny"),
            (typed("delete", "file:///etc/passwd"), "deny"),
            (Operation("shell", {"command": "frobnicate --all"}), "deny"),
            (Operation("unreadable", {"text": "", "bytes": 0, "why": "x"}), "deny"),
        ],
        ids=["hold", "forbidden", "unclassified", "opaque", "unreadable"],
    )
    def test_what_is_not_allowed_does_not_run(self, court, operation, expected):
        told, effect = self.tried(court, operation)
        assert (told, effect.runs, self.outcomes(court)) == (expected, [], [])

    # F01, C05: whatever goes wrong between the question and the answer, nothing runs.

    @pytest.mark.parametrize("error", [*ERRORS, *STORES], ids=lambda error: error.__name__)
    def test_an_error_is_a_deny(self, court, error):
        told, effect = self.tried(court, typed("delete", FIXTURE), fault=raising(error))
        assert (told, effect.runs) == ("deny", [])

    @pytest.mark.parametrize("garbage", GARBAGE)
    def test_garbage_is_a_deny(self, court, garbage):
        told, effect = self.tried(court, typed("delete", FIXTURE), fault=GARBAGE[garbage])
        assert (told, effect.runs) == ("deny", [])

    def test_an_answer_that_comes_too_late_is_a_deny_and_is_withdrawn(self, court):
        released = threading.Event()
        told, effect = self.tried(court, typed("delete", FIXTURE), fault=lambda answer: (released.wait(20), answer)[1])
        released.set()
        assert (told, effect.runs) == ("deny", [])

    @pytest.mark.parametrize("error", STORES, ids=lambda error: error.__name__)
    def test_a_store_that_is_dead_is_a_deny(self, court, error, monkeypatch):
        def dead(*_: Any) -> Any:
            raise error("the disk is gone")

        with monkeypatch.context() as patch:
            for name in ("read", "transact"):
                patch.setattr(court.office.log, name, dead)
            effect = Effect(court, "r-1")
            assert self.attempt(Service(court.point), typed("delete", FIXTURE), "r-1", effect) == "deny"
        assert effect.runs == []

    # D17: one allow, one effect.

    def test_a_repeat_runs_nothing(self, court):
        runs = [self.tried(court, typed("delete", FIXTURE)) for _ in range(3)]
        assert [told for told, _ in runs] == ["allow", "deny", "deny"]
        assert [len(effect.runs) for _, effect in runs] == [1, 0, 0]

    def test_after_a_consent_one_effect_runs_however_often_it_is_replayed(self, court):
        told, _ = self.tried(court, typed("delete", ROW), "r-1")
        held = next(court.office.event(s) for s in range(court.office.log.head.size - 1, 0, -1))
        assert (told, held.type) == ("hold", "consent.requested")
        expires = court.office.clock.after(3_600_000_000)
        registry = court.office.registry
        court.office.act(
            acts.grant_request, registry, by="human:ada", request=held.seq, expires=expires, reason="looked at it"
        )
        runs = [self.tried(court, typed("delete", ROW), "r-2") for _ in range(3)]
        assert [len(effect.runs) for _, effect in runs] == [1, 0, 0]
        told, effect = self.tried(court, typed("delete", ROW), "r-3")
        assert (told, effect.runs) == ("hold", [])

    # D15, F07: what was edited is another operation.

    @pytest.mark.parametrize(
        "edited", [typed("delete", ROW), typed("write", FIXTURE), typed("delete", FIXTURE + ".bak")], ids=str
    )
    def test_an_edited_operation_does_not_run_under_the_old_id(self, court, edited):
        self.tried(court, typed("delete", FIXTURE))
        told, effect = self.tried(court, edited)
        assert (told, effect.runs) == ("deny", [])

    # F09: what was taken back counts no more, and without rules nothing is allowed.

    def test_a_grant_that_was_taken_back_counts_no_more(self, court):
        terms = StandingTerms(
            "agent:ops-7", ("data",), ("update",), "db://prod/stats/**", 'production and reversibility == "recoverable"'
        )
        granted = court.office.act(
            acts.ratify_grant, court.law(), by="human:ada", terms=terms, reason="the nightly job"
        )
        assert self.tried(court, typed("update", STAT), "r-1")[0] == "allow"
        court.office.act(acts.revoke_grant, by="human:ada", grant=granted.body.grant, reason="enough")
        told, effect = self.tried(court, typed("update", STAT), "r-2")
        assert told in {"hold", "deny"}
        assert effect.runs == []

    def test_without_a_constitution_nothing_is_allowed(self, office, court):
        court.office.log._states.pop(("constitution", "current"))
        told, effect = self.tried(court, typed("delete", FIXTURE))
        assert (told, effect.runs) == ("deny", [])

    # D03: what became of it.

    def test_an_effect_that_fails_is_reported_failed(self, court):
        _, effect = self.tried(court, typed("delete", FIXTURE), fails=ZeroDivisionError)
        assert (len(effect.runs), self.outcomes(court)) == (1, ["failed"])

    def test_that_an_outcome_cannot_be_recorded_undoes_nothing(self, court):
        told, effect = self.tried(court, typed("delete", FIXTURE), unreported=True)
        assert (told, len(effect.runs), self.outcomes(court)) == ("allow", 1, [])
