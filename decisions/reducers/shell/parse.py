"""Shell text to syntax tree, or to the reason why it can't be read.

tree-sitter-bash is lenient where bash is not, and now and then it sees two words where bash sees one. So a tree is
taken only if nothing in it is an error or missing, and `check_gaps` holds that the words of one command stand apart
in the text by real blanks. White space that the two understand differently (a carriage return, a form feed, a
no-break space) refuses the text before it is parsed.

Source: DESIGN section 2 (reducers through tree-sitter-bash); policy cases A03, A15.
"""

from collections.abc import Sequence
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from decisions.reducers.characters import check_characters
from decisions.reducers.errors import UnreadableError, too_complex

MAX_BYTES = 64 * 1024

_PARSER = Parser(Language(tree_sitter_bash.language()))
_CONTINUATION = b"\\\n"
_BLANKS = b" \t\n"


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
    root = _PARSER.parse(data).root_node
    if root.has_error or root.end_byte < len(data.rstrip(_BLANKS)):
        raise UnreadableError("not a script that can be read for certain")
    return root


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
