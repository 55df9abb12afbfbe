"""One set of rules with the store that it meets, drawn once for every question that is asked of it.

Source: docs/spec/analysis.md.
"""

from collections.abc import Iterator, Mapping, Sequence

from decisions.analysis.axes import Key
from decisions.analysis.base import Judging, spoken
from decisions.analysis.cells import Cells
from decisions.analysis.diagram import FALSE, TRUE, Node
from decisions.analysis.drawing import Drawing, Pair
from decisions.analysis.finding import Finding
from decisions.analysis.level import Level
from decisions.analysis.places import Places
from decisions.analysis.rules import Registered, Rules
from decisions.analysis.side import Side
from decisions.analysis.space import Space
from decisions.constitution.model import BUILT_IN, Constitution, Rule
from grants.expression import Expression


class Sight:
    """Rules and a store.

    Args:
        rules: the rules.
        resources: the registered resources that are not retired; None where the store is not asked.
    """

    def __init__(self, rules: Rules, resources: Sequence[Registered] | None = None) -> None:
        side = Side(rules)
        self.constitution: Constitution = rules.constitution
        self.resources = resources
        self.side = side
        self.space = Space([side])
        self.drawing = Drawing(self.space, side)
        self.judging = Judging(self.space.diagrams)
        self._bases: dict[Pair, Node] = {}
        self._places = Places(self.space, resources or ())

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every kind with each of its verbs."""
        return self.space.pairs

    def pairs_of(self, rule: Rule) -> list[Pair]:
        """List the kinds and verbs on which a rule speaks."""
        return [pair for pair in self.pairs if rule.speaks_on(*pair)]

    def cells(self, pair: Pair) -> Cells:
        """Give the cells of one kind and verb."""
        return Cells(self.space.diagrams, self.space.axes, self.space.levels_of(*pair))

    def total(self, pairs: Sequence[Pair]) -> int:
        """Count the cells of some kinds and verbs."""
        return sum(self.cells(pair).total for pair in pairs)

    def lacks(self, node: Node, pair: Pair, leaf: int) -> bool:
        """Tell whether a diagram never comes to a leaf."""
        return leaf not in self.cells(pair).leaves(node, {})

    def can_hold(self, condition: Expression, pairs: Sequence[Pair]) -> bool:
        """Tell whether a condition is true in some cell."""
        return not all(self.lacks(self.drawing.condition(condition, pair), pair, TRUE) for pair in pairs)

    def level(self, pair: Pair, cell: Mapping[Key, object], *, covered: bool) -> Level:
        """Give the level of one cell, as it is where a standing grant covers the action, or where none does."""
        if pair not in self._bases:
            self._bases[pair] = self.judging.base(spoken(self.drawing, pair), TRUE)
        base = self.space.at(self._bases[pair], cell)
        return Level(self.judging.level(base, TRUE if covered else FALSE))

    def selects(self, place: str, condition: Expression, pairs: Sequence[Pair]) -> Iterator[Finding]:
        """Look whether a condition about resources can be true of any in the store."""
        declared = self.constitution.attributes
        about = [name for name in condition.reads if name not in BUILT_IN and declared[name].source == "store"]
        if self.resources is None or not (about or "target" in condition.reads):
            return
        draw = {pair: self.drawing.condition(condition, pair) for pair in pairs}
        if not self.selected(draw):
            kinds = {pair[0] for pair in pairs}
            count = sum(any(map(resource.meets, kinds)) for resource in self.resources)
            yield Finding("selects-nothing", place, "it is true of no resource in the store", f"none of {count}")

    def selected(self, drawn: dict[Pair, Node]) -> list[str]:
        """Give the resources of which a diagram can be true."""
        return [
            resource.name
            for resource in self.resources or ()
            if any(
                resource.meets(pair[0]) and TRUE in self.cells(pair).leaves(node, self._places.fixed(resource, pair))
                for pair, node in drawn.items()
            )
        ]
