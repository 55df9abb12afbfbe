"""The eleven articles and their rules.

    [[articles]]
    number = "IX"
    title = "Proportionality"
    says = "One thing at a time."

    [[articles.rules]]
    id = "IX.all"
    says = "changing all of something in production"
    effect = "forbid"                               # or "permit", "require_consent"
    kinds = ["data"]
    verbs = ["delete"]                              # left out: every verb of the kinds
    when = 'scope == "all" and environment == "prod"'
    stops = { kind = "data", verb = "delete", scope = "all", environment = "prod" }
    passes = { kind = "data", verb = "delete", scope = "one", environment = "prod" }

A rule reads only what is declared for every kind that it names, and is refused where it could never hold.

Source: DESIGN section 10; policy cases B15, B17, C03.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, get_args

from decisions.constitution.examples import read_example
from decisions.constitution.model import BUILT_IN, Article, Attribute, Effect, Rule, types
from decisions.constitution.schema import read_condition
from decisions.constitution.table import Table, mapping, one_of, refusal, table
from grants.expression import Expression, Possibility, can_be
from grants.identifier import code_points

NUMBERS: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")

_RULE_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}", re.ASCII)
_RULE_KEYS: Final = ("id", "says", "effect", "kinds", "when", "stops", "passes")


@dataclass(frozen=True, slots=True)
class Schema:
    """What the rules of one document may speak of."""

    kinds: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, Attribute]
    categories: Mapping[str, Expression]


def read_articles(rows: Iterable[object], schema: Schema) -> tuple[Article, ...]:
    """Read exactly the eleven articles, in whatever order they stand."""
    found: dict[str, Article] = {}
    for place, row in enumerate(rows, start=1):
        article = _article(f"articles, the {place}.", row, schema)
        if article.number in found:
            raise refusal("articles", f"article {article.number} stands twice")
        found[article.number] = article
    for number in NUMBERS:
        if number not in found:
            raise refusal("articles", f"article {number} is missing")
    articles = tuple(found[number] for number in NUMBERS)
    _check_unique(rule.id for article in articles for rule in article.rules)
    return articles


def _article(place: str, value: object, schema: Schema) -> Article:
    row = table(place, value, ("number", "title", "says", "rules"))
    number = row.one_of("number", NUMBERS, "article")
    inner = Table(f"article {number}", row.values)
    rules = [
        _rule(f"article {number}, rule {count}", rule, number, schema)
        for count, rule in enumerate(inner.rows("rules"), start=1)
    ]
    if all(rule.effect == "permit" for rule in rules):
        raise refusal(f"article {number}", "nothing in it can fail: it needs a rule that forbids or requires consent")
    return Article(number, inner.text("title"), inner.text("says"), tuple(rules))


def _rule(place: str, value: object, article: str, schema: Schema) -> Rule:
    # The id comes first, so that whatever else is wrong is said of the rule by its name.
    id_ = Table(place, mapping(place, value)).word("id", _RULE_ID, "a rule") if _has_id(value) else None
    row = table(f"rule {id_}" if id_ else place, value, _RULE_KEYS, ("verbs",))
    kinds = row.some_of("kinds", schema.kinds, "kind")
    spoken = _spoken(row, {kind: verbs for kind, verbs in schema.kinds.items() if kind in kinds})
    when = _condition(row, spoken, schema)
    rule = Rule(
        id=str(id_),
        article=article,
        says=row.text("says"),
        effect=row.one_of("effect", get_args(Effect), "effect"),
        kinds=kinds,
        verbs=frozenset(row.words("verbs")) if "verbs" in row else None,
        when=when,
        claims_payload=any(_source(name, schema) == "payload" for name in when.reads),
        stops=read_example(row.at("stops"), row.values["stops"], spoken, schema.attributes),
        passes=read_example(row.at("passes"), row.values["passes"], spoken, schema.attributes),
    )
    if rule.effect == "permit" and rule.claims_payload:
        raise refusal(row.at("when"), "a permit can't rest on what the payload claims")
    _check_teeth(row, rule, spoken, schema)
    return rule


def _has_id(value: object) -> bool:
    return isinstance(value, dict) and "id" in value


def _source(name: str, schema: Schema) -> str | None:
    return None if name in BUILT_IN else schema.attributes[name].source


def _spoken(row: Table, kinds: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Give the verbs of each kind that the rule speaks on."""
    if "verbs" not in row:
        return dict(kinds)
    known = dict.fromkeys(verb for verbs in kinds.values() for verb in verbs)
    named = [one_of(row.at("verbs"), verb, known, "verb") for verb in row.words("verbs")]
    spoken = {kind: tuple(verb for verb in verbs if verb in named) for kind, verbs in kinds.items()}
    for kind, verbs in spoken.items():
        if not verbs:
            raise refusal(row.at("verbs"), f'toothless: no verb of the kind "{kind}" is among them')
    return spoken


def _condition(row: Table, spoken: Mapping[str, tuple[str, ...]], schema: Schema) -> Expression:
    known = types(spoken, schema.attributes.values())
    when = read_condition(row.at("when"), row.values["when"], known, schema.attributes, schema.categories)
    for name in sorted(when.reads.difference(BUILT_IN)):
        missing = sorted(spoken.keys() - schema.attributes[name].kinds)
        if missing:
            raise refusal(row.at("when"), f"it reads {name}, which is not declared for {', '.join(missing)}")
    return when


def _check_teeth(row: Table, rule: Rule, spoken: Mapping[str, tuple[str, ...]], schema: Schema) -> None:
    """Refuse a rule that could never hold on one of the kinds, or for one of the verbs, that it names."""
    pairs = [(kind, verb) for kind, verbs in spoken.items() for verb in verbs]
    if rule.when.reads.isdisjoint(("kind", "verb")):
        pairs = pairs[:1]  # all pairs have the same answer
    known = types(spoken, schema.attributes.values())
    holding = []
    for kind, verb in pairs:
        possibility = can_be(rule.when, known, fixed={"kind": kind, "verb": verb})
        if possibility is Possibility.UNDECIDED:
            raise refusal(row.at("when"), "it is too involved to tell whether it can ever be true: split the rule")
        if possibility is Possibility.POSSIBLE:
            holding.append((kind, verb))
    if not holding:
        raise refusal(row.at("when"), "toothless: the condition can never be true")
    asked_kinds = {kind for kind, _ in pairs}
    asked_verbs = {verb for _, verb in pairs} if rule.verbs is not None else set()
    idle = sorted(asked_kinds - {kind for kind, _ in holding}) or sorted(asked_verbs - {verb for _, verb in holding})
    if idle:
        raise refusal(row.at("when"), f'toothless: the condition can never be true for "{idle[0]}"')


def _check_unique(ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            raise refusal("articles", f"two rules have the id {code_points(id_)}")
        seen.add(id_)
