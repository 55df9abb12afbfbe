"""Loops: their bodies are walked until one more round changes nothing.

Source: POSIX.1-2024 XCU 2.9.4; bash 5.2 manual (looping constructs).
"""

import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.shell.compounds import Compounds
from decisions.reducers.shell.parse import bytes_of, check_gaps, text_of
from decisions.reducers.shell.state import Ends, State, both, merged
from decisions.reducers.shell.word import Word

_ROUNDS = 8
_HEAD = re.compile(r"for\s*\(\(([^;]*);([^;]*);([^;]*)\)\)\s*;?\s*\Z", re.ASCII | re.DOTALL)


class Loops(Compounds):
    """Reads ``while``, ``until``, ``for`` and ``select``."""

    def _while(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        condition, body = node.children[1:-1], node.children[-1]

        def once(entry: State) -> State:
            return self._inner(body.children[1:-1], self._inner(condition, entry).either).either

        return both(self._loop(once, state))

    def _for(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if variable is None or body is None or body.type != "do_group":
            raise UnreadableError("a loop that isn't read")  # pragma: no cover
        name = text_of(variable)
        within = self._numbered(node)
        self._reader.assign(name, within, exported=False)
        listed = node.children_by_field_name("value")
        check_gaps(node, listed)
        words = self._expand_all(listed, state)
        if node.children[0].type == "select":
            # Which one it is, and what was typed, standard input decides.
            state = state.having("REPLY", None)
        known: list[Word | None] = [word if word.is_known else None for word in words]
        for value in dict.fromkeys(known or [None]):
            state = self._loop(self._body_with(body, name, value), state)
        return both(state)

    def _body_with(self, body: Node, name: str, value: Word | None) -> Callable[[State], State]:
        """Give one round of a loop whose variable has a value."""
        return lambda state: self._inner(body.children[1:-1], state.having(name, value)).either

    def _c_for(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        """Read ``for ((i=0; i<3; i++))``: its three expressions compute and do nothing else."""
        self._redirect_only(attached, state)
        body = node.child_by_field_name("body") or node.children[-1]
        head = bytes_of(node)[: body.start_byte - node.start_byte].decode()
        match = _HEAD.match(head)
        if match is None or body.type not in {"do_group", "compound_statement"}:
            raise UnreadableError("a loop that isn't read")
        self._numbered(node)
        first, condition, last = match[1], match[2], match[3]
        start = self._computed(first, state)

        def once(entry: State) -> State:
            tested = self._computed(condition, entry)
            return self._computed(last, self._inner(body.children[1:-1], tested).either)

        return both(self._loop(once, start))

    def _loop(self, once: Callable[[State], State], state: State) -> State:
        """Walk a loop's body until one more round changes nothing; what jumps out of it ends there too."""
        with self._reader.jumps.region("loop") as left:
            for _ in range(_ROUNDS):
                after = merged(state, once(state))
                for jumped in left:
                    after = merged(after, jumped)
                if after == state:
                    return state
                state = after
        raise too_complex(
            "a loop that keeps changing what the shell knows"
        )  # pragma: no cover  (what is known only shrinks)
