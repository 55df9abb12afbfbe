"""A standing grant takes as many humans as the constitution asks for: when appended, when used, and in every check."""

from dataclasses import replace

import pytest

from decisions.amendment import acts as amending
from decisions.appending import append_act
from decisions.constitution import load
from decisions.errors import RatificationError
from decisions.law import vocabulary_of
from decisions.ratifying import check_ratified
from grants import acts
from grants.errors import AuthorityError
from grants.issue import append_checked, append_signed
from grants.standing import StandingTerms
from tests.decisions.amendment.conftest import asking
from tests.decisions.amendment.test_proves import Before, checked
from tests.grants.conftest import signed_together
from verify.replay import replay
from verify.views import EVENTS, VIEWS

WORK = StandingTerms("agent:ops-7", ("file",), ("delete",), "file:///srv/app/**", 'environment == "dev"')
TWO = asking(2, 2)


def text_of(humans):
    return vocabulary_of(load(asking(2, humans)))


@pytest.fixture
def pair(house):
    """A house whose constitution asks for two humans."""
    house.adopt(house.propose(TWO), "human:ada")
    return house


def ratified(house, *humans, terms=WORK, asked=None):
    return signed_together(house.court.office, text_of(1), terms, "daily work", *humans, asked=asked)


def put(house, draft):
    office = house.court.office
    return office.log.transact(lambda tx: append_act(tx, office.registry, draft))


def forced(house, draft):
    return house.court.office.log.transact(lambda tx: append_checked(tx, draft))


def alone(house, by="human:bo", terms=WORK):
    return house.court.office.sign(acts.ratify_grant, text_of(1), by=by, terms=terms, reason="daily work")


def outcome(house, name="r"):
    return house.court.do("delete", "file:///srv/app/a.py", id=name)


def found(house, seq):
    office = house.court.office
    check_ratified(Before(office, seq), office.registry, office.event(seq))


def lines(house, **how):
    office = house.court.office
    return [one.status for one in replay(office.log.events(), office.log.openings, EVENTS, VIEWS, **how)]


def test_two_humans_ratify_what_two_are_asked_for(pair):
    assert outcome(pair, "before").outcome != "allow"
    event = put(pair, ratified(pair, "human:bo", "human:cy"))
    after = outcome(pair, "after")
    assert (after.outcome, after.grant()) == ("allow", event.body.grant)
    found(pair, event.seq)
    assert checked(pair.court.office, after.decision).failed == ()
    assert lines(pair) == ["same", "same"]


@pytest.mark.parametrize("asked", [2, 3])
def test_one_human_is_refused_where_more_are_asked_for(house, asked):
    house.adopt(house.propose(asking(2, asked)), "human:ada")
    with pytest.raises(RatificationError, match=f"asks for the signatures of {asked} humans, and it has 1"):
        put(house, alone(house))
    with pytest.raises(AuthorityError, match="more has to hold than its signature"):
        house.court.office.log.transact(lambda tx: append_signed(tx, alone(house)))


def test_two_are_refused_where_three_are_asked_for(house):
    house.adopt(house.propose(asking(2, 3)), "human:ada")
    with pytest.raises(RatificationError, match="of 3 humans, and it has 2"):
        put(house, ratified(house, "human:bo", "human:cy"))


def test_what_one_may_ratify_is_what_it_always_was(house):
    event = put(house, alone(house))
    assert (event.body.schema_number, outcome(house).outcome) == (1, "allow")


def test_what_one_prepares_where_two_are_asked_for_is_no_act_of_one(pair):
    office = pair.court.office
    draft = office.sign(acts.ratify_grant, text_of(2), by="human:bo", terms=WORK, reason="r")
    assert draft.body.humans == 2
    with pytest.raises((AuthorityError, RatificationError), match=r"2 humans"):
        put(pair, draft)


@pytest.mark.parametrize("humans", [("human:bo",), ("human:bo", "human:cy")])
def test_a_grant_with_too_few_that_got_into_the_log_gives_nothing_and_is_found(house, humans):
    """Whoever holds the database appended it: the decision point, an audit and a bundle say so, each by itself."""
    office = house.court.office
    house.adopt(house.propose(asking(2, len(humans) + 1)), "human:ada")
    event = forced(house, alone(house) if len(humans) == 1 else ratified(house, *humans))
    answer = outcome(house)
    assert answer.outcome != "allow"
    with pytest.raises(RatificationError, match=f"of {len(humans) + 1} humans, and it has {len(humans)}"):
        found(house, event.seq)
    report = checked(office, answer.decision)
    assert report.failed == ("signatures",)
    assert "asks for the signatures of" in report.line("signatures").why
    assert lines(house) == ["same"]


