"""A program that is run without a shell, and the variables that are set for whatever runs.

    {"argv": ["git", "push"], "cwd": "/srv/app", "env": {"GIT_SSH_COMMAND": "ssh -v", "CI": null}}

``env`` holds what is set beside the surroundings, null for what is taken away; the form ``shell`` and a call of
``Bash`` take it too. Each variable is an action. A variable may carry code, or the name of a program, into whatever
reads it, and nobody has the list of all that do: every one is taken for code-bearing that isn't known to be harmless.
What it holds is not read.

Source: execve(2); the manuals of ld.so, bash, git, CPython, Node.js, Perl, Ruby and the JDK on their environment;
policy case A11.
"""

import shlex
from typing import Final

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex, unresolved
from decisions.reducers.payload import Fields, check_keys, object_of, optional_text
from ledger.canon import Json

_MOST = 50
# Commands that are the shell's own: as programs they would be something else.
_THE_SHELLS: Final = frozenset(
    {".", ":", "bg", "break", "builtin", "caller", "cd", "command", "continue", "dirs", "disown", "eval", "exec",
     "exit", "fg", "jobs", "logout", "popd", "pushd", "read", "return", "set", "shift", "shopt", "source", "suspend",
     "times", "trap", "type", "ulimit", "umask", "wait"}
)  # fmt: skip
# With these a shell reads the text otherwise than it is read here.
_CHANGES_READING: Final = frozenset(
    {"BASHOPTS", "BASH_COMPAT", "CDPATH", "GLOBIGNORE", "GLOBSORT", "HOME", "IFS", "OLDPWD", "POSIXLY_CORRECT", "PWD",
     "SHELLOPTS"}
)  # fmt: skip


def reduce_program(effects: Effects, payload: Fields, *, home: str | None) -> None:
    """Note what a program does that is run with these arguments and variables.

    Raises:
        UnreadableError: it can't be read.
    """
    from decisions.reducers.shell import reduce_shell  # noqa: PLC0415  (start-up time: only a command needs its parser)

    check_keys(payload, ["argv", "cwd", "env"], "the run of a program")
    argv = payload.get("argv")
    if not isinstance(argv, list) or not argv:
        raise UnreadableError("argv must be a list with at least the program")
    words = [word for word in argv if isinstance(word, str)]
    program = words[0] if len(words) == len(argv) else ""
    if not program or program in _THE_SHELLS or program.startswith("-") or "=" in program:
        raise UnreadableError("argv must be texts, the first of them the name or the path of a program")
    note_variables(effects, payload.get("env"))
    reduce_shell(effects, shlex.join(words), cwd=optional_text(payload, "cwd"), home=home)


def note_shell_variables(effects: Effects, env: Json) -> None:
    """Note the variables that are set for a shell.

    Raises:
        UnreadableError: one that changes how the shell reads its text, or that is none.
    """
    note_variables(effects, env)
    changing = sorted(_CHANGES_READING & set(object_of(env, "env"))) if env is not None else []
    if changing:
        raise unresolved(f"with {changing[0]} set, a shell reads the text otherwise")


def note_variables(effects: Effects, env: Json) -> None:
    """Note the variables that are set for what runs.

    Raises:
        UnreadableError: one that is none, or too many.
    """
    if env is None:
        return
    from decisions.reducers.shell.environment import NAME, is_harmless  # noqa: PLC0415  (start-up time: as above)

    given = object_of(env, "env")
    if len(given) > _MOST:
        raise too_complex(f"more than {_MOST} variables")
    for name, value in given.items():
        if not NAME.fullmatch(name) or not isinstance(value, str | None):
            # A function that is exported, `BASH_FUNC_x%%`, among them.
            raise UnreadableError(f"no variable with a text: {name[:40]!a}")
        origin = "program" if is_harmless(name, exported=True) else "untrusted"
        effects.act("environment", "set", f"env:{name}", "env", code_origin=origin)
