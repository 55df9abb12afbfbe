"""The decision rule over diagrams: from the rules that speak on an action to the level of every cell.

Source: DESIGN section 10; decisions.pdp, which is the rule itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from decisions.analysis.diagram import FALSE, Diagrams, Node, Nodes
from decisions.analysis.drawing import Drawing, Pair
from decisions.analysis.level import leveled, stricter, weighed
from decisions.constitution.model import Rule

Four: TypeAlias = tuple[frozenset[Node], frozenset[Node], frozenset[Node], frozenset[Node]]


@dataclass(frozen=True, slots=True)
class Spoken:
    """Where the rules for one kind and verb speak, by what they do, without the payload's claims and on them.

    Attributes:
        plain: the diagrams of the rules that forbid, that require consent, that require it in Article I (a standing
            grant discharges those), and that permit.
        claimed: the same four for the rules that read what the payload claims.
    """

    plain: Four
    claimed: Four

    def differs_from(self, other: "Spoken") -> frozenset[Node]:
        """Give every diagram that one of the two has and the other has not, or has for another effect."""
        rows = zip((*self.plain, *self.claimed), (*other.plain, *other.claimed), strict=True)
        return frozenset().union(*(mine ^ yours for mine, yours in rows))


def spoken(drawing: Drawing, pair: Pair, rules: Iterable[Rule] | None = None) -> Spoken:
    """Draw every rule that speaks on an action, or some of them.

    Raises:
        ConstitutionError: the constitution does not know such an action.
    """
    plain: list[set[Node]] = [set(), set(), set(), set()]
    claimed: list[set[Node]] = [set(), set(), set(), set()]
    for rule in drawing.side.constitution.rules_for(*pair) if rules is None else rules:
        place = ("forbid", "require_consent", "", "permit").index(rule.effect)
        if rule.effect == "require_consent" and rule.article == "I":
            place = 2
        (claimed if rule.claims_payload else plain)[place].add(drawing.fires(rule, pair))
    return Spoken(_four(plain), _four(claimed))


def _four(sets: list[set[Node]]) -> Four:
    first, second, third, fourth = map(frozenset, sets)
    return first, second, third, fourth


class Judging:
    """The decision rule over one set of diagrams, remembering what it worked out.

    Args:
        diagrams: where the diagrams stand.
    """

    def __init__(self, diagrams: Diagrams) -> None:
        self._diagrams = diagrams
        self._weighed: dict[Nodes, Node] = {}
        self._stricter: dict[Nodes, Node] = {}
        self._leveled: dict[Nodes, Node] = {}

    def base(self, rules: Spoken, care: Node) -> Node:
        """Draw the base, exact where ``care`` is true."""
        plain = [self._any(nodes, care) for nodes in rules.plain]
        found = self._diagrams.joined(tuple(plain), weighed, self._weighed)
        if not any(rules.claimed):
            return found
        heard = tuple(
            self._diagrams.disjunction(one, self._any(nodes, care))
            for one, nodes in zip(plain, rules.claimed, strict=True)
        )
        on_claims = self._diagrams.joined(heard, weighed, self._weighed)
        return self._diagrams.joined((found, on_claims), stricter, self._stricter)

    def level(self, base: Node, covered: Node) -> Node:
        """Draw the level, given the base and where a standing grant covers the action."""
        return self._diagrams.joined((base, covered), leveled, self._leveled)

    def _any(self, nodes: Iterable[Node], care: Node) -> Node:
        # Outside of what matters a rule is left out: what it says there would only make the diagrams larger.
        joined = (self._diagrams.conjunction(node, care) for node in nodes)
        return self._diagrams.any_of(joined) if nodes else FALSE
