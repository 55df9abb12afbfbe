"""Redirections: which files they read and write, and here-documents, whose end is checked once more.

tree-sitter-bash takes words behind a redirection's target for further targets, and lets a here-document end a little
earlier or later than bash does. The first are handed back as the command's words; the second is opaque.

Source: POSIX.1-2024 XCU 2.7; policy cases A09, A15.
"""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call, Within
from decisions.reducers.shell.expand import Surroundings, expand_one, reduce_within, unquoted
from decisions.reducers.shell.parse import bytes_of, check_gaps, text_of

if TYPE_CHECKING:
    from decisions.reducers.shell.reader import ScriptReader

_READS = frozenset({"<"})
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>"})
_DUPLICATES = frozenset({">&", "<&"})
_CLOSES = frozenset({">&-", "<&-"})
_DESCRIPTOR = re.compile(r"[0-9]+-?|-", re.ASCII)
_SOCKETS = ("/dev/tcp/", "/dev/udp/")


def redirect(node: Node, place: Surroundings, reader: "ScriptReader", within: Within) -> list[Node]:
    """Note what one redirection does; give the words behind it that belong to the command.

    Raises:
        UnreadableError: it can't be read.
    """
    call = Call(reader, "", (), place.state, replace(within, part=f"{within.part} redirection"))
    if node.type == "file_redirect":
        return _file(node, place, call)
    if node.type == "herestring_redirect":
        for child in node.children[1:]:
            expand_one(child, place)
        return []
    return _here_document(node, place, reader, within)


def keeps_output(node: Node) -> bool:
    """Whether a redirection may bring a command's output to a place where it is kept."""
    writes = any(child.type in _WRITES or child.type == ">&" for child in node.children)
    named = node.child_by_field_name("destination")
    return writes and not (named is not None and text_of(named) in {"/dev/null", "1", "2"})


def _file(node: Node, place: Surroundings, call: Call) -> list[Node]:
    operators = [child.type for child in node.children if not child.is_named]
    named = node.children_by_field_name("destination")
    check_gaps(node, named)
    if len(operators) != 1:
        raise UnreadableError("a redirection that isn't read")  # pragma: no cover
    operator = operators[0]
    if operator in _CLOSES:
        return list(named)
    if not named:
        raise UnreadableError("a redirection without its target")  # pragma: no cover
    word, *rest = expand_one(named[0], place), *named[1:]
    text = word.literal
    if text is not None and any(text.startswith(socket) for socket in _SOCKETS):
        raise UnreadableError("a redirection that opens a connection")
    if operator in _DUPLICATES and text is not None and _DESCRIPTOR.fullmatch(text):
        return rest
    if operator in _READS:
        call.files("read", [word], dash=False)
    elif operator in _WRITES or operator == ">&":
        call.files("write", [word], dash=False)
    else:
        raise UnreadableError(f"a redirection that isn't read: {operator}")  # pragma: no cover
    return rest


def _here_document(node: Node, place: Surroundings, reader: "ScriptReader", within: Within) -> list[Node]:
    start = next(child for child in node.children if child.type == "heredoc_start")
    quoted = _check_end(node, text_of(start))
    words: list[Node] = []
    for child in node.children:
        if child.type == "heredoc_body" and not quoted:
            _body(child, place)
        elif child.type in {"file_redirect", "herestring_redirect"}:
            words += redirect(child, place, reader, within)
    arguments = node.children_by_field_name("argument")
    check_gaps(node, arguments)
    return [*arguments, *words]


def _check_end(node: Node, delimiter: str) -> bool:
    """Hold that the document ends where bash ends it; tell whether its text is taken as it stands."""
    quoted = any(character in delimiter for character in "'\"\\")
    bare = delimiter.translate({ord(character): None for character in "'\"\\"})
    tabs = node.children[0].type == "<<-" or node.children[0].type.isdigit()
    body = next((child for child in node.children if child.type == "heredoc_body"), None)
    end = next((child for child in node.children if child.type == "heredoc_end"), None)
    if end is None or text_of(end) != bare or not bare:
        raise UnreadableError("a here-document whose end isn't certain")  # pragma: no cover
    lines = [] if body is None else text_of(body).split("\n")
    last = lines.pop() if lines else ""
    if last.strip("\t" if tabs else "") or any((line.lstrip("\t") if tabs else line) == bare for line in lines):
        raise UnreadableError("a here-document whose end isn't certain")
    if not quoted and any(line.endswith("\\") for line in lines):
        raise UnreadableError("a here-document that joins lines")
    return quoted


def _body(node: Node, place: Surroundings) -> None:
    """Reduce the substitutions in a here-document whose text the shell expands."""
    data, start, end = bytes_of(node), node.start_byte, node.start_byte
    for child in node.children:
        unquoted(data[end - start : child.start_byte - start].decode())
        end = child.end_byte
        if child.type == "heredoc_content":
            unquoted(text_of(child))
        else:
            reduce_within(child, place)
    unquoted(data[end - start :].decode())
