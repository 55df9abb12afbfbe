"""What an attribute can be: the closed types of the language, and the two ways of having no value.

``UNKNOWN`` says that nobody supplied a value, ``ABSENT`` that the store records that there is none. A value that
its type does not admit counts as unknown: it comes from outside and settles nothing.

Source: DESIGN section 10; policy case C05.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from grants.errors import ExpressionError, IdentifierError, ReferenceSyntaxError
from grants.identifier import check_text
from grants.reference import parse
from ledger.canon import MAX_INTEGER

MAX_NAME = 256


class Missing(Enum):
    """Why there is no value."""

    UNKNOWN = "unknown"
    ABSENT = "absent"


UNKNOWN: Final[Literal[Missing.UNKNOWN]] = Missing.UNKNOWN
ABSENT: Final[Literal[Missing.ABSENT]] = Missing.ABSENT

Value: TypeAlias = str | bool | int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values or len(set(self.values)) != len(self.values):
            raise ExpressionError("a choice needs at least one value, and each value once")

    def admits(self, value: object) -> bool:
        """Tell whether the value is one of the words."""
        return type(value) is str and value in self.values


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def admits(self, value: object) -> bool:
        """Tell whether the value is a bool."""
        return type(value) is bool


@dataclass(frozen=True, slots=True)
class Interval:
    """A whole number from ``low`` to ``high``, both included; the language has no negative numbers."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if type(self.low) is not int or type(self.high) is not int or not 0 <= self.low <= self.high <= MAX_INTEGER:
            raise ExpressionError("an interval goes from a whole number of 0 or more up to one of at most 2^53 - 1")

    def admits(self, value: object) -> bool:
        """Tell whether the value is an integer within the bounds; a bool or a float is none."""
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Name:
    """A free identifier, of which only equality can be asked."""

    def admits(self, value: object) -> bool:
        """Tell whether the value is a visible, composed text of reasonable length."""
        if type(value) is not str or not 0 < len(value) <= MAX_NAME:
            return False
        try:
            check_text(value)
        except IdentifierError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Ref:
    """A canonical reference, of which equality and containment can be asked."""

    def admits(self, value: object) -> bool:
        """Tell whether the value is the text of a canonical reference."""
        if type(value) is not str:
            return False
        try:
            parse(value)
        except ReferenceSyntaxError:
            return False
        return True


AttributeType: TypeAlias = Choice | Flag | Interval | Name | Ref
