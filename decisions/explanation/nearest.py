"""The nearest changes that would allow what was not allowed: the smallest sets, all of them, each judged again.

Every obstacle that is left needs one of its own changes, so the search follows one obstacle after the other and
misses nothing: no smaller set allows the operation, and every set that is given does, as the decision point judges it.
Rules are changed only where no change of facts and grants helps, and then as few of them as do.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from decisions.explanation.change import Change, Key
from decisions.explanation.obstacle import Obstacle, Obstacles
from decisions.explanation.situation import Situation
from ledger.canon import Json

MOST_CHANGES: Final = 10
MOST_AMENDMENTS: Final = 3
MOST_JUDGED: Final = 3000
"""How many actions are judged in the search for the smallest sets, and again in the search for any."""
MOST_DEEP: Final = 200
"""How many changes are tried together in the search for any."""
MOST_ACTIONS: Final = 48
"""Of operations with more actions no set is looked for."""
MOST_SETS: Final = 32
"""How many sets of one size are told."""

Set: TypeAlias = tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Nearest:
    """What would allow an operation.

    Attributes:
        sets: the smallest sets of changes, those that lie nearest first; each allows the whole operation.
        exact: whether there is no smaller set, and no other of this size. Where too many stand to tell, a set is
            given of which nothing can be left out, if one was found.
    """

    sets: tuple[Set, ...]
    exact: bool = True

    def to_json(self) -> dict[str, Json]:
        """Give them as one JSON object."""
        return {"exact": self.exact, "sets": [[change.to_json() for change in one] for one in self.sets]}


def nearest(situation: Situation) -> Nearest:
    """Find the smallest sets of changes that would allow an operation; none where it is allowed, or nothing helps.

    Args:
        situation: what was judged.
    """
    if situation.judge().outcome == "allow":
        return Nearest(())
    if len(situation.cases) > MOST_ACTIONS:
        return Nearest((), exact=False)
    for amendments in range(MOST_AMENDMENTS + 1):
        search = _Search(Obstacles(situation, amend=amendments > 0), amendments)
        found = search.run()
        if found:
            told = [one for one in sorted(found, key=_order)[:MOST_SETS] if allows(situation, one)]
            return Nearest(tuple(told), exact=search.whole and len(told) == len(found))
        if not search.whole:
            return Nearest(_any(situation), exact=False)
    return Nearest((), exact=False)


def allows(situation: Situation, changes: Set) -> bool:
    """Judge again after some changes."""
    return situation.after({change.key: change for change in changes}).judge().outcome == "allow"


def _order(changes: Set) -> tuple[int, int, list[str]]:
    ranks, choices = sum(one.rank for one in changes), sum(one.choices for one in changes)
    return ranks, -choices, [repr(change) for change in changes]


def _sorted(changes: Iterable[Change]) -> Set:
    return tuple(sorted(changes, key=lambda change: (change.rank, change.key)))


class _Search:
    """One search, over ever larger sets, with at most so many rules changed.

    Attributes:
        whole: whether everything was looked at.
    """

    def __init__(self, obstacles: Obstacles, amendments: int) -> None:
        self._obstacles = obstacles
        self._amendments = amendments
        self._open: dict[frozenset[Change], list[Obstacle]] = {}
        self._seen: set[frozenset[Change]] = set()
        self._found: dict[frozenset[Change], None] = {}
        self._cut = False
        self.whole = True

    def run(self) -> list[Set]:
        for size in range(1, MOST_CHANGES + 1):
            self._seen.clear()
            self._cut = False
            self._go({}, size)
            if self._found or not self._cut or not self.whole:
                break
        self.whole = self.whole and (bool(self._found) or not self._cut)
        return [_sorted(one) for one in self._found]

    def _go(self, chosen: Mapping[Key, Change], size: int) -> None:
        here = frozenset(chosen.values())
        if here in self._seen or not self.whole:
            return
        self._seen.add(here)
        if here not in self._open:
            if self._obstacles.judged >= MOST_JUDGED:
                self.whole = False
                return
            self._open[here] = self._obstacles.after(chosen)
        obstacles = self._open[here]
        if not obstacles:
            self._found[here] = None
            return
        usable = [self._usable(one, here) for one in obstacles]
        if not all(usable):
            return
        if at_least(usable) > size - len(here):
            self._cut = True
            return
        for change in _fewest(usable):
            self._go({**chosen, change.key: change}, size)

    def _usable(self, obstacle: Obstacle, here: frozenset[Change]) -> Obstacle:
        if sum(change.what == "amendment" for change in here) < self._amendments:
            return obstacle
        return tuple(change for change in obstacle if change.what != "amendment")


def _fewest(obstacles: Sequence[Obstacle]) -> Obstacle:
    return min(obstacles, key=len)


def _any(situation: Situation) -> tuple[Set, ...]:
    """Find some set that helps, and leave out of it whatever is not needed."""
    obstacles = Obstacles(situation, amend=True)

    def further(chosen: Mapping[Key, Change]) -> Mapping[Key, Change] | None:
        left = obstacles.after(chosen)
        if not left:
            return chosen
        if not all(left) or obstacles.judged >= MOST_JUDGED or len(chosen) >= MOST_DEEP:
            return None
        for change in sorted(_fewest(left), key=lambda one: (one.rank, -one.choices)):
            found = further({**chosen, change.key: change})
            if found is not None:
                return found
        return None

    found = further({})
    if found is None:
        return ()
    kept = dict(found)
    for key in found:
        fewer = {other: change for other, change in kept.items() if other != key}
        if situation.after(fewer).judge().outcome == "allow":
            kept = fewer
    return (_sorted(kept.values()),)


def at_least(obstacles: Sequence[Obstacle]) -> int:
    """Give how many changes these obstacles take at the least: those that have no change in common each take one."""
    taken: set[Key] = set()
    count = 0
    for obstacle in sorted(obstacles, key=len):
        keys = {change.key for change in obstacle}
        if not keys & taken:
            taken |= keys
            count += 1
    return count
