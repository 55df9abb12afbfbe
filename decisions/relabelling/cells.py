"""The cells of one resource under two sets of labels, by the diagrams of `decisions.analysis`.

A cell of a resource is one value, or none, for everything that its labels do not say: who asks, when, how much is
touched, what evidence there is. Where the resource has several values at once, the strictest level of all combinations
counts, as when it is decided; where nobody says what it is, everything is forbidden.

Source: DESIGN section 10; docs/adr/0016, 0017; docs/spec/analysis.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from decisions.analysis import Level, Rules
from decisions.analysis.axes import Axis
from decisions.analysis.base import Judging, spoken
from decisions.analysis.cells import Cells
from decisions.analysis.diagram import FALSE, LEAVES, TRUE, Node, Nodes
from decisions.analysis.drawing import Drawing, Pair
from decisions.analysis.level import CLOSED, OPENED, SAME, move
from decisions.analysis.side import TARGET, Side
from decisions.analysis.space import Space
from decisions.reducers.vocabulary import SCHEMES_OF_KIND
from decisions.verdict import MOST_COMBINATIONS
from grants.expression import UNKNOWN
from grants.labels import Labels
from grants.reference import Reference

Fixed = tuple[tuple[int, int], ...]
"""For some axes, by level, the group in which the value lies."""


@dataclass(frozen=True, slots=True)
class Moved:
    """In how many cells a resource is more permissive than before, and in how many less."""

    opened: int
    closed: int


class LabelCells:
    """A constitution with its standing grants, ready to tell what labels make of a resource.

    Args:
        rules: what is in force.
    """

    def __init__(self, rules: Rules) -> None:
        self._space = Space((Side(rules),))
        self._drawing = Drawing(self._space, self._space.sides[0])
        self._judging = Judging(self._space.diagrams)
        self._levels: dict[Pair, Node] = {}
        self._kept: dict[tuple[Node, Fixed], Node] = {}
        self._lesser: dict[Nodes, Node] = {}
        self._moves: dict[Nodes, Node] = {}

    def points(self) -> Iterator[str]:
        """Give the targets that rules and grants tell apart."""
        yield from (str(point.value) for point in self._space.axis(TARGET).points)

    def moved(self, targets: Iterable[Reference], before: Labels, after: Labels) -> Moved:
        """Count the cells that move.

        Args:
            targets: what the labels are of, a reference of each piece of the target axis.
            before: the old labels.
            after: the new ones.
        """
        axis = self._space.axis(TARGET)
        pieces = {axis.group_of(str(target)): target.scheme for target in targets}
        opened = closed = 0
        for group, scheme in sorted(pieces.items()):
            for pair in self._space.pairs:
                if scheme in SCHEMES_OF_KIND.get(pair[0], {scheme}):
                    found = self._tally(pair, group, before, after)
                    opened += found.opened
                    closed += found.closed
        return Moved(opened, closed)

    def _tally(self, pair: Pair, target: int, before: Labels, after: Labels) -> Moved:
        own = [level for level in self._space.levels_of(*pair) if self._axis(level).key[1] == "store"]
        rest = [level for level in self._space.levels_of(*pair) if level not in {*own, self._space.level(TARGET)}]
        old, new = (self._level(pair, target, own, labels) for labels in (before, after))
        moves = self._space.diagrams.joined((old, new), _moved, self._moves)
        cells = Cells(self._space.diagrams, self._space.axes, rest)
        return Moved(cells.count(moves, OPENED), cells.count(moves, CLOSED))

    def _level(self, pair: Pair, target: int, own: Iterable[int], labels: Labels) -> Node:
        """Draw the level of every cell that is left when the target and its labels are known."""
        if labels.version is None:
            return Level.FORBIDDEN
        groups = {level: self._groups(self._axis(level), labels) for level in own}
        if prod(map(len, groups.values())) > MOST_COMBINATIONS:
            return Level.FORBIDDEN
        whole = self._keep(self._whole(pair), {self._space.level(TARGET): target})
        combined = [self._keep(whole, dict(zip(groups, chosen, strict=True))) for chosen in product(*groups.values())]
        found = combined[0]
        for one in combined[1:]:
            found = self._space.diagrams.joined((found, one), _lesser, self._lesser)
        return found

    def _groups(self, axis: Axis, labels: Labels) -> tuple[int, ...]:
        said = labels.labels.get(axis.key[0])
        return tuple(dict.fromkeys(axis.group_of(value) for value in (said.values if said else (UNKNOWN,))))

    def _whole(self, pair: Pair) -> Node:
        if pair not in self._levels:
            base = self._judging.base(spoken(self._drawing, pair), TRUE)
            granted = self._drawing.standing(pair)
            covered = {asker: self._judging.level(base, node) for asker, node in granted.items()}
            self._levels[pair] = self._drawing.asked_by(covered, self._judging.level(base, FALSE))
        return self._levels[pair]

    def _keep(self, node: Node, chosen: Mapping[int, int]) -> Node:
        """Draw what is left of a diagram when some axes have one value."""
        return self._kept_at(node, tuple(sorted(chosen.items())))

    def _kept_at(self, node: Node, fixed: Fixed) -> Node:
        if node < LEAVES:
            return node
        key = (node, fixed)
        found = self._kept.get(key)
        if found is None:
            diagrams = self._space.diagrams
            level, children = diagrams.level(node), diagrams.children(node)
            group = dict(fixed).get(level)
            if group is not None:
                found = self._kept_at(children[group], fixed)
            else:
                found = diagrams.node(level, tuple(self._kept_at(child, fixed) for child in children))
            self._kept[key] = found
        return found

    def _axis(self, level: int) -> Axis:
        return self._space.axes[level]


def _lesser(nodes: Nodes) -> int:
    left, right = nodes
    if left in {right, Level.FORBIDDEN}:
        return left
    if right == Level.FORBIDDEN:
        return right
    return -1 if left >= LEAVES or right >= LEAVES else min(nodes)


def _moved(nodes: Nodes) -> int:
    before, after = nodes
    if before == after:
        return SAME
    return -1 if before >= LEAVES or after >= LEAVES else move(Level(before), Level(after))
