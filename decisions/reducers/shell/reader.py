"""Reads a script: keeps its bounds, numbers its commands, and finds the description of each.

A program that has no description is run as it is: an action on ``program:<name>``, which the store knows or does not.
A path in command position runs that file.

Source: DESIGN section 10; policy cases A03, A05.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex
from decisions.reducers.shell import commands
from decisions.reducers.shell.call import Call, Within
from decisions.reducers.shell.commands import builtins
from decisions.reducers.shell.environment import NAME, is_harmless
from decisions.reducers.shell.flow import Flow
from decisions.reducers.shell.jumps import Jumps
from decisions.reducers.shell.state import Ends, State, both
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.walk import Walk
from decisions.reducers.shell.word import Word

MAX_COMMANDS = 50
MAX_DEPTH = 16
# Loops and branches are walked more than once.
_MAX_STEPS = 1000
_LONGEST_PART = 120

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\+?=", re.ASCII | re.DOTALL)
_STANDARD = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")


class ScriptReader:
    """Reads one operation's script, and every script within it."""

    def __init__(self, effects: Effects, home: str | None) -> None:
        self.effects = effects
        self.home = home
        self.links: set[str] = set()
        self.flow = Flow()
        self.jumps = Jumps()
        self.trapped = False
        self._defined: set[str] = set()
        self._calls: list[tuple[str, set[str]]] = []
        self._numbers: dict[tuple[str, int], int] = {}
        self._steps = 0

    def script(self, text: str, state: State, within: Within) -> Ends:
        """Reduce a script in its surroundings.

        Raises:
            UnreadableError: the text can't be read, or a bound is exceeded.
        """
        self.check_depth(within)
        return Walk(self, text, within).run(state)

    def define(self, name: str) -> None:
        """Note that a function is defined.

        Raises:
            UnreadableError: it can't be told for certain what a call of it does.
        """
        if self.trapped:
            raise UnreadableError("a function that a trap may call before it is defined")
        if name in builtins.COMMANDS or name.startswith("command_not_found"):
            raise UnreadableError(f"a function in place of the shell's own: {name[:40]}")
        if name in self._defined:
            raise UnreadableError(f"a function that is defined twice: {name[:40]}")
        self._defined.add(name)

    @contextmanager
    def calling(self, name: str) -> Iterator[set[str]]:
        """Enter a function; give the names that become local to it.

        Raises:
            UnreadableError: it is within itself.
        """
        if any(name == called for called, _ in self._calls):
            raise UnreadableError(f"a function that calls itself: {name[:40]}")
        local: set[str] = set()
        self._calls.append((name, local))
        try:
            yield local
        finally:
            self._calls.pop()

    @property
    def in_function(self) -> bool:
        """Whether a function is being walked."""
        return bool(self._calls)

    def note_local(self, name: str) -> None:
        """Note that a variable is local to the function that is called."""
        if self._calls:
            self._calls[-1][1].add(name)

    def number(self, within: Within, place: int) -> int:
        """Number the command at a place of a script; the same place keeps its number.

        Raises:
            UnreadableError: TOO_COMPLEX.
        """
        self.step()
        number = self._numbers.setdefault((within.part, place), len(self._numbers) + 1)
        if number > MAX_COMMANDS:
            raise too_complex(f"more than {MAX_COMMANDS} commands")
        return number

    def step(self) -> None:
        """Hold the bound on all work.

        Raises:
            UnreadableError: TOO_COMPLEX.
        """
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise too_complex("loops and branches that take too many steps to read")

    def check_depth(self, within: Within) -> None:
        """Hold the bound on nesting.

        Raises:
            UnreadableError: TOO_COMPLEX.
        """
        if within.depth > MAX_DEPTH:
            raise too_complex(f"nested deeper than {MAX_DEPTH}")

    def command(self, words: Sequence[Word], state: State, within: Within) -> Ends:
        """Reduce one command."""
        self.check_depth(within)
        self.step()
        name = words[0].literal if words else ""
        if not name:
            self.effects.refuse(UnreadableError("the name of a command is known to the shell alone"), within.part)
            return both(state)
        within = _named(within, name)
        if _ASSIGNMENT.match(name):
            # Behind `time` the syntax tree takes an assignment for a command.
            self.effects.refuse(UnreadableError("an assignment where a command is wanted"), within.part)
            return both(state)
        try:
            return self._known(name, words[1:], state, within)
        except UnreadableError as error:
            if error.code == "TOO_COMPLEX":
                raise
            self.effects.refuse(error, within.part)
            return both(state)

    def assign(self, name: str, within: Within, *, exported: bool = True) -> None:
        """Note that a variable is set."""
        if not NAME.fullmatch(name):
            raise UnreadableError(f"no name of a variable: {name[:40]}")
        if not is_harmless(name, exported=exported):
            self.effects.act("environment", "set", f"env:{name}", within.part, code_origin="untrusted")
        elif exported:
            self.effects.act("environment", "set", f"env:{name}", within.part)
        else:
            self.effects.act("exec", "run", "program:bash", within.part, elevated=within.elevated)

    def _known(self, name: str, words: Sequence[Word], state: State, within: Within) -> Ends:
        if "/" in name:
            directory, _, base = name.rpartition("/")
            if directory not in _STANDARD:
                return self._path(name, words, state, within)
            name = base
        described = commands.find(name)
        call = Call(self, name, words, state, within)
        if described is None:
            commands.check_unknown(call)
            call.prints(name)
            call.run()
            return call.ends
        try:
            described(call)
        except UnreadableError as error:
            call.refuse(error)
        if not call.noted:
            call.run()
        return call.ends

    def _path(self, name: str, words: Sequence[Word], state: State, within: Within) -> Ends:
        """Run the file at a path."""
        call = Call(self, name, words, state, within)
        commands.check_unknown(call)
        call.prints(name)
        for target in targets(Word.of(name), state):
            call.file_at("read", target.path)
            call.run("file://" + target.path, code_origin="file")
        return both(state)


def _named(within: Within, name: str) -> Within:
    shown = name.rpartition("/")[2] if name.isascii() and name.isprintable() else ascii(name)
    part = f"{within.part} {shown}"[:_LONGEST_PART]
    return Within(part, elevated=within.elevated, depth=within.depth, captured=within.captured)
