"""Shell text to syntax tree, or to the reason why it can't be read.

tree-sitter-bash is lenient where bash is not, and now and then it sees two words where bash sees one. So a tree is
taken only if nothing in it is an error or missing, and `check_gaps` holds that the words of one command stand apart
in the text by real blanks. White space that the two understand differently (a carriage return, a form feed, a
no-break space) refuses the text before it is parsed.

Source: DESIGN section 2 (reducers through tree-sitter-bash); policy cases A03, A15.
"""

import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from decisions.reducers.characters import check_characters
from decisions.reducers.errors import UnreadableError, too_complex

MAX_BYTES = 64 * 1024

_LANGUAGE = Language(tree_sitter_bash.language())
_CONTINUATION = b"\\\n"
_BLANKS = b" \t\n"
_REDIRECTIONS = frozenset({">", ">>", ">|", "<", "&>", "&>>", ">&", "<&", ">&-", "<&-", "<<", "<<-", "<<<"})


class _Own(threading.local):
    """A parser for each thread: it holds the state of the text that it reads, and no lock of its own."""

    def __init__(self) -> None:
        self.parser = Parser(_LANGUAGE)


_OWN = _Own()


def parse(text: str) -> Node:
    """Parse a script.

    Raises:
        UnreadableError: too long, not plain text, or not a script that can be read for certain.
    """
    if len(text) > MAX_BYTES:
        raise too_complex(f"a script of more than {MAX_BYTES} bytes")
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise UnreadableError("the script is not Unicode text") from error
    if len(data) > MAX_BYTES:
        raise too_complex(f"a script of more than {MAX_BYTES} bytes")
    check_characters(text, "\n\t")
    root = _OWN.parser.parse(data).root_node
    if root.has_error:
        raise UnreadableError("not a script that can be read for certain")
    _check_cover(root, data, 0, len(data))
    return root


def _check_cover(root: Node, data: bytes, start: int, stop: int) -> None:
    """Hold that the tree's leaves cover the text but for blanks, and part it where bash does.

    Found by comparing with bash: an escaped blank gets lost; behind a line continuation a number that belongs to a
    redirection becomes an argument, and a ``#`` within a word a comment; a comment goes on behind a backslash;
    ``-1`` becomes a descriptor, and ``{fd}>`` a word. The text of here-documents is held elsewhere.
    """
    end, before = start, ""
    for leaf in _leaves(root):
        gap = data[end : leaf.start_byte]
        if gap.strip(_BLANKS) and gap.replace(_CONTINUATION, b"").strip(_BLANKS):
            raise UnreadableError("text that the syntax tree leaves out")
        _check_leaf(leaf, gap.replace(_CONTINUATION, b""), before)
        end, before = leaf.end_byte, "number" if leaf.type == "number" else bytes_of(leaf)[-1:].decode("latin-1")
        for child in leaf.children:
            _check_cover(child, data, child.start_byte, child.end_byte)
    if data[end:stop].replace(_CONTINUATION, b"").strip(_BLANKS):
        raise UnreadableError("text that the syntax tree leaves out")  # pragma: no cover


def _check_leaf(leaf: Node, blanks: bytes, before: str) -> None:
    if not blanks and before in {"number", "}"} and leaf.type in _REDIRECTIONS:
        raise UnreadableError("a number or a name that belongs to a redirection")
    if leaf.type == "comment" and (b"\n" in bytes_of(leaf) or (before and not blanks)):
        raise UnreadableError("a comment that bash ends or begins elsewhere")
    if leaf.type == "file_descriptor" and not bytes_of(leaf).isdigit():
        raise UnreadableError("a word that is taken for a descriptor")


def _leaves(root: Node) -> Iterator[Node]:
    """Give the leaves in the order of the text; iterative, for trees as deep as their text is long."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.child_count and node.type != "heredoc_body":
            stack.extend(reversed(node.children))
        else:
            yield node


def text_of(node: Node) -> str:
    """Give the text that a node spans."""
    return bytes_of(node).decode()


def bytes_of(node: Node) -> bytes:
    """Give the bytes that a node spans."""
    data = node.text
    if data is None:  # pragma: no cover
        raise UnreadableError("a syntax node without its text")
    return data


def check_gaps(parent: Node, nodes: Sequence[Node]) -> None:
    """Hold that the words stand apart in the text.

    A line continuation between two words joins them in bash and parts them in the tree; a word directly behind
    another is one word in bash.

    Raises:
        UnreadableError: two neighbours touch.
    """
    data, start = bytes_of(parent), parent.start_byte
    for left, right in pairwise(nodes):
        gap = data[left.end_byte - start : right.start_byte - start]
        if not gap.replace(_CONTINUATION, b"").strip(_BLANKS) == b"" or not gap.replace(_CONTINUATION, b""):
            raise UnreadableError("two words of a command touch each other")
