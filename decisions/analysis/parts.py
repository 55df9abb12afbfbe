"""Conditions with one part taken out: what each part of a condition contributes is what changes without it.

Source: docs/spec/analysis.md.
"""

from collections.abc import Iterator

from grants.expression import Expression
from grants.expression.tree import Atom as Part
from grants.expression.tree import Category, Constant, Joined, Node, Not, measured


def variants(expression: Expression) -> Iterator[tuple[str, Expression, Expression]]:
    """Give each part of a condition, with the condition in which it is taken as true and in which it is taken as false.

    A category is one part; what stands inside of it is its own.
    """
    for text, held, failed in _variants(expression.root):
        yield text, measured(expression.text, held), measured(expression.text, failed)


def _variants(node: Node) -> Iterator[tuple[str, Node, Node]]:
    match node:
        case Part(text=text) | Category(name=text):
            yield text, Constant(value=True), Constant(value=False)
        case Constant(value=value):
            yield str(value), Constant(value=True), Constant(value=False)
        case Not(inner=inner):
            yield from ((text, Not(held), Not(failed)) for text, held, failed in _variants(inner))
        case Joined(connective=connective, items=items):
            for place, item in enumerate(items):
                for text, held, failed in _variants(item):
                    before, after = items[:place], items[place + 1 :]
                    yield (
                        text,
                        Joined(connective, (*before, held, *after)),
                        Joined(connective, (*before, failed, *after)),
                    )
