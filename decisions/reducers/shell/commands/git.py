"""git, subcommand by subcommand.

What a repository's own configuration and hooks make git run is not in the command: commands that run hooks are
noted as running git as well. ``-c``, ``--git-dir`` and the like, which bring configuration, are not in the tables, so
they are opaque; so is a subcommand that no table has, since it may be an alias.

Source: git 2.47 manuals; policy cases A07, A11, A17.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.git_actions import OTHERS, effects, outside
from decisions.reducers.shell.commands.git_tables import GLOBAL, NETWORK, PLAIN, Subcommand
from decisions.reducers.shell.options import Parsed
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Word

_SENDS = frozenset({"push"})
_FETCHES = frozenset({"fetch", "pull", "clone", "ls-remote"})
_LOCAL = re.compile(r"[^:]*/|\.|~")
# `git clone -u` runs a command, and elsewhere `-b` takes no value.
_NOT_OF = {"clone": ("-u",), "push": ("-b",), "fetch": ("-b",), "pull": ("-b",), "ls-remote": ("-b", "-u")}
# These change the files themselves, not only what git keeps of them.
_IN_WORKTREE = frozenset({"mv", "rm", "checkout", "restore", "clean", "worktree", "init"})
_DRY = ("-n", "--dry-run")


def _git(call: Call) -> None:
    parsed = call.parse(GLOBAL)
    if not parsed.operands:
        call.run()
        return
    for option in parsed.options:
        if option.name == "-C" and option.value is not None:
            found = targets(option.value, call.state)
            call.state = call.state.at(frozenset(target.path for target in found))
            call.files("enter", [Word.of(".")], dash=False)
    name = parsed.operands[0].literal or ""
    words = parsed.operands[1:]
    if name in PLAIN:
        _plain(call, name, PLAIN[name], words)
    elif name in _SENDS or name in _FETCHES:
        _network(call, name, call.parse(NETWORK, words))
    elif name in OTHERS:
        OTHERS[name](call, words)
    else:
        raise UnreadableError(f"a subcommand of git that isn't known: {parsed.operands[0].shown()[:40]}")


def _plain(call: Call, name: str, subcommand: Subcommand, words: tuple[Word, ...]) -> None:
    parsed = call.parse(subcommand.table, words)
    if name == "reflog" and parsed.operands and parsed.operands[0].literal in {None, "expire", "delete", "drop"}:
        raise UnreadableError("git reflog that throws entries away")
    idle = parsed.has(*subcommand.dry) or (name == "tag" and not parsed.operands)
    drops = parsed.has(*subcommand.drops_on) or (subcommand.drops and not parsed.has(*subcommand.spared_on))
    done = replace(subcommand, writes=subcommand.writes and not idle, drops=drops and not idle)
    effects(call, done)
    adds = name == "worktree" and bool(parsed.operands) and parsed.operands[0].literal in {"add", "list"}
    if name not in _IN_WORKTREE:
        done = Subcommand(done.table)
    outside(call, parsed, replace(done, drops=(done.drops or name == "mv") and not adds))


def _network(call: Call, name: str, parsed: Parsed) -> None:
    """Sending to or fetching from a repository: by its address, or by a name that its configuration knows."""
    _check_repository(name, parsed)
    sends = name in _SENDS
    wide = parsed.has("--all", "--mirror", "--delete", "--force", "-f", "--tags") or any(
        word.prefix.startswith(("+", ":")) for word in parsed.operands
    )
    address = parsed.operands[0] if parsed.operands else None
    if address is not None and (address.literal or "").startswith(("http://", "https://")):
        call.web("send" if sends else "fetch", address, egress=sends)
    elif name != "clone" and address is not None and _LOCAL.match(address.prefix):
        # Another repository of this machine, whose hooks run as well.
        call.files("write" if sends else "read", [address], many=True, dash=False)
    hooks = sends and not parsed.has("--no-verify")
    call.run(egress=sends, scope="many" if wide else "one", code_origin="file" if hooks else "program")
    if sends:
        call.directory("read")
    elif name == "clone":
        _clone(call, parsed)
    elif name != "ls-remote":
        call.directory("write")
    if name == "pull":
        call.run(code_origin="file")


def _check_repository(name: str, parsed: Parsed) -> None:
    if any(word.prefix.startswith("file:") for word in parsed.operands):
        raise UnreadableError("a repository of this machine by its address: write its path")
    if any("::" in (word.literal or "::") or word.prefix.startswith("-") for word in parsed.operands):
        raise UnreadableError("a repository that only the shell, or a helper of git's, knows")
    if parsed.has(*_NOT_OF.get(name, ())):
        raise UnreadableError(f"an option of git {name} that isn't known")


def _clone(call: Call, parsed: Parsed) -> None:
    source, *rest = parsed.operands or (Word.of(""),)
    text = (source.literal or "").rstrip("/")
    if "://" not in text and ":" not in text:
        call.files("read", [source], many=True, dash=False)
    name = text.rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    if not rest and not name:
        raise UnreadableError("git clone without a repository")
    if parsed.has("--bare", "--mirror"):
        name += ".git"
    call.files("write", rest[:1] or [Word.of("./" + name)], many=True, dash=False)
    if parsed.has("--recurse-submodules"):
        # Which repositories these are, the fetched one says.
        call.run(code_origin="untrusted")


COMMANDS: dict[str, Callable[[Call], None]] = {"git": _git}
