"""Decision diagrams: one shared graph for all functions of a few variables with a few values each.

A node asks one variable and has a child for each of its values; a leaf is a small number. Every node is made once
(hash-consed), children that are all alike make no node, and the variables are asked in one order. So two functions
are equal exactly where their numbers are, and what two constitutions have in common is worked out once.

A leaf is its own number, 0 to `LEAVES` - 1; nodes are numbered from there. Truth values are the leaves `FALSE`,
`UNKNOWN` and `TRUE` in this order, so that Kleene's "and" is the lesser and his "or" the greater of two.

>>> diagrams = Diagrams((2, 3))
>>> first, second = diagrams.node(0, (FALSE, TRUE)), diagrams.node(1, (TRUE, UNKNOWN, FALSE))
>>> diagrams.conjunction(first, second) == diagrams.conjunction(second, first)
True
>>> diagrams.disjunction(first, diagrams.negation(first))
2

Source: docs/adr/0015; R. E. Bryant, Graph-based algorithms for Boolean function manipulation (1986).
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Final, TypeAlias

from decisions.errors import AnalysisError

Node: TypeAlias = int
Nodes: TypeAlias = tuple[Node, ...]

LEAVES: Final = 64
MAX_NODES: Final = 1_000_000
"""What a diagram may grow to: beyond it nothing is said, and nobody waits for ever."""

FALSE, UNKNOWN, TRUE = 0, 1, 2

MAX_ASKED: Final = 150
"""How many variables a diagram may ask: each is a level of recursion."""

_NEGATION: Final = (TRUE, UNKNOWN, FALSE)


class Diagrams:
    """All diagrams over one row of variables.

    Args:
        widths: for each variable, in the order in which they are asked, how many values it has.

    Raises:
        AnalysisError: more than `MAX_ASKED` variables make a difference.
    """

    def __init__(self, widths: Sequence[int]) -> None:
        self.widths = tuple(widths)
        if sum(width > 1 for width in self.widths) > MAX_ASKED:
            raise AnalysisError(f"too involved to be analysed exactly: rules read more than {MAX_ASKED} attributes")
        # A leaf stands below every variable.
        self._levels: list[int] = [len(self.widths)] * LEAVES
        self._children: list[Nodes] = [()] * LEAVES
        self._made: dict[tuple[int, Nodes], Node] = {}
        self._and: dict[tuple[Node, Node], Node] = {}
        self._or: dict[tuple[Node, Node], Node] = {}
        self._mapped: dict[tuple[tuple[int, ...], Node], Node] = {}

    def __len__(self) -> int:
        """Count the nodes that were made, without the leaves."""
        return len(self._made)

    def level(self, node: Node) -> int:
        """Tell which variable a node asks; for a leaf, one past the last."""
        return self._levels[node]

    def children(self, node: Node) -> Nodes:
        """Give the children of a node, one for each value of its variable."""
        return self._children[node]

    def node(self, level: int, children: Nodes) -> Node:
        """Give the node that asks a variable and goes on with these children.

        Raises:
            AnalysisError: more than `MAX_NODES` would stand.
        """
        first = children[0]
        if children.count(first) == len(children):
            return first
        key = (level, children)
        found = self._made.get(key)
        if found is None:
            if len(self._made) == MAX_NODES:
                raise AnalysisError(
                    f"too involved to be analysed exactly: more than {MAX_NODES} distinctions; "
                    "split rules that read many attributes at once"
                )
            found = self._made[key] = len(self._levels)
            self._levels.append(level)
            self._children.append(children)
        return found

    def conjunction(self, left: Node, right: Node) -> Node:
        """Join two truth values by "and": the lesser of the two."""
        if left in {right, FALSE} or right == TRUE:
            return left
        if left == TRUE or right == FALSE:
            return right
        key = (left, right) if left < right else (right, left)
        found = self._and.get(key)
        if found is None:
            found = self._and[key] = self._pairwise(self.conjunction, *key) if key[1] >= LEAVES else key[0]
        return found

    def disjunction(self, left: Node, right: Node) -> Node:
        """Join two truth values by "or": the greater of the two."""
        if left in {right, TRUE} or right == FALSE:
            return left
        if left == FALSE or right == TRUE:
            return right
        key = (left, right) if left < right else (right, left)
        found = self._or.get(key)
        if found is None:
            found = self._or[key] = self._pairwise(self.disjunction, *key) if key[1] >= LEAVES else key[1]
        return found

    def negation(self, node: Node) -> Node:
        """Turn true and false round."""
        return self.mapped(node, _NEGATION)

    def all_of(self, nodes: Iterable[Node]) -> Node:
        """Join many by "and"."""
        return self._folded(self.conjunction, nodes, TRUE)

    def any_of(self, nodes: Iterable[Node]) -> Node:
        """Join many by "or"."""
        return self._folded(self.disjunction, nodes, FALSE)

    def mapped(self, node: Node, table: tuple[int, ...]) -> Node:
        """Put for each leaf the number that stands in its place in the table."""
        if node < LEAVES:
            return table[node]
        key = (table, node)
        found = self._mapped.get(key)
        if found is None:
            children = tuple(self.mapped(child, table) for child in self._children[node])
            found = self._mapped[key] = self.node(self._levels[node], children)
        return found

    def joined(self, nodes: Nodes, settle: Callable[[Nodes], Node], memo: dict[Nodes, Node]) -> Node:
        """Join diagrams by a function of their leaves.

        Args:
            nodes: the diagrams.
            settle: the leaf, or the diagram, that these give, or a negative number where it depends on what is below;
                where all are leaves it must give one.
            memo: what was worked out before with the same function.
        """
        found = memo.get(nodes)
        if found is None:
            found = settle(nodes)
            if found < 0:
                children = self._children
                levels = [self._levels[node] for node in nodes]
                top = min(levels)
                rows = [
                    children[node] if level == top else repeat(node) for node, level in zip(nodes, levels, strict=True)
                ]
                # One row at least has an end: that of the node that asks the variable on top.
                found = self.node(top, tuple([self.joined(row, settle, memo) for row in zip(*rows, strict=False)]))
            memo[nodes] = found
        return found

    def _pairwise(self, join: Callable[[Node, Node], Node], left: Node, right: Node) -> Node:
        levels, children = self._levels, self._children
        above, below = levels[left], levels[right]
        if above < below:
            return self.node(above, tuple([join(child, right) for child in children[left]]))
        if below < above:
            return self.node(below, tuple([join(left, child) for child in children[right]]))
        return self.node(above, tuple(map(join, children[left], children[right])))

    def _folded(self, join: Callable[[Node, Node], Node], nodes: Iterable[Node], neutral: Node) -> Node:
        # In pairs, and pairs of pairs: what is joined stays small as long as it can.
        row = sorted(set(nodes)) or [neutral]
        while len(row) > 1:
            pairs = zip(row[::2], row[1::2], strict=False)
            row = [join(left, right) for left, right in pairs] + row[len(row) & ~1 :]
        return row[0]
