from dataclasses import replace
from itertools import permutations

import pytest

from grants import acts, principals, standing
from grants.errors import AuthorityError, ExpressionError, IssueError
from grants.expression import ABSENT, UNKNOWN, Choice, Possibility
from grants.standing import StandingTerms, check_selector, find_standing
from ledger import canon
from ledger.errors import AppendError, ViewError
from ledger.instant import from_microseconds
from tests.grants.conftest import VALUES

SECOND = 1_000_000
HOUR = 3600 * SECOND
TERMS = StandingTerms(
    "agent:ops-7", ("file",), ("delete",), "file:///srv/app/tests/**", 'asset == "test_fixture" and not production'
)


@pytest.fixture
def ratify(office, vocabulary):
    def ratified(by="human:ada", **change):
        return office.act(acts.ratify_grant, vocabulary, by=by, terms=replace(TERMS, **change), reason="fixtures")

    return ratified


@pytest.fixture
def find(office, asker, vocabulary):
    def found(*, asker=asker, at=None, reader=None, vocabulary=vocabulary, **values):
        at = at or from_microseconds(office.clock.now)
        return find_standing(reader or office.log, office.registry, vocabulary, asker, {**VALUES, **values}, at)

    return found


def test_a_standing_grant_covers_what_its_pattern_and_selector_meet(ratify, find):
    event = ratify()
    assert find() == (event.body.grant,)


def test_it_covers_the_parts_that_act_for_its_subject(office, ratify, find):
    event = ratify()
    part = office.log.read(lambda s: principals.identify(s, uid=1001, claimed="agent:ops-7/sub2"))
    assert find(asker=part) == (event.body.grant,)


def test_it_covers_many_times_until_revoked(office, ratify, find):
    event = ratify()
    assert find() == find() == (event.body.grant,)
    office.act(acts.revoke_grant, by="human:bo", grant=event.body.grant, reason="enough")
    assert find() == ()


def test_all_that_cover_are_given_oldest_first(ratify, find):
    first, _, third = (
        ratify(),
        ratify(verbs=("read",)),
        ratify(selector='asset == "test_fixture"' + " " + "and about_people == False and not production"),
    )
    assert find(about_people=False) == (first.body.grant, third.body.grant)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "data"},
        {"verb": "read"},
        {"target": "file:///srv/app/testsuite/a"},
        {"target": "file:///srv/app"},
        {"target": "file:///srv/app/tests/../x"},
        {"target": None},
        {"asset": "business_record"},
        {"asset": UNKNOWN},
        {"asset": "test_fixtur\u0435"},
        {"environment": "prod"},
        {"environment": UNKNOWN},
    ],
    ids=str,
)
def test_it_covers_nothing_else(ratify, find, change):
    ratify()
    assert find(**change) == ()


@pytest.mark.parametrize(("after", "covers"), [(-1, True), (0, False)])
def test_it_ends_at_its_expiry(office, ratify, find, after, covers):
    ratify(expires=office.clock.after(HOUR))
    assert bool(find(at=office.clock.after(HOUR + after))) is covers


def test_it_is_for_its_subject_alone(office, ratify, find):
    ratify()
    other = office.log.read(lambda s: principals.recorded(s, "agent:a1", ("agent:a1",), "token", None))
    assert find(asker=other) == ()


def test_a_claimant_has_no_standing_grants(office, ratify, find):
    ratify()
    assert find(asker=office.log.read(lambda s: principals.identify(s, uid=None, claimed="agent:ops-7"))) == ()


@pytest.mark.parametrize("ended", ["key", "person"])
def test_it_ends_with_its_signer(office, ratify, find, ended):
    ratify()
    fingerprint = office.signer("human:ada").public_key.fingerprint
    if ended == "key":
        office.act(acts.revoke_key, by="human:bo", principal="human:ada", fingerprint=fingerprint)
    else:
        office.act(acts.suspend, by="human:bo", principal="human:ada", reason="left")
    assert find() == ()


