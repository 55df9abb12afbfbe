"""Strong Kleene logic: true, false, and unknown where the facts do not settle it.

Source: DESIGN section 10.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NoReturn


class Truth(Enum):
    """One of three truth values. It is no bool: unknown is neither, so compare it by name."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    def __bool__(self) -> NoReturn:
        # An `if truth:` would take unknown for true or for false without anybody deciding which.
        raise TypeError("a Truth is no bool: compare it with Truth.TRUE, Truth.FALSE or Truth.UNKNOWN")


def truth_of(value: bool) -> Truth:
    """Give the truth value of a settled question."""
    return Truth.TRUE if value else Truth.FALSE


def negation(truth: Truth) -> Truth:
    """Turn true and false round; unknown stays unknown."""
    if truth is Truth.UNKNOWN:
        return truth
    return truth_of(truth is Truth.FALSE)


def conjunction(truths: Iterable[Truth]) -> Truth:
    """Join by "and": false if any is false, else unknown if any is unknown, else true."""
    found = set(truths)
    if Truth.FALSE in found:
        return Truth.FALSE
    return Truth.UNKNOWN if Truth.UNKNOWN in found else Truth.TRUE


def disjunction(truths: Iterable[Truth]) -> Truth:
    """Join by "or": true if any is true, else unknown if any is unknown, else false."""
    found = set(truths)
    if Truth.TRUE in found:
        return Truth.TRUE
    return Truth.UNKNOWN if Truth.UNKNOWN in found else Truth.FALSE
