"""From the text of a condition to its checked tree.

Python's parser gives a syntax tree of words that `grants.expression.lexis` has let pass; here each node of it is
either one of a few known forms or the whole condition is refused. Nothing of it is ever run by Python.

    condition := condition "and" condition | condition "or" condition | "not" condition
               | flag | category | "True" | "False"
               | operand sign operand (sign operand)*            sign: == != < <= > >=, one operand an attribute
               | attribute ("in" | "not in") (constant, ...)     or [constant, ...]
               | "present" "(" attribute ")" | "under" "(" attribute "," reference ")"

Source: DESIGN section 10; policy case C03.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from grants.errors import ExpressionError, ReferenceSyntaxError
from grants.expression.domain import AttributeType, Choice, Flag, Interval, Name, Ref, Value
from grants.expression.lexis import one_line
from grants.expression.tree import (
    MAX_DEPTH,
    Atom,
    Category,
    Constant,
    Expression,
    Joined,
    Node,
    Not,
    OneOf,
    Order,
    OrderSign,
    Present,
    Under,
    measured,
)
from grants.identifier import code_points
from grants.reference import parse
from grants.spelling import suggestion

_NO_CATEGORIES: Final[Mapping[str, Expression]] = MappingProxyType({})
_ORDER: Final[Mapping[type[ast.cmpop], OrderSign]] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_MIRROR: Final[Mapping[OrderSign, OrderSign]] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SIGNS: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    **_ORDER,
}
_UNDER_ARGUMENTS = 2


def compile_expression(
    text: str,
    attributes: Mapping[str, AttributeType],
    categories: Mapping[str, Expression] = _NO_CATEGORIES,
) -> Expression:
    """Read a condition and check it against what is declared.

    Args:
        text: the condition.
        attributes: the type of each attribute that it may read.
        categories: the named conditions that it may use.

    Raises:
        ExpressionError: not in the language, an unknown name, a constant outside its attribute's domain, no truth
            value, or too large.
    """
    for name in sorted(attributes.keys() & categories.keys()):
        raise ExpressionError(f"{name} is declared both as an attribute and as a category")
    line = one_line(text)
    try:
        body = ast.parse(line, mode="eval").body
    except SyntaxError as error:
        raise ExpressionError(f"not a condition: {error.msg}, near character {error.offset}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError("not a condition: it is nested too deeply, or can't be read") from error
    root = _Reader(line, attributes, categories).condition(body, MAX_DEPTH)
    return measured(text, root)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns one syntax tree into nodes; ``line`` is what the tree was made from."""

    line: str
    attributes: Mapping[str, AttributeType]
    categories: Mapping[str, Expression]

    def condition(self, node: ast.expr, depth: int) -> Node:
        """Read what must be a truth value."""
        if depth == 0:
            raise ExpressionError(f"nested more than {MAX_DEPTH} levels deep")
        match node:
            case ast.BoolOp(op=op, values=values):
                items = tuple(self.condition(value, depth - 1) for value in values)
                return Joined("and" if isinstance(op, ast.And) else "or", items)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Not(self.condition(operand, depth - 1))
            case ast.Compare():
                return self.comparison(node)
            case ast.Name(id=name):
                return self.bare(name)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self.call(node, name, arguments)
            case ast.Constant(value=bool(value)):
                return Constant(value)
            case ast.Constant():
                raise ExpressionError(
                    f"{self.quoted(node)} is a constant and no condition: compare an attribute with it"
                )
        raise ExpressionError(f"{type(node).__name__} is not part of the language: {self.quoted(node)}")

    def comparison(self, node: ast.Compare) -> Node:
        """Read one comparison, or a chain of them: each link is an atom."""
        operands = pairwise([node.left, *node.comparators])
        links = tuple(self.link(left, op, right) for op, (left, right) in zip(node.ops, operands, strict=True))
        return links[0] if len(links) == 1 else Joined("and", links)

    def link(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Atom:
        """Read one attribute, one sign and one constant, or a row of constants."""
        sign = _SIGNS.get(type(op))
        if sign is None:
            raise ExpressionError(f'use "==" or "!=" between {self.quoted(left)} and {self.quoted(right)}')
        text = f"{self.shown(left)} {sign} {self.shown(right)}"
        if isinstance(op, ast.In | ast.NotIn):
            return self.membership(text, left, right, negated=isinstance(op, ast.NotIn))
        if isinstance(left, ast.Name) is isinstance(right, ast.Name):
            raise ExpressionError(
                f"a comparison has an attribute on one side and a constant on the other: {code_points(text)}"
            )
        mirrored = isinstance(right, ast.Name)
        attribute, other = (right, left) if mirrored else (left, right)
        name, domain = self.attribute(attribute)
        constant = self.constant(other, name, domain)
        order = _ORDER.get(type(op))
        if order is None:
            return Atom(text, name, domain, OneOf((constant,), negated=isinstance(op, ast.NotEq)))
        if not isinstance(domain, Interval):
            raise ExpressionError(f"{name} is no number and has no order: {code_points(text)}")
        return Atom(text, name, domain, Order(_MIRROR[order] if mirrored else order, int(constant)))

    def membership(self, text: str, left: ast.expr, right: ast.expr, *, negated: bool) -> Atom:
        """Read an attribute and the row of constants that it is, or is not, one of."""
        name, domain = self.attribute(left)
        if not isinstance(right, ast.Tuple | ast.List) or not right.elts:
            raise ExpressionError(
                f'what follows "in" is a row of constants, such as ("a", "b") or ["a"]: {code_points(text)}'
            )
        constants = tuple(self.constant(element, name, domain) for element in right.elts)
        return Atom(text, name, domain, OneOf(constants, negated))

    def bare(self, name: str) -> Node:
        """Read a name that stands as a condition: a category, or an attribute that is true or false."""
        if name in self.categories:
            return Category(name, self.categories[name])
        domain = self.known(name)
        if not isinstance(domain, Flag):
            raise ExpressionError(f"{name} is not true or false by itself: compare it with a constant")
        return Atom(name, name, domain, OneOf((True,)))

    def call(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> Atom:
        """Read ``present(attribute)`` or ``under(attribute, "reference")``."""
        text = self.shown(node)
        if name == "present" and len(arguments) == 1:
            attribute, domain = self.attribute(arguments[0])
            return Atom(text, attribute, domain, Present())
        if name == "under" and len(arguments) == _UNDER_ARGUMENTS:
            attribute, domain = self.attribute(arguments[0])
            if not isinstance(domain, Ref):
                raise ExpressionError(
                    f"{attribute} holds no reference that could lie under another: {code_points(text)}"
                )
            return Atom(text, attribute, domain, Under(parse(str(self.constant(arguments[1], attribute, domain)))))
        raise ExpressionError(f'only present(attribute) and under(attribute, "reference") exist: {code_points(text)}')

    def attribute(self, node: ast.expr) -> tuple[str, AttributeType]:
        """Read the name of a declared attribute."""
        if not isinstance(node, ast.Name):
            raise ExpressionError(f"an attribute is wanted here, not {self.quoted(node)}")
        if node.id in self.categories:
            raise ExpressionError(f"{node.id} is a category, a condition by itself: it is not compared")
        return node.id, self.known(node.id)

    def known(self, name: str) -> AttributeType:
        """Look an attribute up."""
        if name not in self.attributes:
            known = [*self.attributes, *self.categories]
            raise ExpressionError(f"unknown name {code_points(name)}{suggestion(name, known)}")
        return self.attributes[name]

    def constant(self, node: ast.expr, name: str, domain: AttributeType) -> Value:
        """Read a constant of the attribute's domain."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str | bool | int):
            raise ExpressionError(f"a constant is wanted beside {name}, not {self.quoted(node)}")
        if not domain.admits(node.value):
            raise ExpressionError(f"{self.quoted(node)} is no value of {name}{_wanted(node.value, domain)}")
        return node.value

    def shown(self, node: ast.expr) -> str:
        """Give the source of a node."""
        return ast.get_source_segment(self.line, node) or ""

    def quoted(self, node: ast.expr) -> str:
        """Give the source of a node for a message."""
        return code_points(self.shown(node))


def _wanted(value: Value, domain: AttributeType) -> str:
    """Say what the domain holds, with the nearest spelling where there is one."""
    match domain:
        case Choice(values=values):
            return suggestion(str(value), values) if isinstance(value, str) else ", which is one of a few words"
        case Flag():
            return ", which is True or False"
        case Interval(low=low, high=high):
            return f", which goes from {low} to {high}"
        case Name():
            return ", which is a text"
        case _:
            return f", which is a reference{_why_not(str(value))}"


def _why_not(text: str) -> str:
    try:
        parse(text)
    except ReferenceSyntaxError as error:
        return f": {error}"
    return ""  # pragma: no cover -- no number and no refused text is a reference
