"""Parameters: what ``$x``, ``${x}``, ``${x%.txt}`` and ``${a[0]}`` turn into.

A value is computed only where the variable's own is known for certain, and the pattern is plain text with ``*`` and
``?``. ``${!x}``, ``${x@P}``, ``${x:=y}`` and ``${x:1}`` run code, assign, or compute: they are opaque.

Source: POSIX.1-2024 XCU 2.6.2; bash 5.2 manual (parameter expansion); policy cases A13, A15.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import translate

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.arithmetic import NUMBER
from decisions.reducers.shell.atoms import UNSPLIT, Atom, Surroundings, check_inert, value_of
from decisions.reducers.shell.parse import text_of
from decisions.reducers.shell.word import Word

_HARMLESS = frozenset(
    {":-", "-", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/", "//", "/#", "/%", ",", ",,", "^", "^^"}
)
# Special variables that are one number, quoted or not.
_NUMBERS = frozenset({"?", "#", "$", "!"})
_PATTERN = re.compile(r"[A-Za-z0-9_./@:,=+%*?-]+", re.ASCII)
_NAMES = frozenset({"variable_name", "special_variable_name", "subscript"})


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An expansion taken apart: the name, its index, the operator and what stands behind it."""

    name: str
    index: str | None
    length: bool
    operator: str
    operands: tuple[Node, ...]


def parameter(
    node: Node, place: Surroundings, inner: Callable[[Node, Surroundings], Iterator[Atom]], *, quoted: bool
) -> Iterator[Atom]:
    """Expand a parameter.

    Args:
        node: the expansion.
        place: where it stands.
        inner: expands what stands behind an operator.
        quoted: whether it stands between double quotes.

    Raises:
        UnreadableError: an expansion that isn't read.
    """
    found = _taken_apart(node)
    if place.state.inherits(found.name) and found.index is None:
        place.take(found.name)
    unknown = Atom("unknown" if quoted else "split", text_of(node)[:40], quoted=quoted)
    if found.operator:
        for operand in found.operands:
            if operand.type in {"regex", "extglob_pattern"}:
                check_inert(text_of(operand))
            else:
                list(inner(operand, place))
    if found.length or (found.name in _NUMBERS and not found.operator):
        yield Atom("unknown", text_of(node)[:40], quoted=True)
        return
    value = _indexed(found, place) if found.index is not None else value_of(found.name, place)
    if found.operator:
        value = _applied(found, value)
    yield from _given(value, unknown, place, quoted=quoted)


def _given(value: Word | None, unknown: Atom, place: Surroundings, *, quoted: bool) -> Iterator[Atom]:
    splits = "IFS" in place.state.variables
    if value == NUMBER and (quoted or not splits):
        yield Atom("unknown", "a number", quoted=True)
    elif value is None or not value.is_known:
        yield unknown
    elif quoted:
        # A glob comes only from a loop over file names: its pattern stands for each of them.
        yield from (Atom(piece.kind, piece.text, quoted=True) for piece in value.pieces)
    elif value.literal is not None and UNSPLIT.fullmatch(value.literal) and not splits:
        yield Atom("text", value.literal, quoted=True)
    else:
        yield unknown


def _taken_apart(node: Node) -> _Parameter:
    children = [child for child in node.children if child.type not in {"$", "${", "}"}]
    length = len(children) > 1 and children[0].type == "#"
    if length:
        children = children[1:]
    if not children or children[0].type not in _NAMES:
        raise UnreadableError("an expansion that isn't read: " + text_of(node)[:40])
    named, *rest = children
    operators = [text_of(child) for child in rest if not child.is_named]
    if not set(operators) <= _HARMLESS or (length and rest) or (rest and rest[0].is_named):
        raise UnreadableError("an expansion that isn't read: " + text_of(node)[:40])
    name, index = text_of(named), None
    if named.type == "subscript":
        name, index = _subscript(named)
    operands = tuple(child for child in rest if child.is_named)
    return _Parameter(name, index, length, operators[0] if operators else "", operands)


def _subscript(node: Node) -> tuple[str, str]:
    name, *rest = [child for child in node.children if child.is_named]
    index = text_of(rest[0]) if len(rest) == 1 else ""
    if not index or not (index in {"@", "*"} or index.isdigit()):
        raise UnreadableError("an index that isn't read")
    return text_of(name), index


def _indexed(found: _Parameter, place: Surroundings) -> Word | None:
    words = place.state.arrays.get(found.name)
    if words is None or not (found.index or "").isdigit():
        return None
    index = int(found.index or "")
    return words[index] if index < len(words) else Word.of("")


def several(node: Node, place: Surroundings) -> list[Word] | None:
    """Expand a word that is nothing but ``"${a[@]}"`` or ``"$@"``: one word for each element, if they are known."""
    if node.type != "string" or len(node.children) != 3:  # noqa: PLR2004  (two quotes, and what stands between)
        return None
    inner = node.children[1]
    text = text_of(inner)
    if inner.type == "simple_expansion" and text == "$@":
        name = "@"
    elif inner.type == "expansion" and re.fullmatch(r"\$\{[A-Za-z_]\w*\[@\]\}", text, re.ASCII):
        name = text[2:-4]
    else:
        return None
    if text_of(node) != f'"{text}"':
        return None
    words = place.state.arrays.get(name)
    return None if words is None else list(words)


def _applied(found: _Parameter, value: Word | None) -> Word | None:
    """Compute what an operator makes of a known value; None where it isn't certain."""
    text = None if value is None else value.literal
    if text is None or found.index is not None:
        return None
    operator = found.operator
    if operator in {":-", "-", ":?", "?"}:
        return value if text or operator in {"-", "?"} else None
    if operator in {",,", "^^"} and not found.operands and text.isascii():
        return Word.of(text.lower() if operator == ",," else text.upper())
    if operator not in {"%", "%%", "#", "##"} or len(found.operands) != 1:
        return None
    pattern = text_of(found.operands[0])
    return Word.of(_stripped(text, pattern, operator)) if _PATTERN.fullmatch(pattern) else None


def _stripped(text: str, pattern: str, operator: str) -> str:
    """Take off the shortest or the longest beginning or end that matches."""
    matches = re.compile(translate(pattern)).fullmatch
    places = range(len(text) + 1)
    if operator in {"#", "##"}:
        ends = places if operator == "#" else reversed(places)
        return next((text[end:] for end in ends if matches(text[:end])), text)
    starts = reversed(places) if operator == "%" else places
    return next((text[:start] for start in starts if matches(text[start:])), text)
