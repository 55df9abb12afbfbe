"""The rules that speak on one kind and verb, made ready to be asked all at once.

What is true of an action is the same whether its rules are asked one by one or together; `grants.expression.evaluate`
is what both are held to. A rule stands as one bit, the first rule as the lowest.

Source: DESIGN section 10.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from grants.expression import Expression, Truth
from grants.expression.bank import Bank

if TYPE_CHECKING:
    from decisions.constitution.model import Rule


class Panel:
    """Rules and categories that are asked of the same values.

    Args:
        rules: the rules, in the order of the articles.
        categories: the named conditions of the constitution.
        payload: the attributes that the payload claims.

    Attributes:
        rules: the rules; the other attributes hold a bit for each that is so.
        forbids: those that forbid; ``requires`` are those that require consent, ``permits`` those that permit.
        standing: those that a standing grant discharges.
        trusting: those that read how far trust reaches.
        plain: those that read nothing that the payload claims.
    """

    def __init__(
        self, rules: Sequence["Rule"], categories: Mapping[str, Expression], payload: AbstractSet[str]
    ) -> None:
        self.rules = tuple(rules)
        self.forbids = _row(rule.effect == "forbid" for rule in rules)
        self.requires = _row(rule.effect == "require_consent" for rule in rules)
        self.permits = _row(rule.effect == "permit" for rule in rules)
        self.standing = _row(rule.article == "I" for rule in rules)
        self.trusting = _row("trust" in rule.when.reads for rule in rules)
        self.plain = _row(not rule.claims_payload for rule in rules)
        self._claims = [frozenset(rule.when.reads & payload) for rule in rules]
        self._categories = sorted(categories.items())
        self._bank = Bank([*(rule.when for rule in rules), *(condition for _, condition in self._categories)])

    def heard(self, claimed: Collection[str]) -> int:
        """Give the rules that have something to speak on: the payload mentions all that they read of it."""
        mentioned = frozenset(claimed)
        return _row(reads <= mentioned for reads in self._claims)

    def ask(self, values: Mapping[str, object]) -> tuple[int, int]:
        """Give whose condition is true, and whose is unknown; the categories follow behind the rules.

        Args:
            values: a value, UNKNOWN or ABSENT for each attribute.
        """
        return self._bank.ask(values)

    def named(self, row: int, true: int) -> Iterator[tuple["Rule", Truth]]:
        """Give the rules of a row in their order, each with the truth of its condition, which is not false."""
        for at in _bits(row):
            yield self.rules[at], Truth.TRUE if true >> at & 1 else Truth.UNKNOWN

    def categories(self, true: int, known: AbstractSet[str]) -> tuple[str, ...]:
        """Name the categories that are true, sorted.

        Args:
            true: what `ask` gave.
            known: the attributes that the action has; a category that reads another one is not said of it.
        """
        found = (self._categories[at] for at in _bits(true >> len(self.rules)))
        return tuple(name for name, condition in found if condition.reads <= known)


def _row(bits: Iterable[bool]) -> int:
    return sum(1 << at for at, bit in enumerate(bits) if bit)


def _bits(row: int) -> Iterator[int]:
    while row:
        lowest = row & -row
        yield lowest.bit_length() - 1
        row ^= lowest
