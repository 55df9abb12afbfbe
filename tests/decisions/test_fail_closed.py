"""Every component of a decision, broken in every way: the answer is deny, with a record wherever one can be written.

Section 6 of the issue; policy cases C05, C09, C15, H03.
"""

import sys
from dataclasses import replace

import pytest

from decisions import descriptor, draft, evaluation, law, pdp, record
from decisions.action import Reduction
from decisions.errors import ConstitutionError, DecisionError
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants import principals
from grants.errors import AuthorityError, SignatureError
from ledger.errors import ClockError, CorruptError, StoreBusyError, StoreError
from ledger.view import StateRow

FIXTURE = "file:///srv/app/tests/fixtures/a.json"
ROW = "db://prod/users/42"
ERRORS = [
    RuntimeError("broken"), KeyError("gone"), MemoryError(), RecursionError("deep"), AssertionError("no"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), OSError(5, "input/output error"), ZeroDivisionError(),
    CorruptError("a row of another form"), AuthorityError("nobody"), SignatureError("forged"),
    DecisionError("none in force"), ConstitutionError("not accepted"), StopIteration(), TypeError("none"),
]  # fmt: skip

# Where an error can arise between the question and the answer, by the module that looks the name up.
COMPONENTS = {
    "the constitution is read": (evaluation, "law_in_force"),
    "what the actions reach": (evaluation, "expand"),
    "the descriptor": (evaluation, "describe"),
    "the standing grants": (evaluation, "find_standing"),
    "the consents": (evaluation, "find_consent"),
    "the rules": (pdp, "weigh"),
    "the verdict": (pdp, "decide"),
    "the trust": (descriptor, "earned"),
    "the evidence": (descriptor, "find_evidence"),
    "the labels": (descriptor, "labels_of"),
    "the reducer": (record, "reduce_operation"),
}
# These are needed to write any record at all.
OF_THE_RECORD = {
    "who asks": (principals, "identify"),
    "the draft": (draft, "decision"),
    "the commitment": (draft, "openings"),
}


def breaks(error):
    def broken(*_args, **_more):
        raise error

    return broken


def ask(court):
    """Ask for something that is allowed where nothing is broken: with earned trust, so that every component is met."""
    return court.ask("typed", {"actions": [{"verb": "delete", "target": FIXTURE}]})


@pytest.mark.parametrize("name", COMPONENTS)
def test_an_error_in_any_component_is_a_deny_with_a_record(court, monkeypatch, name):
    module, attribute = COMPONENTS[name]
    for error in ERRORS:
        assert ask(court).outcome == "allow"
        with monkeypatch.context() as patch:
            patch.setattr(module, attribute, breaks(error))
            answer = trusted(court) if name == "the trust" else ask(court)
        body = court.office.event(answer.decision).body
        assert (answer.outcome, body.outcome, body.reason) == ("deny", "deny", answer.reason), error
        assert answer.reason in {"POLICY_ERROR", "UNPARSEABLE"}


def trusted(court):
    return court.ask("conversation", {"class": "inform", "person": "r7", "domain": "technical"})


@pytest.mark.parametrize("name", OF_THE_RECORD)
def test_an_error_that_lets_no_record_be_written_is_a_deny_without_one(court, monkeypatch, name):
    module, attribute = OF_THE_RECORD[name]
    before = court.office.log.head.size
    for error in ERRORS:
        with monkeypatch.context() as patch:
            patch.setattr(module, attribute, breaks(error))
            answer = ask(court)
        assert (answer.outcome, answer.reason, answer.decision) == ("deny", "LEDGER_UNAVAILABLE", None), error
    assert court.office.log.head.size == before


STORES = [
    StoreError("the file is gone"), StoreBusyError("another process writes"), StoreError("no space left on the disk"),
    ClockError("CLOCK_REGRESSION"),
]  # fmt: skip


@pytest.mark.parametrize("method", ["transact"])
@pytest.mark.parametrize("error", STORES, ids=lambda error: type(error).__name__)
def test_a_ledger_that_can_not_be_written_is_a_deny_without_a_record(court, monkeypatch, method, error):
    with monkeypatch.context() as patch:
        patch.setattr(court.office.log, method, breaks(error))
        answer = ask(court)
    assert (answer.outcome, answer.reason, answer.decision) == ("deny", "LEDGER_UNAVAILABLE", None)
    assert answer.trouble


@pytest.mark.parametrize("error", STORES[:3], ids=lambda error: type(error).__name__)
def test_a_store_that_fails_while_it_is_read_is_a_deny_without_a_record(court, monkeypatch, error):
    with monkeypatch.context() as patch:
        patch.setattr(evaluation.Trace, "state", breaks(error))
        answer = ask(court)
    assert (answer.outcome, answer.reason) == ("deny", "LEDGER_UNAVAILABLE")


ROWS = {
    "of another form": {"nonsense": True},
    "empty": {},
    "with nothing in it": {"attributes": None, "version": None, "registered": None, "changed": None, "retired": None},
    "that says that it is allowed": {"outcome": "allow", "allow": True},
}


