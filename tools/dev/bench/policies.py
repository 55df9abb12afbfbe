"""Policies and requests that every decision point is given alike.

Attributes have few words, and a rule asks for two or three of them. What is asked is what every peer can say: an
action is allowed if a permit is true and no forbid is. Nothing is unknown, nobody's consent is asked for. The larger a
policy, the more of its rules speak on an action.
"""

import random
from dataclasses import dataclass
from types import MappingProxyType

from decisions.action import action
from decisions.constitution import default
from decisions.constitution.model import Article, Attribute, Constitution, Effect, Example, Rule, types
from decisions.verdict import AttributeValue, Case, Descriptor
from grants.consent import ConsentMiss
from grants.expression import Choice, compile_expression
from ledger import digest

KINDS = {
    "file": ("read", "write", "delete"),
    "data": ("read", "update", "drop"),
    "exec": ("run",),
    "network": ("fetch", "send"),
}
WORDS = {
    "environment": ("dev", "test", "staging", "prod"),
    "sensitivity": ("public", "internal", "confidential", "restricted"),
    "reversibility": ("reversible", "recoverable", "irreversible"),
    "provenance": ("trusted", "untrusted"),
    "scope": ("one", "many", "all"),
    "purpose": ("operations", "support", "research", "care", "hiring"),
    "exposure": ("internal", "external"),
    "asset": ("source", "config", "fixture", "scratch", "record", "secret", "backup", "program"),
}
SIZES = (8, 96)
REQUESTS = 400


@dataclass(frozen=True)
class PlainRule:
    """A rule that every language can say: on these kinds, where each attribute is one of its words."""

    id: str
    effect: Effect
    kinds: tuple[str, ...]
    atoms: tuple[tuple[str, tuple[str, ...]], ...]

    def holds(self, request: dict[str, str]) -> bool:
        """Tell whether it is true of a request: what all the engines must agree with."""
        return request["kind"] in self.kinds and all(request[name] in words for name, words in self.atoms)


def rules(size: int) -> list[PlainRule]:
    """Make a policy of so many rules, the same each time: one in four permits."""
    chance = random.Random(size)
    made = []
    for number in range(size):
        permit = number % 4 == 0
        kinds = tuple(sorted(chance.sample(list(KINDS), chance.choice((1, 1, 2, 4)))))
        names = chance.sample(list(WORDS), 2 if permit else 3)
        atoms = tuple(
            (name, tuple(chance.sample(WORDS[name], 1 + (permit or chance.random() < 0.3)))) for name in names
        )
        made.append(PlainRule(f"r{number}", "permit" if permit else "forbid", kinds, atoms))
    return made


def requests() -> list[dict[str, str]]:
    """Make requests, the same each time."""
    chance, made = random.Random(1), []
    for _ in range(REQUESTS):
        kind = chance.choice(list(KINDS))
        words = {name: chance.choice(of) for name, of in WORDS.items()}
        made.append({"kind": kind, "verb": chance.choice(KINDS[kind]), **words})
    return made


def expected(policy: list[PlainRule], request: dict[str, str]) -> bool:
    """Tell what the answer is."""
    true = {rule.effect for rule in policy if rule.holds(request)}
    return "permit" in true and "forbid" not in true


def constitution(policy: list[PlainRule]) -> Constitution:
    """Say a policy in our own words."""
    kinds = frozenset(KINDS)
    attributes = {name: Attribute(name, Choice(words), "store", kinds, "") for name, words in WORDS.items()}
    known = types(KINDS, attributes.values())

    def rule(one: PlainRule) -> Rule:
        when = compile_expression(
            " and ".join(f"{name} in {list(words)}".replace("'", '"') for name, words in one.atoms), known
        )
        example = Example(one.kinds[0], KINDS[one.kinds[0]][0], {})
        return Rule(one.id, "IX", "", one.effect, frozenset(one.kinds), None, when, False, example, example)

    return Constitution(
        name="benchmark",
        digest=digest.document(repr(policy).encode()),
        kinds=MappingProxyType(KINDS),
        attributes=MappingProxyType(attributes),
        categories=MappingProxyType({}),
        articles=(Article("IX", "", "", tuple(map(rule, policy))),),
        trust=default().trust,
    )


def case(request: dict[str, str]) -> Case:
    """Say a request in our own words."""
    kind, verb = request["kind"], request["verb"]
    attributes = {name: AttributeValue(value, "store") for name, value in request.items()}
    one = action(kind, verb, "file:///srv/x", {}, "")
    return Case(Descriptor(one, attributes, {}, "x", 1, "", ""), (), ConsentMiss("CONSENT_REQUIRED"))


def cedar(policy: list[PlainRule]) -> str:
    """Say a policy in Cedar."""
    said = []
    for one in policy:
        verbs = ", ".join(f'Action::"{kind}.{verb}"' for kind in one.kinds for verb in KINDS[kind])
        atoms = " && ".join(
            " || ".join(f'context.{name} == "{word}"' for word in words).join("()") for name, words in one.atoms
        )
        said.append(f"{one.effect} (principal, action in [{verbs}], resource) when {{ {atoms} }};")
    return "\n".join(said)


def rego(policy: list[PlainRule]) -> str:
    """Say a policy in Rego."""
    said = ["package tally", "import rego.v1", "default allow := false", "allow if { permit; not forbid }"]
    for one in policy:
        atoms = [("kind", one.kinds), *one.atoms]
        body = "; ".join(
            f'input.{name} == "{words[0]}"' if len(words) == 1 else f"input.{name} in {_set(words)}"
            for name, words in atoms
        )
        said.append(f"{one.effect} if {{ {body} }}")
    return "\n".join(said)


def _set(words: tuple[str, ...]) -> str:
    return "{" + ", ".join(f'"{word}"' for word in words) + "}"


CASBIN = """[request_definition]
r = sub
[policy_definition]
p = rule, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = eval(p.rule)
"""


def casbin(policy: list[PlainRule]) -> list[list[str]]:
    """Say a policy in Casbin's rows, under the model `CASBIN`."""
    said = []
    for one in policy:
        atoms = [("kind", one.kinds), *one.atoms]
        rule = " && ".join(
            " || ".join(f"r.sub.{name} == '{word}'" for word in words).join("()") for name, words in atoms
        )
        said.append([rule, "allow" if one.effect == "permit" else "deny"])
    return said
