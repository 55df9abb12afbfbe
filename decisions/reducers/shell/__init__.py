"""The shell reducer: every command that a script may run, with its targets.

Source: DESIGN sections 2 and 10; policy cases A01 to A19.
"""

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError
from decisions.reducers.paths import path_of, resolve
from decisions.reducers.shell.call import Within
from decisions.reducers.shell.reader import ScriptReader
from decisions.reducers.shell.state import State


def reduce_shell(effects: Effects, text: str, *, cwd: str | None, home: str | None) -> None:
    """Note what a script does.

    Args:
        effects: where it is noted.
        text: the script.
        cwd: the absolute directory that it starts in, if known.
        home: the home directory that ``~`` stands for, if known.
    """
    try:
        directories = None if cwd is None else frozenset({path_of(resolve(cwd, None))})
        known_home = None if home is None else path_of(resolve(home, None))
        reader = ScriptReader(effects, known_home)
        reader.script(text, State(directories, {}), Within(""))
        reader.flow.settle(effects)
    except UnreadableError as error:
        effects.refuse(error, "")
