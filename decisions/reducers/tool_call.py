"""Tool calls of coding agents: ``{"tool_name": ..., "tool_input": {...}, "cwd": ...}``.

A tool is known by its exact name, and each field of its input must be known: a field that nobody knows may do
anything (policy case A07). ``mcp__<server>__<tool>`` is a tool of a server's, read by `decisions.reducers.mcp`; every
other has no reducer and is opaque. Other fields of the call itself (session, hook, transcript) are not read, but those
by which the enforcement point says what it knows: ``database`` and ``dialect`` where SQL goes, with which the tool's
input must agree, ``tool_definition`` the definition of a server's tool, and ``env`` the variables that a shell gets.

Source: DESIGN section 10; policy cases A07, A13, A19, F05, J03.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex, unresolved
from decisions.reducers.mcp import HOSTED, reduce_hosted
from decisions.reducers.paths import path_of, resolve, scope_of
from decisions.reducers.payload import Fields, check_keys, object_of, optional_text, text
from decisions.reducers.program import note_shell_variables
from decisions.reducers.web import web_target

_GLOB = re.compile(r"[*?\[]")
# What some readers of patterns take for alternatives, a negation or an escape, or may find the parent by.
_DOUBTFUL = re.compile(r"[!@+*?]\(|^!|\\|(?:^|/)[\].?!^]*\[[\[\].?!^*]*(?:/|$)")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_PATTERNS = 50


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as its tool's reducer sees it."""

    effects: Effects
    name: str
    given: Fields
    call: Fields
    cwd: str | None
    home: str | None

    def file(self, verb: str, path: str, *, many: bool = False) -> None:
        """Note an action on a file."""
        found = path_of(resolve(path, self.cwd))
        self.effects.act("file", verb, "file://" + found, self.name, scope=scope_of(found, self.home, many=many))

    def harmless(self) -> None:
        """Note that the tool ran, which does nothing outside of the agent."""
        self.effects.act("exec", "run", f"tool:{self.name}", self.name)


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool's reducer, with the fields that its input may have and their types."""

    reduce: Callable[[_Call], None]
    fields: Mapping[str, tuple[type, ...]]


def reduce_tool_call(effects: Effects, payload: Fields, *, home: str | None) -> None:
    """Note what a tool call does.

    Raises:
        UnreadableError: an unknown tool, or an input that can't be read.
    """
    name = text(payload, "tool_name")
    if name.startswith(HOSTED):
        object_of(payload.get("tool_input"), "tool_input")
        reduce_hosted(effects, name, payload.get("tool_definition"))
        return
    tool = _TOOLS.get(name)
    if tool is None:
        raise UnreadableError(f"no reducer for the tool {name[:80]!a}")
    given = object_of(payload.get("tool_input"), "tool_input")
    check_keys(given, tool.fields, f"the input of {name}")
    for key, value in given.items():
        if type(value) not in tool.fields[key] and value is not None:
            raise UnreadableError(f"{key} has another type than the tool takes")
    tool.reduce(_Call(effects, name, given, payload, optional_text(payload, "cwd"), home))


def _read(call: _Call) -> None:
    call.file("read", text(call.given, "notebook_path" if call.name == "NotebookRead" else "file_path"))


def _write(call: _Call) -> None:
    text(call.given, "content")
    call.file("write", text(call.given, "file_path"))


def _edit(call: _Call) -> None:
    _check_edit(call.given)
    call.file("write", text(call.given, "file_path"))


def _edit_many(call: _Call) -> None:
    edits = call.given.get("edits")
    if not isinstance(edits, list) or not edits:
        raise UnreadableError("edits must be a list with at least one edit")
    for entry in edits:
        edit = object_of(entry, "an edit")
        check_keys(edit, ["old_string", "new_string", "replace_all"], "an edit")
        _check_edit(edit)
    call.file("write", text(call.given, "file_path"))


def _check_edit(fields: Fields) -> None:
    text(fields, "old_string")
    text(fields, "new_string")
    if not isinstance(fields.get("replace_all", False), bool):
        raise UnreadableError("replace_all must be true or false")


def _edit_notebook(call: _Call) -> None:
    for key, known in _NOTEBOOK.items():
        if call.given.get(key) not in {None, *known}:
            raise UnreadableError(f"{key} has a value that isn't known")
    if call.given.get("edit_mode") != "delete":
        text(call.given, "new_source")
    call.file("write", text(call.given, "notebook_path"))


def _glob(call: _Call) -> None:
    """List what matches: anything below the directory before the pattern's first glob."""
    pattern = text(call.given, "pattern")
    if _DOUBTFUL.search(pattern):
        raise unresolved("a pattern that readers of patterns take differently")
    for alternative in _alternatives(pattern):
        _glob_one(call, alternative)


def _alternatives(pattern: str) -> list[str]:
    """Spread the braces of a pattern: each alternative may lead elsewhere."""
    spread = [pattern]
    for _ in range(_MOST_PATTERNS):
        found = next((one for one in spread if _BRACES.search(one)), None)
        if found is None:
            break
        match = _BRACES.search(found)
        if match is None or re.search(r"[^,]\.\.", match[1]):
            raise unresolved("a range in a pattern")
        spread.remove(found)
        spread += [found[: match.start()] + choice + found[match.end() :] for choice in match[1].split(",")]
        if len(spread) > _MOST_PATTERNS:
            raise too_complex(f"a pattern of more than {_MOST_PATTERNS} alternatives")
    if any(character in one for one in spread for character in "{}"):
        raise unresolved("a pattern whose braces don't pair")
    return spread


