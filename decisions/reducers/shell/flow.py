"""What an operation gets hold of beside files: inherited variables, and the output of programs that nobody knows.

Where anything leaves with the same operation, an inherited variable is read, as a file would be: whether it may go
out is for the rules to say. Output of an unknown program that is caught, by a pipe, a substitution or a file, can't be
judged at all, so such an operation is opaque.

Source: issue 4, section 1 (pipes carry data); article V of the default constitution.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from decisions.reducers.effects import Effects
from decisions.reducers.errors import unresolved
from decisions.reducers.shell.environment import is_harmless
from decisions.reducers.shell.options import names

# Nothing secret stands in these, and bash sets most of them itself.
_TELLS_NOTHING = names("""
    BASHPID BASH_SOURCE BASH_VERSION COLUMNS EDITOR EPOCHSECONDS EUID FUNCNAME HOME HOSTNAME HOSTTYPE IFS
    LINENO LINES LOGNAME
    MACHTYPE OLDPWD OPTARG OPTIND OSTYPE PATH PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHELL SHLVL TERM TMPDIR
    UID USER _
    """)


@dataclass(slots=True)
class Flow:
    """What may leave, gathered until the whole operation is read.

    Attributes:
        taken: inherited variables whose value is used, with the part that uses them.
        unread: programs whose output is caught and known to nobody, with their part.
    """

    taken: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    def taker(self, part: str) -> Callable[[str], None]:
        """Give what notes that a part of the operation uses a variable."""

        def take(name: str) -> None:
            if not name.isdigit() and name not in _TELLS_NOTHING and not is_harmless(name, exported=True):
                self.taken.setdefault(name, part)

        return take

    def settle(self, effects: Effects) -> None:
        """Note what leaves, if anything does."""
        if not any(dict(one.facts).get("egress") for one in effects.actions):
            return
        for name, part in self.taken.items():
            effects.act("environment", "read", f"env:{name}", part)
        for name, part in self.unread.items():
            effects.refuse(unresolved(f"what {name[:40]} prints may be sent, and nobody knows what that is"), part)
