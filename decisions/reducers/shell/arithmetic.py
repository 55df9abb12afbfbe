"""Arithmetic that does nothing but compute.

The shell reads the value of a variable as an expression of its own, and an index in it may hold a command. So only
variables are taken whose value is a number for certain; everything else is opaque.

>>> from decisions.reducers.shell.state import State
>>> assignments("i += 2", State(None, {"i": NUMBER}))
['i']

Source: bash 5.2 manual (shell arithmetic); policy case A15.
"""

import re

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.state import NUMBER, State, is_number

__all__ = ["NUMBER", "assignments", "check"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+)(?![A-Za-z_#])|(?P<name>\$\{[A-Za-z_][A-Za-z0-9_]*\}|\$?[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<special>\$[#?$!]|\$\{#[A-Za-z_][A-Za-z0-9_]*\})"
    r"|(?P<assign>\+\+|--|(?:<<|>>|[-+*/%&|^])=|=(?!=))"
    r"|(?P<branch>&&|\|\||\?|:)|(?P<operator>\*\*|<<|>>|[<>=!]=|[-+*/%&|^<>!~()]))",
    re.ASCII,
)


def check(text: str, state: State) -> None:
    """Hold that an expression assigns nothing and runs nothing.

    Raises:
        UnreadableError: it may.
    """
    if assignments(text, state):
        raise UnreadableError("arithmetic that assigns where only a value is wanted")


def assignments(text: str, state: State) -> list[str]:
    """Give the variables that an expression sets, each to a number.

    Raises:
        UnreadableError: it may run something, or it isn't certain what it sets.
    """
    tokens = _tokens(text)
    found: list[str] = []
    for index, (kind, token) in enumerate(tokens):
        if kind == "name":
            _check_name(token, tokens[index + 1] if index + 1 < len(tokens) else ("", ""), state)
        elif kind == "assign":
            found.append(_assigned(tokens, index))
    if found and any(kind == "branch" for kind, _ in tokens):
        raise UnreadableError("arithmetic that assigns on some ways only")
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    place = 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise UnreadableError("arithmetic that isn't read")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        place = match.end()
    return tokens


def _check_name(token: str, behind: tuple[str, str], state: State) -> None:
    name = token.strip("${}")
    if behind == ("assign", "=") and not token.startswith("$"):
        return
    if state.inherits(name) or not is_number(state.variables[name]):
        raise UnreadableError(f"arithmetic on a variable that may be no number: {name[:40]}")


def _assigned(tokens: list[tuple[str, str]], index: int) -> str:
    """Give the name beside a sign that assigns: before it, or behind ``++`` and ``--``."""
    before = tokens[index - 1] if index else ("", "")
    behind = tokens[index + 1] if index + 1 < len(tokens) else ("", "")
    sides = [before, behind] if tokens[index][1] in {"++", "--"} else [before]
    named = [token for kind, token in sides if kind == "name" and not token.startswith("$")]
    if len(named) != 1:
        raise UnreadableError("arithmetic that isn't read")
    return named[0]
