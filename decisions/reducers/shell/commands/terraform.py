"""terraform and tofu: what a directory of configuration has made.

    terraform://current/<directory>

Planning and applying run the providers' code. Applying changes what the configuration names, and destroys what it no
longer does.

Source: Terraform 1.9 manual.
"""

from collections.abc import Callable, Mapping, Sequence

from decisions.reducers.errors import UnreadableError, unresolved
from decisions.reducers.shell.call import Call
from decisions.reducers.shell.commands.subcommands import Flags, below, flags, name_of
from decisions.reducers.shell.options import names
from decisions.reducers.shell.state import State
from decisions.reducers.shell.targets import targets
from decisions.reducers.shell.word import Word

_SWITCHES = names("""
    auto-approve compact-warnings destroy detailed-exitcode input json lock no-color refresh refresh-only upgrade
    reconfigure migrate-state backend get recursive check diff write list force-copy help version raw allow-missing
    update
    """)
_VALUED = names("""
    var var-file target replace out parallelism lock-timeout state backup backend-config chdir plugin-dir
    generate-config-out id type
    """)
_LOOK = names("show output graph providers validate")
_STATE: Mapping[str, str] = {
    "list": "read", "show": "read", "pull": "read", "rm": "delete", "mv": "change", "push": "change",
    "replace-provider": "change",
}  # fmt: skip
_CHANGES = names("import taint untaint refresh force-unlock")


def _terraform(call: Call) -> None:
    words, state = _in_directory(call)
    if not words or words[0].literal in {"version", "-version", "--version", "-help", "--help", "-h"}:
        call.run()
        return
    call.state = state
    name = name_of(words[0], "a subcommand")
    root = _root(state)
    if name in {"state", "workspace"}:
        second = name_of(words[1], "a subcommand") if len(words) > 1 else ""
        found = flags(words[2:], _SWITCHES, _VALUED)
        _read_files(call, found)
        _nested(call, root, name, second, found)
        return
    found = flags(words[1:], _SWITCHES, _VALUED)
    _read_files(call, found)
    _plain(call, root, name, found)


def _in_directory(call: Call) -> tuple[Sequence[Word], State]:
    words = call.words
    if not words or not words[0].prefix.startswith("-chdir="):
        return words, call.state
    place = words[0].after(len("-chdir="))
    found = targets(place, call.state)
    if any(target.many for target in found):
        raise unresolved("a directory that only the shell knows")
    return words[1:], call.state.at(frozenset(target.path for target in found))


def _root(state: State) -> str:
    if state.directories is None or len(state.directories) != 1:
        raise unresolved("a directory that only the shell knows")
    return below("terraform://current", next(iter(state.directories)))


def _read_files(call: Call, found: Flags) -> None:
    if found.has("state", "backup", "plugin-dir", "chdir") or found.values.get("backend-config"):
        raise UnreadableError("a state that lies elsewhere")
    for value in found.values.get("var-file", []):
        call.files("read", [value] if value else [])
    for name in ("out", "generate-config-out"):
        for value in found.values.get(name, []):
            call.files("write", [value] if value else [])


def _plain(call: Call, root: str, name: str, found: Flags) -> None:
    if name == "fmt":
        verb = "read" if found.has("check") and not found.has("write") else "write"
        for one in {"read", verb}:
            call.files(one, found.operands or [Word.of(".")], many=True)
    elif name in {"init", "get"}:
        # It fetches the providers and modules that the configuration names.
        call.directory("read")
        call.directory("write")
        call.run(code_origin="untrusted")
    elif name in _LOOK:
        if name in {"graph", "providers", "validate"}:
            call.directory("read")
        call.files("read", found.operands if name == "show" else [])
        call.infrastructure("read", root)
    elif name in {"plan", "apply", "destroy"}:
        call.directory("read")
        call.run(code_origin="file")
        _acting(call, root, name, found)
    elif name in _CHANGES:
        call.run(code_origin="file")
        call.infrastructure("change", root)
    else:
        raise UnreadableError(f"a subcommand of terraform that isn't known: {name[:40]}")


def _acting(call: Call, root: str, name: str, found: Flags) -> None:
    call.infrastructure("read", root)
    if name == "plan":
        return
    call.files("read", found.operands)
    narrow = bool(found.values.get("target"))
    if name == "destroy" or found.has("destroy"):
        call.infrastructure("delete", root, scope="many" if narrow else "all")
        return
    call.infrastructure("change", root, scope="many", egress=True)
    if not found.has("refresh-only"):
        call.infrastructure("delete", root, scope="many")


def _nested(call: Call, root: str, name: str, second: str, found: Flags) -> None:
    if name == "workspace":
        if second not in {"list", "show"}:
            raise UnreadableError("it changes which workspace the next commands act on")
        call.infrastructure("list", root)
        return
    if second not in _STATE:
        raise UnreadableError(f"a subcommand of terraform state that isn't known: {second[:40]}")
    if second == "push":
        call.files("read", found.operands)
    scope = "many" if len(found.operands) > 1 and second == "rm" else "one"
    call.infrastructure(_STATE[second], root, scope=scope, egress=second == "push")


COMMANDS: dict[str, Callable[[Call], None]] = {"terraform": _terraform, "tofu": _terraform}
