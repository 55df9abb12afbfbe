"""Calls of MCP tools: ``{"server": ..., "method": "tools/call", "params": {...}, "definition": {...}}``.

A tool is what its definition says, and its server can change that at any time. So the definition's digest is part of
the tool's name, and a registrar registers that name: the tool is pinned.

    tool:mcp:<server>:<tool>:<digest>     the tool under this very definition
    tool:mcp:<server>:<tool>              the tool by its name alone, where the host tells no definition

Another definition is another name, which nobody has registered. What the tool does is said by the registration
(``effect``, see `decisions.pins`); the server's own annotations are hints, which make a call stricter and never milder.

Source: Model Context Protocol 2025-11-25, server/tools; DESIGN section 10; policy case F05.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from decisions.reducers.effects import Effects
from decisions.reducers.errors import UnreadableError, too_complex, unresolved
from decisions.reducers.payload import Fields, check_keys, object_of, text
from ledger import canon, digest
from ledger.canon import Json
from ledger.errors import CanonError

PINNED: Final = "tool:mcp:"
CALL: Final = "tools/call"
HOSTED: Final = "mcp__"
"""How hosts of agents spell a tool of a server: ``mcp__<server>__<tool>``."""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,126}[A-Za-z0-9])?", re.ASCII)
_MOST_DEFINITION = 128 * 1024
_HINTS: Final = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}


def reduce_mcp(effects: Effects, payload: Fields) -> None:
    """Note the call of a tool under its definition.

    Raises:
        UnreadableError: another method, a name that is none, or no definition.
    """
    check_keys(payload, ["server", "method", "params", "definition"], "a call of a server's tool")
    method = text(payload, "method")
    if method != CALL:
        raise UnreadableError(f"not a method that is known: {method[:40]!a}")
    params = object_of(payload.get("params"), "params")
    check_keys(params, ["name", "arguments", "_meta"], "a call of a tool")
    for key in ("arguments", "_meta"):
        if params.get(key) is not None:
            object_of(params[key], key)
    if payload.get("definition") is None:
        raise UnreadableError("a call without the definition of its tool")
    note_call(effects, text(payload, "server"), text(params, "name"), payload["definition"])


def reduce_hosted(effects: Effects, name: str, definition: Json) -> None:
    """Note the call of a server's tool by a host of agents, under its definition where the host tells one.

    Raises:
        UnreadableError: it can't be told which server's tool it is.
    """
    rest = name.removeprefix(HOSTED)
    splits = [(rest[:at], rest[at + 2 :]) for at in range(len(rest)) if rest.startswith("__", at)]
    readings = [(server, tool) for server, tool in splits if _NAME.fullmatch(server) and _NAME.fullmatch(tool)]
    if len(readings) != 1:
        raise unresolved(f"which tool of which server is {name[:80]!a}")
    note_call(effects, *readings[0], definition)


def note_call(effects: Effects, server: str, tool: str, definition: Json) -> None:
    """Note a call; what is hinted at makes it stricter.

    Raises:
        UnreadableError: a name or a definition that is none.
    """
    for name in (server, tool):
        if not _NAME.fullmatch(name):
            raise UnreadableError(f"not the name of a server or a tool: {name[:60]!a}", "ID_INVALID")
    part = f"{server}: {tool}"
    if definition is None:
        effects.act("exec", "run", f"{PINNED}{server}:{tool}", part)
        return
    known = read_definition(definition)
    if known.get("name") != tool:
        raise UnreadableError("the definition is another tool's", "ID_INVALID")
    target = f"{PINNED}{server}:{tool}:{digest_of(known)}"
    hints = _hints(known.get("annotations"))
    egress = hints.get("openWorldHint", False) is not False
    effects.act("exec", "run", target, part, egress=egress)
    if hints.get("destructiveHint", False) is not False:
        effects.act("infrastructure", "delete", target, part, scope="many", egress=egress)


def pin_of(server: str, definition: Json) -> str:
    """Give the name under which a registrar registers a tool with this definition.

    Raises:
        UnreadableError: a name or a definition that is none.
    """
    effects = Effects()
    note_call(effects, server, text(read_definition(definition), "name"), definition)
    return effects.actions[0].target


def read_definition(given: Json) -> Fields:
    """Read a definition: an object, or its JSON text, which may hold numbers that are not whole.

    Raises:
        UnreadableError: it is neither.
    """
    if not isinstance(given, str):
        return object_of(given, "the definition")
    if len(given) > _MOST_DEFINITION:
        raise too_complex(f"a definition of more than {_MOST_DEFINITION} characters")
    return object_of(read_json(given), "the definition")


def read_json(text: str) -> Json:
    """Read JSON whose numbers need not be whole: those are kept as they are spelled, ``{"number": "0.50"}``.

    Raises:
        UnreadableError: it is no JSON, or a name stands twice in one object.
    """
    try:
        value: Json = json.loads(text, parse_float=_number, parse_constant=_number, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"it is no JSON: {error}") from error
    return value


def digest_of(definition: Fields) -> str:
    """Give the digest of a definition: ``document`` over its canonical bytes, base64url.

    Raises:
        UnreadableError: it has no canonical form.
    """
    try:
        return canon.to_base64url(digest.document(canon.encode(dict(definition))))
    except CanonError as error:
        raise UnreadableError(f"the definition can't be pinned: {error}") from error


def _number(spelled: str) -> Json:
    # A number that is not whole has no canonical bytes; as it is spelled, it has.
    return {"number": spelled}


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _hints(annotations: Json) -> Mapping[str, Json]:
    if annotations is None:
        return {}
    return {name: value for name, value in object_of(annotations, "annotations").items() if name in _HINTS}