def _glob_one(call: _Call, pattern: str) -> None:
    first = _GLOB.search(pattern)
    head = pattern if first is None else pattern[: first.start()].rpartition("/")[0]
    if first is not None and ".." in pattern[first.start() :]:
        raise unresolved("a pattern that may lead out of its directory")
    root = optional_text(call.given, "path") or "."
    base = path_of(resolve(root, call.cwd))
    if first is not None and not head and pattern.startswith("/"):
        head = "/"
    found = path_of(resolve(head or ".", base))
    call.file("list", found, many=True)


def _grep(call: _Call) -> None:
    text(call.given, "pattern")
    call.file("read", optional_text(call.given, "path") or ".", many=True)


def _list(call: _Call) -> None:
    call.file("list", text(call.given, "path"))


def _bash(call: _Call) -> None:
    if call.given.get("dangerouslyDisableSandbox"):
        raise UnreadableError("a command outside of the sandbox that the agent is in")
    note_shell_variables(call.effects, call.call.get("env"))
    from decisions.reducers.shell import reduce_shell  # noqa: PLC0415  (start-up time: only a command needs its parser)

    reduce_shell(call.effects, text(call.given, "command"), cwd=call.cwd, home=call.home)


def _fetch(call: _Call) -> None:
    call.effects.act("network", "fetch", web_target(text(call.given, "url")), call.name)


def _search(call: _Call) -> None:
    """The query leaves for a search engine that the tool chooses."""
    text(call.given, "query")
    call.effects.act("network", "fetch", f"tool:{call.name}", call.name, egress=True)


def _sql(call: _Call) -> None:
    named = {}
    for key in ("database", "dialect"):
        named[key] = optional_text(call.call, key)
        if optional_text(call.given, key) not in {None, named[key]}:
            raise unresolved(f"the tool's input names another {key} than the enforcement point")
    from decisions.reducers.sql import reduce_sql  # noqa: PLC0415  (start-up time: only a statement needs its parser)

    reduce_sql(call.effects, text(call.given, "sql"), database=named["database"], dialect=named["dialect"])


def _harmless(call: _Call) -> None:
    call.harmless()


_NOTEBOOK = {"edit_mode": ("replace", "insert", "delete"), "cell_type": ("code", "markdown", "raw")}
_TEXT = (str,)
_NUMBER = (int,)
_BOOL = (bool,)
_LIST = (list,)
_SQL_FIELDS = {"sql": _TEXT, "database": _TEXT, "dialect": _TEXT}

_TOOLS: Mapping[str, _Tool] = {
    "Read": _Tool(_read, {"file_path": _TEXT, "offset": _NUMBER, "limit": _NUMBER, "pages": _TEXT}),
    "NotebookRead": _Tool(_read, {"notebook_path": _TEXT, "cell_id": _TEXT}),
    "Write": _Tool(_write, {"file_path": _TEXT, "content": _TEXT}),
    "Edit": _Tool(_edit, {"file_path": _TEXT, "old_string": _TEXT, "new_string": _TEXT, "replace_all": _BOOL}),
    "MultiEdit": _Tool(_edit_many, {"file_path": _TEXT, "edits": _LIST}),
    "NotebookEdit": _Tool(
        _edit_notebook,
        {
            "notebook_path": _TEXT,
            "new_source": _TEXT,
            "cell_id": _TEXT,
            "cell_number": _NUMBER,
            "cell_type": _TEXT,
            "edit_mode": _TEXT,
        },
    ),
    "Glob": _Tool(_glob, {"pattern": _TEXT, "path": _TEXT}),
    "Grep": _Tool(
        _grep,
        {
            "pattern": _TEXT,
            "path": _TEXT,
            "glob": _TEXT,
            "type": _TEXT,
            "output_mode": _TEXT,
            "-A": _NUMBER,
            "-B": _NUMBER,
            "-C": _NUMBER,
            "-i": _BOOL,
            "-n": _BOOL,
            "-o": _BOOL,
            "context": _NUMBER,
            "head_limit": _NUMBER,
            "offset": _NUMBER,
            "multiline": _BOOL,
        },
    ),
    "LS": _Tool(_list, {"path": _TEXT, "ignore": _LIST}),
    "Bash": _Tool(
        _bash,
        {
            "command": _TEXT,
            "timeout": _NUMBER,
            "description": _TEXT,
            "run_in_background": _BOOL,
            "dangerouslyDisableSandbox": _BOOL,
        },
    ),
    "BashOutput": _Tool(_harmless, {"bash_id": _TEXT, "filter": _TEXT}),
    "TodoWrite": _Tool(_harmless, {"todos": _LIST}),
    "WebFetch": _Tool(_fetch, {"url": _TEXT, "prompt": _TEXT}),
    "WebSearch": _Tool(_search, {"query": _TEXT, "allowed_domains": _LIST, "blocked_domains": _LIST}),
    "sql": _Tool(_sql, _SQL_FIELDS),
    "query": _Tool(_sql, _SQL_FIELDS),
}
