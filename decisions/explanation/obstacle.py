"""What stands in the way of an allow: for each obstacle the changes of which at least one is needed.

A rule that forbids goes on forbidding while everything that it reads stays as it is; a requirement stays undischarged
likewise, without a grant; and without a permit that turns true there is no authority but a grant. So whatever set of
changes leads to an allow, it holds one of each obstacle's changes.

Source: DESIGN section 10.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from decisions import pdp
from decisions.analysis.axes import Axis, divided, points_of
from decisions.constitution.model import BUILT_IN, Attribute, Rule
from decisions.descriptor import SENSITIVITIES, is_read
from decisions.explanation.change import Change, Key, What
from decisions.explanation.situation import (
    CARRIES,
    CONSENT,
    IDENTITY,
    READABLE,
    SENSITIVITY,
    Situation,
    claim_key,
    places_of,
    registration_key,
    standing_key,
)
from decisions.verdict import Case, Descriptor, Several, Verdict
from grants.consent import ConsentMiss
from grants.expression import ABSENT, UNKNOWN, Missing
from grants.expression.tree import Atom, OneOf, atoms_within
from grants.standing import NEVER, is_never

Obstacle = tuple[Change, ...]

_TRUST: Final = "trust"


class Obstacles:
    """Finds what stands in the way, after some changes.

    Args:
        situation: what was judged.
        amend: whether rules may be changed too.

    Attributes:
        judged: how many actions were judged so far.
    """

    def __init__(self, situation: Situation, *, amend: bool) -> None:
        self._situation = situation
        self._amend = amend
        self._axes: dict[str, Axis] = {}
        self._places = [places_of(case.descriptor) for case in situation.cases]
        self._memo: dict[tuple[int, frozenset[Change]], list[Obstacle]] = {}
        self.judged = 0

    def after(self, changes: Mapping[Key, Change]) -> list[Obstacle]:
        """List what is in the way after some changes: nothing where the operation is allowed, else something."""
        found = []
        if (self._situation.problems and READABLE not in changes) or not self._situation.cases:
            codes = ", ".join(sorted({problem.code for problem in self._situation.problems}))
            found.append(_open([Change("rewrite", READABLE, codes)], changes))
        situation: Situation | None = None
        for index in range(len(self._situation.cases)):
            # Most changes leave most actions as they were.
            place = index, frozenset(change for change in changes.values() if self._concerns(change.key, index))
            if place not in self._memo:
                situation = situation or self._situation.after(changes)
                self._memo[place] = [tuple(one) for one in self._judged(situation, index)]
                self.judged += 1
            found += [_open(one, changes) for one in self._memo[place]]
        return found

    def _concerns(self, key: Key, index: int) -> bool:
        """Tell whether a change can make a difference to an action."""
        descriptor = self._situation.cases[index].descriptor
        if key[0] == "store":
            return key[1] in self._places[index] or (key[2] == SENSITIVITY and CARRIES in descriptor.attributes)
        if key[0] in {"registration", "standing"}:
            return key[1] == descriptor.action.target
        return key[0] != "action" or key[1] == str(index + 1)

    def _judged(self, situation: Situation, index: int) -> Iterator[Iterable[Change]]:
        verdict = pdp.judge(situation.constitution, situation.cases[index], 0)
        if verdict.outcome != "allow":
            yield from self._of(situation, index, verdict)

    def _of(self, situation: Situation, index: int, verdict: Verdict) -> Iterator[Iterable[Change]]:
        case = situation.cases[index]
        if not case.descriptor.classified:
            now = "not registered" if case.descriptor.registration is None else "retired"
            yield [Change("registration", registration_key(case.descriptor), now, "registered")]
        for spoken in verdict.spoken:
            rule = spoken.rule
            if rule.effect == "forbid":
                yield [*self._facts(situation, index, rule.when.reads), *self._amended(rule)]
            elif rule.effect == "require_consent" and self._stands(case, rule):
                first = rule.article == "I"
                read = rule.when.reads | self._selecting if first else rule.when.reads
                yield [*self._grants(situation, index, standing=first), *self._facts(situation, index, read)]
        if "NO_AUTHORITY" in verdict.reasons:
            facts = self._facts(situation, index, self._permitting(case))
            yield [*self._grants(situation, index, standing=True), *facts]

    def _stands(self, case: Case, rule: Rule) -> bool:
        discharged = case.standing and rule.article == "I"
        return isinstance(case.consent, ConsentMiss) and not discharged

    def _permitting(self, case: Case) -> frozenset[str]:
        """Give what permits and the asker's standing grants read: with other values one of them may cover it."""
        action = case.descriptor.action
        rules = self._situation.constitution.rules_for(action.kind, action.verb)
        read = [rule.when.reads for rule in rules if rule.effect == "permit"]
        return frozenset().union(*read, self._selecting)

    @cached_property
    def _selecting(self) -> frozenset[str]:
        read = [condition.reads for condition in self._situation.selectors()]
        return frozenset(NEVER).union(*read) if read else frozenset()

    def _amended(self, rule: Rule) -> list[Change]:
        return [Change("amendment", ("rule", rule.article, rule.id), rule.says)] if self._amend else []

    def _grants(self, situation: Situation, index: int, *, standing: bool) -> Iterator[Change]:
        descriptor = situation.cases[index].descriptor
        if not situation.authenticated:
            # No grant counts for somebody who merely claims.
            yield Change("identity", IDENTITY, "false", "true", value=True)
            return
        yield Change("consent", CONSENT)
        if not standing:
            return
        if any(is_never(situation.vocabulary, one.values()) for one in descriptor.each()):
            yield from self._facts(situation, index, frozenset(NEVER))
        else:
            yield Change("standing_grant", standing_key(descriptor))

    def _facts(self, situation: Situation, index: int, names: Iterable[str]) -> Iterator[Change]:
        """Give every other value of these attributes that something tells apart from the present one."""
        descriptor = situation.cases[index].descriptor
        for name in sorted(names):
            if name in descriptor.claimed:
                now = spelt(descriptor.claimed[name])
                yield Change("claim", claim_key(name), now, "not claimed")
            if name in descriptor.attributes and name not in BUILT_IN:
                yield from self._values(descriptor, index, name)
        if CARRIES in names:
            yield from self._milder(situation)

    def _milder(self, situation: Situation) -> Iterator[Change]:
        """Give what could be said of the things that the operation reads."""
        for index, case in enumerate(situation.cases):
            if is_read(case.descriptor.action) and SENSITIVITY in case.descriptor.attributes:
                yield from self._values(case.descriptor, index, SENSITIVITY)

    def _values(self, descriptor: Descriptor, index: int, name: str) -> Iterator[Change]:
        attribute = self._situation.constitution.attributes[name]
        present = descriptor.attributes[name].value
        if attribute.source == "payload":
            return  # what is not claimed opens nothing that a claim would
        axis, key = self._axis(attribute), self._situation.key(descriptor, index, name)
        what, here = _what(attribute, present), axis.group_of(present)
        for group, points in enumerate(axis.groups):
            if group == here:
                continue
            value, said = axis.first(group).value, axis.says(group)
            if what == "trust":
                # What is closed stays closed, and what is not gated is open already.
                if present == "unmet" and any(axis.points[point].value == "met" for point in points):
                    yield Change(what, key, spelt(present), "met", "met")
            elif not isinstance(value, Missing):
                yield Change(what, key, spelt(present), said, value, len(points))
            elif value is ABSENT:
                yield Change(what, key, spelt(present), "recorded as absent", value)

    def _axis(self, attribute: Attribute) -> Axis:
        if attribute.name not in self._axes:
            asked = sorted(set(self._asked(attribute)), key=repr)
            points = points_of(attribute.source, [attribute.type], asked)
            self._axes[attribute.name] = divided((attribute.name, attribute.source), points, asked)
        return self._axes[attribute.name]

    def _asked(self, attribute: Attribute) -> Iterator[Atom]:
        situation = self._situation
        for case in situation.cases:
            action = case.descriptor.action
            for rule in situation.constitution.rules_for(action.kind, action.verb):
                yield from (atom for atom in atoms_within(rule.when) if atom.name == attribute.name)
        for condition in situation.selectors():
            yield from (atom for atom in atoms_within(condition) if atom.name == attribute.name)
        if attribute.name in NEVER:
            yield Atom("", attribute.name, attribute.type, OneOf((NEVER[attribute.name],)))
        if attribute.name == SENSITIVITY:
            # Each of them makes another difference to what the operation carries.
            yield from (Atom("", SENSITIVITY, attribute.type, OneOf((one,))) for one in SENSITIVITIES)


def _open(candidates: Iterable[Change], changes: Mapping[Key, Change]) -> Obstacle:
    """Leave out what was changed already: it stays as it was changed."""
    return tuple(dict.fromkeys(one for one in candidates if one.key not in changes))


def _what(attribute: Attribute, present: object) -> What:
    match attribute.source:
        case "store":
            return "attribute" if present is UNKNOWN else "reclassification"
        case "session":
            return "identity"
        case "sensor" if attribute.name == _TRUST:
            return "trust"
        case "evidence":
            return "evidence"
        case "sensor":
            return "attribute"
        case _:
            return "rewrite"


def spelt(value: object) -> str:
    """Give a value for people; of several at once each."""
    if isinstance(value, Several):
        return " and ".join(spelt(one) for one in value.values)
    if isinstance(value, Missing):
        return value.name.lower()
    return str(value).lower() if isinstance(value, bool) else str(value)
