"""What a walk through a syntax tree rests on: statements one after the other, levels, substitutions, redirections.

Source: DESIGN section 2; POSIX.1-2024 XCU 2.9; policy cases A01, A09, A15.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Within
from decisions.reducers.shell.expand import Surroundings, expand
from decisions.reducers.shell.parse import bytes_of, parse
from decisions.reducers.shell.redirect import redirect
from decisions.reducers.shell.simple import REDIRECTS
from decisions.reducers.shell.state import Ends, State, both
from decisions.reducers.shell.word import Word

if TYPE_CHECKING:
    from decisions.reducers.shell.reader import ScriptReader

_SEPARATORS = frozenset({";", "&", ";;", ";&", ";;&", "\n"})


class Walker:
    """A walk through one script.

    Args:
        reader: what numbers and reduces the commands.
        text: the script.
        within: what the script's commands inherit.
    """

    def __init__(self, reader: "ScriptReader", text: str, within: Within) -> None:
        self._reader = reader
        self._root = parse(text)
        self._within = within
        self._kinds: dict[str, Callable[[Node, State, Sequence[Node]], Ends]] = {}

    def run(self, state: State) -> Ends:
        """Walk the whole script."""
        return self._sequence(self._root.children, state)

    def _sequence(self, nodes: Iterable[Node], state: State) -> Ends:
        """Walk statements one after the other; one before ``&`` leaves the state as it was."""
        ends = both(state)
        before = state
        for node in nodes:
            if node.is_named and node.type != "comment":
                before = ends.either
                ends = self._statement(node, before)
            elif node.type == "&":
                ends = both(before)
            elif node.type not in _SEPARATORS and node.type != "comment":
                self._refuse(UnreadableError(f"a construct that isn't read: {node.type}"))  # pragma: no cover
        return ends

    def _statement(self, node: Node, state: State, attached: Sequence[Node] = ()) -> Ends:
        try:
            return self._kinds.get(node.type, _unread)(node, state, attached)
        except UnreadableError as error:
            self._refuse(error)
            return both(state)

    def _refuse(self, error: UnreadableError, part: str | None = None) -> None:
        if error.code == "TOO_COMPLEX":
            raise error
        self._reader.effects.refuse(error, self._within.part if part is None else part)

    def _inner(self, nodes: Iterable[Node], state: State, *, captured: bool = False) -> Ends:
        """Walk statements one level deeper."""
        outer = self._within
        self._within = replace(outer, depth=outer.depth + 1, captured=outer.captured or captured)
        self._reader.check_depth(self._within)
        try:
            return self._sequence(nodes, state)
        finally:
            self._within = outer

    def _place(self, state: State) -> Surroundings:
        take = self._reader.flow.taker(self._within.part)
        return Surroundings(state, self._reader.home, lambda node: self._substitute(node, state), take)

    def _substitute(self, node: Node, state: State) -> None:
        """Reduce what stands in a substitution; it runs in a shell of its own."""
        text = bytes_of(node)
        if text.startswith(b"`") and b"\\" in text:
            raise UnreadableError("backslashes between backticks")
        inner = [child for child in node.children if child.type not in {"$(", ")", "`", "<(", ">("}]
        for child in inner:
            if child.type in REDIRECTS:
                self._redirect_only([child], state)
        self._inner([child for child in inner if child.type not in REDIRECTS], state, captured=True)

    def _numbered(self, node: Node) -> Within:
        number = self._reader.number(self._within, node.start_byte)
        return replace(self._within, part=f"segment {number}:")

    def _expand_all(self, nodes: Iterable[Node], state: State) -> list[Word]:
        place = self._place(state)
        return [word for node in nodes for word in expand(node, place)]

    # Redirections.

    def _redirect(self, attached: Sequence[Node], state: State, within: Within | None = None) -> list[Node]:
        """Note what redirections read and write; give the words that stand among them."""
        words: list[Node] = []
        for node in attached:
            inner = within or self._numbered(node)
            self._reader.step()
            try:
                words += redirect(node, self._place(state), self._reader, inner)
            except UnreadableError as error:
                self._refuse(error, inner.part)
        return words

    def _redirect_only(self, attached: Sequence[Node], state: State, within: Within | None = None) -> None:
        """Note what redirections read and write, where no words can stand among them."""
        if self._redirect(attached, state, within):
            raise UnreadableError("words behind a redirection that belong to no command")

    def _caught(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        """Walk a statement whose output goes on."""
        outer = self._within
        self._within = replace(outer, captured=True)
        try:
            return self._statement(node, state, attached)
        finally:
            self._within = outer


def _unread(node: Node, _state: State, _attached: Sequence[Node]) -> Ends:
    raise UnreadableError(f"a construct that isn't read: {node.type.replace('_', ' ')}")
