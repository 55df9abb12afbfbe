"""The stretches that a word is made of while it is expanded, and what expansion needs to know of its place."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.state import State
from decisions.reducers.shell.word import PieceKind, Word

EXPANDS = re.compile(r"\$(?=[A-Za-z0-9_({\[\"'@*#?!$-])", re.ASCII)
"""A dollar sign that begins an expansion."""
# An unquoted value of these characters alone is neither split nor matched against file names.
UNSPLIT = re.compile(r"[A-Za-z0-9_./@+,%=:-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Atom:
    """A stretch of a word: its kind, its text, and whether quotes protect it."""

    kind: PieceKind
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What expansion needs to know of the place where a word stands.

    Attributes:
        state: directories and variables.
        home: the home directory, or None.
        substitute: called with each command or process substitution.
        take: called with the name of each variable that is inherited.
    """

    state: State
    home: str | None
    substitute: Callable[[Node], None]
    take: Callable[[str], None]


def check_inert(text: str) -> None:
    """Hold that text which the tree does not take apart runs nothing.

    Raises:
        UnreadableError: it holds an expansion or a substitution.
    """
    if "`" in text or "<(" in text or ">(" in text or EXPANDS.search(text):
        raise UnreadableError("an expansion that the syntax tree does not show")


def value_of(name: str, place: Surroundings) -> Word | None:
    """Give the value of a variable, or None where only the shell knows it."""
    if name in place.state.variables:
        return place.state.variables[name]
    if name == "HOME" and place.home is not None:
        return Word.of(place.home)
    directories = place.state.directories
    if name == "PWD" and directories is not None and len(directories) == 1:
        return Word.of(next(iter(directories)))
    return None
