"""What the shell is known to stand at: the directories it may be in, and the variables whose value is known.

Where two ways of the script meet, `merged` keeps what both allow: the union of the directories, and a variable only
where both agree. So ``cd x; rm y`` deletes ``x/y`` or, if the first command failed, ``y``: both are noted.

Source: policy cases A01, A13.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tree_sitter import Node

from decisions.reducers.shell.options import names
from decisions.reducers.shell.word import Piece, Word

_MOST_DIRECTORIES = 4
_POSITIONS = 10
# What bash itself sets as it goes on, or never lets anyone set: an assignment does not tell their value.
_DYNAMIC = names("""
    _ BASHOPTS BASHPID BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_LINENO BASH_REMATCH BASH_SOURCE
    BASH_SUBSHELL BASH_VERSINFO BASH_VERSION COMP_WORDBREAKS COPROC DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME
    GROUPS HISTCMD LINENO MAPFILE OLDPWD OPTARG OPTIND PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHELLOPTS SHLVL SRANDOM
    UID
    """)

_Known = TypeVar("_Known")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)

NUMBER = Word((Piece("unknown", "a number"),))
"""The value of a variable that is some whole number."""


def is_number(value: Word | None) -> bool:
    """Whether a value is a whole number for certain."""
    return value is not None and (value == NUMBER or _INTEGER.fullmatch(value.literal or "") is not None)


@dataclass(frozen=True, slots=True)
class State:
    """The shell's state at one point of the script.

    Attributes:
        directories: where the shell may be, absolute paths; None where nobody knows.
        variables: what the script has set; None stands for a value that only the shell knows. A variable that is
            not listed is inherited, and unknown but for HOME and PWD.
        ended: whether the script has left, so that this point is not reached.
        fixed: the variables that were made read-only, so that a later assignment fails.
        maybe: the variables that are set on some ways to this point, and inherited on others.
        arrays: what is known of arrays, ``@`` for the arguments of a function; None for what only the shell knows.
        functions: the body of each function; None where it is another one on some ways to this point.
    """

    directories: frozenset[str] | None
    variables: Mapping[str, Word | None]
    ended: bool = False
    fixed: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    arrays: Mapping[str, tuple[Word, ...] | None] = field(default_factory=dict)
    functions: Mapping[str, Node | None] = field(default_factory=dict)

    def at(self, directories: frozenset[str] | None) -> "State":
        """Give the state in other directories."""
        if directories is not None and len(directories) > _MOST_DIRECTORIES:
            directories = None
        return replace(self, directories=directories)

    def having(self, name: str, value: Word | None) -> "State":
        """Give the state with a variable set."""
        known = None if name in _DYNAMIC or name in self.fixed else value
        # A plain assignment to an array sets its first element.
        arrays = {**self.arrays, name: None} if name in self.arrays else self.arrays
        return replace(self, variables={**self.variables, name: known}, maybe=self.maybe - {name}, arrays=arrays)

    def doubting(self, name: str) -> "State":
        """Give the state behind a command that had a variable set for itself."""
        inherits = self.inherits(name)
        state = self.having(name, None)
        return replace(state, maybe=state.maybe | {name}) if inherits else state

    def undefining(self, name: str) -> "State":
        """Give the state in which a function may be gone: ``unset`` takes one where there is no such variable."""
        return replace(self, functions={**self.functions, name: None}) if name in self.functions else self

    def having_array(self, name: str, words: tuple[Word, ...] | None) -> "State":
        """Give the state with an array set; its name alone is its first element."""
        known = None if name in _DYNAMIC or name in self.fixed else words
        state = self.having(name, known[0] if known else None)
        return replace(state, arrays={**state.arrays, name: known})

    def defining(self, name: str, body: Node) -> "State":
        """Give the state with a function defined."""
        return replace(self, functions={**self.functions, name: body})

    def called(self, words: Sequence[Word]) -> "State":
        """Give the state within a function that is called with these words."""
        certain = next((place for place, word in enumerate(words) if _may_be_several(word)), len(words))
        given = {str(place + 1): word for place, word in enumerate(words[:certain])}
        rest = None if certain < len(words) else Word.of("")
        others = {str(place): rest for place in range(certain + 1, _POSITIONS)}
        arguments = tuple(words) if certain == len(words) else None
        return replace(
            self,
            variables={**self._named(), **others, **given},
            arrays={**self.arrays, "@": arguments},
        )

    def shifted(self) -> "State":
        """Give the state after the arguments were moved."""
        moved = {name: None for name in self.variables if name.isdigit()}
        return replace(self, variables={**self.variables, **moved}, arrays={**self.arrays, "@": None})

    def returned(self, before: "State", local: Iterable[str]) -> "State":
        """Give the state behind a call: the caller's arguments, and nothing known of what was local."""
        arguments = {name: value for name, value in before.variables.items() if name.isdigit()}
        arrays = {name: words for name, words in self.arrays.items() if name != "@"}
        if "@" in before.arrays:
            arrays["@"] = before.arrays["@"]
        state = replace(self, variables={**self._named(), **arguments}, arrays=arrays)
        for name in local:
            state = state.having(name, None)
            if before.inherits(name):
                state = replace(state, maybe=state.maybe | {name})
        return state

    def _named(self) -> dict[str, Word | None]:
        return {name: value for name, value in self.variables.items() if not name.isdigit()}

    def inherits(self, name: str) -> bool:
        """Whether a variable may have the value that the script found it with."""
        return name not in self.variables or name in self.maybe

    def fixing(self, name: str) -> "State":
        """Give the state with a variable made read-only."""
        return replace(self, fixed=self.fixed | {name})

    def inherited(self) -> "State":
        """Give the state of another shell that this one starts: which variables are exported, nobody knows."""
        return State(self.directories, dict.fromkeys(self.variables), maybe=self.maybe)

    def left(self) -> "State":
        """Give the state of a point that is not reached."""
        return replace(self, ended=True)

    def forgotten(self) -> "State":
        """Give the state after code that nobody read has run in this shell."""
        return State(
            None,
            {"HOME": None, "IFS": None, "CDPATH": None, **dict.fromkeys(self.variables)},
            fixed=self.fixed,
            maybe=self.maybe,
            arrays=dict.fromkeys(self.arrays),
            functions=dict.fromkeys(self.functions),
        )


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ways on from a command.

    Attributes:
        success: the state if it succeeded.
        failure: the state if it failed.
    """

    success: State
    failure: State

    @property
    def either(self) -> State:
        """The state whichever way it went."""
        return merged(self.success, self.failure)


def both(state: State) -> Ends:
    """Go on in one state, however the command went."""
    return Ends(state, state)


def merged(left: State, right: State) -> State:
    """Give the state where two ways meet."""
    if left is right or right.ended:
        return left
    if left.ended:
        return right
    directories = (
        None if left.directories is None or right.directories is None else left.directories | right.directories
    )
    variables = {
        name: _both(left.variables[name], right.variables[name])
        if name in left.variables and name in right.variables
        else None
        for name in (*left.variables, *right.variables)
    }
    maybe = left.maybe | right.maybe | (left.variables.keys() ^ right.variables.keys())
    return State(
        None,
        variables,
        fixed=left.fixed | right.fixed,
        maybe=maybe,
        arrays=_agreed(left.arrays, right.arrays),
        functions=_agreed(left.functions, right.functions),
    ).at(directories)


def _both(left: Word | None, right: Word | None) -> Word | None:
    if left == right:
        return left
    return NUMBER if is_number(left) and is_number(right) else None


def _agreed(left: Mapping[str, _Known | None], right: Mapping[str, _Known | None]) -> dict[str, _Known | None]:
    """Keep what both know alike; what only one has is known to nobody."""
    return {
        name: left[name] if name in left and left.get(name) == right.get(name) else None for name in (*left, *right)
    }


def _may_be_several(word: Word) -> bool:
    return word.has_glob or any(piece.kind == "split" for piece in word.pieces)
