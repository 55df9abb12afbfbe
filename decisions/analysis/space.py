"""The space of one analysis: its axes in their order, and the diagrams over them.

First comes who asks, then when, then the target, then the attributes, those that most rules read before the others,
and last the earned trust of each verb that is on the ladder.

Source: DESIGN sections 10 to 12; docs/spec/analysis.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from decisions.analysis.axes import Axis, Key, Point, apart, divided, points_of, reference_points
from decisions.analysis.diagram import Diagrams, Node
from decisions.analysis.side import TARGET, Side
from decisions.constitution.fraction import ONE, spell_fraction
from grants.expression import AttributeType, Ref
from grants.expression.tree import Atom
from ledger.instant import Instant

ASKER: Key = ("asker", "session")
AT: Key = ("at", "session")
EARNED = "sensor"
"""The source of the axes that hold the earned trust, one for each verb on the ladder."""

_ANOTHER = Point(None, "another")


class Space:
    """All cells that two constitutions with their grants, or one, can tell apart."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self.sides = tuple(sides)
        self.axes: tuple[Axis, ...] = (
            _askers(self.sides),
            _times(self.sides),
            *_attributes(self.sides),
            *_ladders(self.sides),
        )
        self._levels = {one.key: level for level, one in enumerate(self.axes)}
        self.diagrams = Diagrams([len(one.groups) for one in self.axes])

    def level(self, key: Key) -> int:
        """Tell where an axis stands."""
        return self._levels[key]

    def axis(self, key: Key) -> Axis:
        """Give an axis."""
        return self.axes[self._levels[key]]

    def at(self, node: Node, cell: Mapping[Key, object]) -> Node:
        """Give the leaf of one cell.

        Args:
            node: a diagram.
            cell: a value for each axis that it asks.
        """
        while self.diagrams.level(node) < len(self.axes):
            axis = self.axes[self.diagrams.level(node)]
            node = self.diagrams.children(node)[axis.group_of(cell[axis.key])]
        return node

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every kind with each of its verbs, in the order of the documents, the old before the new."""
        known = (
            (kind, verb) for side in self.sides for kind, verbs in side.constitution.kinds.items() for verb in verbs
        )
        return tuple(dict.fromkeys(known))

    def levels_of(self, kind: str, verb: str) -> tuple[int, ...]:
        """List the axes that make up the cells of one kind and verb, in their order."""
        keys = {ASKER, AT, TARGET} | {key for side in self.sides for key in side.keys(kind)}
        if any(side.ladder(verb) and side.attribute("trust", kind) for side in self.sides):
            keys.add(earned(verb))
        return tuple(sorted(self._levels[key] for key in keys))


def earned(verb: str) -> Key:
    """Name the axis that holds the earned trust behind a verb."""
    return f"c_eff for {verb}", EARNED


def _askers(sides: Iterable[Side]) -> Axis:
    names = sorted({grant.subject for side in sides for grant in side.grants})
    points = [*(Point(name, name) for name in names), _ANOTHER if names else Point(None, "any")]
    return apart(ASKER, points)


def _times(sides: Iterable[Side]) -> Axis:
    ends = sorted({grant.expires for side in sides for grant in side.grants if grant.expires is not None})
    starts: list[Instant | None] = [None, *ends]
    return apart(AT, [Point(start, _between(start, end)) for start, end in zip(starts, [*ends, None], strict=True)])


def _between(start: Instant | None, end: Instant | None) -> str:
    if start and end:
        return f"from {start} until {end}"
    return f"from {start} on" if start else f"before {end}" if end else "any"


def _attributes(sides: Sequence[Side]) -> Iterator[Axis]:
    atoms: dict[Key, set[Atom]] = {TARGET: set()}
    types: dict[Key, list[AttributeType]] = {TARGET: [Ref()]}
    reads: Counter[Key] = Counter()
    for side in sides:
        for attribute in side.constitution.attributes.values():
            if not side.is_gate(attribute.name):
                types.setdefault((attribute.name, attribute.source), []).append(attribute.type)
        for key, atom in side.asked():
            atoms.setdefault(key, set()).add(atom)
            reads[key] += 1
    order = sorted(types, key=lambda key: (key != TARGET, -reads[key], key))
    for key in order:
        asked = sorted(atoms.get(key, ()), key=repr)
        # An action always has a target; anything else can be unknown.
        known = reference_points(asked) if key == TARGET else points_of(key[1], list(dict.fromkeys(types[key])), asked)
        yield divided(key, list(known), asked)


def _ladders(sides: Sequence[Side]) -> Iterator[Axis]:
    """Cut the earned trust at the thresholds of each verb."""
    cuts: dict[str, set[int]] = {}
    for side in sides:
        for trust_class in side.constitution.trust.classes:
            for verb in trust_class.verbs:
                if (found := side.ladder(verb)) and found.threshold is not None:
                    cuts.setdefault(verb, set()).add(found.threshold)
    for verb, thresholds in sorted(cuts.items()):
        starts = [0, *sorted(thresholds)]
        ends = [*starts[1:], ONE]
        points = [
            Point(start, f"{spell_fraction(start)} to {'less than ' if end < ONE else ''}{spell_fraction(end)}")
            for start, end in zip(starts, ends, strict=True)
        ]
        yield apart(earned(verb), points)
