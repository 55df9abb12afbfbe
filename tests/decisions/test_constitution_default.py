"""The constitution that ships: it loads, its articles can fail, and ignorance never disarms a rule."""

from collections.abc import Sequence

import pytest

from decisions.constitution import DEFAULT_TEXT, ONE, Rule, check_examples, default, load, load_cached
from decisions.constitution.rules import NUMBERS
from decisions.errors import ConstitutionError
from decisions.reducers.vocabulary import ORDER, VERBS
from grants.expression import Choice, Truth, evaluate
from ledger import digest

RULES = default().rules
ACTING = [rule for rule in RULES if rule.effect != "permit"]


def by_id(rules: Sequence[Rule]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rule", rules, ids=[rule.id for rule in rules])


def test_loads_and_is_known_by_the_digest_of_its_text() -> None:
    assert digest.document(DEFAULT_TEXT.encode()) == default().digest
    assert default() is default()
    assert default() == load(DEFAULT_TEXT) == load_cached(DEFAULT_TEXT)
    assert {default(), load(DEFAULT_TEXT)} == {default()}


def test_has_the_eleven_articles_in_order_each_with_a_rule() -> None:
    assert tuple(article.number for article in default().articles) == NUMBERS
    assert all(article.rules for article in default().articles)
    assert {rule.article for rule in RULES} == set(NUMBERS)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_article_can_fail(number: str) -> None:
    """At least one of its rules denies or holds something."""
    acting = [rule for rule in ACTING if rule.article == number]
    assert any(evaluate(rule.when, rule.stops.values) is Truth.TRUE for rule in acting)


@by_id(RULES)
def test_every_rule_does_on_its_examples_what_they_show(rule: Rule) -> None:
    on_stops, on_passes = evaluate(rule.when, rule.stops.values), evaluate(rule.when, rule.passes.values)
    assert (on_stops, on_passes) == (
        (Truth.FALSE, Truth.TRUE) if rule.effect == "permit" else (Truth.TRUE, Truth.FALSE)
    )
    assert rule.speaks_on(rule.stops.kind, rule.stops.verb)
    assert rule.speaks_on(rule.passes.kind, rule.passes.verb)


@by_id(RULES)
def test_no_rule_is_settled_by_nothing(rule: Rule) -> None:
    """With every attribute unknown a forbid or a require_consent still acts, and a permit permits nothing."""
    assert evaluate(rule.when, {}) is Truth.UNKNOWN


@by_id([rule for rule in ACTING if rule.when.reads - {"verb", "kind", "target"}])
def test_ignorance_never_disarms_a_rule_on_the_action_it_stops(rule: Rule) -> None:
    """C01: kind and verb are always known; with all else unknown the rule is not false."""
    action = {"kind": rule.stops.kind, "verb": rule.stops.verb}
    assert evaluate(rule.when, action) is not Truth.FALSE


@by_id(ACTING)
def test_forgetting_any_one_fact_never_turns_a_stop_into_a_pass(rule: Rule) -> None:
    for name in rule.stops.values.keys() - {"kind", "verb"}:
        less = {key: value for key, value in rule.stops.values.items() if key != name}
        assert evaluate(rule.when, less) is not Truth.FALSE


def test_knows_the_kinds_verbs_and_facts_that_reducers_state() -> None:
    assert {kind: frozenset(verbs) for kind, verbs in default().kinds.items()} == dict(VERBS)
    for name, values in ORDER.items():
        attribute = default().attributes[name]
        assert attribute.source == "reducer"
        assert all(attribute.type.admits(value) for value in values)
        if isinstance(attribute.type, Choice):
            assert set(attribute.type.values) == set(values)


def test_permits_rest_on_no_claim_of_the_payload() -> None:
    assert [rule.id for rule in RULES if rule.claims_payload] == ["II.purpose-stated"]
    assert all(not rule.claims_payload for rule in RULES if rule.effect == "permit")


def test_every_kind_is_under_the_articles_of_accountability_and_trust() -> None:
    for kind, verbs in default().kinds.items():
        for verb in verbs:
            found = {rule.id for rule in default().rules_for(kind, verb)}
            assert {"VII.correlated", "VIII.known", "VIII.owned", "X.floor", "X.closed"} <= found


def test_rules_for_gives_exactly_the_rules_that_speak() -> None:
    for kind, verbs in default().kinds.items():
        for verb in verbs:
            assert default().speaks_of(kind, verb)
            spoken = tuple(rule for rule in RULES if rule.speaks_on(kind, verb))
            assert spoken == default().rules_for(kind, verb)


@pytest.mark.parametrize(("kind", "verb"), [("file", "update"), ("files", "read"), ("", "")])
def test_an_action_outside_the_vocabulary_meets_an_error_and_no_silence(kind: str, verb: str) -> None:
    assert not default().speaks_of(kind, verb)
    with pytest.raises(ConstitutionError, match="knows no action"):
        default().rules_for(kind, verb)


def test_types_for_a_kind_hold_its_attributes_and_its_verbs_alone() -> None:
    types = default().types_for("judgement")
    assert types["kind"] == Choice(("judgement",))
    assert types["verb"] == Choice(("assess",))
    assert "fairness_review" in types
    assert "environment" not in types
    assert default().attributes_for("judgement").keys() == types.keys() - {"kind", "verb", "target"}
    assert default().types_for().keys() == default().attributes.keys() | {"kind", "verb", "target"}
    with pytest.raises(ConstitutionError, match='did you mean "judgement"'):
        default().types_for("judgment")


def test_trust_has_nine_classes_with_the_published_thresholds() -> None:
    classes = default().trust.classes
    assert len(classes) == 9
    assert [c.threshold for c in classes if c.gate == "ladder"] == [ONE * rung // 100 for rung in (10, 25, 40, 55, 70)]
    assert [c.name for c in classes if c.gate == "closed"] == ["romance", "diagnose", "persuade"]
    [refuge] = [c for c in classes if c.gate == "open"]
    assert refuge.verbs == {"referral", "grounding", "handoff"}
    assert refuge.answer
    assert default().trust_class("grounding") is refuge
    assert default().trust_class("delete") is None
    assert set(default().kinds["conversation"]) == {verb for c in classes for verb in c.verbs}


def test_trust_terms_are_those_of_the_design() -> None:
    trust = default().trust
    assert (
        trust.cap,
        trust.floor_step,
        trust.gain,
        trust.qualifying_from,
        trust.fresh_for,
    ) == (ONE * 7 // 10, ONE // 200, 18681995162131, ONE // 10, 900 * 10**6)


def test_check_examples_accepts_it() -> None:
    check_examples(default())
