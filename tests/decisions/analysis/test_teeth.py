"""Rules without teeth are found, and each finding is true."""

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given, settings

from decisions.analysis import Registered, Rules, compare, findings
from decisions.analysis.parts import variants
from decisions.constitution import default
from decisions.constitution.fraction import ONE
from decisions.constitution.model import Amending, Article, TrustClass
from grants.expression import Choice, Flag, compile_expression
from tests.decisions.analysis.laws import grant, law
from tests.decisions.analysis.test_compare import rule_sets

PROD = 'environment == "prod"'


def codes(rules, resources=None):
    return {(one.code, one.place) for one in findings(rules, resources)}


def of(*rows, grants=(), **how):
    """Give the findings of a small constitution whose rules are r0, r1, ..."""
    return codes(Rules(law(*rows, **how), grants))


def test_the_default_constitution_has_no_finding():
    assert findings(Rules(default())) == ()


@pytest.mark.parametrize(
    "when",
    [
        'trust == "closed"',
        'trust == "met" and verb == "read"',
        'environment == "prod" and not present(environment)',
        "size < 10 and size > 20",
    ],
)
def test_a_condition_that_no_cell_makes_true_never_fires(when):
    """Case B17: also where only the trust gate, or the verb, stands against it."""
    assert {one for one in of(("forbid", when)) if one[0] != "unsupplied"} == {("never-fires", "rule r0")}


def test_a_threshold_that_exists_makes_the_same_rule_fire():
    rows = [("forbid", 'trust == "unmet"')]
    assert of(*rows) == set()
    assert of(*rows, classes=()) == {("never-fires", "rule r0")}
    shut = TrustClass("talk", "closed", None, frozenset({"speak"}), None)
    assert of(*rows, classes=(shut,)) == {("never-fires", "rule r0")}
    assert of(*rows, classes=(replace(shut, gate="ladder", threshold=ONE),)) == set()


@pytest.mark.parametrize(
    ("effect", "when"),
    [
        ("forbid", 'environment == "prod" or environment != "prod"'),
        ("require_consent", 'trust in ["ungated", "met", "unmet"]'),
        ("permit", 'scope in ["one", "many"]'),
    ],
)
def test_a_condition_that_no_cell_makes_false_always_fires(effect, when):
    assert of((effect, when)) == {("always-fires", "rule r0")}


@pytest.mark.parametrize(
    ("rows", "idle"),
    [
        ([("forbid", PROD), ("forbid", f'{PROD} and scope == "one"')], "r1"),
        ([("forbid", PROD), ("permit", f'{PROD} and scope == "one"')], "r1"),
        ([("forbid", PROD), ("require_consent", f'{PROD} and scope == "one"', "I")], "r1"),
        ([("require_consent", PROD, "VI"), ("require_consent", PROD, "I")], "r1"),
        ([("forbid", 'scope == "one"'), ("forbid", 'scope == "many"'), ("forbid", f'{PROD} and scope == "one"')], "r2"),
    ],
)
def test_a_rule_without_which_every_verdict_is_the_same_is_shadowed(rows, idle):
    """Case C07: the stricter rule decides wherever the other stands, in whatever order they are written."""
    assert of(*rows) == {("shadowed", f"rule {idle}")}
    turned = of(*reversed(rows))
    assert turned == {("shadowed", f"rule r{len(rows) - 1 - int(idle[1:])}")}


def test_what_is_in_the_way_is_named():
    (one,) = findings(Rules(law(("forbid", PROD), ("permit", f'{PROD} and scope == "one"'))))
    assert one.proof == "r0 says as much and more"
    rows = [("forbid", 'scope == "one"'), ("forbid", 'scope == "many"'), ("permit", PROD)]
    (one,) = findings(Rules(law(*rows, ("permit", 'scope in ["one", "many"] and environment == "dev"'))))[-1:]
    assert "together" in one.proof


def test_two_rules_that_say_the_same_shadow_each_other():
    assert of(("forbid", PROD), ("forbid", PROD)) == {("shadowed", "rule r0"), ("shadowed", "rule r1")}


