"""Where today's resources lie in the space: what the store says of each, and which pieces of the target axis it takes.

Source: DESIGN sections 10 and 11.
"""

from collections.abc import Iterator, Sequence

from decisions.analysis.drawing import Pair
from decisions.analysis.rules import Registered
from decisions.analysis.side import TARGET
from decisions.analysis.space import Space
from grants.errors import ReferenceSyntaxError
from grants.reference import Pattern, Reference, candidates, member, parse

_BELOW = "anything"


class Places:
    """The resources of a store in a space.

    Args:
        space: the space.
        resources: all that is registered and not retired: the nearest registration classifies a target.
    """

    def __init__(self, space: Space, resources: Sequence[Registered]) -> None:
        self._space = space
        self._names = frozenset(resource.name for resource in resources)

    def fixed(self, resource: Registered, pair: Pair) -> dict[int, set[int]]:
        """Tell for each axis that the resource decides in which groups its cells lie: in each, where it has several."""
        found = {self._space.level(TARGET): set(self._targets(resource))}
        for level in self._space.levels_of(*pair):
            axis = self._space.axes[level]
            if axis.key[1] == "store":
                found[level] = {axis.group_of(value) for value in resource.values(axis.key[0])}
        return found

    def _targets(self, resource: Registered) -> Iterator[int]:
        axis = self._space.axis(TARGET)
        pattern = Pattern.parse(resource.name)
        for reference in self._within(pattern):
            if self._nearest(reference) == resource.name:
                yield axis.group_of(str(reference))

    def _within(self, pattern: Pattern) -> Iterator[Reference]:
        """Give the resource itself, and where it is a subtree one reference of each piece in it."""
        yield pattern.reference
        if not pattern.subtree:
            return
        try:
            yield member(pattern.reference, _BELOW)
        except ReferenceSyntaxError:
            return  # nothing can stand below this one
        for point in self._space.axis(TARGET).points:
            reference = parse(str(point.value))
            if pattern.covers(reference):
                yield reference

    def _nearest(self, reference: Reference) -> str | None:
        return next((key for key in candidates(reference) if key in self._names), None)
