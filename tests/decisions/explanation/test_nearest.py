"""The nearest changes: each set allows, nothing smaller does, and what they say comes true when it is done."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decisions.action import Problem, action
from decisions.constitution import default
from decisions.explanation.change import Change
from decisions.explanation.nearest import at_least, nearest
from decisions.explanation.situation import CONSENT, Situation, claim_key, standing_key
from decisions.law import vocabulary_of
from decisions.verdict import AttributeValue, Case, Descriptor
from grants import acts
from grants.consent import ConsentMiss, Terms, Wanted
from grants.evidence import Attested, record_evidence
from grants.expression import ABSENT, UNKNOWN, Choice
from grants.standing import StandingTerms, is_never

LAW = default()
VOCABULARY = vocabulary_of(LAW)
TARGETS = {"message": "message:ops", "environment": "env:PATH", "file": "file:///srv/x", "data": "db://prod/users/42"}
PAIRS = [(kind, verb) for kind in TARGETS for verb in LAW.kinds[kind]]
MISS = ConsentMiss("CONSENT_REQUIRED")


def values_of(attribute):
    return attribute.type.values if isinstance(attribute.type, Choice) else (True, False)


@st.composite
def cases(draw):
    """Some action with a value, or nothing, for each attribute, and some of it claimed otherwise."""
    kind, verb = draw(st.sampled_from(PAIRS))
    facts = {"kind": kind, "verb": verb, "target": TARGETS[kind]}
    attributes = {name: AttributeValue(value, "reducer") for name, value in facts.items()}
    claimed = {}
    for name, attribute in LAW.attributes_for(kind).items():
        if name == "trust":
            attributes[name] = AttributeValue(draw(st.sampled_from(["ungated", "unmet"])), "sensor")
        elif attribute.source == "payload":
            if draw(st.booleans()):
                claimed[name] = draw(st.sampled_from(values_of(attribute)))
        else:
            gaps = [UNKNOWN, ABSENT] if attribute.source == "store" else [UNKNOWN]
            attributes[name] = AttributeValue(draw(st.sampled_from([*values_of(attribute), *gaps])), attribute.source)
    one = action(kind, verb, TARGETS[kind], {}, "")
    return Case(Descriptor(one, attributes, claimed, TARGETS[kind], 1, "human:ada", ""), (), MISS)


def situation(*found, problems=(), authenticated=True):
    return Situation(LAW, VOCABULARY, tuple(found), problems, authenticated)


def keyed(changes):
    return {change.key: change for change in changes}


def every_change(alone):
    """List all that can be changed of one action, from the declared domains: no group, no search."""
    (case,) = alone.cases
    descriptor = case.descriptor
    for name in descriptor.claimed:
        yield Change("claim", claim_key(name))
    for name, known in descriptor.attributes.items():
        attribute = LAW.attributes.get(name)
        if attribute is None:
            continue
        values = ["met"] if name == "trust" else [*values_of(attribute), *([ABSENT] if known.source == "store" else [])]
        if name == "trust" and known.value != "unmet":
            continue
        yield from (Change("attribute", alone.key(descriptor, 0, name), value=value) for value in values)
    yield Change("consent", CONSENT)
    yield Change("standing_grant", standing_key(descriptor))


@settings(max_examples=30)
@given(cases())
def test_every_set_allows_when_it_is_judged_again_and_nothing_of_it_can_be_left_out(case):
    before = situation(case)
    found = nearest(before)
    for changes in found.sets:
        assert before.after(keyed(changes)).judge().outcome == "allow"
        for left_out in changes:
            fewer = [change for change in changes if change is not left_out]
            assert before.after(keyed(fewer)).judge().outcome != "allow"
    if before.judge().outcome != "allow":
        assert found.sets


@settings(max_examples=4)
@given(cases())
def test_no_set_of_fewer_changes_allows(case):
    before = situation(case)
    found = nearest(before)
    if not found.sets or any(change.what == "amendment" for change in found.sets[0]):
        return
    least = len(found.sets[0])
    # Of smaller sets up to two changes all are tried, one by one.
    universe = list(every_change(before))
    for size in range(min(least, 3)):
        for changes in combinations(universe, size):
            if len({change.key for change in changes}) == size:
                assert before.after(keyed(changes)).judge().outcome != "allow", changes


@settings(max_examples=15)
@given(cases())
def test_rules_are_changed_only_where_no_facts_and_grants_help(case):
    before = situation(case)
    for changes in nearest(before).sets:
        if any(change.what == "amendment" for change in changes):
            # Every forbid that is left reads nothing that could be otherwise.
            read = {name for spoken in before.judge().spoken for name in spoken.rule.when.reads}
            assert read


@given(cases(), cases())
@settings(max_examples=8)
def test_sets_for_several_actions_allow_all_of_them(one, other):
    before = situation(one, other)
    for changes in nearest(before).sets:
        assert before.after(keyed(changes)).judge().outcome == "allow"


def test_what_can_not_be_read_has_no_known_change():
    assert nearest(situation(problems=(Problem("UNPARSEABLE", "", ""),))).sets == ()


def test_an_allowed_operation_needs_nothing(court, again):
    found = again(court.do("delete", "file:///srv/app/tests/fixtures/a.json")).account.nearest
    assert (found.sets, found.exact) == ((), True)


def test_obstacles_with_no_change_in_common_take_one_change_each():
    a, b, c = (Change("attribute", ("store", "r", name)) for name in "abc")
    assert at_least([(a, b), (b, c), (c,)]) == 2
    assert at_least([(a,), (b,), (c,)]) == 3
    assert at_least([]) == 0


# --- what they say comes true ---------------------------------------------------------------------------------------

REGISTER = {"by": "registrar:stores"}


class Doer:
    """Does in the court what a change says, and asks again."""

    def __init__(self, court, verb, target, **how):
        self.court, self.verb, self.target, self.how = court, verb, target, how

    def ask(self):
        return self.court.do(self.verb, self.target, **self.how)

    def do(self, changes):
        said = {change.about: change.value for change in changes if change.key[0] == "store"}
        said = {name: None if value is ABSENT else value for name, value in said.items()}
        (resource,) = {change.of for change in changes if change.key[0] == "store"} or {None}
        whats = {change.what for change in changes}
        if "registration" in whats:
            self.court.office.act(acts.register_resource, resource=self.target, attributes=said, **REGISTER)
        elif resource is not None:
            now = self.court.office.state("resource", resource)["attributes"]
            self.court.office.act(acts.reclassify, resource=resource, attributes={**now, **said}, by="human:ada")
        for change in changes:
            if change.what == "rewrite":
                self.how[change.about] = change.value
            if change.what == "claim":
                self.how["attributes"] = {
                    name: value for name, value in self.how["attributes"].items() if name != change.about
                }
            if change.what == "evidence":
                start, end = self.court.office.clock.after(-60_000_000), self.court.office.clock.after(600_000_000)
                kind = LAW.attributes[change.about].evidence
                told = Attested(kind, change.of, bool(change.value), start, end, "restored it on another machine")
                self.court.office.act(record_evidence, by="human:ada", attested=told)
            if change.what == "standing_grant":
                self.ratify()
        if "consent" in whats:
            self.consent()
        return self.ask()

    def consent(self):
        answer = self.ask()
        if answer.request is not None:
            self.court.consent(answer)
            return
        # Nobody was asked, as nothing requires it: a human consents in advance.
        payload = {"verb": self.verb, "target": self.target, **self.how}
        terms = Terms(self.court.office.origin, ("agent:ops-7",), "", {"form": "typed", "payload": payload})
        (one,) = answer.body.actions
        self.court.office.act(
            acts.grant_terms,
            by="human:ada",
            terms=terms,
            wanted=(Wanted(one.kind, one.verb, one.target, one.version),),
            reason="foreseen",
            expires=self.court.office.clock.after(60_000_000),
        )

    def ratify(self):
        kind = self.ask().body.actions[0].kind
        terms = StandingTerms(
            "agent:ops-7", (kind,), (self.verb,), self.target, 'reversibility != "irreversible"', None
        )
        self.court.office.act(acts.ratify_grant, self.court.law(), by="human:ada", terms=terms, reason="nightly job")


DONE = {
    "a row": ("delete", "db://prod/users/42", {}),
    "all rows": ("delete", "db://prod/users", {"scope": "all"}),
    "many in production": ("update", "db://prod/stats", {"scope": "many"}),
    "an unknown file": ("read", "file:///etc/passwd", {}),
    "an unknown file to write": ("write", "file:///etc/passwd", {}),
    "a claim": ("read", "db://prod/users/1", {"attributes": {"stated_purpose": "profiling"}}),
    "what controls": ("write", "file:///srv/app/.claude/x", {}),
    "personal files": ("read", "file:///srv/hr/a", {}),
}


@pytest.mark.parametrize("name", DONE)
def test_what_a_set_says_comes_true_when_it_is_done(court, again, name):
    verb, target, how = DONE[name]
    doer = Doer(court, verb, target, **how)
    sets = again(doer.ask()).account.nearest.sets
    assert sets
    assert not any(change.what == "amendment" for change in sets[0])
    assert doer.do(sets[0]).outcome == "allow"


def test_a_standing_grant_that_is_named_is_one_that_can_be_given(court, again):
    never = again(court.do("delete", "db://prod/users/42"))
    assert {change.what for one in never.account.nearest.sets for change in one} == {"consent"}
    recoverable = again(court.do("update", "db://prod/stats/7"))
    assert "standing_grant" in {change.what for one in recoverable.account.nearest.sets for change in one}
    doer = Doer(court, "update", "db://prod/stats/7")
    assert doer.do([Change("standing_grant", ("standing", "db://prod/stats/7", ""))]).outcome == "allow"


def test_a_classification_that_would_end_a_consent_is_not_told_as_enough(court, again):
    court.consent(court.do("delete", "db://prod/users/42"), uses=5)
    court.amended("forbid", "VI.freeze", ["data"], "production", verb="delete", environment="prod")
    found = again(court.do("delete", "db://prod/users/42")).account.nearest
    for changes in found.sets:
        moved = [change for change in changes if change.what == "reclassification"]
        assert not moved or any(change.what == "consent" for change in changes) or len(changes) > 1


def test_somebody_who_merely_claims_is_told_to_be_known_first(court, again):
    answer = court.do("drop", "db://prod/users", uid=None)
    first = again(answer).account.nearest.sets[0]
    assert {change.about for change in first if change.what == "identity"} == {"authenticated", "owned"}


def test_a_standing_grant_is_never_given_for_what_none_may_select():
    values = {"kind": "data", "environment": "prod", "reversibility": "irreversible"}
    assert is_never(VOCABULARY, values)


def test_an_operation_too_large_to_search_still_gets_an_answer(court, again):
    lines = "; ".join(f"touch /opt/place{number}" for number in range(30))
    found = again(court.ask("shell", {"command": lines, "cwd": "/srv/app"})).account.nearest
    assert not found.exact


@pytest.mark.parametrize("outcome", ["allow", "hold", "deny"])
def test_the_past_is_folded_from_the_events_that_made_it(court, again, outcome):
    for target, wanted in (("file:///srv/app/tests/fixtures/a.json", "allow"), ("db://prod/users/42", "hold")):
        if wanted == outcome:
            answer = court.do("delete", target)
    if outcome == "deny":
        answer = court.do("delete", "db://prod/users", scope="all")
    court.office.act(acts.retire, resource="db://prod/users/**", **REGISTER)
    assert (answer.outcome, again(answer).differs) == (outcome, ())
