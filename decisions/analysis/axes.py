"""The axes of the space that a constitution divides: for each attribute its values, as far as anything parts them.

A choice and a flag have their own values. An interval is cut where a condition names a number, a name at each name
that is named and "another", a reference at each that is named, below each, and elsewhere: whatever lies in one piece
makes the same difference everywhere. Having no value is a value more: unknown for every attribute, absent where the
store may record it, not claimed for what the payload says.

Source: DESIGN section 10; docs/spec/analysis.md.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count, pairwise
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from grants.errors import ReferenceSyntaxError
from grants.expression import ABSENT, UNKNOWN, AttributeType, Choice, Flag, Interval, Missing, Name, Truth
from grants.expression.evaluate import ask
from grants.expression.tree import Atom, OneOf, Order, Under
from grants.reference import Reference, member, parse

Key: TypeAlias = tuple[str, str]
"""An attribute's name and its source: two sources are two different facts."""


class Unsaid(Enum):
    """The payload claims nothing of an attribute."""

    UNSAID = "not claimed"


UNSAID: Final[Literal[Unsaid.UNSAID]] = Unsaid.UNSAID


@dataclass(frozen=True, slots=True)
class Point:
    """One value, or one piece that nothing tells apart.

    Attributes:
        value: the value, or one of the piece; `UNKNOWN`, `ABSENT` or `UNSAID` where there is none.
        says: what a person reads of it, after the attribute's name.
    """

    value: object
    says: str

    @property
    def is_missing(self) -> bool:
        """Tell whether it stands for having no value."""
        return isinstance(self.value, Missing | Unsaid)


@dataclass(frozen=True, slots=True)
class Axis:
    """One variable of the space.

    Attributes:
        key: the attribute's name and source.
        points: its values.
        groups: the points that are alike to every condition, as indices; a diagram has one child for each group.
        asked: what conditions ask of it; None where every point stands for itself.
        answers: which group gives which answers.
        truths: what each atom that is asked of it answers, group by group.
    """

    key: Key
    points: tuple[Point, ...]
    groups: tuple[tuple[int, ...], ...]
    asked: tuple[Atom, ...] | None
    answers: Mapping[tuple[object, ...], int]
    truths: Mapping[Atom, tuple[Truth, ...]]

    @property
    def weights(self) -> tuple[int, ...]:
        """How many points each group has."""
        return tuple(len(group) for group in self.groups)

    def firsts(self) -> list[Point]:
        """Give for each group the point that stands for it."""
        return [self.first(group) for group in range(len(self.groups))]

    def first(self, group: int) -> Point:
        """Give the point of a group that stands for it: a value where there is one."""
        points = [self.points[index] for index in self.groups[group]]
        return next((point for point in points if not point.is_missing), points[0])

    def group_of(self, value: object) -> int:
        """Tell in which group a value lies; one that no type of the attribute admits is unknown."""
        if self.asked is None:
            return self.answers[(value,)]
        return self.answers[_answer(self.key, value, _asked(value, self.asked))]

    def says(self, group: int) -> str:
        """Name what a group holds, for people."""
        said = [self.points[index].says for index in self.groups[group]]
        return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def apart(key: Key, points: Sequence[Point]) -> Axis:
    """Make an axis on which every point stands for itself."""
    answers: dict[tuple[object, ...], int] = {(point.value,): index for index, point in enumerate(points)}
    members = tuple((index,) for index in range(len(points)))
    return Axis(key, tuple(points), members, None, MappingProxyType(answers), MappingProxyType({}))


def divided(key: Key, points: Sequence[Point], asked: Sequence[Atom]) -> Axis:
    """Make an axis on which the points that nothing tells apart are one group."""
    groups: dict[tuple[object, ...], list[int]] = {}
    answered: dict[tuple[object, ...], tuple[Truth, ...]] = {}
    for index, point in enumerate(points):
        truths = _asked(point.value, asked)
        answer = _answer(key, point.value, truths)
        groups.setdefault(answer, []).append(index)
        answered[answer] = truths
    members = tuple(map(tuple, groups.values()))
    columns = dict(zip(asked, zip(*answered.values(), strict=True), strict=True))
    answers: dict[tuple[object, ...], int] = {answer: number for number, answer in enumerate(groups)}
    return Axis(key, tuple(points), members, tuple(asked), MappingProxyType(answers), MappingProxyType(columns))