@pytest.mark.parametrize(
    ("when", "part"),
    [
        ('environment == "prod" and environment != "dev"', 'environment != "dev"'),
        ('size < 10 or size < 20 and verb == "read" or size < 5', "size < 5"),
        ('scope == "one" and verb in ["read", "delete", "speak"]', 'verb in ["read", "delete", "speak"]'),
        ('scope == "one" and True', "True"),
        ('under(place, "file:///srv") and place != "file:///etc"', 'place != "file:///etc"'),
    ],
)
def test_a_part_without_which_a_rule_says_the_same_is_found(when, part):
    rules = Rules(law(("forbid", when)))
    assert f"{part} changes nothing" in {one.says for one in findings(rules) if one.code == "idle-atom"}


def test_a_part_that_is_true_whenever_it_is_known_is_idle_in_a_forbid_and_not_in_a_permit():
    """What is unknown lets a forbid fire, so nothing depends on the part; a permit waits for it to be known."""
    when = f'{PROD} and scope in ["one", "many"]'
    assert of(("forbid", when)) == {("idle-atom", "rule r0")}
    assert of(("permit", when)) == set()


@pytest.mark.parametrize(
    ("name", "domain", "source"),
    [
        ("mood", Flag(), "session"),
        ("confidence", Choice(("high", "low")), "sensor"),
        ("weather", Flag(), "derived"),
        ("colour", Choice(("red", "blue")), "reducer"),
    ],
)
def test_an_attribute_that_nothing_supplies_is_found(name, domain, source):
    """Case C05: a fact that never arrives must not pass for a rule that is at work."""
    when = name if isinstance(domain, Flag) else f'{name} == "{domain.values[0]}"'
    found = of(("forbid", when), attributes={name: (domain, source)})
    assert ("unsupplied", f"attribute {name}") in found


def test_an_attribute_of_another_source_than_the_one_that_supplies_it_is_found():
    assert ("unsupplied", "attribute actor_kind") in of(
        ("forbid", 'actor_kind == "agent"'), attributes={"actor_kind": (Choice(("agent", "human")), "derived")}
    )


def test_an_attribute_that_nothing_reads_may_be_supplied_by_nobody():
    assert of(("forbid", PROD), attributes={"mood": (Flag(), "session")}) == set()


STORE = (
    Registered.of("db://prod/users/**", {"environment": "prod", "reversibility": "irreversible", "label": None}),
    Registered.of("db://test/users", {"environment": "test"}),
    Registered.of("file:///srv", {"environment": "staging", "label": "x"}),
)


@pytest.mark.parametrize(
    ("when", "found"),
    [
        (PROD, set()),
        ('environment == "dev"', {"selects-nothing"}),
        ('environment == "staging"', {"selects-nothing"}),
        ('environment == "test" and reversibility == "irreversible"', {"selects-nothing"}),
        ('under(target, "db://prod")', set()),
        ('target == "db://prod/users/42"', set()),
        ('target == "db://test/users/42"', {"selects-nothing"}),
        ('not present(label) and environment == "prod"', set()),
        ('label == "x"', {"selects-nothing"}),
    ],
)
def test_a_rule_that_is_true_of_no_resource_in_the_store_is_found(when, found):
    """Case B17: a selector that matches no member of the domain."""
    rules = Rules(law(("forbid", when)))
    assert {one.code for one in findings(rules, STORE)} == found
    assert findings(rules) == ()


def test_a_stored_attribute_that_no_resource_has_is_unsupplied():
    found = codes(Rules(law(("forbid", 'label == "x"'))), STORE[1:2])
    assert found == {("unsupplied", "attribute label"), ("selects-nothing", "rule r0")}


