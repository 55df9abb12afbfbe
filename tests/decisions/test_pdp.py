"""The decision rule: every combination small enough to list, and what must hold for all the others."""

from dataclasses import replace
from itertools import permutations, product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decisions import pdp
from decisions.action import Problem, action
from decisions.constitution import default
from decisions.constitution.model import Rule
from decisions.constitution.panel import Panel
from decisions.verdict import REASONS, AttributeValue, Case, Descriptor
from grants.consent import ConsentMatch, ConsentMiss
from grants.expression import ABSENT, UNKNOWN, Choice, Flag, compile_expression
from ledger.disclosure import Disclosable

STRICTNESS = {"allow": 0, "hold": 1, "deny": 2}
LAW = default()
MATCH = ConsentMatch("g", 5, 0, 1, Disclosable(sd="A" * 43))
MISS = ConsentMiss("CONSENT_REQUIRED")
PAIRS = [(kind, verb) for kind, verbs in LAW.kinds.items() for verb in verbs]
TARGETS = {
    "file": "file:///srv/x",
    "data": "db://prod/users/42",
    "exec": "program:git",
    "infrastructure": "k8s://prod/shop/deployment/web",
    "environment": "env:PATH",
    "network": "https://example.com/x",
    "message": "message:ops",
    "conversation": "person:r7/care",
    "judgement": "subject:p7",
    "control": "ledger:grants",
}


def descriptor(kind, verb, values, *, claimed=None, registration="x"):
    known = {"kind": kind, "verb": verb, "target": TARGETS[kind], **values}
    attributes = {name: AttributeValue(value, "store") for name, value in known.items()}
    return Descriptor(
        action(kind, verb, TARGETS[kind], {}, ""), attributes, claimed or {}, registration, 1, "human:ada", ""
    )


def judge(kind, verb, values, *, standing=(), consent=MISS, law=LAW, **more):
    return pdp.judge(law, Case(descriptor(kind, verb, values, **more), standing, consent), 0)


def of_type(attribute):
    if isinstance(attribute.type, Choice):
        return st.sampled_from(attribute.type.values)
    assert isinstance(attribute.type, Flag)
    return st.booleans()


@st.composite
def situations(draw, *, unknown=True):
    """Some kind of action with a value, or nothing, or a recorded absence, for each declared attribute."""
    kind, verb = draw(st.sampled_from(PAIRS))
    values = {}
    for name, attribute in LAW.attributes_for(kind).items():
        if attribute.source != "payload":
            gaps = [st.just(UNKNOWN), st.just(ABSENT)] if unknown else []
            values[name] = draw(st.one_of(of_type(attribute), *gaps))
    return kind, verb, values


def synthetic(effects):
    """A constitution with one rule for each (effect, attribute) on the one kind, each true as its attribute is."""
    flags = {f"f{index}": Flag() for index in range(len(effects))}
    rules = [
        Rule(f"{article}.{index}", article, "", effect, frozenset({"data"}), None, when, False, None, None)
        for index, (effect, article) in enumerate(effects)
        for when in [compile_expression(f"f{index}", flags)]
    ]
    return SimpleNamespace(panel=lambda kind, verb: Panel(rules, {}, frozenset()))


def expected(effects, truths, *, standing, consent):
    """The decision rule once more, in the words of the design."""
    fired = [
        pair
        for pair, truth in zip(effects, truths, strict=True)
        if truth is True or (truth is UNKNOWN and pair[0] != "permit")
    ]
    if any(effect == "forbid" for effect, _ in fired):
        return "deny"
    required = [article for effect, article in fired if effect == "require_consent"]
    if not consent and [article for article in required if not (standing and article == "I")]:
        return "hold"
    if consent or standing or any(effect == "permit" for effect, _ in fired):
        return "allow"
    return "deny"


@pytest.mark.parametrize("standing", [(), ("s",)])
@pytest.mark.parametrize("consent", [MISS, MATCH])
def test_every_combination_of_effects_truths_and_grants_follows_the_rule(standing, consent):
    effects = [("forbid", "V"), ("require_consent", "I"), ("require_consent", "VI"), ("permit", "IX")]
    law = synthetic(effects)
    for truths in product([True, False, UNKNOWN], repeat=len(effects)):
        values = {f"f{index}": truth for index, truth in enumerate(truths)}
        got = judge("data", "delete", values, standing=standing, consent=consent, law=law)
        wanted = expected(effects, truths, standing=bool(standing), consent=consent is MATCH)
        assert wanted == got.outcome, truths


def test_order_of_rules_never_matters():
    effects = [("forbid", "V"), ("require_consent", "I"), ("permit", "IX"), ("permit", "VI")]
    for truths in product([True, UNKNOWN, False], repeat=len(effects)):
        outcomes = set()
        for order in permutations(range(len(effects))):
            law = synthetic([effects[index] for index in order])
            values = {f"f{place}": truths[index] for place, index in enumerate(order)}
            verdict = judge("data", "delete", values, law=law)
            outcomes.add((verdict.outcome, verdict.reasons, frozenset(verdict.articles)))
        assert len(outcomes) == 1


