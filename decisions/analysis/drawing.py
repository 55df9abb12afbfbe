"""Draws what one constitution says of an action as diagrams: conditions, rules, and standing grants.

What an atom gives for a value is asked of the evaluator that decides, so that there is one meaning of it.

Source: DESIGN sections 10 to 12.
"""

from typing import Final

from decisions import trust
from decisions.analysis.axes import UNSAID, Key
from decisions.analysis.diagram import FALSE, TRUE, UNKNOWN, Node
from decisions.analysis.side import AUTHENTICATED, IS_AUTHENTICATED, TARGET, TRUST, Grant, Side
from decisions.analysis.space import ASKER, AT, Space, earned
from decisions.constitution.model import Attribute, Rule
from grants.expression import Expression, Truth
from grants.expression.evaluate import ask
from grants.expression.tree import Atom, Category, Joined, Not
from grants.expression.tree import Node as Tree
from grants.standing import NEVER

_LEAF: Final = {Truth.FALSE: FALSE, Truth.UNKNOWN: UNKNOWN, Truth.TRUE: TRUE}
_NOT_FALSE: Final = (FALSE, TRUE, TRUE)
_TRUE_ALONE: Final = (FALSE, FALSE, TRUE)
_BY_PAIR: Final = frozenset({"verb", TRUST})

Pair = tuple[str, str]


