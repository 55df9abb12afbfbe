"""Which standing grants have no teeth: they cover nothing, or nothing that is not allowed without them.

Source: docs/spec/analysis.md; policy cases B17, C07, J05.
"""

from collections.abc import Iterator, Sequence

from decisions.analysis.base import spoken
from decisions.analysis.diagram import FALSE, Node
from decisions.analysis.drawing import Pair
from decisions.analysis.finding import Finding
from decisions.analysis.parts import variants
from decisions.analysis.side import Grant
from decisions.analysis.sight import Sight
from grants.expression import Expression
from grants.standing import StandingTerms


class GrantTeeth:
    """The standing grants of one set of rules.

    Args:
        sight: the rules.
        grants: the grants as they were given; a finding names each by its number among them, from 1.
    """

    def __init__(self, sight: Sight, grants: Sequence[StandingTerms]) -> None:
        self._sight = sight
        self._given = grants

    def readers(self) -> list[tuple[str, Expression, frozenset[str]]]:
        """Give each selector, with where it stands and the kinds that it is for."""
        return [(self._place(grant.place), grant.selector, grant.kinds) for grant in self._sight.side.grants]

    def all(self) -> Iterator[Finding]:
        """Look at every grant."""
        read = {grant.place: grant for grant in self._sight.side.grants}
        humans = self._sight.constitution.amending.humans
        for place, terms in enumerate(self._given):
            if place in read:
                yield from self._grant(read[place])
            else:
                why = "its selector or its targets can't be read under this constitution"
                if terms.signed < humans:
                    why = f"{humans} humans must have signed it under this constitution, and {terms.signed} have"
                yield Finding("never-fires", self._place(place), "it covers nothing", why)

    def _grant(self, grant: Grant) -> Iterator[Finding]:
        place = self._place(grant.place)
        drawn = self._drawn(grant)
        total = self._sight.total(list(drawn))
        if all(node == FALSE for node in drawn.values()):
            yield Finding("never-fires", place, "it covers nothing", f"in none of {total} cells")
            return
        if all(self._idle(grant, pair, node) for pair, node in drawn.items()):
            yield Finding("shadowed", place, "without it every verdict would be the same", f"in all of {total} cells")
        else:
            for text, *without in variants(grant.selector):
                if any(self._same(grant, other, drawn) for other in without):
                    yield Finding("idle-atom", place, f"{text} changes nothing", f"the same in all of {total} cells")
        if self._sight.resources is not None and not self._sight.selected(drawn):
            count = sum(any(map(resource.meets, grant.kinds)) for resource in self._sight.resources)
            yield Finding("selects-nothing", place, "it covers no resource in the store", f"none of {count}")

    def _place(self, place: int) -> str:
        terms = self._given[place]
        return f"standing grant {place + 1} ({terms.subject}, {terms.targets})"

    def _drawn(self, grant: Grant) -> dict[Pair, Node]:
        pairs = [pair for pair in self._sight.pairs if pair[0] in grant.kinds and pair[1] in grant.verbs]
        return {pair: self._sight.drawing.covers(grant, pair) for pair in pairs}

    def _idle(self, grant: Grant, pair: Pair, covered: Node) -> bool:
        """Tell whether the subject may do as much without the grant, wherever it covers."""
        drawing, judging, diagrams = self._sight.drawing, self._sight.judging, self._sight.space.diagrams
        others = [
            drawing.covers(other, pair)
            for other in self._sight.side.grants
            if other is not grant
            and other.subject == grant.subject
            and pair[0] in other.kinds
            and pair[1] in other.verbs
        ]
        rest = diagrams.conjunction(diagrams.any_of(others), covered)
        base = judging.base(spoken(drawing, pair), covered)
        return judging.level(base, covered) == judging.level(base, rest)

    def _same(self, grant: Grant, selector: Expression, drawn: dict[Pair, Node]) -> bool:
        # By the selector alone: that it also says what no grant may select is asked of it when it is ratified.
        drawing = self._sight.drawing
        return all(drawing.selected(grant.selector, pair) == drawing.selected(selector, pair) for pair in drawn)
