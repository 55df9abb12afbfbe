"""An operation: what was asked, as received.

Nothing in it is trusted. Its form names the reducer that reads it; its payload is kept under a commitment; what it
claims of the things it touches can only make a verdict stricter.

    form           payload
    tool_call      {"tool_name": ..., "tool_input": {...}, "cwd": ...}   an agent's tool call
    shell          {"command": ..., "cwd": ..., "env": {...}}
    exec           {"argv": [...], "cwd": ..., "env": {...}}             a program without a shell
    sql            {"sql": ..., "database": ..., "dialect": ...}
    typed          {"verb": ..., "target": ..., "kind": ...} or {"actions": [...]}
    conversation   {"class": ..., "person": ..., "domain": ...}
    file           {"verb": ..., "path": ..., "to": ..., "cwd": ..., "recursive": ...}
    mcp            {"server": ..., "method": "tools/call", "params": {...}, "definition": {...}}
    http           {"method": ..., "url": ..., "headers": {...}, "body": ..., "redirected_from": ...}
    acme.plan      whatever the plug-in wants that reads this form (decisions.reducers.plugins)
    unreadable     {"text": ..., "bytes": ..., "why": ...}               whatever came in, and what was wrong with it

Source: DESIGN section 10.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ledger import canon
from ledger.canon import Json
from ledger.errors import CanonError

MAX_PAYLOAD_BYTES = 256 * 1024
FORMS = ("tool_call", "shell", "exec", "sql", "typed", "conversation", "file", "http", "mcp", "unreadable")
PLUGGED_IN: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}(?:\.[a-z0-9][a-z0-9_-]{0,31}){1,3}", re.ASCII)
"""How the forms of plug-ins are named: with a dot, as none of ours is."""

_KEPT_OF_UNREADABLE = 4096
_KEPT_OF_REASON = 200


@dataclass(frozen=True, slots=True)
class Operation:
    """What was asked.

    Attributes:
        form: one of `FORMS`, or a plug-in's.
        payload: the request's own content.
        operands: content digest of each thing that the operation will run or send, by reference, base64url.
        domain: the conversation's or session's trust domain by the word of the enforcement point.
    """

    form: str
    payload: Mapping[str, Json]
    operands: tuple[tuple[str, str], ...] = ()
    domain: str = ""

    @property
    def content(self) -> dict[str, Json]:
        """What a commitment to this operation covers."""
        return {"form": self.form, "payload": dict(self.payload)}

    @property
    def claims(self) -> Mapping[str, Json]:
        """What the payload claims of the things it touches, by attribute."""
        claimed = self.payload.get("attributes")
        return claimed if isinstance(claimed, dict) else {}


def is_form(text: str) -> bool:
    """Tell whether an operation can have this form: one of ours, or the name of a plug-in's, there or not."""
    return text in FORMS or PLUGGED_IN.fullmatch(text) is not None


def receive(form: str, text: bytes) -> Operation:
    """Read an operation from JSON text; what can't be read becomes an unreadable operation, which is denied."""
    what = "the tool call" if form == "tool_call" else "the operation"
    if len(text) > MAX_PAYLOAD_BYTES:
        return unreadable(text, f"{what} is larger than {MAX_PAYLOAD_BYTES} bytes")
    if not text.strip():
        return unreadable(text, f"{what} is empty: one JSON object is wanted")
    try:
        payload = canon.loads(text)
    except CanonError as error:
        return unreadable(text, f"{what} is not one JSON object: {error}")
    if not isinstance(payload, dict) or not is_form(form):
        return unreadable(text, f"{what} is not one JSON object")
    return Operation(form, payload)


def unreadable(text: bytes, why: str) -> Operation:
    """Make an operation of something that is none, so that its refusal can be recorded.

    Args:
        text: what came in; its beginning is kept.
        why: what is wrong with it, for whoever asked.
    """
    kept = text[:_KEPT_OF_UNREADABLE].decode("utf-8", errors="replace")
    # In ASCII, so that whatever a parser quotes can stand in a record.
    said = why.encode("ascii", "backslashreplace").decode()[:_KEPT_OF_REASON]
    return Operation("unreadable", {"text": kept, "bytes": len(text), "why": said})
