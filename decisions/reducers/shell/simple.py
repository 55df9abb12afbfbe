"""The parts of a simple command's node, and the expression between brackets.

Source: POSIX.1-2024 XCU 2.9.1; policy case A15.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.expand import Surroundings, check_inert, expand
from decisions.reducers.shell.parse import check_gaps, text_of
from decisions.reducers.shell.word import Word

WORDS = frozenset(
    {
        "word",
        "number",
        "string",
        "raw_string",
        "ansi_c_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    }
)
_NUMBER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_SPECIAL_NUMBERS = frozenset({"$?", "$#", "$$", "$!", "${#}", "${?}"})
REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
EXPANSIONS = frozenset(
    {"arithmetic_expansion", "simple_expansion", "expansion", "command_substitution", "process_substitution"}
)


def expands(name: Node) -> bool:
    """Whether a command's name is made by the shell as it runs."""
    return name.type in EXPANSIONS or any(expands(child) for child in name.children)


def sorted_parts(node: Node) -> tuple[list[Node], Node, list[Node], list[Node]]:
    """Tell a simple command's parts apart: assignments, name, arguments, redirections."""
    sorts: dict[str, list[Node]] = {"assignment": [], "name": [], "word": [], "redirect": []}
    run: list[Node] = []
    for child in node.children:
        if child.type in REDIRECTS:
            sorts["redirect"].append(child)
            check_gaps(node, run)
            run = []
            continue
        run.append(child)
        if child.type == "variable_assignment":
            sorts["assignment"].append(child)
        elif child.type == "command_name":
            sorts["name"].append(child)
        elif child.type in WORDS:
            sorts["word"].append(child)
        else:
            raise UnreadableError(f"a construct that isn't read: {child.type.replace('_', ' ')}")
    check_gaps(node, run)
    if len(sorts["name"]) != 1:  # pragma: no cover
        raise UnreadableError("a command without one name")
    return sorts["assignment"], sorts["name"][0], sorts["word"], sorts["redirect"]


def leaves(words: Sequence[Word]) -> bool:
    """Whether a command certainly ends the script: ``exit`` with nothing or one status, a number."""
    name, *status = [word.literal or "" for word in words]
    return name == "exit" and len(status) <= 1 and all(_NUMBER.fullmatch(text) for text in status)


def _is_number(node: Node, place: Surroundings) -> bool:
    """Whether a word is a number for certain: a name, or an index, would be computed."""
    if text_of(node).strip('"') in _SPECIAL_NUMBERS:
        return True
    return all(word.literal is not None and _NUMBER.fullmatch(word.literal) for word in expand(node, place))


def check_condition(node: Node, place: Surroundings, *, strict: bool) -> None:
    """Walk an expression between brackets for what it runs.

    ``[[`` computes the operands of ``-eq`` and the like, which runs what stands in the brackets of an index, and
    ``[`` redirects where it seems to compare.
    """
    if node.type in {"unary_expression", "binary_expression", "parenthesized_expression"}:
        operators = {text_of(child) for child in node.children if child.type == "test_operator"}
        if operators & {"-v", "-R"}:
            raise UnreadableError("a test of a variable by its name")
        computes = strict and bool(operators & {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
        for child in node.children:
            if child.type in WORDS and computes and not _is_number(child, place):
                raise UnreadableError("a comparison that computes what only the shell knows")
            check_condition(child, place, strict=strict)
    elif node.type in WORDS:
        words = expand(node, place)
        if not strict and any(piece.kind == "split" for word in words for piece in word.pieces):
            raise UnreadableError("unquoted text in [, which may become an operator")
    elif node.type in {"regex", "extglob_pattern"}:
        check_inert(text_of(node))
    elif node.type not in {"test_operator", "!", "=", "==", "!=", "=~", "&&", "||", "(", ")"} and not (
        strict and node.type in {"<", ">"}
    ):
        raise UnreadableError(f"a test that isn't read: {node.type}")
