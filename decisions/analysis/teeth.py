"""Which rules have no teeth: they never fire, always fire, change no verdict, or say more than they mean.

Source: docs/spec/analysis.md; policy cases B15, B17, C03, J05.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from decisions.analysis.base import spoken
from decisions.analysis.diagram import FALSE, TRUE
from decisions.analysis.drawing import Pair
from decisions.analysis.finding import Finding
from decisions.analysis.grants_teeth import GrantTeeth
from decisions.analysis.parts import variants
from decisions.analysis.rules import Registered, Rules
from decisions.analysis.sight import Sight
from decisions.analysis.supply import unsupplied
from decisions.constitution.model import Rule
from grants.expression import Expression


def findings(rules: Rules, resources: Sequence[Registered] | None = None) -> tuple[Finding, ...]:
    """Find every rule, category, attribute and standing grant without teeth.

    Args:
        rules: what is looked at.
        resources: the registered resources that are not retired; None where the store is not asked.

    Raises:
        AnalysisError: the rules are too involved for an exact answer.
    """
    teeth = Teeth(rules, resources)
    grants = GrantTeeth(teeth.sight, rules.grants)
    found = [*teeth.rules(), *teeth.categories(), *grants.all(), *teeth.supply(grants.readers())]
    return tuple(dict.fromkeys(found))


class Teeth:
    """One set of rules, looked at for what does nothing."""

    def __init__(self, rules: Rules, resources: Sequence[Registered] | None) -> None:
        self.sight = Sight(rules, resources)
        self._constitution = rules.constitution

    def rules(self) -> Iterator[Finding]:
        """Look at every rule."""
        for rule in self._constitution.rules:
            yield from self.rule(rule)

    def rule(self, rule: Rule) -> Iterator[Finding]:
        """Look at one rule."""
        place, pairs = f"rule {rule.id}", self.sight.pairs_of(rule)
        total = f"{self.sight.total(pairs)} cells"
        if not self.sight.can_hold(rule.when, pairs):
            yield Finding("never-fires", place, "its condition is never true", f"in none of {total}")
            return
        if self._always(rule, pairs):
            yield Finding("always-fires", place, "its condition is never false", f"in none of {total}")
        elif self._idle(rule, pairs):
            yield Finding(
                "shadowed", place, "without it every verdict would be the same", self._in_the_way(rule, pairs)
            )
        else:
            yield from self._parts(rule, pairs, place)
        yield from self.sight.selects(place, rule.when, pairs)

    def categories(self) -> Iterator[Finding]:
        """Look at the parts of every category, by its truth on the kinds that have all that it reads."""
        declared = self._constitution.attributes
        for name, condition in self._constitution.categories.items():
            read = condition.reads & declared.keys()
            pairs = [pair for pair in self.sight.pairs if all(pair[0] in declared[one].kinds for one in read)]
            for text, *without in variants(condition):
                if any(self._same_truth(condition, other, pairs) for other in without):
                    proof = f"the same in all of {self.sight.total(pairs)} cells"
                    yield Finding("idle-atom", f"category {name}", f"{text} changes nothing", proof)

    def supply(self, more: Sequence[tuple[str, Expression, frozenset[str]]]) -> Iterator[Finding]:
        """Look for attributes that rules or standing grants read and nobody supplies."""
        readers = [(f"rule {rule.id}", rule.when, rule.kinds) for rule in self._constitution.rules]
        return unsupplied(self._constitution, [*readers, *more], self.sight.resources)

    def _always(self, rule: Rule, pairs: Sequence[Pair]) -> bool:
        drawing = self.sight.drawing
        if rule.effect == "permit":
            return all(self.sight.lacks(drawing.condition(rule.when, pair), pair, FALSE) for pair in pairs)
        return all(drawing.fires(rule, pair) == TRUE for pair in pairs)

    def _idle(self, rule: Rule, pairs: Sequence[Pair]) -> bool:
        """Tell whether the base is the same without the rule wherever it fires."""
        return all(self._same_base(rule, pair) for pair in pairs)

    def _same_base(self, rule: Rule, pair: Pair) -> bool:
        drawing, judging = self.sight.drawing, self.sight.judging
        care = drawing.fires(rule, pair)
        others = [one for one in self._constitution.rules_for(*pair) if one is not rule]
        return judging.base(spoken(drawing, pair), care) == judging.base(spoken(drawing, pair, others), care)

    def _in_the_way(self, rule: Rule, pairs: Sequence[Pair]) -> str:
        """Name one rule that alone makes this one idle, or say that it takes several."""
        drawing, judging = self.sight.drawing, self.sight.judging

        def covers(other: Rule, pair: Pair) -> bool:
            care = drawing.fires(rule, pair)
            alone, both = (judging.base(spoken(drawing, pair, some), care) for some in ([other], [other, rule]))
            return alone == both

        for other in self._constitution.rules:
            if other is not rule and all(other.speaks_on(*pair) and covers(other, pair) for pair in pairs):
                return f"{other.id} says as much and more"
        return "other rules together say as much and more"

    def _parts(self, rule: Rule, pairs: Sequence[Pair], place: str) -> Iterator[Finding]:
        for text, *without in variants(rule.when):
            if any(self._same_rule(rule, other, pairs) for other in without):
                proof = f"the same in all of {self.sight.total(pairs)} cells"
                yield Finding("idle-atom", place, f"{text} changes nothing", proof)

    def _same_rule(self, rule: Rule, when: Expression, pairs: Sequence[Pair]) -> bool:
        drawing, declared = self.sight.drawing, self._constitution.attributes
        claims = any(name in declared and declared[name].source == "payload" for name in when.reads)
        other = replace(rule, when=when, claims_payload=claims)
        return all(drawing.fires(rule, pair) == drawing.fires(other, pair) for pair in pairs)

    def _same_truth(self, one: Expression, other: Expression, pairs: Sequence[Pair]) -> bool:
        drawing = self.sight.drawing
        return all(drawing.condition(one, pair) == drawing.condition(other, pair) for pair in pairs)
