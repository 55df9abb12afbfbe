"""Which rules have changed a verdict: held against judging by hand, over a history that is known."""

import tracemalloc

import pytest

from decisions import pdp
from decisions.constitution import default
from decisions.constitution.model import Constitution
from decisions.law import law_in_force
from grants import acts
from tests.decisions import conftest as court_rooms
from verify.exercise import exercise
from verify.replay import redecided
from verify.views import EVENTS, VIEWS

FIXTURE = "file:///srv/app/tests/fixtures/a.json"
ROW = "db://prod/users/42"


@pytest.fixture
def court(office):
    return court_rooms.Court(*opened(office))


def opened(office):
    from decisions.adoption import adopt
    from decisions.constitution import DEFAULT_TEXT
    from decisions.record import DecisionPoint

    office.act(adopt, by="human:ada", document=DEFAULT_TEXT)
    for resource, attributes in court_rooms.RESOURCES.items():
        office.act(acts.register_resource, by="registrar:stores", resource=resource, attributes=attributes)
    return office, DecisionPoint(office.log, office.registry, home="/home/ops")


@pytest.fixture
def views():
    return VIEWS


@pytest.fixture
def registry():
    return EVENTS


def exercised(court, since=0):
    log = court.office.log
    return exercise(log.events(), log.openings, court.office.registry, VIEWS, since)


def rule(name, law=None):
    return next(one for one in (law or default()).rules if one.id == name)


def test_a_rule_changed_a_verdict_where_it_would_be_another_without_it(court):
    court.do("delete", FIXTURE)
    held = court.do("update", "db://prod/stats/7")
    court.do("delete", "db://prod/users", scope="all")
    found = exercised(court)
    assert found.decisions == 3
    disposable = found.of(rule("VI.disposable"))
    assert (disposable.spoke, disposable.changed) == (1, 1)
    change = found.of(rule("I.production-change"))
    assert (change.spoke, change.changed, change.last_changed[0]) == (3 - 1, 1, held.decision)
    assert change.last_spoke[0] > held.decision


def test_of_two_rules_that_say_the_same_neither_changed_a_verdict(court):
    """Deleting a row that can't come back is held by two articles: without either it is held all the same."""
    court.do("delete", ROW)
    found = exercised(court)
    for name in ("I.production-change", "VI.irreversible"):
        assert (found.of(rule(name)).spoke, found.of(rule(name)).changed) == (1, 0)


def test_a_rule_that_never_spoke_has_done_nothing(court):
    court.do("delete", FIXTURE)
    row = exercised(court).of(rule("IX.mass-message"))
    assert (row.spoke, row.changed, row.last_changed) == (0, 0, None)
    assert row.to_json() == {"spoke": 0, "changed": 0, "last_spoke": None, "last_changed": None}


def test_only_decisions_since(court):
    court.do("delete", FIXTURE)
    second = court.do("delete", FIXTURE)
    found = exercised(court, since=second.decision)
    assert (found.decisions, found.of(rule("VI.disposable")).changed) == (1, 1)


def test_decisions_that_an_error_denied_are_counted_apart(court, monkeypatch):
    def broken(*_):
        raise RuntimeError("matcher failed")

    with monkeypatch.context() as patch:
        patch.setattr(pdp, "weigh", broken)
        court.do("delete", FIXTURE)
    court.do("delete", FIXTURE)
    found = exercised(court)
    assert (found.decisions, found.unjudged) == (2, 1)


def test_it_agrees_with_judging_under_the_constitution_that_lacks_the_rule(court):
    """The oracle: the whole document without the rule, decided as any other."""
    from dataclasses import replace

    targets = [("delete", FIXTURE), ("delete", ROW), ("read", "file:///srv/hr/a"), ("write", "file:///srv/app/x")]
    for verb, target in targets:
        court.do(verb, target)
    found = exercised(court)
    log = court.office.log
    counts = {}
    for _, body, again, reader in redecided(log.events(), log.openings, court.office.registry, VIEWS):
        law = law_in_force(reader, court.office.registry).constitution
        for one in law.rules:
            articles = tuple(replace(a, rules=tuple(r for r in a.rules if r.id != one.id)) for a in law.articles)
            other: Constitution = replace(law, articles=articles)
            verdict = pdp.decide(other, again.evaluation.cases, again.evaluation.reduction.problems)
            counts[one.id] = counts.get(one.id, 0) + (verdict.outcome != body.outcome)
    assert {name: found.of(rule(name)).changed for name in counts} == counts


def test_memory_does_not_grow_with_the_log(court):
    def peak():
        tracemalloc.start()
        exercised(court)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    for _ in range(20):
        court.do("delete", FIXTURE)
    peak()
    few = peak()
    for _ in range(180):
        court.do("delete", FIXTURE)
    assert peak() < few * 1.5
