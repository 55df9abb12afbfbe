"""What became of an effect: who may say it, once, and what it does to what was spent. Policy case D03."""

import itertools
from dataclasses import replace

import pytest

from decisions.errors import OutcomeError
from decisions.outcome import MAX_NOTE, Report
from grants import acts
from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.errors import ViewError
from ledger.event import Draft
from ledger.memory import MemoryLog
from ledger.note import NoteSigner, VerifierKey
from ledger.policy import Policy, PolicyLog
from verify.bundle import EVERYTHING, make_bundle
from verify.bundle.form import parse_bundle
from verify.check import check_bundle
from verify.replay import replay
from verify.show import tell, told
from verify.views import EVENTS, VIEWS

ROW = "db://prod/users/42"
FIXTURE = "file:///srv/app/tests/fixtures/a.json"
AGENT, DESK = 1001, 1002


@pytest.fixture
def spent(court):
    """An allow that used up a consent."""
    court.consent(court.do("delete", ROW))
    return court.do("delete", ROW)


def report(court, decision, outcome="done", uid=AGENT, note=""):
    return court.point.report(Report(decision, outcome, uid, note))


def through_the_desk(court, **how):
    return court.do("delete", FIXTURE, uid=DESK, claimed="agent:ops-7/part", id="call-1", **how)


@pytest.mark.parametrize("outcome", ["done", "failed", "unknown"])
def test_an_outcome_closes_its_decision(court, spent, outcome):
    found = report(court, spent.decision, outcome, note="what the tool said")
    event = court.office.event(found.event)
    assert (found.decision, found.outcome, found.repeated) == (spent.decision, outcome, False)
    assert event.causes == (spent.decision, spent.decision + 1)
    assert court.office.state("outcome", str(spent.decision)) == {"outcome": outcome, "seq": event.seq}
    assert [one.value for one in court.office.log.openings(event.seq)] == ["what the tool said"]


def test_a_failed_effect_gives_no_consent_back(court, spent):
    report(court, spent.decision, "failed")
    again = court.do("delete", ROW)
    assert (again.outcome, again.reason) == ("hold", "CONSENT_CONSUMED")


def test_the_same_outcome_twice_is_one_event_and_another_is_refused(court, spent):
    first = report(court, spent.decision)
    again = report(court, spent.decision)
    assert (again.event, again.repeated) == (first.event, True)
    for other in ("failed", "unknown"):
        with pytest.raises(OutcomeError, match="was reported done"):
            report(court, spent.decision, other)


def test_a_successor_of_the_same_service_reports_and_the_agent_itself_does_not(court):
    allowed = through_the_desk(court)
    with pytest.raises(OutcomeError, match="through service:desk"):
        report(court, allowed.decision, uid=AGENT)
    assert court.office.event(report(court, allowed.decision, uid=DESK).event).via == "service:desk"


@pytest.mark.parametrize("uid", [None, 1000, 1002, 4711])
def test_nobody_else_reports_a_humans_word_neither(court, spent, uid):
    with pytest.raises(OutcomeError, match="was asked by agent:ops-7: its outcome is reported as that system user"):
        report(court, spent.decision, uid=uid)


def test_a_claimant_reports_nothing_not_even_of_its_own_denial(court):
    denied = court.do("delete", FIXTURE, uid=None, claimed="agent:ops-7")
    for uid in (None, AGENT, DESK):
        with pytest.raises(OutcomeError):
            report(court, denied.decision, uid=uid)


def test_an_agent_that_was_suspended_since_still_says_what_happened(court, spent):
    court.office.act(acts.suspend, by="human:ada", principal="agent:ops-7", reason="it ran in a loop")
    assert report(court, spent.decision, "done").outcome == "done"


def test_a_service_that_was_suspended_since_speaks_for_nobody(court):
    allowed = through_the_desk(court)
    court.office.act(acts.suspend, by="human:ada", principal="service:desk", reason="replaced")
    with pytest.raises(OutcomeError):
        report(court, allowed.decision, uid=DESK)


@pytest.mark.parametrize("seq", [-1, 0, 10**6])
def test_only_a_decision_has_an_outcome(court, seq):
    with pytest.raises(OutcomeError, match="is no decision"):
        report(court, seq)


