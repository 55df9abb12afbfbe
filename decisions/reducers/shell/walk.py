"""Walks a script's syntax tree: every command that it may run, in every state that it may run it in.

Only the node types listed here are read; every other is opaque. Each command of a pipeline, of ``&&``, ``||``, ``;``
and ``&``, of branches, loops and substitutions is reduced, whether or not it would be reached. A function is walked
where it is called, with its arguments.

Source: DESIGN section 2; POSIX.1-2024 XCU 2.9; policy cases A01, A09, A11, A15.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.assign import Assignment, assigned, declared, unset_names
from decisions.reducers.shell.call import Within
from decisions.reducers.shell.environment import FUNCTION
from decisions.reducers.shell.loops import Loops
from decisions.reducers.shell.parameters import several
from decisions.reducers.shell.parse import check_gaps, text_of
from decisions.reducers.shell.redirect import keeps_output
from decisions.reducers.shell.simple import check_condition, expands, leaves, sorted_parts
from decisions.reducers.shell.state import Ends, State, both, merged
from decisions.reducers.shell.word import Word

if TYPE_CHECKING:
    from decisions.reducers.shell.reader import ScriptReader

_LOCAL = frozenset({"local", "declare", "typeset"})


class Walk(Loops):
    """A walk through one script.

    Args:
        reader: what numbers and reduces the commands.
        text: the script.
        within: what the script's commands inherit.
    """

    def __init__(self, reader: "ScriptReader", text: str, within: Within) -> None:
        super().__init__(reader, text, within)
        self._kinds = {
            "c_style_for_statement": self._c_for,
            "case_statement": self._case,
            "command": self._command,
            "compound_statement": self._group,
            "declaration_command": self._declaration,
            "for_statement": self._for,
            "function_definition": self._function,
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
        # `"$@"` in a function runs what the function was given.
        given = several(name.children[0], self._place(state)) if len(name.children) == 1 else None
        if expands(name) and not given:
            self._expand_all([*name.children, *nodes, *behind], state)
            raise UnreadableError("the name of a command is known to the shell alone")
        words = self._expand_all([*name.children, *nodes, *behind], state)
        for assignment in assignments:
            variable = assigned(assignment, self._place(state)).name
            if not (variable == "IFS" and words[0].literal == "read"):
                self._reader.assign(variable, within)
                # Whether it lasts, and what the command sees of it, depends on the command.
                state = state.doubting(variable)
        if words and words[0].literal in state.functions:
            return self._called(words, state, within)
        ends = self._reader.command(words, state, within)
        if redirects or not leaves(words):
            return ends
        return both(state.left())

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
            if node.children[0].type == "local" and not self._reader.in_function:
                raise UnreadableError("local outside of a function")
            if node.children[0].type in _LOCAL:
                self._reader.note_local(assignment.name)
        if len(node.children) == 1:
            self._reader.effects.act("exec", "run", "program:bash", within.part, elevated=within.elevated)
        return both(state)

    def _unset(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        within = self._numbered(node)
        self._redirect_only(attached, state, within)
        for name in unset_names(node):
            state = self._set(Assignment(name, None), state, within).undefining(name)
        return both(state)

    def _set(self, assignment: Assignment, state: State, within: Within) -> State:
        """Note an assignment; give the state behind it."""
        self._reader.assign(assignment.name, within, exported=assignment.exported)
        if assignment.array:
            after = state.having_array(assignment.name, assignment.elements)
        else:
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

    # Functions.

    def _function(self, node: Node, state: State, attached: Sequence[Node]) -> Ends:
        """Note that a function is defined: what it does counts where it is called."""
        within = self._numbered(node)
        name = next((text_of(child) for child in node.children if child.type == "word"), "")
        body = node.children[-1]
        if attached or body.type not in self._kinds or not FUNCTION.fullmatch(name):
            raise UnreadableError("a function that isn't read")
        self._reader.define(name)
        self._reader.effects.act("exec", "run", "program:bash", within.part, elevated=within.elevated)
        return both(state.defining(name, body))

    def _called(self, words: Sequence[Word], state: State, within: Within) -> Ends:
        """Walk a function's body, with its arguments."""
        name = words[0].literal or ""
        body = state.functions[name]
        if body is None:
            raise UnreadableError(f"a function that is another one on some ways: {name[:40]}")
        outer = self._within
        self._within = replace(within, depth=within.depth + 1)
        self._reader.check_depth(self._within)
        try:
            with self._reader.calling(name) as local, self._reader.jumps.region("function") as left:
                after = self._statement(body, state.called(words[1:])).either
        finally:
            self._within = outer
        for jumped in left:
            after = merged(after, jumped)
        return both(after.returned(state, local))
