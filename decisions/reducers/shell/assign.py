"""What assignments, declarations and ``unset`` do to variables, read from their nodes.

Source: POSIX.1-2024 XCU 2.9.1; bash 5.2 manual (declare, export, readonly, unset); policy cases A11, A13.
"""

from dataclasses import dataclass, replace

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.arithmetic import NUMBER
from decisions.reducers.shell.expand import Surroundings, expand, expand_one
from decisions.reducers.shell.parse import bytes_of, check_gaps, text_of
from decisions.reducers.shell.word import Word

_ATTRIBUTES = frozenset({"-x", "-r", "-g", "-gx", "-xr", "-rx", "-a"})


@dataclass(frozen=True, slots=True)
class Assignment:
    """One variable that is set.

    Attributes:
        name: the variable.
        value: its value, or None where only the shell knows it.
        exported: whether programs get to see it for certain.
        fixed: whether it becomes read-only.
        elements: what an array holds, None where only the shell knows it, or no array.
        array: whether it is an array.
    """

    name: str
    value: Word | None
    exported: bool = False
    fixed: bool = False
    elements: tuple[Word, ...] | None = None
    array: bool = False


def assigned(node: Node, place: Surroundings) -> Assignment:
    """Read ``name=value``, the value as far as it is known.

    Raises:
        UnreadableError: an index, or a value that isn't read.
    """
    name, *rest = [child for child in node.children if child.is_named]
    operator = next((child.type for child in node.children if child.type in {"=", "+="}), None)
    if name.type != "variable_name" or operator is None or len(rest) > 1:
        raise UnreadableError("an assignment that isn't read")
    if not rest:
        return Assignment(text_of(name), Word.of(""))
    if rest[0].type == "array":
        return _array(text_of(name), rest[0], place, adds=operator == "+=")
    value: Word | None = expand_one(rest[0], place)
    if operator == "+=" or b":~" in bytes_of(node) or value is None or not (value.is_literal or value == NUMBER):
        value = None
    return Assignment(text_of(name), value)


def _array(name: str, node: Node, place: Surroundings, *, adds: bool) -> Assignment:
    opening, *elements, closing = node.children
    if opening.type != "(" or closing.type != ")":
        raise UnreadableError("an array that isn't read")  # pragma: no cover
    check_gaps(node, elements)
    words = [word for element in elements for word in expand(element, place)]
    # `[2]=x` sets one element, and a word that is split or matched against files makes any number of them.
    if any("=" in word.shown() and word.shown().startswith("[") for word in words):
        raise UnreadableError("an array with indices")
    known: tuple[Word, ...] | None = tuple(words) if all(word.is_literal for word in words) else None
    if adds:
        before = place.state.arrays.get(name)
        known = None if known is None or before is None else (*before, *known)
    return Assignment(name, None, elements=known, array=True)


def declared(node: Node, place: Surroundings) -> list[Assignment]:
    """Read a declaration. All its words are expanded before any of its variables is set.

    Raises:
        UnreadableError: it holds a construct that isn't read.
    """
    check_gaps(node, node.children)
    keyword, *rest = node.children
    exported, fixed = keyword.type == "export", keyword.type == "readonly"
    result = []
    for child in rest:
        if child.type == "variable_assignment":
            found = assigned(child, place)
            result.append(replace(found, exported=exported, fixed=fixed))
            continue
        if child.type == "variable_name":
            name, value = text_of(child), None
        else:
            word = expand_one(child, place).literal or ""
            if word in _ATTRIBUTES:
                exported, fixed = exported or "x" in word, fixed or "r" in word
                continue
            name, equals, text = word.partition("=")
            value = Word.of(text) if equals else None
        result.append(Assignment(name, value, exported, fixed))
    return result


def unset_names(node: Node) -> list[str]:
    """Read which variables ``unset`` removes.

    Raises:
        UnreadableError: functions, indices, or names that only the shell knows.
    """
    check_gaps(node, node.children)
    keyword, *rest = node.children
    if keyword.type != "unset" or not rest:
        raise UnreadableError("an unset that isn't read")
    names = [child for child in rest if not (child.type == "word" and text_of(child) == "-v")]
    if any(child.type != "variable_name" for child in names):
        raise UnreadableError("an unset that isn't read")
    return [text_of(child) for child in names]
