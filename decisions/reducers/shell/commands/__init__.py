"""What the known commands do: one module a family, each with a table from name to description.

A description reads a `Call` and notes its effects; where it notes none, the command counts as a program that runs.
A name in no table is an unknown program. That is one action on ``program:<name>``, and it is for the store to know it.

Source: DESIGN section 10; policy cases A05, A07.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands import (
    archives,
    aws,
    builtins,
    certificates,
    changes,
    compilers,
    compose,
    databases,
    docker,
    dumps,
    everyday,
    files,
    forge,
    gcloud,
    git,
    helm,
    hosts,
    interpreters,
    kubectl,
    modes,
    network,
    packages,
    redis,
    search,
    streams,
    tell,
    terraform,
    units,
    wrappers,
)
from decisions.reducers.shell.options import names

Description: TypeAlias = Callable[[Call], None]

_FAMILIES = (
    archives,
    aws,
    builtins,
    certificates,
    changes,
    compilers,
    compose,
    databases,
    docker,
    dumps,
    everyday,
    files,
    forge,
    gcloud,
    git,
    helm,
    hosts,
    interpreters,
    kubectl,
    modes,
    network,
    packages,
    redis,
    search,
    streams,
    tell,
    terraform,
    units,
    wrappers,
)

TABLE: Mapping[str, Description] = MappingProxyType(
    {name: description for family in _FAMILIES for name, description in family.COMMANDS.items()}
)
"""Every known command."""

# Commands that do harm in the hands of a program that runs its arguments, and whose names are no common words.
_TELLTALE = names("""
    bash chmod chown cp curl dash dd doas eval ksh mv nc ncat node perl php pkexec python python3 rm rmdir rsync ruby
    scp sh shred ssh su sudo tee truncate unlink wget xargs zsh
    """)


def find(name: str) -> Description | None:
    """Find the description of a command: an exact name, or an interpreter with its version behind it."""
    return TABLE.get(name) or TABLE.get(interpreters.unversioned(name))


def check_unknown(call: Call) -> None:
    """Hold that an unknown program does not look like one that runs its arguments.

    Raises:
        UnreadableError: a known command stands among the arguments.
    """
    for word in call.words:
        text = word.literal
        if text is not None and text.rpartition("/")[2] in _TELLTALE:
            raise UnreadableError(f"it isn't known whether {call.name[:40]} runs the {text[-40:]} among its arguments")
