"""From a syntax node to the words that the shell makes of it: quotes removed, variables put in, braces spread.

What only the running shell knows becomes an unknown piece, never a guess. Substitutions are handed on to be reduced
themselves, wherever they stand. Every node type that is not listed here is opaque.

Source: POSIX.1-2024 XCU 2.6 (word expansions); policy cases A09, A13, A15, A17.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.arithmetic import check
from decisions.reducers.shell.atoms import EXPANDS, Atom, Surroundings, check_inert
from decisions.reducers.shell.parameters import parameter, several
from decisions.reducers.shell.parse import bytes_of, text_of
from decisions.reducers.shell.spread import expand_home, spread
from decisions.reducers.shell.word import Piece, Word, joined

__all__ = ["PIPE_DEVICE", "Surroundings", "check_inert", "expand", "expand_one", "reduce_within", "unquoted"]

_PLAIN = re.compile(r"[A-Za-z0-9_./@:+,%-][A-Za-z0-9_./@:+,=%-]*", re.ASCII)
# Characters that end a word in bash unless quoted: one of them bare in a word is a tree that bash would not build.
_ENDS_WORD = frozenset(" \t\n\"'`;&|<>()")
_ANSI = re.compile(r"\\(.)", re.DOTALL)
_ANSI_MEANS = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_GLOB = re.compile(r"([*?[])")

PIPE_DEVICE = "/dev/fd/63"
"""What a process substitution turns into."""


_SUBSTITUTED = {
    "command_substitution": Atom("split", "command substitution", quoted=False),
    "process_substitution": Atom("text", PIPE_DEVICE, quoted=True),
}


def expand(node: Node, place: Surroundings) -> list[Word]:
    """Expand an argument: one word, or several by braces or as the elements of an array.

    Raises:
        UnreadableError: it holds a construct that isn't read.
    """
    elements = several(node, place)
    return _words(node, place) if elements is None else elements


def _words(node: Node, place: Surroundings) -> list[Word]:
    if node.type in {"word", "number"}:
        text = text_of(node)
        if _PLAIN.fullmatch(text):
            return [Word.of(text)]
    atoms = list(_atoms(node, place))
    expand_home(atoms, place)
    rows = spread(atoms)
    if len(rows) > 1 and any(child.type == "simple_expansion" for child in node.children):
        # Braces are spread in the text: $x{a,b} is $xa and $xb.
        raise UnreadableError("braces beside a variable: write ${...} for $...")
    return [joined([piece for atom in row for piece in _pieces(atom)]) for row in rows]


def expand_one(node: Node, place: Surroundings) -> Word:
    """Expand where the shell neither spreads braces nor splits: an assigned value, a redirection's target.

    Raises:
        UnreadableError: it holds a construct that isn't read, or would be several words.
    """
    words = _words(node, place)
    if len(words) != 1:
        raise UnreadableError("braces where one word is wanted")
    return words[0]


def reduce_within(node: Node, place: Surroundings) -> None:
    """Expand for the sake of the substitutions alone.

    Raises:
        UnreadableError: it holds a construct that isn't read.
    """
    for _ in _atoms(node, place):
        pass


def _atoms(node: Node, place: Surroundings) -> Iterator[Atom]:
    kind = node.type
    if kind in {"word", "number"} and node.child_count == 0:
        yield from _unescaped(text_of(node))
    elif kind == "raw_string":
        yield Atom("text", text_of(node)[1:-1], quoted=True)
    elif kind == "ansi_c_string":
        yield Atom("text", _ansi(text_of(node)[2:-1]), quoted=True)
    elif kind in {"command_substitution", "process_substitution"}:
        place.substitute(node)
        yield _SUBSTITUTED[kind]
    elif kind in _COMPOSED:
        yield from _COMPOSED[kind](node, place)
    else:
        raise UnreadableError(f"a construct that isn't read: {kind.replace('_', ' ')}")


def _concatenation(node: Node, place: Surroundings) -> Iterator[Atom]:
    end = node.start_byte
    for child in node.children:
        if child.start_byte != end:
            raise UnreadableError("a word with a gap in it")  # pragma: no cover
        end = child.end_byte
        yield from _atoms(child, place)


def _string(node: Node, place: Surroundings) -> Iterator[Atom]:
    """Read a double-quoted string; what lies between its children, white space, is its text too."""
    data, start = bytes_of(node), node.start_byte
    raw, end = b"", start + 1
    for child in node.children[1:-1]:
        raw += data[end - start : child.start_byte - start]
        end = child.end_byte
        if child.type in {"string_content", "$"}:
            raw += bytes_of(child)
            continue
        yield Atom("text", unquoted(raw.decode()), quoted=True)
        raw = b""
        if child.type in {"simple_expansion", "expansion"}:
            yield from parameter(child, place, _atoms, quoted=True)
        elif child.type == "arithmetic_expansion":
            yield from _arithmetic(child, place)
        elif child.type == "command_substitution":
            place.substitute(child)
            yield Atom("unknown", "command substitution", quoted=True)
        else:
            raise UnreadableError(f"a construct that isn't read: {child.type.replace('_', ' ')}")
    raw += data[end - start : -1]
    yield Atom("text", unquoted(raw.decode()), quoted=True)


def unquoted(text: str) -> str:
    """Remove the backslashes that count between double quotes.

    Raises:
        UnreadableError: an expansion stands in the text.
    """
    if "\\" not in text:
        if "`" in text or EXPANDS.search(text):
            raise UnreadableError("an expansion that the syntax tree does not show")
        return text
    result: list[str] = []
    place = 0
    while place < len(text):
        character = text[place]
        if character == "\\" and place + 1 < len(text):
            escaped = text[place + 1]
            result.append("" if escaped == "\n" else escaped if escaped in '$`"\\' else character + escaped)
            place += 2
            continue
        if character == "`" or EXPANDS.match(text, place):
            raise UnreadableError("an expansion that the syntax tree does not show")  # pragma: no cover
        result.append(character)
        place += 1
    return "".join(result)


def _ansi(text: str) -> str:
    def means(match: re.Match[str]) -> str:
        if match[1] not in _ANSI_MEANS:
            raise UnreadableError("an escape in $'...' that isn't read")
        return _ANSI_MEANS[match[1]]

    return _ANSI.sub(means, text)


def _unescaped(text: str) -> Iterator[Atom]:
    """Read bare text: a backslash protects one character, and joins lines."""
    bare = ""
    place = 0
    while place < len(text):
        character = text[place]
        if character == "\\" and place + 1 < len(text):
            yield Atom("text", bare, quoted=False)
            bare = ""
            if text[place + 1] != "\n":  # pragma: no branch
                yield Atom("text", text[place + 1], quoted=True)
            place += 2
            continue
        if character in _ENDS_WORD or EXPANDS.match(text, place):
            raise UnreadableError("a word that the shell would read in another way")
        bare += character
        place += 1
    yield Atom("text", bare, quoted=False)


def _bare_variable(node: Node, place: Surroundings) -> Iterator[Atom]:
    yield from parameter(node, place, _atoms, quoted=False)


def _arithmetic(node: Node, place: Surroundings) -> Iterator[Atom]:
    text = text_of(node)
    if not text.startswith("$((") or not text.endswith("))"):
        raise UnreadableError("arithmetic that isn't read")
    check(text[3:-2], place.state)
    splits = "IFS" in place.state.variables
    yield Atom("split" if splits else "unknown", "a number", quoted=not splits)


_COMPOSED: Mapping[str, Callable[[Node, Surroundings], Iterator[Atom]]] = {
    "arithmetic_expansion": _arithmetic,
    "concatenation": _concatenation,
    "expansion": _bare_variable,
    "simple_expansion": _bare_variable,
    "string": _string,
}


def _pieces(atom: Atom) -> Iterator[Piece]:
    if atom.kind != "text" or atom.quoted:
        yield Piece(atom.kind, atom.text)
        return
    for stretch in _GLOB.split(atom.text):
        if stretch:
            yield Piece("glob" if stretch in {"*", "?", "["} else "text", stretch)