@given(situations())
def test_unknown_is_at_least_as_strict_as_anything_that_could_turn_out(situation):
    kind, verb, values = situation
    before = judge(kind, verb, values)
    for name, attribute in LAW.attributes_for(kind).items():
        if values.get(name) is UNKNOWN:
            choices = attribute.type.values if isinstance(attribute.type, Choice) else (True, False)
            for value in (*choices, ABSENT):
                after = judge(kind, verb, {**values, name: value})
                assert STRICTNESS[after.outcome] <= STRICTNESS[before.outcome]


@given(situations(), st.data())
def test_what_the_payload_claims_only_makes_a_verdict_stricter(situation, data):
    kind, verb, values = situation
    names = data.draw(st.lists(st.sampled_from(sorted(LAW.attributes_for(kind))), unique=True))
    claimed = {name: data.draw(st.one_of(of_type(LAW.attributes[name]), st.just(UNKNOWN))) for name in names}
    for standing, consent in product([(), ("s",)], [MISS, MATCH]):
        plain = judge(kind, verb, values, standing=standing, consent=consent)
        told = judge(kind, verb, values, standing=standing, consent=consent, claimed=claimed)
        assert STRICTNESS[told.outcome] >= STRICTNESS[plain.outcome]


@given(situations())
def test_grants_only_add_and_never_override_a_forbid(situation):
    kind, verb, values = situation
    without = judge(kind, verb, values)
    forbidden = any(spoken.rule.effect == "forbid" for spoken in without.spoken)
    for standing, consent in [(("s",), MISS), ((), MATCH), (("s",), MATCH)]:
        with_grant = judge(kind, verb, values, standing=standing, consent=consent)
        assert STRICTNESS[with_grant.outcome] <= STRICTNESS[without.outcome]
        if forbidden:
            assert with_grant.outcome == "deny"


@given(situations())
def test_every_verdict_has_a_reason_and_only_an_allow_has_authority(situation):
    kind, verb, values = situation
    verdict = judge(kind, verb, values)
    assert verdict.reasons
    assert list(verdict.reasons) == sorted(verdict.reasons, key=REASONS.index)
    assert (verdict.outcome == "allow") == bool(verdict.authority)
    assert (verdict.outcome == "allow") == (verdict.reason == "ALLOWED")
    assert (verdict.outcome == "allow") == (not verdict.needs)


@pytest.mark.parametrize(("kind", "verb"), PAIRS)
def test_nothing_known_is_never_allowed(kind, verb):
    unknown = dict.fromkeys(LAW.attributes_for(kind), UNKNOWN)
    for standing, consent in product([(), ("s",)], [MISS, MATCH]):
        assert judge(kind, verb, unknown, standing=standing, consent=consent).outcome == "deny"


@given(situations())
def test_unregistered_target_is_denied_whatever_else_is_known(situation):
    kind, verb, values = situation
    verdict = judge(kind, verb, values, standing=("s",), consent=MATCH, registration=None)
    assert verdict.outcome == "deny"
    assert "UNCLASSIFIED" in verdict.reasons


def test_operation_gets_the_strictest_verdict_of_its_actions_and_spends_nothing_unless_all_are_allowed():
    fine = Case(descriptor("file", "read", {**quiet("file"), "sensitivity": "internal"}), (), MATCH)
    held = Case(descriptor("data", "delete", {**quiet("data"), "reversibility": "irreversible"}), (), MISS)
    assert pdp.decide(LAW, [fine], []).outcome == "allow"
    both = pdp.decide(LAW, [fine, held], [])
    assert both.outcome == "hold"
    assert both.authority == ()
    assert {need.action for need in both.needs} == {1}


def test_anything_opaque_makes_the_whole_operation_a_deny():
    fine = Case(descriptor("file", "read", {**quiet("file"), "sensitivity": "internal"}), (), MISS)
    verdict = pdp.decide(LAW, [fine], [Problem("UNPARSEABLE", "", ""), Problem("ID_INVALID", "", "")])
    assert (verdict.outcome, verdict.reason) == ("deny", "ID_INVALID")


def test_operation_that_does_nothing_at_all_is_denied():
    assert pdp.decide(LAW, [], []).reason == "UNPARSEABLE"


def test_consent_does_not_lift_a_trust_floor():
    """Case I07."""
    verdict = judge("conversation", "befriend", {**quiet("conversation"), "trust": "unmet"}, consent=MATCH)
    assert (verdict.outcome, verdict.reason) == ("deny", "TRUST_FLOOR")


