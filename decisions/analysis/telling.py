"""One rule, told in numbers: where it speaks, how often it fires and why, and where it alone decides.

Source: docs/spec/analysis.md.
"""

from dataclasses import dataclass

from decisions.analysis.base import spoken
from decisions.analysis.diagram import FALSE, TRUE, UNKNOWN
from decisions.analysis.difference import Fact
from decisions.analysis.drawing import Pair
from decisions.analysis.level import MOVES, SAME, moved
from decisions.analysis.sight import Sight
from decisions.constitution.model import Rule


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to say of one rule.

    Attributes:
        pairs: the kinds and verbs on which it speaks.
        total: how many cells those have.
        true: in how many its condition is true.
        unknown: in how many it is unknown.
        false: in how many it is false.
        fires: in how many it speaks: a permit where it is true, any other also where it is unknown; a rule that reads
            what the payload claims only where all of that is claimed.
        decides: in how many the answer would be another without it, where no standing grant covers the action.
        least: the fewest facts by which it fires, whatever the rest.
    """

    pairs: tuple[Pair, ...]
    total: int
    true: int
    unknown: int
    false: int
    fires: int
    decides: int
    least: tuple[Fact, ...]


def tell(sight: Sight, rule: Rule) -> Told:
    """Count one rule's cells.

    Raises:
        AnalysisError: the rules are too involved for an exact answer.
    """
    pairs = sight.pairs_of(rule)
    truths = {FALSE: 0, UNKNOWN: 0, TRUE: 0}
    fires = decides = 0
    for pair in pairs:
        cells = sight.cells(pair)
        for leaf, number in cells.tally(sight.drawing.condition(rule.when, pair)).items():
            truths[leaf] += number
        fires += cells.count(sight.drawing.fires(rule, pair), {TRUE})
        decides += _decides(sight, rule, pair)
    return Told(
        tuple(pairs),
        sight.total(pairs),
        truths[TRUE],
        truths[UNKNOWN],
        truths[FALSE],
        fires,
        decides,
        _least(sight, rule, pairs),
    )


def _decides(sight: Sight, rule: Rule, pair: Pair) -> int:
    care = sight.drawing.fires(rule, pair)
    others = [one for one in sight.constitution.rules_for(*pair) if one is not rule]
    without = sight.judging.base(spoken(sight.drawing, pair, others), care)
    with_it = sight.judging.base(spoken(sight.drawing, pair), care)
    node = sight.space.diagrams.joined((without, FALSE, with_it, FALSE), moved, {})
    return sight.cells(pair).count(node, MOVES.keys() - {SAME})


def _least(sight: Sight, rule: Rule, pairs: list[Pair]) -> tuple[Fact, ...]:
    found = [(sight.cells(pair).least(sight.drawing.fires(rule, pair), {TRUE}), pair) for pair in pairs]
    paths = [(path, pair) for path, pair in found if path is not None]
    if not paths:
        return ()
    path, pair = min(paths, key=lambda one: len(one[0]))
    axes = sight.space.axes
    named = Fact("kind", "reducer", pair[0], pair[0]), Fact("verb", "reducer", pair[1], pair[1])
    return (*named, *(Fact(*axes[at].key, axes[at].first(group).value, axes[at].says(group)) for at, group in path))
