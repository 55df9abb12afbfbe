"""Corners of checking: logs without a constitution, homes and links, views that nobody knows, logs that are corrupt."""

from dataclasses import replace

import pytest

from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants import allowed_signers
from ledger import canon
from ledger.errors import ViewError
from tools.dev.golden_bundle import FIXTURE, ROW, Stage, counted_randomness
from verify.bundle import EVERYTHING, NEEDED, make_bundle, maker, parse_bundle
from verify.check import check_bundle, decision
from verify.check.evidence import Evidence
from verify.errors import BundleError
from verify.redecision import decide_again, differences
from verify.views import EVENTS, VIEWS


def checked(stage, seq, disclose=EVERYTHING):
    return check_bundle(stage.bundle(seq, disclose), stage.policy(), allowed_signers.parse(stage.pins()))


def lied(case, name, change, disclose=EVERYTHING):
    """Check a bundle whose decision was logged otherwise than it was made."""
    bundle = case.made(name, disclose)
    return case.check(case.forger().edit(bundle.decision, lambda event: change(event["body"])).bundle(bundle))


def test_decision_without_a_constitution_is_decided_again_as_an_error():
    with counted_randomness():
        stage = Stage()
        stage.open()
        answer = stage.do("delete", FIXTURE, "r-1")
    assert (answer.outcome, answer.reason) == ("deny", "POLICY_ERROR")
    report = checked(stage, answer.decision)
    assert (report.failed, report.line("constitution").status) == ((), "NOT-CHECKED")


def test_constitution_that_is_said_to_be_applied_must_be_there(case):
    bundle = case.made("unreadable")
    rest = [event.seq for event in bundle.events if event.seq != 7]
    assert "constitution" in case.check(case.forger().bundle(bundle, rest)).failed


def test_demonstration_binds_nobody_and_the_summary_says_so(case):
    bundle = case.made("allow-by-rule", NEEDED)
    shown = case.forger().edit(0, lambda event: event["body"].update(demonstration=True)).bundle(bundle)
    assert "binds nobody" in case.check(shown).summary


def test_operation_that_speaks_of_a_home_is_not_reduced_again(stage):
    stage.point = DecisionPoint(stage.log, EVENTS, home="/srv")
    answer = stage.ask("shell", {"command": "rm ~/app/tests/fixtures/a.json", "cwd": "/srv"}, request="r-1")
    report = checked(stage, answer.decision)
    assert (report.failed, report.line("reduction").status) == ((), "NOT-CHECKED")
    assert "home directory" in report.line("reduction").why


def test_action_behind_a_followed_link_belongs_to_the_operation(stage):
    elsewhere = "file:///srv/app/tests/fixtures/b.json"
    stage.point = DecisionPoint(stage.log, EVENTS, resolver=lambda target: elsewhere if target == FIXTURE else None)
    answer = stage.do("delete", FIXTURE, "r-1")
    assert len(answer.body.actions) == 2
    report = checked(stage, answer.decision)
    assert report.failed == ()
    assert report.line("reduction").why.endswith("and 1 that they reach")


def test_action_that_the_operation_does_not_hold_is_found(case):
    def lie(body):
        more = dict(body["actions"][0], verb="read")
        body["actions"] = [*body["actions"], more]

    report = lied(case, "allow-by-rule", lie)
    assert "does not hold" in report.line("reduction").why


@pytest.mark.parametrize("change", [lambda b: b.update(form="shell"), lambda b: b.update(problems=["UNPARSEABLE"])])
def test_form_or_problems_other_than_the_operations_are_found(case, change):
    assert "reduction" in lied(case, "allow-by-rule", change).failed


def test_problem_that_the_store_does_not_give_is_found(case):
    """That too much is registered below a target is the store's to say: deciding again tells whether it is so."""
    assert "decision" in lied(case, "allow-by-rule", lambda b: b.update(problems=["TOO_COMPLEX"])).failed


def test_decision_without_actions_still_has_lines_that_fail(case):
    def lie(body):
        body["authority"][0]["action"] = 7

    assert {"decision", "consumption"} <= set(lied(case, "allow-by-consent", lie).failed)


@pytest.mark.parametrize("change", [{"grant": None}, {"item": 9}, {"item": None}, {"grant": "A" * 22}])
def test_authority_by_a_consent_that_is_none_is_found(case, change):
    report = lied(case, "allow-by-consent", lambda body: body["authority"][0].update(change))
    assert {"decision", "consumption"} <= set(report.failed)


def test_second_request_for_one_decision_is_found(case):
    bundle = case.made("hold")
    forger = case.forger()
    forger.events[18] = forger.events[14]
    forger.edit(18, lambda event: event.update(seq=18))
    report = case.check(forger.bundle(bundle, [*(event.seq for event in bundle.events), 18]))
    assert "consumption" in report.failed


def test_bundle_of_no_decision_leaves_the_rest_unchecked(case):
    report = case.check(replace(case.made("hold"), decision=0, disclosures=()))
    assert report.failed[0] == "structure"
    for check in ("states", "absences", "constitution", "decision", "reduction", "consumption"):
        assert report.line(check).status == "NOT-CHECKED"
    assert report.summary == "no decision"


def test_log_that_opens_with_something_else_is_found(case):
    bundle = case.made("allow-by-rule", NEEDED)
    forger = case.forger()
    forger.events[0] = forger.events[1].replace(b'"seq":1', b'"seq":0')
    assert {"checkpoint", "first human", "signatures"} <= set(case.check(forger.bundle(bundle)).failed)