def _answer(key: Key, value: object, truths: tuple[Truth, ...]) -> tuple[object, ...]:
    # What is not claimed silences a rule, which no atom tells.
    return (value is not UNSAID, *truths) if key[1] == "payload" else truths


def _asked(value: object, asked: Iterable[Atom]) -> tuple[Truth, ...]:
    return tuple([ask(atom, {atom.name: value}) for atom in asked])


def points_of(source: str, types: Collection[AttributeType], atoms: Collection[Atom]) -> list[Point]:
    """List the values of an attribute.

    Args:
        source: who supplies it.
        types: its type in each constitution that declares it.
        atoms: everything that is asked of it.
    """
    found: dict[tuple[type, object], Point] = {}
    for domain in types:
        for point in _values(domain, types, atoms):
            found.setdefault((type(point.value), point.value), point)
    missing = [Point(UNKNOWN, "unknown")]
    if source == "store":
        missing.append(Point(ABSENT, "absent"))
    if source == "payload":
        missing = [Point(UNSAID, "not claimed"), Point(UNKNOWN, "claimed with no sense")]
    return [*found.values(), *missing]


def _values(domain: AttributeType, types: Collection[AttributeType], atoms: Collection[Atom]) -> Iterator[Point]:
    constants = {constant for atom in atoms if isinstance(atom.test, OneOf) for constant in atom.test.constants}
    match domain:
        case Choice(values=values):
            yield from (Point(value, value) for value in values)
        case Flag():
            yield from (Point(value, str(value).lower()) for value in (True, False))
        case Interval():
            intervals = [one for one in types if isinstance(one, Interval)]
            yield from _pieces(intervals, atoms)
        case Name():
            named = sorted(constant for constant in constants if isinstance(constant, str))
            yield from (Point(name, name) for name in named)
            yield Point(_fresh(named), "another")
        case _:
            yield from reference_points(atoms)


def _pieces(intervals: Collection[Interval], atoms: Collection[Atom]) -> Iterator[Point]:
    low, high = min(one.low for one in intervals), max(one.high for one in intervals)
    cuts = {one.low for one in intervals} | {one.high + 1 for one in intervals}
    for test in (atom.test for atom in atoms):
        if isinstance(test, Order):
            cuts.add(test.bound + (test.sign in {"<=", ">"}))
        elif isinstance(test, OneOf):
            numbers = [constant for constant in test.constants if type(constant) is int]
            cuts |= {number + step for number in numbers for step in (0, 1)}
    bounds = sorted(cut for cut in cuts if low <= cut <= high + 1)
    for start, end in pairwise(bounds):
        if not any(one.admits(start) for one in intervals):
            continue  # a gap between two constitutions' intervals
        yield Point(start, str(start) if end == start + 1 else f"{start} to {end - 1}")


def reference_points(atoms: Collection[Atom]) -> Iterator[Point]:
    """Give each reference that is named, what lies below each and below no other that is named, and elsewhere."""
    named: set[Reference] = set()
    for test in (atom.test for atom in atoms):
        if isinstance(test, Under):
            named.add(test.root)
        elif isinstance(test, OneOf):
            named |= {parse(constant) for constant in test.constants if isinstance(constant, str)}
    fresh = _fresh(part for reference in named for part in (reference.authority, *reference.parts))
    for reference in sorted(named):
        yield Point(str(reference), str(reference))
        try:
            below = str(member(reference, fresh))
        except ReferenceSyntaxError:
            continue  # nothing can stand below this one
        yield Point(below, f"another below {reference}")
    yield Point(str(Reference("tool", fresh)), "another" if named else "any")


def _fresh(taken: Iterable[str]) -> str:
    known = set(taken)
    return next(name for name in (f"other{number}" for number in count()) if name not in known)
