"""Where everything is known, Cedar allows what the decision point allows, by the policies that are exported."""

import json
from random import Random

import cedarpy
import pytest

from decisions import pdp, trust
from decisions.action import action
from decisions.analysis import Rules
from decisions.analysis.axes import UNSAID
from decisions.analysis.sight import Sight
from decisions.analysis.space import earned
from decisions.constitution import ONE, default
from decisions.verdict import AttributeValue, Case, Descriptor
from grants.expression import Choice, Flag, Interval
from tests.assurance import WHOLE
from tests.decisions.analysis import drawn
from tests.decisions.analysis.laws import MATCH, MISS, law
from tools.rulebook.cedar import policies

COUNT = 10_000 if WHOLE else 1_000
TARGETS = ("db://prod/users", "db://prod/users/42", "db://prod/usersx", "file:///srv/a*b", "file:///srv/a*b/c")


def value(random, domain):
    if isinstance(domain, Choice):
        return random.choice(domain.values)
    if isinstance(domain, Flag):
        return random.random() < 0.5
    if isinstance(domain, Interval):
        return random.choice([domain.low, 9, 10, 50, domain.high])
    return random.choice(["a", "b", "c"])


def descriptor(random, constitution):
    """Draw an action of which everything is known; what the payload claims, it may also not claim."""
    kind = random.choice(list(constitution.kinds))
    verb = random.choice(constitution.kinds[kind])
    target = random.choice(TARGETS)
    known = {"kind": kind, "verb": verb, "target": target}
    attributes = {name: AttributeValue(one, "reducer") for name, one in known.items()}
    claimed = {}
    for attribute in constitution.attributes_for(kind).values():
        if attribute.source != "payload":
            attributes[attribute.name] = AttributeValue(value(random, attribute.type), attribute.source)
        elif random.random() < 0.5:
            claimed[attribute.name] = value(random, attribute.type)
    if "trust" in attributes:
        units = random.choice([0, ONE // 4, ONE // 2, ONE])
        known = attributes["authenticated"].value is True
        gate = trust.gate(constitution.trust_class(verb), units if known else 0)
        attributes["trust"] = AttributeValue(gate, "sensor", units)
    return Descriptor(action(kind, verb, target, {}, ""), attributes, claimed, "x", 1, "", "")


def by_diagram(sight, case):
    """Ask the analysis for the cell of a case."""
    found = case.descriptor
    pair = (found.action.kind, found.action.verb)
    cell = {(name, one.source): one.value for name, one in found.attributes.items()}
    for attribute in sight.constitution.attributes.values():
        if attribute.source == "payload":
            cell[attribute.name, "payload"] = found.claimed.get(attribute.name, UNSAID)
    if "trust" in found.attributes:
        cell[earned(pair[1])] = earned_of(sight, pair, found.attributes["trust"].stamp)
    level = sight.level(pair, cell, covered=bool(case.standing))
    return (level.with_consent if case.consent is MATCH else level.outcome) == "allow"


def earned_of(sight, pair, units):
    """Name the piece of the ladder in which the earned trust lies."""
    if sight.side.ladder(pair[1]) is None:
        return None
    starts = [point.value for point in sight.space.axis(earned(pair[1])).points]
    return max(start for start in starts if start <= units)


def check(constitution, count, seed):
    random = Random(seed)
    cases = []
    for _ in range(count):
        consent, standing = random.random() < 0.3, random.random() < 0.3
        cases.append(Case(descriptor(random, constitution), ("s",) if standing else (), MATCH if consent else MISS))
    requests = [
        {
            "principal": 'P::"p"',
            "action": 'A::"a"',
            "resource": 'R::"r"',
            "context": {
                **case.descriptor.values(with_claims=True),
                "consent": case.consent is MATCH,
                "standing": bool(case.standing),
            },
        }
        for case in cases
    ]
    answers = cedarpy.is_authorized_batch(requests, policies(constitution), [])
    sight, allowed = Sight(Rules(constitution)), 0
    for case, request, answer in zip(cases, requests, answers, strict=True):
        assert not answer.diagnostics.errors, answer.diagnostics.errors
        ours = pdp.judge(constitution, case, 0).outcome == "allow"
        assert answer.allowed == ours == by_diagram(sight, case), json.dumps(request["context"])
        allowed += ours
    return allowed


def test_the_default_constitution_as_cedar_policies_decides_as_it_does():
    assert 0 < check(default(), COUNT, "default") < COUNT


@pytest.mark.parametrize("seed", range(100 if WHOLE else 5))
def test_drawn_constitutions_as_cedar_policies_decide_as_they_do(seed):
    check(drawn.rules(Random(seed)).constitution, 100, seed)


def test_subtrees_and_stars_in_names_are_spelled_as_they_are():
    for root in ("db://prod/users", "file:///srv/a*b", "file:///"):
        check(law(("permit", f'under(target, "{root}")'), ("forbid", f'target == "{root}"')), 60, root)
