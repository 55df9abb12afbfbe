"""Whether any facts at all bring a condition to a truth value.

An attribute's domain falls into few regions that no atom of the condition tells apart; one point of each is tried.
An attribute is set after the other, those to come being unknown: what is settled with unknowns stays settled
whatever they turn out to be, so whole branches are cut and the answer is exact. Beyond a number of steps it is
`Possibility.UNDECIDED`, which a caller treats as the worse of the two.

A total assignment leaves nothing unknown. An attribute is tried as absent only where the condition asks ``present``
of it: elsewhere absence is only another unknown.

>>> from grants.expression.domain import Choice
>>> from grants.expression.syntax import compile_expression
>>> attributes = {"environment": Choice(("dev", "prod"))}
>>> can_be(compile_expression('environment == "dev" and environment == "prod"', attributes), attributes)
<Possibility.IMPOSSIBLE: 'impossible'>

Source: DESIGN sections 10 and 11; policy cases B17, J05.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import count
from types import MappingProxyType
from typing import Final

from grants.errors import ExpressionError, ReferenceSyntaxError
from grants.expression.domain import ABSENT, AttributeType, Choice, Flag, Interval, Missing, Name, Value
from grants.expression.evaluate import evaluate
from grants.expression.tree import Atom, Expression, OneOf, Order, Present, Under, atoms_within
from grants.expression.truth import Truth
from grants.identifier import code_points
from grants.reference import Reference, member, parse
from grants.spelling import suggestion

MAX_STEPS = 20_000

_NOTHING_FIXED: Final[Mapping[str, Value | Missing]] = MappingProxyType({})


class Possibility(Enum):
    """Whether a truth value can be reached."""

    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


def can_be(
    expression: Expression,
    attributes: Mapping[str, AttributeType],
    truth: Truth = Truth.TRUE,
    fixed: Mapping[str, Value | Missing] = _NOTHING_FIXED,
    max_steps: int = MAX_STEPS,
) -> Possibility:
    """Tell whether some values of the attributes bring the condition to this truth.

    Args:
        expression: the condition.
        attributes: the type of each attribute that it may read.
        truth: the truth value that is asked for.
        fixed: attributes whose values are given and not searched for.
        max_steps: how many partial assignments are tried before the answer is left open.

    Raises:
        ExpressionError: a fixed value that its attribute can't have, or an attribute that is not declared.
    """
    for name, value in fixed.items():
        if not isinstance(value, Missing) and not _declared(name, attributes).admits(value):
            # It would count as unknown, and a mistyped value would pass for proof that nothing is possible.
            raise ExpressionError(f"{code_points(str(value))} is no value of {name}")
    points = _points(expression, attributes)
    open_names = sorted(points.keys() - fixed.keys())
    # Depth first, without recursion: an assignment of the first `done` open names, the rest still unknown.
    stack: list[tuple[int, Mapping[str, object]]] = [(0, fixed)]
    for _ in range(max_steps):
        if not stack:
            return Possibility.IMPOSSIBLE
        done, values = stack.pop()
        found = evaluate(expression, values)
        settled = found is not Truth.UNKNOWN or done == len(open_names)
        if settled and found is truth:
            return Possibility.POSSIBLE
        if not settled:
            name = open_names[done]
            stack.extend((done + 1, {**values, name: point}) for point in points[name])
    return Possibility.UNDECIDED if stack else Possibility.IMPOSSIBLE


def _declared(name: str, attributes: Mapping[str, AttributeType]) -> AttributeType:
    if name not in attributes:
        raise ExpressionError(f"unknown attribute {code_points(name)}{suggestion(name, attributes)}")
    return attributes[name]


def _points(expression: Expression, attributes: Mapping[str, AttributeType]) -> dict[str, tuple[object, ...]]:
    """Give for each attribute one value of every region that the atoms tell apart."""
    by_name: dict[str, list[Atom]] = {}
    for atom in atoms_within(expression):
        by_name.setdefault(atom.name, []).append(atom)
    return {name: tuple(_regions(_declared(name, attributes), atoms)) for name, atoms in by_name.items()}


def _regions(domain: AttributeType, atoms: list[Atom]) -> Iterator[object]:
    tests = [atom.test for atom in atoms]
    constants = {constant for test in tests if isinstance(test, OneOf) for constant in test.constants}
    bounds = {test.bound for test in tests if isinstance(test, Order)}
    roots = {test.root for test in tests if isinstance(test, Under)}
    yield from _values(domain, constants | bounds, roots)
    if any(isinstance(test, Present) for test in tests):
        yield ABSENT


def _values(domain: AttributeType, constants: set[Value], roots: set[Reference]) -> Iterable[Value]:
    match domain:
        case Choice(values=values):
            others = [value for value in values if value not in constants]
            return [*sorted(map(str, constants)), *others[:1]]
        case Flag():
            return (True, False)
        case Interval(low=low, high=high):
            near = {low, high} | {int(c) + step for c in constants for step in (-1, 0, 1)}
            return sorted(point for point in near if low <= point <= high)
        case Name():
            return [*sorted(map(str, constants)), _fresh(map(str, constants))]
        case _:
            return _references({parse(str(constant)) for constant in constants} | roots)


def _references(mentioned: set[Reference]) -> list[str]:
    """Give each reference that is mentioned, a new one below each, and a new one outside of all."""
    fresh = _fresh(part for reference in mentioned for part in (reference.authority, *reference.parts))
    points = [*sorted(mentioned), Reference("tool", fresh)]
    for reference in sorted(mentioned):
        try:
            points.append(member(reference, fresh))
        except ReferenceSyntaxError:
            continue  # nothing can stand below this one
    return [str(point) for point in points]


def _fresh(taken: Iterable[str]) -> str:
    known = set(taken)
    return next(name for name in (f"other{number}" for number in count()) if name not in known)
