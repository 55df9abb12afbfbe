"""A condition after it was read and checked: atoms joined by ``and``, ``or`` and ``not``.

Every name stands resolved, every constant lies in its attribute's domain, and the whole is a truth value: what is
built here can be evaluated on any input without an error.

Source: DESIGN section 10.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grants.errors import ExpressionError
from grants.expression.domain import AttributeType, Value
from grants.reference import Reference

MAX_DEPTH = 64
MAX_ATOMS = 1024

OrderSign: TypeAlias = Literal["<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is, or with ``negated`` is not, one of the constants."""

    constants: tuple[Value, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """The value stands so to the bound, the value on the left."""

    sign: OrderSign
    bound: int


@dataclass(frozen=True, slots=True)
class Under:
    """The value is the root, or lies below it."""

    root: Reference


@dataclass(frozen=True, slots=True)
class Present:
    """There is a value."""


Test: TypeAlias = OneOf | Order | Under | Present


@dataclass(frozen=True, slots=True)
class Atom:
    """One question about one attribute, with the text that shows it."""

    text: str
    name: str
    type: AttributeType
    test: Test


@dataclass(frozen=True, slots=True)
class Constant:
    """``True`` or ``False`` written out."""

    value: bool


@dataclass(frozen=True, slots=True)
class Category:
    """A named condition, used as one atom."""

    name: str
    expression: "Expression"


@dataclass(frozen=True, slots=True)
class Not:
    """What is asked is whether the inner condition is false."""

    inner: "Node"


@dataclass(frozen=True, slots=True)
class Joined:
    """Conditions joined by one connective, in source order."""

    connective: Literal["and", "or"]
    items: tuple["Node", ...]


Node: TypeAlias = Atom | Constant | Category | Not | Joined


@dataclass(frozen=True, slots=True)
class Expression:
    """A condition that is ready to be evaluated.

    Attributes:
        text: as it was written.
        root: its tree.
        reads: the attributes that it reads, those of its categories included.
        uses: the categories that it names, directly or through others.
        atoms: how many atoms it has, those of its categories counted at each use.
        depth: how deep its tree goes, through its categories.
    """

    text: str
    root: Node
    reads: frozenset[str]
    uses: frozenset[str]
    atoms: int
    depth: int


def walk(node: Node) -> Iterator[Node]:
    """Give a node and all below it in source order, without going into categories."""
    yield node
    if isinstance(node, Not):
        yield from walk(node.inner)
    elif isinstance(node, Joined):
        for item in node.items:
            yield from walk(item)


def atoms_within(expression: Expression) -> Iterator[Atom]:
    """Give every atom in source order, those of the categories included."""
    for node in walk(expression.root):
        if isinstance(node, Atom):
            yield node
        elif isinstance(node, Category):
            yield from atoms_within(node.expression)


def measured(text: str, root: Node) -> Expression:
    """Make an expression of its tree, knowing what it reads and how large it is.

    Raises:
        ExpressionError: too many atoms, or too deep.
    """
    used = [node for node in walk(root) if isinstance(node, Category)]
    own = [node for node in walk(root) if isinstance(node, Atom)]
    atoms = len(own) + sum(category.expression.atoms for category in used)
    depth = _depth(root)
    if atoms > MAX_ATOMS or depth > MAX_DEPTH:
        raise ExpressionError(
            f"too large: {atoms} atoms and {depth} levels with its categories, at most {MAX_ATOMS} and {MAX_DEPTH}",
        )
    return Expression(
        text=text,
        root=root,
        reads=frozenset(atom.name for atom in own).union(*(category.expression.reads for category in used)),
        uses=frozenset(category.name for category in used).union(*(category.expression.uses for category in used)),
        atoms=atoms,
        depth=depth,
    )


def _depth(node: Node) -> int:
    if isinstance(node, Not):
        return 1 + _depth(node.inner)
    if isinstance(node, Joined):
        return 1 + max(_depth(item) for item in node.items)
    return 1 + node.expression.depth if isinstance(node, Category) else 1