def test_the_order_of_ratification_does_not_matter(new_office, populate, vocabulary):
    """Policy case C07: grants only add."""
    selectors = ('asset == "test_fixture" and not production', 'environment == "dev"', 'environment == "test"')
    for order in permutations(selectors):
        office = populate(new_office())
        for selector in order:
            terms = replace(TERMS, selector=selector)
            office.act(acts.ratify_grant, vocabulary, by="human:ada", terms=terms, reason="r")
        asker = office.log.read(lambda s: principals.recorded(s, "agent:ops-7", ("agent:ops-7",), "token", None))
        at = from_microseconds(office.clock.now)
        assert len(find_standing(office.log, office.registry, vocabulary, asker, VALUES, at)) == 2


# -- never irreversible in production --


@pytest.mark.parametrize(
    "selector",
    [
        'asset == "test_fixture"',
        "production",
        'reversibility == "irreversible"',
        "about_people or True",
        'environment != "dev"',
        'present(environment) and asset == "test_fixture"',
        'not (production and reversibility == "irreversible" and about_people)',
    ],
)
def test_what_could_reach_irreversible_production_is_not_ratified(ratify, selector):
    with pytest.raises(ExpressionError, match="irreversible resources in production"):
        ratify(selector=selector)


@pytest.mark.parametrize(
    "selector",
    [
        "not production",
        'reversibility == "reversible"',
        'production and reversibility != "irreversible"',
        'environment in ["dev", "test"]',
        'not (production and reversibility == "irreversible")',
    ],
)
def test_what_can_not_reach_it_is_ratified(ratify, selector):
    assert ratify(selector=selector).body.selector == selector


def test_what_can_not_be_decided_is_not_ratified(ratify, monkeypatch):
    monkeypatch.setattr(standing, "can_be", lambda *_, **__: Possibility.UNDECIDED)
    with pytest.raises(ExpressionError, match="or it can't be shown that it does not"):
        ratify()


@pytest.mark.parametrize(
    ("environment", "reversibility", "covers"),
    [
        ("prod", "irreversible", False),
        ("prod", UNKNOWN, False),
        (UNKNOWN, "irreversible", False),
        (UNKNOWN, UNKNOWN, False),
        (ABSENT, ABSENT, False),
        ("prod", "for ever", False),
        ("somewhere", "irreversible", False),
        ("dev", "irreversible", True),
        ("prod", "reversible", True),
        (UNKNOWN, "reversible", True),
        ("test", UNKNOWN, True),
    ],
)
def test_facts_that_do_not_rule_it_out_rule_the_grant_out(
    office, ratify, find, vocabulary, environment, reversibility, covers
):
    """A grant that was ratified under another constitution is held to it when it is used."""
    narrow = replace(vocabulary, declared={**vocabulary.declared, "file": frozenset({"asset"})})
    office.act(
        acts.ratify_grant, narrow, by="human:ada", terms=replace(TERMS, selector='asset == "test_fixture"'), reason="r"
    )
    assert bool(find(environment=environment, reversibility=reversibility)) is covers


def test_kinds_without_such_resources_are_not_held_to_it(ratify, find):
    event = ratify(kinds=("message",), verbs=("send",), targets="message:ops/**", selector='asset == "channel"')
    assert find(kind="message", verb="send", target="message:ops/a", asset="channel", environment=UNKNOWN) == (
        event.body.grant,
    )


def test_a_constitution_without_production_allows_no_doubt(vocabulary):
    other = {**vocabulary.attributes, "environment": Choice(("home", "work"))}
    with pytest.raises(ExpressionError):
        check_selector(replace(vocabulary, attributes=other, categories={}), replace(TERMS, selector="about_people"))


