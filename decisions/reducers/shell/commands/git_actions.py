"""git's subcommands that are more than their options: each has actions of its own.

Source: git 2.47 manuals; policy cases A07, A11.
"""

import re
from collections.abc import Callable, Mapping

from decisions.reducers.errors import UnreadableError
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.git_tables import (
    BISECT,
    BRANCH,
    BUNDLE,
    CONFIG,
    FORMAT_PATCH,
    REMOTE,
    STASH,
    SUBMODULE,
    Subcommand,
)
from decisions.reducers.shell.options import Parsed
from decisions.reducers.shell.word import Word

_OUTSIDE = re.compile(r"/|~|(?:.*/)?\.\.(?:/|$)")


def outside(call: Call, parsed: Parsed, subcommand: Subcommand) -> None:
    """Note what is done to operands that lie outside of the directory."""
    outside = [word for word in parsed.operands if _OUTSIDE.match(word.prefix) or not word.is_known]
    call.files("read", outside)
    if subcommand.writes:
        call.files("write", outside, many=True)
    if subcommand.drops:
        call.files("delete", outside, many=True)


def effects(call: Call, subcommand: Subcommand) -> None:
    """Note what a subcommand does to the repository."""
    call.directory("read")
    if subcommand.writes:
        call.directory("write")
    if subcommand.drops:
        call.directory("delete")
    if subcommand.hooks:
        call.run(code_origin="file")


def _branch(call: Call, words: tuple[Word, ...]) -> None:
    parsed = call.parse(BRANCH, words)
    drops = parsed.has("-d", "-D", "--delete", "-M", "-f", "--force")
    writes = drops or bool(parsed.operands) or parsed.has("-m", "--move", "-c", "--copy", "-u", "--set-upstream-to")
    effects(call, Subcommand(BRANCH, writes=writes and not parsed.has("--list", "-l"), drops=drops))


def _stash(call: Call, words: tuple[Word, ...]) -> None:
    parsed = call.parse(STASH, words)
    action = parsed.operands[0].literal if parsed.operands else "push"
    if action not in {"push", "save", "list", "show", "pop", "apply", "drop", "clear", "branch"}:
        raise UnreadableError("an action of git stash that isn't known")
    # What it puts away is gone from the files: also those that git has never seen.
    takes = action in {"push", "save"} and parsed.has("-u", "--include-untracked", "-a", "--all")
    drops = takes or action in {"drop", "clear", "pop", "branch"}
    done = Subcommand(STASH, writes=action not in {"list", "show"}, drops=drops, hooks=action == "branch")
    effects(call, done)
    outside(call, parsed, done)


def _remote(call: Call, words: tuple[Word, ...]) -> None:
    parsed = call.parse(REMOTE, words)
    action = (parsed.operands[0].literal or "") if parsed.operands else "get-url"
    if action in {"add", "set-url"}:
        # Where later pushes go to is no longer what anybody has read.
        raise UnreadableError("git remote that changes where the next commands send to: name the address on each")
    if action not in _REMOTE_ACTIONS:
        raise UnreadableError("an action of git remote that isn't known")
    if action in {"show", "update", "prune"}:
        call.run()
    writes, drops = _REMOTE_ACTIONS[action]
    effects(call, Subcommand(REMOTE, writes=writes, drops=drops))


def _config(call: Call, words: tuple[Word, ...]) -> None:
    """Reading only: what git's configuration sets may be code."""
    parsed = call.parse(CONFIG, words)
    first = parsed.operands[0].literal if parsed.operands else None
    reads = parsed.has("-l", "--list", "--get", "--get-all", "--get-regexp") or first in {"list", "get"}
    if not reads and len(parsed.operands) != 1:
        raise UnreadableError("git config that sets something, which may be code")
    effects(call, Subcommand(CONFIG))


_REMOTE_ACTIONS: Mapping[str, tuple[bool, bool]] = {
    "get-url": (False, False),
    "show": (False, False),
    "update": (True, False),
    "prune": (True, True),
    "remove": (True, True),
    "rm": (True, True),
    "rename": (True, False),
}
"""What an action of git remote does: whether it writes, and whether it drops."""


def _submodule(call: Call, words: tuple[Word, ...]) -> None:
    """The addresses that it fetches from, and what it runs, the repository's own files say."""
    parsed = call.parse(SUBMODULE, words)
    action = parsed.operands[0].literal if parsed.operands else "status"
    if action not in {"status", "summary", "init", "update", "sync", "deinit"}:
        raise UnreadableError("an action of git submodule that isn't read")
    looks = action in {"status", "summary"}
    effects(call, Subcommand(SUBMODULE, writes=not looks, drops=action in {"update", "deinit"}))
    if action == "update":
        call.run(code_origin="untrusted")


def _bisect(call: Call, words: tuple[Word, ...]) -> None:
    """Each step checks another commit out; ``run`` runs a command, and is not read."""
    parsed = call.parse(BISECT, words)
    action = parsed.operands[0].literal if parsed.operands else "help"
    if action not in {"start", "good", "bad", "new", "old", "skip", "reset", "log", "next"}:
        raise UnreadableError("an action of git bisect that isn't read")
    looks = action == "log"
    effects(call, Subcommand(BISECT, writes=not looks, drops=not looks, hooks=not looks))


def _bundle(call: Call, words: tuple[Word, ...]) -> None:
    """Commits in a file of their own."""
    parsed = call.parse(BUNDLE, words)
    action = parsed.operands[0].literal if parsed.operands else ""
    if action not in {"create", "verify", "list-heads"}:
        raise UnreadableError("an action of git bundle that isn't read")
    effects(call, Subcommand(BUNDLE))
    call.files("write" if action == "create" else "read", parsed.operands[1:2])


def _format_patch(call: Call, words: tuple[Word, ...]) -> None:
    """A file for each commit, in this directory or in one that is named."""
    parsed = call.parse(FORMAT_PATCH, words)
    effects(call, Subcommand(FORMAT_PATCH))
    if not parsed.has("--stdout"):
        place = parsed.value("-o", "--output-directory") or Word.of(".")
        call.files("write", [place], many=True, dash=False)


def _help(call: Call, words: tuple[Word, ...]) -> None:
    if any(word.prefix.startswith("-") or word.literal is None for word in words):
        raise UnreadableError("a way to use git help that isn't read")
    call.run()


OTHERS: Mapping[str, Callable[[Call, tuple[Word, ...]], None]] = {
    "branch": _branch,
    "stash": _stash,
    "remote": _remote,
    "config": _config,
    "submodule": _submodule,
    "bisect": _bisect,
    "bundle": _bundle,
    "format-patch": _format_patch,
    "help": _help,
    "version": _help,
}
"""The subcommands of this module."""
