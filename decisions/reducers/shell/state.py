"""What the shell is known to stand at: the directories it may be in, and the variables whose value is known.

Where two ways of the script meet, `merged` keeps what both allow: the union of the directories, and a variable only
where both agree. So ``cd x; rm y`` deletes ``x/y`` or, if the first command failed, ``y``: both are noted.

Source: policy cases A01, A13.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from decisions.reducers.shell.options import names
from decisions.reducers.shell.word import Word

_MOST_DIRECTORIES = 4
# What bash itself sets as it goes on, or never lets anyone set: an assignment does not tell their value.
_DYNAMIC = names("""
    _ BASHOPTS BASHPID BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_LINENO BASH_REMATCH BASH_SOURCE
    BASH_SUBSHELL BASH_VERSINFO BASH_VERSION COMP_WORDBREAKS COPROC DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME
    GROUPS HISTCMD LINENO MAPFILE OLDPWD OPTARG OPTIND PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHELLOPTS SHLVL SRANDOM
    UID
    """)


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
    """

    directories: frozenset[str] | None
    variables: Mapping[str, Word | None]
    ended: bool = False
    fixed: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()

    def at(self, directories: frozenset[str] | None) -> "State":
        """Give the state in other directories."""
        if directories is not None and len(directories) > _MOST_DIRECTORIES:
            directories = None
        return replace(self, directories=directories)

    def having(self, name: str, value: Word | None) -> "State":
        """Give the state with a variable set."""
        known = None if name in _DYNAMIC or name in self.fixed else value
        return replace(self, variables={**self.variables, name: known}, maybe=self.maybe - {name})

    def inherits(self, name: str) -> bool:
        """Whether a variable may have the value that the script found it with."""
        return name not in self.variables or name in self.maybe

    def fixing(self, name: str) -> "State":
        """Give the state with a variable made read-only."""
        return replace(self, fixed=self.fixed | {name})

    def inherited(self) -> "State":
        """Give the state of another shell that this one starts: which variables are exported, nobody knows."""
        return replace(self, variables=dict.fromkeys(self.variables), fixed=frozenset())

    def left(self) -> "State":
        """Give the state of a point that is not reached."""
        return replace(self, ended=True)

    def forgotten(self) -> "State":
        """Give the state after code that nobody read has run in this shell."""
        return State(
            None, {"HOME": None, "IFS": None, "CDPATH": None, **dict.fromkeys(self.variables)}, fixed=self.fixed
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
        name: left.variables[name]
        if name in left.variables and name in right.variables and left.variables[name] == right.variables[name]
        else None
        for name in (*left.variables, *right.variables)
    }
    maybe = left.maybe | right.maybe | (left.variables.keys() ^ right.variables.keys())
    return State(None, variables, fixed=left.fixed | right.fixed, maybe=maybe).at(directories)
