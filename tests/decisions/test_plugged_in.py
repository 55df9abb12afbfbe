"""Decisions on what a plug-in reads: recorded with its name and version, and replayed by that one alone."""

import sys

import pytest

from decisions.operation import receive
from tests.decisions.reducers.plugged import READS, install, look_again
from verify.replay import replay
from verify.views import EVENTS, VIEWS

FIXTURE = {"target": "file:///srv/app/tests/fixtures/a.json", "verbs": ["delete"]}


@pytest.fixture
def plugged(monkeypatch, tmp_path):
    modules = set(sys.modules)
    install(tmp_path)
    look_again(monkeypatch, tmp_path)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if name.startswith("acme"):
            del sys.modules[name]


def replayed(court):
    log = court.office.log
    return list(replay(log.events(), log.openings, EVENTS, VIEWS))


def test_the_decision_says_which_plug_in_read_it(court, plugged):
    answer = court.ask("acme.plan", FIXTURE)
    assert (answer.outcome, answer.body.plugin) == ("allow", ("acme-plan", "1.2.0"))
    assert answer.body.json_form()["plugin"] == ["acme-plan", "1.2.0"]


def test_a_decision_of_a_form_of_ours_names_no_plug_in(court, plugged):
    assert "plugin" not in court.do("delete", FIXTURE["target"]).body.json_form()


def test_what_a_plug_in_reads_is_judged_like_everything(court, plugged):
    assert court.ask("acme.plan", {"target": "db://prod/users/42", "verbs": ["delete"]}).outcome == "hold"
    assert court.ask("acme.plan", {"target": "db://prod/nosuch", "verbs": ["read"]}).reason == "UNCLASSIFIED"
    assert court.ask("acme.plan", {"target": "x", "verbs": ["read"]}).reason == "ID_INVALID"


def test_with_the_same_plug_in_it_is_reduced_and_replayed(court, plugged):
    court.ask("acme.plan", FIXTURE)
    assert [(line.status, line.unreduced) for line in replayed(court)] == [("same", "")]


def test_without_it_it_is_not_replayable(court, plugged, monkeypatch):
    court.ask("acme.plan", FIXTURE)
    sys.path.remove(str(plugged))
    look_again(monkeypatch, None)
    (line,) = replayed(court)
    assert line.status == "not replayable"
    assert "was read by acme-plan 1.2.0; what is here is no plug-in" in line.why


def test_another_version_does_not_replay_it(court, plugged, monkeypatch, tmp_path_factory):
    court.ask("acme.plan", FIXTURE)
    sys.path.remove(str(plugged))
    other = tmp_path_factory.mktemp("other")
    install(other, version="2.0")
    look_again(monkeypatch, other)
    (line,) = replayed(court)
    assert (line.status, "what is here is acme-plan 2.0" in line.why) == ("not replayable", True)


def test_a_plug_in_that_came_later_does_not_change_the_past(court, monkeypatch, tmp_path):
    look_again(monkeypatch, None)
    assert court.ask("acme.plan", FIXTURE).reason == "UNPARSEABLE"
    install(tmp_path)
    look_again(monkeypatch, tmp_path)
    (line,) = replayed(court)
    assert (line.status, "was read by no plug-in" in line.why) == ("not replayable", True)


def test_a_plug_in_that_reads_otherwise_under_one_version_is_found(court, plugged, monkeypatch):
    court.ask("acme.plan", FIXTURE)
    for name in [name for name in sys.modules if name.startswith("acme")]:
        del sys.modules[name]
    (plugged / "acme_plan" / "__init__.py").write_text(
        READS.replace('payload["target"]', '"file:///etc/x"') + "# later"
    )
    look_again(monkeypatch, None)
    assert [line.status for line in replayed(court)] == ["changed"]


def test_a_payload_of_a_plug_ins_form_is_received():
    assert receive("acme.plan", b"{}").form == "acme.plan"
    assert receive("plan", b"{}").form == "unreadable"