class Drawing:
    """One side in a space."""

    def __init__(self, space: Space, side: Side) -> None:
        self.space = space
        self.side = side
        self._conditions: dict[tuple[int, Pair], tuple[Expression, Node]] = {}
        self._atoms: dict[tuple[Atom, Pair], Node] = {}

    def fires(self, rule: Rule, pair: Pair) -> Node:
        """Draw where a rule speaks: a permit where its condition is true, any other also where it is unknown."""
        diagrams = self.space.diagrams
        truth = self.condition(rule.when, pair)
        spoken = diagrams.mapped(truth, _TRUE_ALONE if rule.effect == "permit" else _NOT_FALSE)
        if not rule.claims_payload:
            return spoken
        return diagrams.all_of([spoken, *(self._said(key) for key in self.claims(rule))])

    def claims(self, rule: Rule) -> list[Key]:
        """List the payload's attributes that a rule reads: it is silent where one of them is not claimed."""
        declared = self.side.constitution.attributes
        read = (declared[name] for name in sorted(rule.when.reads) if name in declared)
        return [(attribute.name, attribute.source) for attribute in read if attribute.source == "payload"]

    def condition(self, expression: Expression, pair: Pair) -> Node:
        """Draw a condition's truth."""
        # Most conditions say the same of every verb of a kind.
        scope = (pair[0], "" if _BY_PAIR.isdisjoint(expression.reads) else pair[1])
        key = (id(expression), scope)
        found = self._conditions.get(key)
        if found is None:
            # The expression is kept beside what was drawn, so that its id stays its own.
            found = self._conditions[key] = (expression, self.tree(expression.root, pair))
        return found[1]

    def tree(self, node: Tree, pair: Pair) -> Node:
        """Draw the truth of a condition's tree."""
        diagrams = self.space.diagrams
        match node:
            case Atom():
                return self.atom(node, pair)
            case Category(expression=expression):
                return self.condition(expression, pair)
            case Not(inner=inner):
                return diagrams.negation(self.tree(inner, pair))
            case Joined(connective="and", items=items):
                return diagrams.all_of(self.tree(item, pair) for item in items)
            case Joined(items=items):
                return diagrams.any_of(self.tree(item, pair) for item in items)
            case _:
                return TRUE if node.value else FALSE

    def atom(self, atom: Atom, pair: Pair) -> Node:
        """Draw one atom's truth."""
        key = (atom, pair if atom.name in _BY_PAIR else (pair[0], ""))
        if key not in self._atoms:
            self._atoms[key] = self._atom(atom, pair)
        return self._atoms[key]

    def standing(self, pair: Pair) -> dict[str, Node]:
        """Draw for each asker with standing grants where one of them covers the action."""
        found: dict[str, list[Node]] = {}
        for grant in self.side.grants:
            if pair[0] in grant.kinds and pair[1] in grant.verbs:
                found.setdefault(grant.subject, []).append(self.covers(grant, pair))
        return {subject: self.space.diagrams.any_of(nodes) for subject, nodes in found.items()}

    def covers(self, grant: Grant, pair: Pair) -> Node:
        """Draw where a grant covers an action of its subject."""
        diagrams = self.space.diagrams
        selected = self.selected(grant.selector, pair)
        within = TRUE if grant.within is None else self.atom(grant.within, pair)
        return diagrams.all_of([within, self._before(grant), selected, self._reachable(pair)])

    def selected(self, selector: Expression, pair: Pair) -> Node:
        """Draw where a grant's selector is true."""
        return self.space.diagrams.mapped(self.condition(selector, pair), _TRUE_ALONE)

    def asked_by(self, subjects: dict[str, Node], others: Node) -> Node:
        """Put what holds for each asker under the axis of askers."""
        axis = self.space.axis(ASKER)
        children = tuple(
            subjects.get(point.value, others) if isinstance(point.value, str) else others for point in axis.firsts()
        )
        return self.space.diagrams.node(self.space.level(ASKER), children)

    def _before(self, grant: Grant) -> Node:
        if grant.expires is None:
            return TRUE
        axis = self.space.axis(AT)
        starts = [point.value for point in axis.firsts()]
        live = tuple(TRUE if not isinstance(start, str) or start < grant.expires else FALSE for start in starts)
        return self.space.diagrams.node(self.space.level(AT), live)

    def _reachable(self, pair: Pair) -> Node:
        """Draw where standing grants count at all: for an asker that is known, and not on what none may select."""
        diagrams, kind = self.space.diagrams, pair[0]
        known = self._authenticated(kind)
        if any(self.side.attribute(name, kind) is None for name in NEVER):
            return known
        never = diagrams.all_of(diagrams.mapped(self.atom(atom, pair), _NOT_FALSE) for atom in self.side.never)
        return diagrams.conjunction(known, diagrams.negation(never))

    def _authenticated(self, kind: str) -> Node:
        attribute = self.side.attribute("authenticated", kind)
        if attribute is None or (attribute.name, attribute.source) != AUTHENTICATED:
            # Nothing tells: whoever is not is among the askers without grants and without trust.
            return TRUE
        return self.space.diagrams.mapped(self._by_value(AUTHENTICATED, IS_AUTHENTICATED), _TRUE_ALONE)

    def _said(self, key: Key) -> Node:
        axis = self.space.axis(key)
        said = (point.value is not UNSAID for point in axis.firsts())
        return self.space.diagrams.node(self.space.level(key), tuple(TRUE if one else FALSE for one in said))

    def _atom(self, atom: Atom, pair: Pair) -> Node:
        kind, verb = pair
        if atom.name in {"kind", "verb"}:
            return _LEAF[ask(atom, {"kind": kind, "verb": verb})]
        if atom.name == "target":
            return self._by_value(TARGET, atom)
        attribute = self.side.attribute(atom.name, kind)
        if attribute is None:
            return UNKNOWN  # not declared for this kind, so that nobody supplies it
        if self.side.is_gate(atom.name):
            return self._gate(atom, attribute, pair)
        return self._by_value((attribute.name, attribute.source), atom)

    def _by_value(self, key: Key, atom: Atom) -> Node:
        truths = self.space.axis(key).truths[atom]
        return self.space.diagrams.node(self.space.level(key), tuple([_LEAF[truth] for truth in truths]))

    def _gate(self, atom: Atom, attribute: Attribute, pair: Pair) -> Node:
        """Draw what is asked of the trust gate: by the earned trust, which only a known asker has."""
        kind, verb = pair
        trust_class = self.side.constitution.trust_class(verb)
        nothing_earned = _LEAF[ask(atom, {attribute.name: trust.gate(trust_class, 0)})]
        if self.side.ladder(verb) is None:
            return nothing_earned
        diagrams, axis = self.space.diagrams, self.space.axis(earned(verb))
        reached = (point.value for point in axis.firsts())
        gates = (trust.gate(trust_class, value) for value in reached if isinstance(value, int))
        by_trust = diagrams.node(
            self.space.level(axis.key), tuple(_LEAF[ask(atom, {attribute.name: gate})] for gate in gates)
        )
        known = self._authenticated(kind)
        return diagrams.disjunction(
            diagrams.conjunction(known, by_trust),
            diagrams.conjunction(diagrams.negation(known), nothing_earned),
        )