def test_a_decision_that_was_allowed_by_it_does_not_come_out_again(pair, monkeypatch):
    """As a decision point would have recorded that does not count."""
    import grants.standing

    forced(pair, alone(pair))
    with monkeypatch.context() as lenient:
        lenient.setattr(grants.standing, "humans_behind", lambda *_: 99)
        answer = outcome(pair)
    assert answer.outcome == "allow"
    report = checked(pair.court.office, answer.decision)
    assert {"signatures", "decision"} <= set(report.failed)
    assert lines(pair) == ["changed"]


def test_more_humans_asked_for_end_what_fewer_have_signed(house):
    put(house, alone(house))
    assert outcome(house, "one").outcome == "allow"
    house.adopt(house.propose(TWO), "human:ada")
    held = outcome(house, "two")
    assert held.outcome != "allow"
    put(house, ratified(house, "human:bo", "human:cy"))
    assert outcome(house, "three").outcome == "allow"
    assert lines(house) == ["same", "same", "same"]
    assert checked(house.court.office, held.decision).failed == ()


def test_another_constitution_is_asked_how_many_it_asks_for(house):
    put(house, alone(house))
    outcome(house)
    assert lines(house, constitution=TWO) == ["changed"]


def test_a_text_that_was_signed_under_another_constitution_is_stale(pair):
    held = ratified(pair, "human:bo", "human:cy")
    amendment = pair.propose(TWO.replace('gate = "0.55"', 'gate = "0.56"'), by="human:ada")
    pair.vote(amendment, "human:bo")
    pair.adopt(amendment, "human:ada")
    with pytest.raises(RatificationError, match="stale: the signers saw"):
        put(pair, held)


@pytest.mark.parametrize("who", ["human:bo", "human:cy"])
def test_one_who_left_since_takes_the_grant_along(pair, who):
    put(pair, ratified(pair, "human:bo", "human:cy"))
    pair.court.office.act(acts.suspend, by="human:ada", principal=who, reason="left")
    answer = outcome(pair)
    assert answer.outcome != "allow"
    assert checked(pair.court.office, answer.decision).failed == ()


def test_one_human_still_revokes(pair):
    event = put(pair, ratified(pair, "human:bo", "human:cy"))
    pair.court.office.act(acts.revoke_grant, by="human:ada", grant=event.body.grant, reason="enough")
    assert outcome(pair).outcome != "allow"


@pytest.mark.parametrize("change", ["cosigned", "by", "armour"])
def test_a_bundle_whose_cosignature_was_changed_fails(pair, change):
    from ledger import canon
    from tests.decisions.amendment.test_proves import signed_note
    from verify.bundle import EVERYTHING, make_bundle, parse_bundle
    from verify.check import check_bundle

    office = pair.court.office
    event = put(pair, ratified(pair, "human:bo", "human:cy"))
    seq = outcome(pair).decision
    note, policy = signed_note(office)
    bundle = parse_bundle(office.log.read(lambda s: make_bundle(s, EVENTS, VIEWS, seq, note, EVERYTHING)))
    value = canon.decode(event.data)
    (one,) = value["body"]["cosigned"]
    if change == "cosigned":
        value["body"]["cosigned"] = []
    elif change == "by":
        one["by"] = "human:ada"
    else:
        one["signed"]["armour"] = value["body"]["signed"]["armour"]
    forged = tuple(replace(each, data=canon.encode(value)) if each.seq == event.seq else each for each in bundle.events)
    report = check_bundle(replace(bundle, events=forged).to_bytes(), policy)
    assert {"inclusion BLAKE3", "signatures"} <= set(report.failed)


def test_nobody_amends_their_way_past_it(pair):
    """Fewer humans is a loosening, so it takes as many as before."""
    amendment = pair.propose(asking(2, 1), by="human:ada")
    body, _ = pair.log.read(lambda look: amending.found(look, pair.court.office.registry, amendment))
    assert body.change == "loosening"
