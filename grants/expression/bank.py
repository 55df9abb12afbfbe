"""Many conditions asked at once: `Bank` gives for each what `evaluate` gives, and costs about what one of them costs.

Strong Kleene logic is a distributive lattice in which De Morgan's laws hold, so each condition is a disjunction of
terms, and each term a conjunction of atoms and denied atoms. One bit stands for each term. Each value of an attribute
has two rows of bits: the terms that it makes false, and those that it leaves unknown. What they come to over all
attributes are two rows again: a term is false if any of its atoms is, else unknown if any is, else true.

The truth of an atom for a value comes from `ask`, once, and is remembered beside the value. Nothing is simplified: in
this logic ``a and not a`` is not false where ``a`` is unknown.

Source: DESIGN section 10.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, TypeAlias

from grants.expression.domain import UNKNOWN, AttributeType, Flag, Interval, Missing
from grants.expression.evaluate import ask, evaluate
from grants.expression.tree import Atom, Category, Constant, Expression, Joined, Node, Not
from grants.expression.truth import Truth

MOST_TERMS: Final = 8
"""A condition of more terms is evaluated by itself."""

MOST_VALUES: Final = 4096
"""Of so many values of an attribute the rows are remembered, and then of others."""

Literal: TypeAlias = tuple[Atom, bool]
"""An atom, and the truth that its term wants of it."""

Terms: TypeAlias = tuple[tuple[Literal, ...], ...]
"""A disjunction of conjunctions."""

Rows: TypeAlias = tuple[int, int]
"""A bit for each term, or for each condition: of two truth values, which ones are so."""


class Bank:
    """Conditions that are asked of the same values.

    Args:
        expressions: the conditions; bit ``n`` of what is given is of the ``n``-th.
    """

    def __init__(self, expressions: Sequence[Expression]) -> None:
        self._size = len(expressions)
        self._whole = (1 << self._size) - 1
        listed = [terms_of(expression.root) for expression in expressions]
        self._long = [
            (1 << at, one) for at, (one, terms) in enumerate(zip(expressions, listed, strict=True)) if terms is None
        ]
        short = [terms or () for terms in listed]
        layers = max(map(len, short), default=0) or 1
        # The first terms of all conditions come first, then their second ones, and so on: layers of the same width.
        places = [(1 << (layer * self._size + at), terms[layer : layer + 1])
                  for layer in range(layers) for at, terms in enumerate(short)]  # fmt: skip
        self._later = range(self._size, layers * self._size, self._size or 1)
        self._none = sum(bit for bit, terms in places if not terms)
        self._columns = _columns([(bit, term) for bit, terms in places for term in terms])

    def ask(self, values: Mapping[str, object]) -> Rows:
        """Give which conditions are true, and which are unknown; the others are false.

        Args:
            values: as for `evaluate`.
        """
        false, unknown = self._none, 0
        for name, admitted, known, column in self._columns:
            value = values.get(name, UNKNOWN)
            # By the exact type: True is 1 to a dictionary, and not to a condition.
            rows = known.get(value) if type(value) is admitted else None
            ours, open_ = rows or column.rows(value)
            false |= ours
            unknown |= open_
        sure, held = ~(false | unknown), ~false
        for shift in self._later:
            sure |= ~(false | unknown) >> shift
            held |= ~false >> shift
        sure &= self._whole
        held &= self._whole & ~sure
        return self._with_long(sure, held, values) if self._long else (sure, held)

    def _with_long(self, sure: int, held: int, values: Mapping[str, object]) -> Rows:
        for bit, expression in self._long:
            truth = evaluate(expression, values)
            sure |= bit if truth is Truth.TRUE else 0
            held |= bit if truth is Truth.UNKNOWN else 0
        return sure, held


class _Column:
    """What the values of one attribute make of the terms that ask for it.

    Attributes:
        admitted: the type of the values that can be its own.
        known: the rows of such values, as far as they came up.
    """

    __slots__ = ("_asked", "_missing", "admitted", "known")

    def __init__(self, type_: AttributeType) -> None:
        self.admitted = bool if isinstance(type_, Flag) else int if isinstance(type_, Interval) else str
        self.known: dict[object, Rows] = {}
        self._asked: list[tuple[int, Atom, bool]] = []
        self._missing: dict[Missing, Rows] = {}

    def add(self, bit: int, atom: Atom, *, wanted: bool) -> None:
        self._asked.append((bit, atom, wanted))

    def rows(self, value: object) -> Rows:
        """Give the terms that a value makes false, and those that it leaves unknown."""
        if isinstance(value, Missing):
            if value not in self._missing:
                self._missing[value] = self._worked_out(value)
            return self._missing[value]
        rows = self._worked_out(value)
        if type(value) is self.admitted:
            if len(self.known) >= MOST_VALUES:
                self.known.clear()
            self.known[value] = rows
        return rows

    def _worked_out(self, value: object) -> Rows:
        false = unknown = 0
        for bit, atom, wanted in self._asked:
            truth = ask(atom, {atom.name: value})
            if truth is Truth.UNKNOWN:
                unknown |= bit
            elif (truth is Truth.TRUE) is not wanted:
                false |= bit
        return false, unknown


_Named: TypeAlias = tuple[str, type, dict[object, Rows], _Column]
"""A column after its attribute's name, and what of it is looked at first."""


def _columns(terms: Sequence[tuple[int, tuple[Literal, ...]]]) -> tuple[_Named, ...]:
    columns: dict[tuple[str, AttributeType], _Column] = {}
    for bit, literals in terms:
        for atom, wanted in literals:
            columns.setdefault((atom.name, atom.type), _Column(atom.type)).add(bit, atom, wanted=wanted)
    return tuple((name, column.admitted, column.known, column) for (name, _), column in columns.items())


def terms_of(node: Node, *, wanted: bool = True) -> Terms | None:
    """Give a condition, or with ``wanted`` false its denial, as a disjunction of terms; None if it has too many."""
    match node:
        case Atom():
            return (((node, wanted),),)
        case Constant(value=value):
            return ((),) if value is wanted else ()
        case Category(expression=expression):
            return terms_of(expression.root, wanted=wanted)
        case Not(inner=inner):
            return terms_of(inner, wanted=not wanted)
        case Joined(connective=connective, items=items):
            return _joined([terms_of(item, wanted=wanted) for item in items], every=(connective == "and") is wanted)


def _joined(items: Sequence[Terms | None], *, every: bool) -> Terms | None:
    whole: Terms = ((),) if every else ()
    for item in items:
        if item is None:
            return None
        whole = tuple(one + other for one, other in product(whole, item)) if every else (*whole, *item)
        if len(whole) > MOST_TERMS:
            return None
    return whole