@pytest.mark.parametrize("form", ROWS)
@pytest.mark.parametrize("view", ["resource", "principal", "constitution", "standing_by_subject", "consent_by_target"])
def test_a_view_with_a_corrupt_row_is_a_deny(court, monkeypatch, view, form):
    real = evaluation.Trace.state

    def corrupt(self, name, key):
        row = real(self, name, key)
        if name != view:
            return row
        return StateRow(name, key, 1, ROWS[form]) if row is not None or view.endswith("_by_target") else row

    with monkeypatch.context() as patch:
        patch.setattr(evaluation.Trace, "state", corrupt)
        answer = ask(court)
    if view == "standing_by_subject" and answer.outcome == "allow":
        assert answer.body.authority[0].by == "permit"  # no standing grant is there to be read
        return
    assert answer.outcome == "deny"
    assert answer.reason in {"POLICY_ERROR", "UNCLASSIFIED", "LEDGER_UNAVAILABLE"}


@pytest.mark.parametrize("back", [2_000_001, 3_600_000_000, 10**15])
def test_a_clock_that_goes_back_is_a_deny_and_time_goes_on_after(court, back):
    court.office.clock.go(-back)
    answer = ask(court)
    assert (answer.outcome, answer.reason, answer.decision) == ("deny", "LEDGER_UNAVAILABLE", None)
    court.office.clock.go(back)
    assert ask(court).outcome == "allow"


def test_no_constitution_is_a_deny_with_a_record_of_everything(office):
    point = DecisionPoint(office.log, office.registry)
    for form, payload in (
        ("typed", {"verb": "read", "target": "file:///x"}),
        ("shell", {"command": "ls", "cwd": "/"}),
        ("conversation", {"class": "referral", "person": "r7"}),
    ):
        answer = point.decide(Request(Operation(form, payload), 1001, None))
        assert (answer.outcome, answer.reason, answer.decision is not None) == ("deny", "POLICY_ERROR", True)


def test_a_constitution_that_this_version_can_not_read_is_a_deny_with_a_record(court, monkeypatch):
    law._read.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(law, "load_cached", breaks(ConstitutionError("language 99 is not known")))
        answer = ask(court)
    law._read.cache_clear()
    assert (answer.outcome, answer.reason) == ("deny", "POLICY_ERROR")
    assert "language 99" in answer.trouble


VERDICTS = {
    "nothing": None,
    "a word": "allow",
    "true": True,
    "a verdict of no kind": lambda verdict: replace(verdict, outcome="sure"),
    "an allow without reasons": lambda verdict: replace(verdict, outcome="allow", reasons=()),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_verdict_of_no_kind_is_no_allow(court, monkeypatch, name):
    """C05: an answer that lacks its decision is a deny."""
    made, real = VERDICTS[name], pdp.decide
    with monkeypatch.context() as patch:
        patch.setattr(pdp, "decide", lambda *given: made(real(*given)) if callable(made) else made)
        answer = court.do("delete", ROW)
    assert answer.outcome != "allow" or answer.decision is None
    assert answer.outcome in {"deny", "hold"}


REDUCTIONS = {
    "nothing at all": lambda: Reduction((), ()),
    "None": lambda: None,
    "an unknown kind": lambda: Reduction((replace_kind(),), ()),
}


def replace_kind():
    from decisions.action import action

    return action("nosuch", "delete", FIXTURE, {}, "")


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_of_no_kind_is_a_deny(court, monkeypatch, name):
    with monkeypatch.context() as patch:
        patch.setattr(record, "reduce_operation", lambda *_args, **_more: REDUCTIONS[name]())
        answer = ask(court)
    assert answer.outcome == "deny"


def test_a_reducer_that_nests_too_deep_for_the_interpreter_is_a_deny_with_a_record(court, monkeypatch):
    def deep(depth=0, **_):
        return deep(depth + 1)

    with monkeypatch.context() as patch:
        patch.setattr(record, "reduce_operation", lambda *_args, **_more: deep())
        answer = ask(court)
    assert (answer.outcome, answer.decision is not None) == ("deny", True)
    assert sys.getrecursionlimit() > 0


def test_what_was_denied_for_a_fault_is_not_allowed_by_asking_again_with_the_same_id(court, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(pdp, "weigh", breaks(RuntimeError("broken")))
        first = court.do("delete", FIXTURE, id="same")
    again = court.do("delete", FIXTURE, id="same")
    assert (first.outcome, again.outcome, again.repeated) == ("deny", "deny", True)


def test_nothing_is_spent_for_a_fault(court, monkeypatch):
    held = court.do("delete", ROW)
    court.consent(held)
    with monkeypatch.context() as patch:
        patch.setattr(draft, "consumptions", breaks(RuntimeError("broken")))
        assert court.do("delete", ROW).outcome == "deny"
    assert court.do("delete", ROW).outcome == "allow"


def test_the_list_of_components_names_what_is_there():
    for module, attribute in (*COMPONENTS.values(), *OF_THE_RECORD.values()):
        assert callable(getattr(module, attribute)), attribute