@pytest.mark.parametrize("note", ["x" * (MAX_NOTE + 1), "a\nb", "\u202e", "\ud800"])
def test_a_note_is_short_and_visible(court, spent, note):
    with pytest.raises(OutcomeError, match="note"):
        report(court, spent.decision, note=note)


def test_a_refused_report_leaves_nothing(court, spent):
    size = court.office.log.head.size
    for uid, note in itertools.product((None, AGENT), ("", "\u202e")):
        if (uid, note) != (AGENT, ""):
            with pytest.raises(OutcomeError):
                report(court, spent.decision, uid=uid, note=note)
    assert court.office.log.head.size == size


def test_done_of_what_was_held_is_recorded_as_what_it_is(court):
    held = court.do("delete", ROW)
    report(court, held.decision, "done")
    assert "reported done in event" in consumption(court, held.decision)
    assert "although the decision was hold" in consumption(court, held.decision)


def test_the_fold_refuses_a_second_outcome_and_one_without_its_decision(court, spent):
    event = court.office.event(report(court, spent.decision).event)
    view = next(view for view in VIEWS if view.name == "outcome")
    with pytest.raises(ViewError, match="was reported by event"):
        view.apply(str(spent.decision), {"outcome": "done", "seq": event.seq}, event)
    with pytest.raises(ViewError, match="caused by its decision"):
        view.apply(str(spent.decision), None, replace(event, causes=(0,)))


def signed(office):
    head = office.log.head
    root = digest.root(head.size, head.blake3_peaks)
    key = NoteSigner(office.origin, office.signer(office.origin).private_key)
    return sign_checkpoint(Checkpoint(office.origin, head.size, rfc6962.root(head.sha256_peaks), root), key)


def bundled(court, decision, note=None):
    note = note or signed(court.office)
    return court.office.log.read(lambda s: make_bundle(s, EVENTS, VIEWS, decision, note, EVERYTHING))


def checked(court, bundle):
    policy = Policy((PolicyLog(VerifierKey.parse(court.office.log_key())),), (), ())
    return check_bundle(bundle, policy)


def consumption(court, decision):
    report = checked(court, bundled(court, decision))
    assert not report.failed, [line for line in report.lines if line.check in report.failed]
    return next(line.why for line in report.lines if line.check == "consumption")


def test_a_bundle_carries_the_outcome_and_verifies(court, spent):
    found = report(court, spent.decision, "failed", note="it broke")
    assert f"; reported failed in event {found.event}" in consumption(court, spent.decision)
    bundle = parse_bundle(bundled(court, spent.decision))
    assert any(f"event {found.event}, outcome.reported: failed" in line for line in tell(bundle))
    assert told(bundle)["outcome"] == "failed"
    assert {"event": found.event, "type": "outcome.reported", "path": "/note", "open": True, "value": "it broke"} in (
        told(bundle)["fields"]
    )


def test_a_bundle_under_an_earlier_checkpoint_is_whole_without_it(court, spent):
    note = signed(court.office)
    before = bundled(court, spent.decision, note)
    report(court, spent.decision)
    assert bundled(court, spent.decision, note) == before
    assert not checked(court, before).failed
    assert told(parse_bundle(before))["outcome"] is None


def test_a_bundle_whose_outcome_somebody_else_reported_fails(court, spent):
    event = court.office.event(report(court, spent.decision).event)
    forged = MemoryLog(VIEWS, court.office.clock)
    events = [EVENTS.parse(data) for _, data in court.office.log.events()][: event.seq]
    forged.extend(events, {one.seq: court.office.log.openings(one.seq) for one in events})
    forged.transact(lambda tx: tx.append(Draft(event.body, "agent:a1", "os-uid", causes=event.causes)))
    court.office.log = forged
    failed = checked(court, bundled(court, spent.decision))
    assert failed.failed == ("consumption",)


def test_it_replays_and_folds_to_the_same_states(court, spent):
    report(court, spent.decision)
    court.do("delete", FIXTURE)
    log = court.office.log
    assert {line.status for line in replay(log.events(), log.openings, EVENTS, VIEWS)} == {"same"}
    again = MemoryLog(VIEWS, court.office.clock)
    events = [EVENTS.parse(data) for _, data in log.events()]
    again.extend(events, {one.seq: log.openings(one.seq) for one in events})
    assert list(again.states("outcome")) == list(log.states("outcome"))
