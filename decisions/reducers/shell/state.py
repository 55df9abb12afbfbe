"""What the shell is known to stand at: the directories it may be in, and the variables whose value is known.

Where two ways of the script meet, `merged` keeps what both allow: the union of the directories, and a variable only
where both agree. So ``cd x; rm y`` deletes ``x/y`` or, if the first command failed, ``y``: both are noted.

Source: policy cases A01, A13.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from decisions.reducers.shell.word import Word

_MOST_DIRECTORIES = 4


@dataclass(frozen=True, slots=True)
class State:
    """The shell's state at one point of the script.

    Attributes:
        directories: where the shell may be, absolute paths; None where nobody knows.
        variables: what the script has set; None stands for a value that only the shell knows. A variable that is
            not listed is inherited, and unknown but for HOME and PWD.
        ended: whether the script has left, so that this point is not reached.
    """

    directories: frozenset[str] | None
    variables: Mapping[str, Word | None]
    ended: bool = False

    def at(self, directories: frozenset[str] | None) -> "State":
        """Give the state in other directories."""
        if directories is not None and len(directories) > _MOST_DIRECTORIES:
            directories = None
        return replace(self, directories=directories)

    def having(self, name: str, value: Word | None) -> "State":
        """Give the state with a variable set."""
        return replace(self, variables={**self.variables, name: value})

    def left(self) -> "State":
        """Give the state of a point that is not reached."""
        return replace(self, ended=True)

    def forgotten(self) -> "State":
        """Give the state after code that nobody read has run in this shell."""
        return State(None, {"HOME": None, **dict.fromkeys(self.variables)})


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
    return State(None, variables).at(directories)
