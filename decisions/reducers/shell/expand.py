"""From a syntax node to the words that the shell makes of it: quotes removed, variables put in, braces spread.

What only the running shell knows becomes an unknown piece, never a guess. Substitutions are handed on to be reduced
themselves, wherever they stand. Every node type that is not listed here is opaque.

Source: POSIX.1-2024 XCU 2.6 (word expansions); policy cases A09, A13, A15, A17.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.shell.parse import bytes_of, text_of
from decisions.reducers.shell.state import State
from decisions.reducers.shell.word import Piece, PieceKind, Word, joined

_PLAIN = re.compile(r"[A-Za-z0-9_./@:+,%-][A-Za-z0-9_./@:+,=%-]*", re.ASCII)
# Characters that end a word in bash unless quoted: one of them bare in a word is a tree that bash would not build.
_ENDS_WORD = frozenset(" \t\n\"'`;&|<>()")
_EXPANDS = re.compile(r"\$(?=[A-Za-z0-9_({\[\"'@*#?!$-])", re.ASCII)
_ASSIGNED_HOME = re.compile(r"[A-Za-z_]\w*\+?=(?:.*:)?~", re.ASCII | re.DOTALL)
# An unquoted value of these characters alone is neither split nor matched against file names.
_UNSPLIT = re.compile(r"[A-Za-z0-9_./@+,%=:-]+", re.ASCII)
_ANSI = re.compile(r"\\(.)", re.DOTALL)
_ANSI_MEANS = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_GLOB = re.compile(r"([*?[])")
# Special variables that are one number, quoted or not.
_NUMBERS = frozenset({"?", "#", "$", "!"})
_MOST_WORDS = 64

PIPE_DEVICE = "/dev/fd/63"
"""What a process substitution turns into."""


@dataclass(frozen=True, slots=True)
class _Atom:
    """A stretch of a word: its kind, its text, and whether quotes protect it."""

    kind: PieceKind
    text: str
    quoted: bool


_SUBSTITUTED = {
    "command_substitution": _Atom("split", "command substitution", quoted=False),
    "process_substitution": _Atom("text", PIPE_DEVICE, quoted=True),
}


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


def expand(node: Node, place: Surroundings) -> list[Word]:
    """Expand an argument: one word, or several by braces.

    Raises:
        UnreadableError: it holds a construct that isn't read.
    """
    if node.type in {"word", "number"}:
        text = text_of(node)
        if _PLAIN.fullmatch(text):
            return [Word.of(text)]
    atoms = list(_atoms(node, place))
    _expand_home(atoms, place)
    rows = _spread(atoms)
    if len(rows) > 1 and any(child.type == "simple_expansion" for child in node.children):
        # Braces are spread in the text: $x{a,b} is $xa and $xb.
        raise UnreadableError("braces beside a variable: write ${...} for $...")
    return [joined([piece for atom in row for piece in _pieces(atom)]) for row in rows]


def expand_one(node: Node, place: Surroundings) -> Word:
    """Expand where the shell neither spreads braces nor splits: an assigned value, a redirection's target.

    Raises:
        UnreadableError: it holds a construct that isn't read, or would be several words.
    """
    words = expand(node, place)
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


def _atoms(node: Node, place: Surroundings) -> Iterator[_Atom]:
    kind = node.type
    if kind in {"word", "number"} and node.child_count == 0:
        yield from _unescaped(text_of(node))
    elif kind == "raw_string":
        yield _Atom("text", text_of(node)[1:-1], quoted=True)
    elif kind == "ansi_c_string":
        yield _Atom("text", _ansi(text_of(node)[2:-1]), quoted=True)
    elif kind in {"command_substitution", "process_substitution"}:
        place.substitute(node)
        yield _SUBSTITUTED[kind]
    elif kind in _COMPOSED:
        yield from _COMPOSED[kind](node, place)
    else:
        raise UnreadableError(f"a construct that isn't read: {kind.replace('_', ' ')}")


def _concatenation(node: Node, place: Surroundings) -> Iterator[_Atom]:
    end = node.start_byte
    for child in node.children:
        if child.start_byte != end:
            raise UnreadableError("a word with a gap in it")  # pragma: no cover
        end = child.end_byte
        yield from _atoms(child, place)


def _string(node: Node, place: Surroundings) -> Iterator[_Atom]:
    """Read a double-quoted string; what lies between its children, white space, is its text too."""
    data, start = bytes_of(node), node.start_byte
    raw, end = b"", start + 1
    for child in node.children[1:-1]:
        raw += data[end - start : child.start_byte - start]
        end = child.end_byte
        if child.type in {"string_content", "$"}:
            raw += bytes_of(child)
            continue
        yield _Atom("text", unquoted(raw.decode()), quoted=True)
        raw = b""
        if child.type in {"simple_expansion", "expansion"}:
            yield from _variable(child, place, quoted=True)
        elif child.type == "command_substitution":
            place.substitute(child)
            yield _Atom("unknown", "command substitution", quoted=True)
        else:
            raise UnreadableError(f"a construct that isn't read: {child.type.replace('_', ' ')}")
    raw += data[end - start : -1]
    yield _Atom("text", unquoted(raw.decode()), quoted=True)


def unquoted(text: str) -> str:
    """Remove the backslashes that count between double quotes.

    Raises:
        UnreadableError: an expansion stands in the text.
    """
    if "\\" not in text:
        if "`" in text or _EXPANDS.search(text):
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
        if character == "`" or _EXPANDS.match(text, place):
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


def _unescaped(text: str) -> Iterator[_Atom]:
    """Read bare text: a backslash protects one character, and joins lines."""
    bare = ""
    place = 0
    while place < len(text):
        character = text[place]
        if character == "\\" and place + 1 < len(text):
            yield _Atom("text", bare, quoted=False)
            bare = ""
            if text[place + 1] != "\n":  # pragma: no branch
                yield _Atom("text", text[place + 1], quoted=True)
            place += 2
            continue
        if character in _ENDS_WORD or _EXPANDS.match(text, place):
            raise UnreadableError("a word that the shell would read in another way")
        bare += character
        place += 1
    yield _Atom("text", bare, quoted=False)


def _variable(node: Node, place: Surroundings, *, quoted: bool) -> Iterator[_Atom]:
    unknown = _Atom("unknown" if quoted else "split", text_of(node)[:40], quoted=quoted)
    names = [child for child in node.children if child.is_named]
    operators = [child for child in node.children if not child.is_named and child.type not in {"$", "${", "}"}]
    for name in names:
        if name.type == "variable_name" and place.state.inherits(text_of(name)):
            place.take(text_of(name))
    if operators:
        _check_operators(node, [text_of(operator) for operator in operators], place)
        yield unknown
        return
    if len(names) != 1 or names[0].type not in {"variable_name", "special_variable_name"}:
        raise UnreadableError("an expansion that isn't read")
    if text_of(names[0]) in _NUMBERS:
        yield _Atom("unknown", text_of(node), quoted=True)
        return
    value = _value_of(text_of(names[0]), place)
    if value is None or not value.is_known:
        yield unknown
    elif quoted:
        # A glob comes only from a loop over file names: its pattern stands for each of them.
        yield from (_Atom(piece.kind, piece.text, quoted=True) for piece in value.pieces)
    elif value.literal is not None and _UNSPLIT.fullmatch(value.literal) and "IFS" not in place.state.variables:
        yield _Atom("text", value.literal, quoted=True)
    else:
        yield unknown


def _bare_variable(node: Node, place: Surroundings) -> Iterator[_Atom]:
    yield from _variable(node, place, quoted=False)


_COMPOSED: Mapping[str, Callable[[Node, Surroundings], Iterator[_Atom]]] = {
    "concatenation": _concatenation,
    "expansion": _bare_variable,
    "simple_expansion": _bare_variable,
    "string": _string,
}


def _check_operators(node: Node, operators: list[str], place: Surroundings) -> None:
    """Refuse ``${!x}``, ``${x@P}``, ``${x:=y}``, ``${x:1}``: they run code, assign, or compute."""
    harmless = {":-", "-", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/", "//", "/#", "/%", ",", ",,", "^", "^^"}
    if not set(operators) <= harmless:
        raise UnreadableError("an expansion that isn't read: " + text_of(node)[:40])
    for child in node.children:
        if child.type in {"regex", "extglob_pattern"}:
            check_inert(text_of(child))
        elif child.is_named and child.type not in {"variable_name", "special_variable_name"}:
            reduce_within(child, place)


def check_inert(text: str) -> None:
    """Hold that text which the tree does not take apart runs nothing.

    Raises:
        UnreadableError: it holds an expansion or a substitution.
    """
    if "`" in text or "<(" in text or ">(" in text or _EXPANDS.search(text):
        raise UnreadableError("an expansion that the syntax tree does not show")


def _value_of(name: str, place: Surroundings) -> Word | None:
    if name in place.state.variables:
        return place.state.variables[name]
    if name == "HOME" and place.home is not None:
        return Word.of(place.home)
    directories = place.state.directories
    if name == "PWD" and directories is not None and len(directories) == 1:
        return Word.of(next(iter(directories)))
    return None


def _expand_home(atoms: list[_Atom], place: Surroundings) -> None:
    """Put the home directory in for a bare ``~`` at the start; ``~name`` is unknown."""
    first = next((index for index, atom in enumerate(atoms) if atom.text or atom.kind != "text" or atom.quoted), None)
    if first is None or atoms[first].kind != "text" or atoms[first].quoted:
        return
    text = atoms[first].text
    if _ASSIGNED_HOME.match(text):
        atoms[first] = _Atom("unknown", "~", quoted=False)
        return
    if not text.startswith("~"):
        return
    user, slash, rest = text[1:].partition("/")
    alone = slash or all(not atom.text and atom.kind == "text" and not atom.quoted for atom in atoms[first + 1 :])
    home = _value_of("HOME", place)
    if user or not alone or home is None or not home.is_literal:
        atoms[first] = _Atom("unknown", "~" + user, quoted=False)
        return
    known = home.literal or ""
    atoms[first : first + 1] = [
        _Atom("text", known.rstrip("/") if slash else known, quoted=True),
        _Atom("text", slash + rest, quoted=False),
    ]


def _spread(atoms: list[_Atom]) -> list[list[_Atom]]:
    """Spread ``{a,b}``; nested braces and ranges are opaque."""
    if not any(atom.kind == "text" and not atom.quoted and "{" in atom.text for atom in atoms):
        return [atoms]
    single = [
        _Atom(atom.kind, character, atom.quoted)
        for atom in atoms
        for character in (atom.text if atom.kind == "text" and not atom.quoted else [atom.text])
    ]
    return _spread_single(single)


def _spread_single(atoms: list[_Atom]) -> list[list[_Atom]]:
    def bare(atom: _Atom, character: str) -> bool:
        return atom.kind == "text" and not atom.quoted and atom.text == character

    opening = next((index for index, atom in enumerate(atoms) if bare(atom, "{")), None)
    if opening is None:
        return [atoms]
    closing = next((index for index in range(opening, len(atoms)) if bare(atoms[index], "}")), None)
    if closing is None:
        return [atoms]
    inner = atoms[opening + 1 : closing]
    if any(bare(atom, "{") for atom in inner) or ".." in "".join(atom.text for atom in inner if not atom.quoted):
        raise UnreadableError("braces that aren't read")
    commas = [index for index, atom in enumerate(inner) if bare(atom, ",")]
    heads = [atoms[: opening + 1] + inner + [atoms[closing]]]
    if commas:
        bounds = [-1, *commas, len(inner)]
        heads = [atoms[:opening] + inner[low + 1 : high] for low, high in pairwise(bounds)]
    tails = _spread_single(atoms[closing + 1 :])
    if len(heads) * len(tails) > _MOST_WORDS:
        raise too_complex(f"braces that make more than {_MOST_WORDS} words")
    return [head + tail for head in heads for tail in tails]


def _pieces(atom: _Atom) -> Iterator[Piece]:
    if atom.kind != "text" or atom.quoted:
        yield Piece(atom.kind, atom.text)
        return
    for stretch in _GLOB.split(atom.text):
        if stretch:
            yield Piece("glob" if stretch in {"*", "?", "["} else "text", stretch)
