"""The truth of a condition for some values. Total: no value from outside raises an error.

A comparison with a missing value is unknown, and so is one with a value that the attribute's type does not admit.
``present`` alone tells the two ways of missing apart. Nothing is cut short: order never matters.

Source: DESIGN section 10; policy cases C01, C05.
"""

import operator
from collections.abc import Iterator, Mapping
from typing import Final

from grants.expression.domain import ABSENT, UNKNOWN, Missing
from grants.expression.tree import (
    Atom,
    Category,
    Constant,
    Expression,
    Joined,
    Node,
    Not,
    OneOf,
    Order,
    Present,
    Under,
    walk,
)
from grants.expression.truth import Truth, conjunction, disjunction, negation, truth_of
from grants.reference import is_under, parse

_COMPARE: Final = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def evaluate(expression: Expression, values: Mapping[str, object]) -> Truth:
    """Give the truth of a condition.

    Args:
        expression: the condition.
        values: a value, `UNKNOWN` or `ABSENT` per attribute; an attribute that is left out is unknown.
    """
    return _truth(expression.root, values)


def explain(expression: Expression, values: Mapping[str, object]) -> tuple[tuple[str, Truth], ...]:
    """Give each atom of a condition with its truth, in source order and each once.

    A category stands as one atom, and behind it its own atoms, each after the category's name and a colon.
    """
    return tuple(dict(_explained(expression, values, "")).items())


def _explained(expression: Expression, values: Mapping[str, object], within: str) -> Iterator[tuple[str, Truth]]:
    for node in walk(expression.root):
        if isinstance(node, Atom):
            yield within + node.text, ask(node, values)
        elif isinstance(node, Constant):
            yield within + str(node.value), truth_of(node.value)
        elif isinstance(node, Category):
            yield within + node.name, evaluate(node.expression, values)
            yield from _explained(node.expression, values, f"{within}{node.name}: ")


def _truth(node: Node, values: Mapping[str, object]) -> Truth:
    match node:
        case Atom():
            return ask(node, values)
        case Category(expression=expression):
            return _truth(expression.root, values)
        case Not(inner=inner):
            return negation(_truth(inner, values))
        case Joined(connective="and", items=items):
            return conjunction(_truth(item, values) for item in items)
        case Joined(items=items):
            return disjunction(_truth(item, values) for item in items)
        case _:
            return truth_of(node.value)


def ask(atom: Atom, values: Mapping[str, object]) -> Truth:
    """Give the truth of one atom."""
    value = _read(atom, values)
    test = atom.test
    if isinstance(test, Present):
        return Truth.UNKNOWN if value is UNKNOWN else truth_of(value is not ABSENT)
    if isinstance(value, Missing):
        return Truth.UNKNOWN
    return truth_of(_holds(test, value))


def _read(atom: Atom, values: Mapping[str, object]) -> object:
    value = values.get(atom.name, UNKNOWN)
    return value if isinstance(value, Missing) or atom.type.admits(value) else UNKNOWN


def _holds(test: OneOf | Order | Under, value: object) -> bool:
    # INVARIANT: the value is of the attribute's type, and the compiler let only tests through that suit the type.
    match test:
        case OneOf(constants=constants, negated=negated):
            return (value in constants) is not negated
        case Order(sign=sign, bound=bound):
            return isinstance(value, int) and _COMPARE[sign](value, bound)
        case _:
            return is_under(parse(str(value)), test.root)