def test_key_of_the_first_human_that_is_none_is_found(case):
    bundle = case.made("allow-by-rule", NEEDED)
    forged = case.forger().edit(0, lambda event: event["body"].update(human_key="ssh-ed25519 AAAA")).bundle(bundle)
    assert {"first human", "signatures"} <= set(case.check(forged).failed)


def test_state_of_a_view_that_nobody_knows_is_found(case):
    for place in range(4):
        report = lied(case, "allow-by-rule", lambda body, place=place: body["reads"][place].update(view="weather"))
        assert "knows no view 'weather'" in report.line("states").why


def test_state_that_is_named_twice_is_found(case):
    assert "states" in lied(case, "allow-by-rule", lambda body: body["reads"].append(body["reads"][0])).failed


def test_state_that_has_a_digest_and_no_event_is_found(case):
    def lie(body):
        absent = next(read for read in body["reads"] if read["seq"] is None)
        absent["state"] = "A" * 43

    assert "states" in lied(case, "allow-by-rule", lie).failed


def test_one_signature_that_was_made_into_two_events_is_found(case):
    """A second registration with the words and the signature of the first: each alone would hold."""
    bundle = case.made("allow-by-rule", NEEDED)
    forger = case.forger()
    first = next(e.seq for e in bundle.events if EVENTS.parse(e.data).type == "resource.registered")
    forger.events[first + 1] = forger.events[first]
    forger.edit(first + 1, lambda event: event.update(seq=first + 1))
    report = case.check(forger.bundle(bundle, [*(event.seq for event in bundle.events), first + 1]))
    assert {"events", "states"} <= set(report.failed)


@pytest.mark.parametrize("error", [ViewError("it contradicts"), KeyError("x"), RecursionError(), OverflowError()])
def test_check_that_breaks_off_is_a_line_that_fails(case, monkeypatch, error):
    def broken(evidence):
        raise error

    monkeypatch.setattr(decision, "check_decision", broken)
    assert case.check(case.made("hold")).failed == ("decision",)


def test_asker_of_a_way_that_is_not_of_this_version_is_read_as_recorded(case):
    """A token is established elsewhere; the record says so, and the states say who that is."""
    bundle = case.made("allow-by-rule")
    forged = case.forger().edit(bundle.decision, lambda event: event.update(auth="token")).bundle(bundle)
    evidence = Evidence(forged, EVENTS, VIEWS)
    event, body = evidence.decision
    again = decide_again(evidence, EVENTS, event, body)
    assert again.asker.auth == "token"
    assert "asker" not in differences(event, body, again)


# -- making --


class Altered:
    """A snapshot in which one event has other bytes, or none."""

    def __init__(self, log, seq, data):
        self._log, self._seq, self._data = log, seq, data

    def __getattr__(self, name):
        return getattr(self._log, name)

    def event_bytes(self, seq):
        return self._data if seq == self._seq else self._log.event_bytes(seq)


@pytest.mark.parametrize(("data", "why"), [(None, "has no event 7"), (b"{}", "event 7 of the log")])
def test_corrupt_log_has_no_bundle(case, data, why):
    with pytest.raises(BundleError, match=f"{why}.*tally audit"):
        make_bundle(Altered(case.stage.log, 7, data), EVENTS, VIEWS, case.told["hold"], case.stage.checkpoint())


def test_decision_that_read_an_unknown_view_has_no_bundle(case):
    seq = case.told["hold"]
    value = canon.decode_object(case.stage.log.event_bytes(seq))
    value["body"]["reads"][0]["view"] = "weather"
    with pytest.raises(BundleError, match="does not know"):
        make_bundle(Altered(case.stage.log, seq, canon.encode(value)), EVENTS, VIEWS, seq, case.stage.checkpoint())


@pytest.mark.parametrize(
    ("bound", "why"), [("MAX_EVENTS", "events"), ("MAX_BYTES", "bytes"), ("MAX_DISCLOSURES", "op")]
)
def test_bundle_beyond_a_bound_is_not_made(case, monkeypatch, bound, why):
    monkeypatch.setattr(maker, bound, 1)
    with pytest.raises(BundleError, match=why):
        case.stage.bundle(case.told["allow-by-consent"], EVERYTHING)


def test_operation_of_several_targets_spends_a_consent_for_each(stage):
    actions = [{"verb": "delete", "target": f"db://prod/users/{number}"} for number in (1, 2)]
    held = stage.ask("typed", {"actions": actions}, request="r-1")
    assert held.outcome == "hold"
    stage.consent(held)
    used = stage.ask("typed", {"actions": actions}, request="r-2")
    report = checked(stage, used.decision)
    assert (used.outcome, report.failed, report.line("consumption").passed) == ("allow", (), 2)


def test_operand_is_part_of_what_is_decided_again(stage):
    operation = Operation("typed", {"verb": "delete", "target": ROW}, (("file:///srv/s.sh", "A" * 43),))
    held = stage.point.decide(Request(operation, 1001, None, "r-1"))
    stage.consent(held)
    used = stage.point.decide(Request(operation, 1001, None, "r-2"))
    report = checked(stage, used.decision)
    assert (used.outcome, report.failed) == ("allow", ())
    kept = {one.opening.path for one in parse_bundle(stage.bundle(used.decision, EVERYTHING)).disclosures}
    assert "/operands/0/content" in kept
