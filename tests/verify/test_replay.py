"""Replay: the same verdicts from the same log, and what another constitution would have said."""

from dataclasses import replace

import pytest

from decisions.errors import ConstitutionError
from ledger import canon
from ledger.disclosure import Opening
from tools.dev.golden_bundle import CONSTITUTION, FIXTURE, ROW
from verify.errors import ReplayError
from verify.replay import replay
from verify.views import EVENTS, VIEWS


def replayed(stage, events=None, constitution=None, openings=None):
    events = stage.log.events() if events is None else events
    return list(replay(events, openings or stage.log.openings, EVENTS, VIEWS, constitution))


def test_every_recorded_decision_comes_out_the_same(case):
    lines = replayed(case.stage)
    assert [line.seq for line in lines if line.seq in case.told.values()] == sorted(case.told.values())
    assert {(line.status, line.why, line.unreduced) for line in lines} == {("same", "", "")}
    assert all(line.recorded == line.replayed for line in lines)


def test_verdict_that_was_recorded_wrong_is_found(case):
    events = [data for _, data in case.stage.log.events()]
    seq = case.told["trust-floor"]
    lie = canon.decode_object(events[seq])
    lie["body"].update(outcome="allow", reason="ALLOWED", reasons=["ALLOWED"])
    events[seq] = canon.encode(lie)
    (line,) = [line for line in replayed(case.stage, enumerate(events)) if line.status != "same"]
    assert (line.seq, line.status) == (seq, "changed")
    assert (line.recorded, line.replayed) == (("allow", "ALLOWED"), ("deny", "TRUST_FLOOR"))
    assert line.why == "differs in outcome, reason, reasons"


def test_states_are_those_before_each_decision(stage):
    """The consent that was spent is live for the decision that spends it, and gone for the next."""
    stage.consent(stage.do("delete", ROW, "r-1"))
    stage.do("delete", ROW, "r-2")
    stage.do("delete", ROW, "r-3")
    lines = replayed(stage)
    assert [line.replayed for line in lines] == [
        ("hold", "CONSENT_REQUIRED"),
        ("allow", "ALLOWED"),
        ("hold", "CONSENT_CONSUMED"),
    ]


def test_erased_reading_that_the_verdict_needs_makes_it_not_replayable(stage):
    for number in range(46):
        stage.observe(f"i-{number}", 900_000_000_000_000)
    answer = stage.reply("accompany", "r-1")
    assert answer.outcome == "allow"
    (line,) = replayed(stage, openings=lambda seq: ())
    assert (line.status, line.replayed[0]) == ("not replayable", "deny")
    assert line.why.endswith("is erased and counts as 0")


def test_erased_reading_that_changes_nothing_is_told_and_same(stage):
    stage.observe("i-1", 50_000_000_000_000)
    stage.reply("accompany", "r-1")
    (line,) = replayed(stage, openings=lambda seq: ())
    assert (line.status, line.replayed[0]) == ("same", "deny")
    assert "counts as 0" in line.why


def test_another_constitution_tells_what_would_have_happened(stage):
    stage.do("delete", FIXTURE, "r-1")
    stage.do("delete", ROW, "r-2")
    document = CONSTITUTION.read_text()
    name = next(line for line in document.splitlines() if line.startswith("name"))
    stricter = document.replace(name, 'name = "another"', 1)
    assert {line.status for line in replayed(stage, constitution=stricter)} == {"same"}
    forbidding = forbid_deletion(document)
    lines = replayed(stage, constitution=forbidding)
    assert [(line.status, line.replayed) for line in lines] == [
        ("changed", ("deny", "FORBIDDEN")),
        ("changed", ("deny", "FORBIDDEN")),
    ]


def forbid_deletion(document):
    rule = """[[articles.rules]]
id = "VI.nothing-is-deleted"
says = "nothing is ever deleted"
effect = "forbid"
kinds = ["file", "data"]
when = 'verb == "delete"'
stops = { kind = "file", verb = "delete" }
passes = { kind = "file", verb = "read" }

[[articles]]
number = "VII"
"""
    changed = document.replace('[[articles]]\nnumber = "VII"\n', rule)
    assert changed != document
    return changed


def test_constitution_that_is_refused_is_refused_before_the_walk(stage):
    with pytest.raises(ConstitutionError):
        replay(stage.log.events(), stage.log.openings, EVENTS, VIEWS, "not a constitution")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda events: events[1:], "event 1 comes where event 0 should"),
        (lambda events: [events[0], *events[2:]], "event 2 comes where event 1 should"),
        (lambda events: [events[0], (1, events[2][1])], "stands in the place"),
        (lambda events: [events[0], (1, b"{}")], "event 1"),
        (lambda events: [events[0], (1, events[0][1].replace(b'"seq":0', b'"seq":1'))], "begins once"),
    ],
)
def test_log_that_does_not_follow_is_refused(case, change, why):
    with pytest.raises(ReplayError, match=why):
        replayed(case.stage, change(list(case.stage.log.events())))


def test_line_has_a_json_form(case):
    line = replayed(case.stage)[0]
    assert replace(line, why="x", unreduced="y").to_json() == {
        "decision": line.seq,
        "status": "same",
        "recorded": {"outcome": "allow", "reason": "ALLOWED"},
        "replayed": {"outcome": "allow", "reason": "ALLOWED"},
        "why": "x",
        "unreduced": "y",
    }


def test_an_operation_that_does_something_else_than_recorded_is_found(stage):
    """The verdict follows from the recorded actions, and these do not follow from what was asked."""
    stage.do("delete", ROW, "r-1")
    seq, data = next((seq, data) for seq, data in stage.log.events() if b'"decision.made"' in data)
    lie = canon.decode_object(data)
    other = Opening.fresh("/args", {"form": "typed", "payload": {"verb": "delete", "target": FIXTURE}})
    lie["body"]["args"] = {"sd": other.commitment().sd}
    events = [(at, canon.encode(lie) if at == seq else old) for at, old in stage.log.events()]
    (line,) = replayed(stage, events, openings=lambda _: (other,))
    assert (line.status, line.unreduced) == ("changed", "")
    assert line.why == "differs in reduction: the operation does something else than the decision recorded"
    (hypothetical,) = replayed(stage, events, CONSTITUTION.read_text(), lambda _: (other,))
    assert (hypothetical.status, hypothetical.unreduced) == (
        "same",
        "the operation does something else than the decision recorded",
    )


def test_an_opening_that_does_not_fit_is_found(stage):
    """Nothing is reduced from what the event did not commit to."""
    stage.do("delete", ROW, "r-1")
    (line,) = replayed(stage, openings=lambda _: (Opening.fresh("/args", {"form": "typed", "payload": {}}),))
    assert line.status == "changed"
    assert "does not fit" in line.why


def test_an_erased_operation_is_told(stage):
    """Same by the recorded actions alone."""
    stage.do("delete", ROW, "r-1")
    (line,) = replayed(stage, openings=lambda _: ())
    assert (line.status, line.why) == ("same", "")
    assert "was erased" in line.unreduced
    assert replayed(stage)[0].unreduced == ""