# -- what else is no standing grant --


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"selector": "True"}, "at least one condition"),
        ({"selector": ""}, "not a condition"),
        ({"selector": 'stated_purpose == "care"', "kinds": ("data",)}, "what the asker says of itself"),
        ({"selector": 'asset == "fixture"'}, "did you mean|no value of asset"),
        ({"selector": 'enviroment == "dev"'}, "unknown name"),
        ({"selector": "not production and production"}, "would never apply"),
        ({"selector": 'verb == "read" and not production'}, "would never apply"),
        ({"selector": 'kind == "data" and not production'}, "would never apply"),
        ({"selector": 'reversibility == "reversible"', "kinds": ("message",), "verbs": ("send",)}, "not declared"),
        ({"kinds": ("fle",)}, 'unknown kind of action .fle.; did you mean "file"'),
        ({"verbs": ("run",)}, "no kind of this grant has the verb 'run'"),
    ],
)
def test_a_grant_that_can_not_work_is_not_ratified(ratify, change, why):
    with pytest.raises(ExpressionError, match=why):
        ratify(**change)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"targets": "file:///srv/app/*"}, "is a pattern"),
        ({"targets": "file:///srv/../etc/**"}, "part may not be"),
        ({"subject": "ops-7"}, "a principal is"),
        ({"expires": "2020-01-01T00:00:00.000000Z"}, "would have ended"),
        ({"expires": "soon"}, "not a time"),
        ({"kinds": ("file", "file")}, "each once"),
        ({"verbs": ()}, "would never apply"),
    ],
)
def test_a_grant_in_another_spelling_is_not_ratified(ratify, change, why):
    with pytest.raises((IssueError, ExpressionError), match=why):
        ratify(**change)


def test_nobody_ratifies_a_grant_for_themselves(ratify):
    with pytest.raises(AuthorityError, match="another human must"):
        ratify(subject="human:ada")


def test_an_agent_ratifies_nothing(ratify):
    with pytest.raises(AuthorityError, match="signed by a human"):
        ratify(by="agent:ops-7")


def test_a_grant_is_revoked_once(office, ratify):
    event = ratify()
    revocation = {"by": "human:ada", "grant": event.body.grant, "reason": "r"}
    office.act(acts.revoke_grant, **revocation)
    with pytest.raises(IssueError, match="was revoked by event"):
        office.act(acts.revoke_grant, **revocation)
    with pytest.raises(IssueError, match="there is no standing grant"):
        office.act(acts.revoke_grant, **{**revocation, "grant": "AAAA"})


def test_two_revocations_can_race(office, ratify):
    event = ratify()
    drafts = [
        office.sign(acts.revoke_grant, by=by, grant=event.body.grant, reason="r") for by in ("human:ada", "human:bo")
    ]
    office.append_signed(drafts[0])
    with pytest.raises(ViewError, match="was revoked by event"):
        office.append_signed(drafts[1])


# -- a row is no grant --


class Patched:
    def __init__(self, log, *, states=(), events=()):
        self._log, self._states, self._events = log, dict(states), dict(events)
        self.openings = log.openings

    def state(self, view, key):
        return self._states[view, key] if (view, key) in self._states else self._log.state(view, key)

    def event_bytes(self, seq):
        return self._events[seq] if seq in self._events else self._log.event_bytes(seq)


def test_a_row_without_its_event_is_no_grant(office, ratify, find):
    event = ratify()
    for data in (None, b"{}", office.log.event_bytes(1)):
        assert find(reader=Patched(office.log, events={event.seq: data})) == ()


def test_a_row_without_the_grants_own_row_is_no_grant(office, ratify, find):
    event = ratify()
    assert find(reader=Patched(office.log, states={("standing", event.body.grant): None})) == ()


def test_a_row_that_points_to_another_event_is_no_grant(office, ratify, find):
    ratify()
    row = office.log.state("standing_by_subject", "agent:ops-7")
    moved = replace(row, data=canon.encode({"grants": [[row.state["grants"][0][0], 2]]}))
    assert find(reader=Patched(office.log, states={("standing_by_subject", "agent:ops-7"): moved})) == ()


def test_an_event_that_was_changed_is_no_grant(office, ratify, find):
    event = ratify()
    forged = event.data.replace(b"tests/**", b"**")
    assert forged != event.data
    assert find(reader=Patched(office.log, events={event.seq: forged})) == ()


def test_a_selector_that_the_constitution_no_longer_knows_covers_nothing(ratify, find, vocabulary):
    ratify()
    attributes = {name: kind for name, kind in vocabulary.attributes.items() if name != "asset"}
    assert find(vocabulary=replace(vocabulary, attributes=attributes)) == ()
    assert find(vocabulary=replace(vocabulary, payload=frozenset({"asset"}))) == ()


def test_a_refused_grant_leaves_nothing(office, ratify):
    before = office.log.head
    with pytest.raises((AppendError, ExpressionError)):
        ratify(selector="production")
    assert office.log.head == before
