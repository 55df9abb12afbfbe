"""What is explained of a decision whose inputs are gone: the record stands, and what differs is said."""

from types import SimpleNamespace

import pytest

from decisions import pdp
from decisions.observe import Seen, observe, prepare_observation
from tools.explaining import _account
from tools.show.account import account_tree
from tools.show.account_json import account_json
from tools.show.branch import drawn
from verify.views import VIEWS


class Withheld:
    """A log in which the openings of one path are kept no more."""

    def __init__(self, log, path):
        self._log, self._path = log, path

    def __getattr__(self, name):
        return getattr(self._log, name)

    def openings(self, seq):
        return tuple(one for one in self._log.openings(seq) if one.path != self._path)


def account(court, answer, path=""):
    ledger = SimpleNamespace(registry=court.office.registry, views=VIEWS)
    return _account(ledger, Withheld(court.office.log, path), answer.decision)


@pytest.fixture
def trusted(court):
    """An allow that rests on a reading of trust."""
    for number in range(40):
        court.office.clock.go(60_000_000)
        seen = Seen(
            system="agent:ops-7",
            counterpart="person:r7",
            domain="technical",
            interaction=f"i{number}",
            qualifying=True,
            c_inst=8 * 10**14,
            taken=court.office.clock.after(0),
        )
        draft = court.office.sign(prepare_observation, by="sensor:mood", seen=seen)
        court.office.log.transact(lambda tx, signed=draft: observe(tx, court.office.registry, signed))
    answer = court.ask("conversation", {"class": "inform", "person": "r7", "domain": "technical"})
    assert answer.outcome == "allow"
    return answer


def test_a_reading_that_is_kept_is_told_with_the_event_that_it_came_from(court, trusted):
    found = account(court, trusted)
    assert (found.lacking, found.differs) == ((), ())
    atoms = [atom for _, rules in found.found.actions[0].rules for rule in rules for atom in rule.atoms]
    trust = next(atom for atom in atoms if atom.name == "trust")
    assert (trust.value, trust.source) == ("met", "sensor")
    assert court.office.event(trust.stamp).type == "trust.observed"


def test_without_the_reading_the_record_stands_and_the_difference_is_said(court, trusted):
    found = account(court, trusted, "/c_inst")
    assert any("the reading of trust in event" in line for line in found.lacking)
    assert {"outcome", "reason"} <= set(found.differs)
    text = drawn(account_tree(found))
    assert text.startswith("ALLOW  ALLOWED  ")
    assert "Without that it would come out otherwise: deny TRUST_FLOOR" in text
    assert account_json(found)["outcome"] == "allow"


def test_an_error_that_does_not_come_again_is_said(court, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(pdp, "weigh", lambda *_: 1 // 0)
        answer = court.do("delete", "file:///srv/app/tests/fixtures/a.json")
    found = account(court, answer)
    assert "an error denied it, and does not come again" in found.lacking
    assert drawn(account_tree(found)).startswith("DENY  POLICY_ERROR  ")


def test_without_a_constitution_there_is_still_an_account(office, registry):
    from decisions.operation import Operation
    from decisions.record import DecisionPoint, Request

    answer = DecisionPoint(office.log, registry).decide(Request(Operation("shell", {"command": "ls"}), 1001, None))
    ledger = SimpleNamespace(registry=registry, views=VIEWS)
    found = _account(ledger, office.log, answer.decision)
    assert (found.constitution, found.found.nearest, found.found.actions) == (None, None, ())
    assert "An error denied it: " in drawn(account_tree(found))


def test_a_value_among_several_is_told_with_the_others(court, again):
    """A place that lies in two others carries what either says."""
    from grants import acts

    whole = {"asset": "source", "sensitivity": "internal", "reversibility": "reversible", "about_people": False}
    act = {"by": "registrar:stores"}
    for name, environment in (("dev", "dev"), ("prod", "prod")):
        resource, attributes = f"file:///{name}/**", {**whole, "environment": environment}
        court.office.act(acts.register_resource, resource=resource, attributes=attributes, **act)
    within = ("file:///dev/**", "file:///prod/**")
    court.office.act(acts.register_resource, resource="file:///both/**", attributes={}, within=within, **act)
    answer = court.do("write", "file:///both/x")
    found = again(answer)
    atoms = [atom for _, rules in found.account.actions[0].rules for rule in rules for atom in rule.atoms]
    several = next(atom for atom in atoms if atom.name == "environment" and atom.among)
    assert set(several.among) == {"dev", "prod"}
    assert several.origins == within
    for changes in found.account.nearest.sets:
        after = found.situation.after({change.key: change for change in changes})
        assert after.judge().outcome == "allow"