ALLOWING = [("require_consent", PROD, "I"), ("permit", 'environment == "dev"')]


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (grant('environment == "prod" and reversibility == "reversible"'), None),
        (grant('environment == "prod" and reversibility == "irreversible"'), "never-fires"),
        (grant('environment == "moon"'), "never-fires"),
        (grant('environment == "dev" and reversibility == "reversible"'), "shadowed"),
        (
            grant('environment == "test" and reversibility == "reversible" and reversibility != "irreversible"'),
            "idle-atom",
        ),
        (grant('stated == "good"'), "never-fires"),
        (grant('environment == "test"', verbs=("fly",)), "never-fires"),
    ],
)
def test_a_standing_grant_without_teeth_is_found(one, code):
    """Cases B17, J05: what it may never select, it does not select."""
    found = of(*ALLOWING, grants=(one,))
    assert {code for code, _ in found} == ({code} if code else set())


def test_of_two_grants_the_narrower_is_shadowed_whichever_came_first():
    """Case C07: the wider covers what the narrower does, and no order between them decides."""
    wide, narrow = grant('environment == "test"'), grant('environment == "test"', targets="db://prod/users/**")
    names = {one.place.partition(" (")[0] for one in findings(Rules(law(*ALLOWING), (wide, narrow)))}
    assert names == {"standing grant 2"}
    names = {one.place.partition(" (")[0] for one in findings(Rules(law(*ALLOWING), (narrow, wide)))}
    assert names == {"standing grant 1"}
    other = grant('environment == "test"', targets="db://prod/users/**", subject="agent:b")
    assert findings(Rules(law(*ALLOWING), (wide, other))) == ()


def test_a_grant_that_covers_no_resource_is_found():
    rules = Rules(law(*ALLOWING), (grant('environment == "test"', targets="db://nowhere/**"),))
    assert ("selects-nothing", "standing grant 1 (agent:a, db://nowhere/**)") in codes(rules, STORE)


def test_a_part_of_a_category_that_changes_nothing_is_found():
    constitution = law(("forbid", PROD))
    known = constitution.types_for("data")
    category = compile_expression('environment == "prod" and environment != "dev"', known)
    found = codes(Rules(replace(constitution, categories=MappingProxyType({"live": category}))))
    assert found == {("idle-atom", "category live")}


@settings(max_examples=25, deadline=None)
@given(rule_sets())
def test_whatever_is_said_to_change_nothing_changes_nothing(rules):
    """Take each shadowed rule and each idle part out, and compare."""
    rows = rules.constitution.rules
    for finding in findings(rules):
        if finding.place.startswith("standing") or finding.code not in {"shadowed", "idle-atom"}:
            continue
        (rule,) = [one for one in rows if finding.place == f"rule {one.id}"]
        if finding.code == "shadowed":
            assert compare(rules, without(rules, rule, None)).kind == "equivalent"
        else:
            part = finding.says.removesuffix(" changes nothing")
            others = [other for text, *both in variants(rule.when) if text == part for other in both]
            assert any(compare(rules, without(rules, rule, other)).kind == "equivalent" for other in others)


def without(rules, rule, when):
    """Give the rules without one of them, or with another condition in it."""
    kept = [
        one if one is not rule else replace(rule, when=when)
        for one in rules.constitution.rules
        if when or one is not rule
    ]
    payload = rules.constitution.attributes
    kept = [
        replace(
            one, claims_payload=any(name in payload and payload[name].source == "payload" for name in one.when.reads)
        )
        for one in kept
    ]
    return Rules(replace(rules.constitution, articles=(Article("V", "", "", tuple(kept)),)), rules.grants)


def test_a_grant_that_too_few_have_signed_covers_nothing_and_the_reason_is_told():
    test = grant('environment == "test" and reversibility == "reversible"')
    one = law(*ALLOWING)
    two = replace(one, amending=Amending(humans=2))
    (found,) = findings(Rules(two, (test,)))
    assert (found.code, found.proof) == (
        "never-fires",
        "2 humans must have signed it under this constitution, and 1 have",
    )
    assert findings(Rules(two, (replace(test, signed=2),))) == ()
    difference = compare(Rules(one, (test,)), Rules(two, (test,)))
    assert (difference.kind, difference.opened) == ("tightening", 0)
    assert difference.closed > 0
