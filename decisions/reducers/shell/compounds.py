"""Commands made of commands: lists, pipelines, groups and branches.

Source: POSIX.1-2024 XCU 2.9.2 to 2.9.4; policy case A01.
"""

from collections.abc import Sequence

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.arithmetic import NUMBER, assignments
from decisions.reducers.shell.expand import check_inert, expand
from decisions.reducers.shell.parse import check_gaps, text_of
from decisions.reducers.shell.redirect import keeps_output
from decisions.reducers.shell.simple import REDIRECTS, WORDS
from decisions.reducers.shell.state import Ends, State, both, merged
from decisions.reducers.shell.walker import Walker


class Compounds(Walker):
    """Reads lists, pipelines, groups and branches."""

    def _redirected(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        """Bring redirections to the command that they belong to: the last one of a list or pipeline."""
        body = [child for child in node.children if child.type not in REDIRECTS]
        inner = [*(child for child in node.children if child.type in REDIRECTS), *attached]
        after = [child for child in inner if child.type == "heredoc_redirect"]
        if not body:
            self._redirect_only(inner, state)
            return both(state)
        caught = any(keeps_output(redirect) for redirect in inner)
        ends = (self._caught if caught else self._statement)(body[0], state, inner)
        for child in after:
            ends = self._behind(child, ends)
        return ends

    def _behind(self, node: Node, ends: Ends) -> Ends:
        """Walk what stands on the line of a here-document behind it: a pipe, ``&&``, ``||``."""
        operator = None
        for child in node.children:
            if child.type == "pipeline":
                ends = both(merged(ends.either, self._pipeline(child, ends.either, ()).either))
            elif child.type in {"&&", "||"}:
                operator = child.type
            elif child.type in self._kinds:
                right = self._statement(child, ends.success if operator == "&&" else ends.failure)
                ends = both(merged(ends.either, right.either))
        return ends

    def _list(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        # Iterative: a chain of thousands must reach the bound on commands, not Python's on recursion.
        items: list[tuple[str, Node]] = []
        left = node
        while left.type == "list":
            parts = [child for child in left.children if child.type != "comment"]
            items.append((parts[1].type, parts[-1]))
            left = parts[0]
        ends = self._statement(left, state)
        for index, (operator, right) in enumerate(reversed(items)):
            inner = attached if index == len(items) - 1 else ()
            if operator == "&&":
                then = self._statement(right, ends.success, inner)
                ends = Ends(then.success, merged(ends.failure, then.failure))
            elif operator == "||":
                then = self._statement(right, ends.failure, inner)
                ends = Ends(merged(ends.success, then.success), then.failure)
            else:
                raise UnreadableError(f"a construct that isn't read: {operator}")  # pragma: no cover
        return ends

    def _pipeline(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        parts = [child for child in node.children if child.is_named and child.type != "comment"]
        if any(not child.is_named and child.type not in {"|", "|&"} for child in node.children):
            raise UnreadableError("a pipeline that isn't read")  # pragma: no cover
        for part in parts[:-1]:
            self._caught(part, state, ())
        self._statement(parts[-1], state, attached)
        return both(state)

    def _negated(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        ends = self._statement(node.children[-1], state, attached)
        return Ends(ends.failure, ends.success)

    def _subshell(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        self._inner(node.children[1:-1], state)
        return both(state)

    def _group(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        if node.children[0].type != "{":
            text = text_of(node)
            if not text.startswith("((") or not text.endswith("))"):
                raise UnreadableError("a group that isn't read")  # pragma: no cover
            self._reader.effects.act("exec", "run", "program:bash", self._within.part, elevated=self._within.elevated)
            return both(self._computed(text[2:-2], state))
        check_gaps(node, node.children[:2])
        return self._inner(node.children[1:-1], state)

    def _if(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        return both(self._branch(node.children, state))

    def _branch(self, children: Sequence[Node], state: State) -> State:
        """Walk ``if`` or ``elif`` up to its end: the condition, then either way."""
        then = next(index for index, child in enumerate(children) if child.type == "then")
        ends = self._inner(children[1:then], state)
        body = [child for child in children[then + 1 :] if child.type not in {"elif_clause", "else_clause", "fi"}]
        result = self._inner(body, ends.success).either
        otherwise = ends.failure
        for child in children:
            if child.type == "elif_clause":
                # What follows is reached only if this one failed too; its failure is among its ends.
                otherwise = merged(otherwise, self._branch(child.children, otherwise))
            elif child.type == "else_clause":
                otherwise = merged(otherwise, self._inner(child.children[1:], otherwise).either)
        return merged(result, otherwise)

    def _case(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        self._redirect_only(attached, state, within)
        self._reader.effects.act("exec", "run", "program:bash", within.part, elevated=within.elevated)
        place = self._place(state)
        for child in node.children:
            if child.type in WORDS:
                expand(child, place)
        for item in node.children:
            if item.type != "case_item":
                continue
            close = next(index for index, child in enumerate(item.children) if child.type == ")")
            for child in item.children[:close]:
                if child.type in WORDS:
                    expand(child, place)
                else:
                    check_inert(text_of(child))
            state = merged(state, self._inner(item.children[close + 1 :], state).either)
        return both(state)

    def _computed(self, text: str, state: State) -> State:
        """Note what arithmetic sets, each to a number."""
        for name in assignments(text, state):
            self._reader.assign(name, self._within, exported=False)
            state = state.having(name, NUMBER)
        return state
