"""What a reducer makes of an operation: typed actions, and what it could not read.

Source: DESIGN sections 2, 3 and 10.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Fact: TypeAlias = str | bool | int
ProblemCode: TypeAlias = Literal["ID_INVALID", "TOO_COMPLEX", "UNPARSEABLE", "TARGET_UNRESOLVED"]


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """One effect on one target.

    Attributes:
        kind: the kind of action, from the constitution's list: ``file``, ``data``, ``exec`` ...
        verb: what is done, from the kind's list.
        target: canonical reference text.
        facts: attributes that the reducer read from the operation, sorted by name.
        part: the piece of the operation that it came from, for people.
    """

    kind: str
    verb: str
    target: str
    facts: tuple[tuple[str, Fact], ...]
    part: str


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A part that could not be read: the whole operation is opaque."""

    code: ProblemCode
    detail: str
    part: str


@dataclass(frozen=True, slots=True)
class Reduction:
    """All that one operation does, and all that could not be read of it."""

    actions: tuple[Action, ...]
    problems: tuple[Problem, ...]


def action(kind: str, verb: str, target: str, facts: Mapping[str, Fact], part: str) -> Action:
    """Make an action with its facts in their one order."""
    return Action(kind, verb, target, tuple(sorted(facts.items())), part)


def reduction(actions: Iterable[Action], problems: Iterable[Problem]) -> Reduction:
    """Make a reduction with actions and problems unique and in their one order."""
    return Reduction(tuple(sorted(set(actions))), tuple(sorted(set(problems))))
