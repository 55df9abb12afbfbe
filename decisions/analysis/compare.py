"""The exact difference of two constitutions, each with its standing grants.

Every cell of both is looked at, none by itself: the diagrams of the rules that both have are the same diagrams, and
what neither changed is left out of the picture before anything is drawn.

Source: docs/spec/analysis.md; policy cases G01, G03, G05, G09.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from types import MappingProxyType

from decisions.analysis.base import Judging, spoken
from decisions.analysis.cells import Cells, Path
from decisions.analysis.diagram import FALSE, TRUE, Node, Nodes
from decisions.analysis.difference import Difference, Fact, Kind, Witness
from decisions.analysis.drawing import Drawing, Pair
from decisions.analysis.level import CLOSED, FORBIDDEN, MOVES, OPENED, SAME, Level, moved
from decisions.analysis.places import Places
from decisions.analysis.rules import Registered, Rules
from decisions.analysis.side import Side
from decisions.analysis.space import Space
from decisions.analysis.terms import grown, terms_changes


def compare(old: Rules, new: Rules, resources: Sequence[Registered] = ()) -> Difference:
    """Compare what two sets of rules let happen, in every cell.

    Args:
        old: what is in force.
        new: what would be.
        resources: the registered resources that are not retired, to tell which of them are concerned.

    Raises:
        AnalysisError: the rules are too involved for an exact answer; no class may be assumed.
        ReferenceSyntaxError: a resource's name is no reference and no pattern.
    """
    return Comparison(old, new).difference(resources)


class Comparison:
    """Two sets of rules in one space."""

    def __init__(self, old: Rules, new: Rules) -> None:
        self._rules = (old, new)
        sides = (Side(old), Side(new))
        self.space = Space(sides)
        self._old, self._new = (Drawing(self.space, side) for side in sides)
        self._judging = Judging(self.space.diagrams)
        self._moved: dict[Nodes, Node] = {}
        self._changed: dict[Pair, Node] = {}

    def difference(self, resources: Sequence[Registered] = ()) -> Difference:
        """Say all that differs."""
        moves: Counter[tuple[Level, Level]] = Counter()
        total = 0
        for pair in self.space.pairs:
            cells = self.cells(pair)
            total += cells.total
            counted = cells.tally(self.moves(pair))
            moves.update({MOVES[leaf]: number for leaf, number in counted.items() if leaf != SAME})
        old, new = (rules.constitution for rules in self._rules)
        terms = terms_changes(old, new)
        opened = sum(number for (before, after), number in moves.items() if after > before)
        closed = sum(moves.values()) - opened
        return Difference(
            kind=_kind(
                opens=opened > 0 or any(term.opens for term in terms),
                closes=closed > 0 or any(term.closes for term in terms),
            ),
            opened=opened,
            closed=closed,
            total=total,
            moves=MappingProxyType(dict(sorted(moves.items()))),
            witness_opened=self.witness(OPENED),
            witness_closed=self.witness(CLOSED),
            resources_opened=tuple(self.concerned(resources, OPENED)),
            resources_closed=tuple(self.concerned(resources, CLOSED)),
            grown=grown(old, new),
            terms=terms,
        )

    def cells(self, pair: Pair) -> Cells:
        """Give the cells of one kind and verb."""
        return Cells(self.space.diagrams, self.space.axes, self.space.levels_of(*pair))

    def moves(self, pair: Pair) -> Node:
        """Draw for each cell of one kind and verb from which level to which it goes."""
        if pair not in self._changed:
            self._changed[pair] = self._moves(pair)
        return self._changed[pair]

    def witness(self, wanted: Collection[int]) -> Witness | None:
        """Find the fewest facts that bring about one of these moves; the first kind and verb among equals."""
        found = [
            (path, pair)
            for pair in self.space.pairs
            if (path := self.cells(pair).least(self.moves(pair), wanted)) is not None
        ]
        if not found:
            return None
        path, pair = min(found, key=lambda one: (len(one[0]), self._missing(one[0])))
        return self._witness(pair, path, wanted)

    def concerned(self, resources: Sequence[Registered], wanted: Collection[int]) -> Iterator[str]:
        """Give the resources that some cell with one of these moves is about."""
        places = Places(self.space, resources)
        changed = [pair for pair in self.space.pairs if self.moves(pair) != SAME]
        for resource in resources:
            for pair in changed:
                if resource.meets(pair[0]):
                    fixed = places.fixed(resource, pair)
                    if not self.cells(pair).leaves(self.moves(pair), fixed).isdisjoint(wanted):
                        yield resource.name
                        break

    def _moves(self, pair: Pair) -> Node:
        old_known, new_known = (side.knows(*pair) for side in self.space.sides)
        old_grants = self._old.standing(pair) if old_known else {}
        new_grants = self._new.standing(pair) if new_known else {}
        askers = sorted({*old_grants, *new_grants})
        covered = {asker: (old_grants.get(asker, FALSE), new_grants.get(asker, FALSE)) for asker in askers}
        care = self._care(pair, covered.values()) if old_known and new_known else TRUE
        if care == FALSE:
            return SAME
        before = self._judging.base(spoken(self._old, pair), care) if old_known else FORBIDDEN
        after = self._judging.base(spoken(self._new, pair), care) if new_known else FORBIDDEN

        def between(old_covered: Node, new_covered: Node) -> Node:
            diagrams = self.space.diagrams
            nodes = (
                before,
                diagrams.conjunction(old_covered, care),
                after,
                diagrams.conjunction(new_covered, care),
            )
            return diagrams.joined(nodes, moved, self._moved)

        return self._new.asked_by({asker: between(*both) for asker, both in covered.items()}, between(FALSE, FALSE))

    def _care(self, pair: Pair, covered: Collection[tuple[Node, Node]]) -> Node:
        """Draw where a rule or a grant that only one of the two has can make a difference at all."""
        diagrams = self.space.diagrams
        rules = spoken(self._old, pair).differs_from(spoken(self._new, pair))
        grants = (
            diagrams.disjunction(
                diagrams.conjunction(old, diagrams.negation(new)), diagrams.conjunction(new, diagrams.negation(old))
            )
            for old, new in set(covered)
            if old != new
        )
        return diagrams.any_of([*rules, *grants])

    def _missing(self, path: Path) -> int:
        return sum(self.space.axes[level].first(group).is_missing for level, group in path)

    def _witness(self, pair: Pair, path: Path, wanted: Collection[int]) -> Witness:
        axes = self.space.axes
        chosen = dict(path)
        facts = [
            Fact(*axes[level].key, axes[level].first(group).value, axes[level].says(group)) for level, group in path
        ]
        levels = self.space.levels_of(*pair)
        sample = {axes[level].key: axes[level].first(chosen.get(level, 0)).value for level in levels}
        leaf = self.space.at(self.moves(pair), sample)
        if leaf not in wanted:  # pragma: no cover
            raise AssertionError(path)  # `least` has proven it for every rest
        before, after = MOVES[leaf]
        return Witness(*pair, tuple(facts), before, after, MappingProxyType(sample))


def _kind(*, opens: bool, closes: bool) -> Kind:
    if opens and closes:
        return "mixed"
    return "loosening" if opens else "tightening" if closes else "equivalent"
