"""Questions about a diagram: in how many cells it is so, what is the least that makes it so, and can this make it so.

Source: docs/spec/analysis.md.
"""

from collections.abc import Collection, Mapping, Sequence

from decisions.analysis.axes import Axis
from decisions.analysis.diagram import LEAVES, Diagrams, Node

Path = tuple[tuple[int, int], ...]
"""Some axes with the group of values that each has, by level."""


class Cells:
    """The cells of one kind and verb.

    Args:
        diagrams: where the diagrams stand.
        axes: all axes of the space.
        levels: those that make up these cells, in their order.
    """

    def __init__(self, diagrams: Diagrams, axes: Sequence[Axis], levels: Sequence[int]) -> None:
        self._diagrams = diagrams
        self._axes = axes
        self._levels = tuple(levels)
        self._place = {level: place for place, level in enumerate(self._levels)} | {len(axes): len(levels)}
        self._missing = {level: [point.is_missing for point in axes[level].firsts()] for level in self._levels}
        # How many cells there are below each place.
        self._below = [1]
        for level in reversed(self._levels):
            self._below.insert(0, self._below[0] * len(axes[level].points))

    @property
    def total(self) -> int:
        """How many cells there are."""
        return self._below[0]

    def tally(self, node: Node) -> dict[int, int]:
        """Count the cells for each leaf."""
        memo: dict[Node, dict[int, int]] = {}
        above = self.total // self._below[self._start(node)]
        return {leaf: above * number for leaf, number in self._tally(node, memo).items()}

    def count(self, node: Node, wanted: Collection[int]) -> int:
        """Count the cells in which the diagram has one of these leaves."""
        return sum(number for leaf, number in self.tally(node).items() if leaf in wanted)

    def least(self, node: Node, wanted: Collection[int]) -> Path | None:
        """Find few facts that lead to one of these leaves, whatever the rest; None where nothing does.

        None of them can be left out. Known values come before missing ones.
        """
        memo: dict[Node, tuple[int, int, Path] | None] = {}
        found = self._shortest(node, frozenset(wanted), memo)
        if found is None:
            return None
        path = found[2]
        for step in found[2]:
            fewer = tuple(other for other in path if other != step)
            if self.leaves(node, {level: {group} for level, group in fewer}) <= set(wanted):
                path = fewer
        return path

    def leaves(self, node: Node, fixed: Mapping[int, Collection[int]]) -> set[int]:
        """Give the leaves that can be reached while some axes keep to some of their groups."""
        seen: set[Node] = set()
        stack = [node]
        while stack:
            here = stack.pop()
            if here in seen:
                continue
            seen.add(here)
            if here >= LEAVES:
                children = self._diagrams.children(here)
                kept = fixed.get(self._diagrams.level(here))
                stack += children if kept is None else [children[group] for group in kept]
        return {here for here in seen if here < LEAVES}

    def _start(self, node: Node) -> int:
        return self._place[self._diagrams.level(node)]

    def _tally(self, node: Node, memo: dict[Node, dict[int, int]]) -> dict[int, int]:
        """Count the cells from the node's own axis down."""
        if node < LEAVES:
            return {node: 1}
        found = memo.get(node)
        if found is None:
            found = {}
            next_place = self._start(node) + 1
            weights = self._axes[self._diagrams.level(node)].weights
            for child, weight in zip(self._diagrams.children(node), weights, strict=True):
                # The axes that are skipped on the way make no difference: all their values count.
                times = weight * self._below[next_place] // self._below[self._start(child)]
                for leaf, number in self._tally(child, memo).items():
                    found[leaf] = found.get(leaf, 0) + times * number
            memo[node] = found
        return found

    def _shortest(
        self, node: Node, wanted: frozenset[int], memo: dict[Node, tuple[int, int, Path] | None]
    ) -> tuple[int, int, Path] | None:
        if node < LEAVES:
            return (0, 0, ()) if node in wanted else None
        if node not in memo:
            level = self._diagrams.level(node)
            best: tuple[int, int, Path] | None = None
            for group, child in enumerate(self._diagrams.children(node)):
                rest = self._shortest(child, wanted, memo)
                if rest is not None:
                    missing = self._missing[level][group]
                    here = (rest[0] + 1, rest[1] + missing, ((level, group), *rest[2]))
                    best = here if best is None or here[:2] < best[:2] else best
            memo[node] = best
        return memo[node]
