"""Walks a script's syntax tree: every command that it may run, in every state that it may run it in.

Only the node types listed here are read; every other is opaque. Each command of a pipeline, of ``&&``, ``||``, ``;``
and ``&``, of branches, loops and substitutions is reduced, whether or not it would be reached.

Source: DESIGN section 2; POSIX.1-2024 XCU 2.9; policy cases A01, A09, A11, A15.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.shell.assign import Assignment, assigned, declared, unset_names
from decisions.reducers.shell.call import Within
from decisions.reducers.shell.expand import Surroundings, check_inert, expand
from decisions.reducers.shell.parse import bytes_of, check_gaps, parse, text_of
from decisions.reducers.shell.redirect import keeps_output, redirect
from decisions.reducers.shell.simple import REDIRECTS, WORDS, check_condition, expands, leaves, sorted_parts
from decisions.reducers.shell.state import Ends, State, both, merged
from decisions.reducers.shell.word import Word

if TYPE_CHECKING:
    from decisions.reducers.shell.reader import ScriptReader

_ROUNDS = 6
_SEPARATORS = frozenset({";", "&", ";;", ";&", ";;&", "\n"})


class Walk:
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
        self._kinds: dict[str, Callable[[Node, State, Sequence[Node]], Ends]] = {
            "case_statement": self._case,
            "command": self._command,
            "compound_statement": self._group,
            "declaration_command": self._declaration,
            "for_statement": self._for,
            "if_statement": self._if,
            "list": self._list,
            "negated_command": self._negated,
            "pipeline": self._pipeline,
            "redirected_statement": self._redirected,
            "subshell": self._subshell,
            "test_command": self._test,
            "unset_command": self._unset,
            "variable_assignment": self._assignments,
            "variable_assignments": self._assignments,
            "while_statement": self._while,
        }

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

    # Simple commands.

    def _command(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        try:
            return self._simple(node, state, attached, within)
        except UnreadableError as error:
            self._refuse(error, within.part)
            return both(state)

    def _simple(self, node: Node, state: State, attached: Sequence[Node], within: Within) -> Ends:
        assignments, name, nodes, redirects = sorted_parts(node)
        redirects += attached
        behind = self._redirect(redirects, state, within)
        if any(keeps_output(redirect) for redirect in redirects):
            within = replace(within, captured=True)
        if expands(name):
            self._expand_all([*name.children, *nodes, *behind], state)
            raise UnreadableError("the name of a command is known to the shell alone")
        words = self._expand_all([*name.children, *nodes, *behind], state)
        for assignment in assignments:
            variable = assigned(assignment, self._place(state)).name
            if not (variable == "IFS" and words[0].literal == "read"):
                self._reader.assign(variable, within)
                # Whether it lasts, and what the command sees of it, depends on the command.
                state = state.having(variable, None)
        ends = self._reader.command(words, state, within)
        if redirects or not leaves(words):
            return ends
        return both(state.left())

    def _numbered(self, node: Node) -> Within:
        number = self._reader.number(self._within, node.start_byte)
        return replace(self._within, part=f"segment {number}:")

    def _expand_all(self, nodes: Iterable[Node], state: State) -> list[Word]:
        place = self._place(state)
        return [word for node in nodes for word in expand(node, place)]

    def _assignments(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        self._redirect_only(attached, state, within)
        for child in node.children if node.type == "variable_assignments" else [node]:
            state = self._set(assigned(child, self._place(state)), state, within)
        return both(state)

    def _declaration(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        self._redirect_only(attached, state, within)
        for assignment in declared(node, self._place(state)):
            state = self._set(assignment, state, within)
        if len(node.children) == 1:
            self._reader.effects.act("exec", "run", "program:bash", within.part, elevated=within.elevated)
        return both(state)

    def _unset(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        self._redirect_only(attached, state, within)
        for name in unset_names(node):
            state = self._set(Assignment(name, None), state, within)
        return both(state)

    def _set(self, assignment: Assignment, state: State, within: Within) -> State:
        """Note an assignment; give the state behind it."""
        self._reader.assign(assignment.name, within, exported=assignment.exported)
        after = state.having(assignment.name, assignment.value)
        return after.fixing(assignment.name) if assignment.fixed else after

    def _test(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        self._redirect_only(attached, state, within)
        opening = node.children[0].type
        if opening not in {"[", "[["}:
            raise UnreadableError("arithmetic isn't read")  # pragma: no cover
        check_gaps(node, node.children[:2])
        check_gaps(node, node.children[-2:])
        for child in node.children[1:-1]:
            check_condition(child, self._place(state), strict=opening == "[[")
        self._reader.effects.act("exec", "run", "program:test", within.part, elevated=within.elevated)
        return both(state)

    # Redirections.

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

    # Compounds.

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

    def _caught(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        """Walk a statement whose output goes on."""
        outer = self._within
        self._within = replace(outer, captured=True)
        try:
            return self._statement(node, state, attached)
        finally:
            self._within = outer

    def _negated(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        ends = self._statement(node.children[-1], state, attached)
        return Ends(ends.failure, ends.success)

    def _subshell(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        self._inner(node.children[1:-1], state)
        return both(state)

    def _group(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        if node.children[0].type != "{":
            raise UnreadableError("arithmetic isn't read")
        check_gaps(node, node.children[:2])
        self._redirect_only(attached, state)
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

    def _while(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        condition, body = node.children[1:-1], node.children[-1]

        def once(entry: State) -> State:
            return self._inner(body.children[1:-1], self._inner(condition, entry).either).either

        return both(self._loop(once, state))

    def _for(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        self._redirect_only(attached, state)
        if node.children[0].type != "for":
            raise UnreadableError("a construct that isn't read: select")
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
        known: list[Word | None] = [word if word.is_known else None for word in words]
        for value in dict.fromkeys(known or [None]):
            state = self._loop(self._body_with(body, name, value), state)
        return both(state)

    def _body_with(self, body: Node, name: str, value: Word | None) -> Callable[[State], State]:
        """Give one round of a loop whose variable has a value."""
        return lambda state: self._inner(body.children[1:-1], state.having(name, value)).either

    def _loop(self, once: Callable[[State], State], state: State) -> State:
        """Walk a loop's body until one more round changes nothing."""
        for _ in range(_ROUNDS):
            after = merged(state, once(state))
            if after == state:
                return state
            state = after
        raise too_complex(
            "a loop that keeps changing what the shell knows"
        )  # pragma: no cover  (what is known only shrinks)


def _unread(node: Node, _state: State, _attached: Sequence[Node]) -> Ends:
    raise UnreadableError(f"a construct that isn't read: {node.type.replace('_', ' ')}")