def test_a_forbid_that_lacks_its_fact_fires():
    """Case C01: a missing attribute must not switch a prohibition off."""
    verdict = judge("exec", "run", {**quiet("exec"), "provenance": UNKNOWN}, standing=("s",), consent=MATCH)
    assert (verdict.outcome, verdict.reason) == ("deny", "ATTR_UNKNOWN")
    assert ("facts", "attribute", "provenance") in {(n.who, n.what, n.about) for n in verdict.needs}


def test_a_rule_on_a_claim_is_silent_while_nothing_is_claimed():
    values = {**quiet("data"), "about_people": True, "purpose": "support", "sensitivity": "internal"}
    assert judge("data", "read", values).outcome == "allow"
    assert judge("data", "read", values, claimed={"stated_purpose": "profiling"}).reason == "FORBIDDEN"
    assert judge("data", "read", values, claimed={"stated_purpose": UNKNOWN}).reason == "ATTR_UNKNOWN"
    assert judge("data", "read", values, claimed={"stated_purpose": "support"}).outcome == "allow"


def test_a_standing_grant_discharges_article_one_and_no_other():
    production = {**quiet("data"), "environment": "prod", "reversibility": "recoverable", "scope": "one"}
    assert judge("data", "update", production, standing=("s",)).outcome == "allow"
    assert judge("data", "update", {**production, "scope": "many"}, standing=("s",)).outcome == "hold"


def test_what_is_heard_only_by_a_claim_is_told_where_the_outcome_is_the_same():
    values = {**quiet("data"), "about_people": True, "purpose": "support"}
    told = judge("data", "read", values, claimed={"stated_purpose": "profiling"})
    assert (told.outcome, told.reasons) == ("deny", ("FORBIDDEN", "NO_AUTHORITY"))
    assert [spoken.rule.id for spoken in told.spoken] == ["II.purpose-stated"]
    held = {**quiet("data"), "reversibility": "irreversible"}
    told = judge("data", "delete", held, claimed={"environment": "prod"})
    assert told.outcome == "hold"
    assert {spoken.rule.id for spoken in told.spoken} == {"VI.irreversible", "I.production-change"}


def test_requirement_that_a_standing_grant_discharges_rests_on_that_grant():
    production = {**quiet("data"), "environment": "prod", "reversibility": "recoverable", "sensitivity": "internal"}
    production |= {"asset": "test_fixture"}
    (authority,) = judge("data", "update", production, standing=("s",)).authority
    assert (authority.by, authority.grant) == ("standing", "s")
    law = synthetic([("require_consent", "I"), ("permit", "IX")])
    (authority,) = judge("data", "update", {"f0": True, "f1": True}, standing=("s",), law=law).authority
    assert (authority.by, authority.grant) == ("standing", "s")


def test_consent_is_spent_only_where_nothing_else_allows():
    disposable = {**quiet("file"), "asset": "test_fixture", "environment": "test"}
    (authority,) = judge("file", "delete", disposable, standing=("s",), consent=MATCH).authority
    assert (authority.by, authority.rule) == ("permit", "VI.disposable")
    plain = {**disposable, "asset": "business_record"}
    (authority,) = judge("file", "delete", plain, standing=("s",), consent=MATCH).authority
    assert authority.by == "standing"
    (authority,) = judge("file", "delete", plain, consent=MATCH).authority
    assert (authority.by, authority.grant, authority.item) == ("consent", "g", 0)


def test_explanation_tells_the_truth_of_each_atom():
    values = {**quiet("data"), "environment": "prod", "reversibility": "irreversible"}
    spoken = {s.rule.id: dict(s.atoms) for s in judge("data", "delete", values).spoken}
    assert spoken["VI.irreversible"]["irreversible"].value == "true"


def test_changing_a_case_does_not_change_the_law():
    case = Case(descriptor("file", "read", {**quiet("file"), "sensitivity": "internal"}), (), MISS)
    first = pdp.judge(LAW, case, 0)
    assert pdp.judge(LAW, replace(case, standing=("s",)), 0).outcome == first.outcome == "allow"


def quiet(kind):
    """Values at which no rule of the default constitution speaks, and nothing permits either."""
    mild = {
        "environment": "dev",
        "asset": "business_record",
        "sensitivity": "confidential",
        "reversibility": "reversible",
        "about_people": False,
        "purpose": ABSENT,
        "provenance": "trusted",
        "exposure": "internal",
        "fairness_review": True,
        "assessed": True,
        "backed_up": True,
        "audited": True,
        "scope": "one",
        "code_origin": "file",
        "elevated": False,
        "egress": False,
        "carries": "public",
        "actor_kind": "agent",
        "authenticated": True,
        "owned": True,
        "spoken_for": False,
        "correlated": True,
        "trust": "ungated",
    }
    return {name: mild[name] for name, a in LAW.attributes_for(kind).items() if a.source != "payload"}
