"""The exchange with an agent's host: one JSON object on stdin, and at most one on stdout.

In comes ``{"session_id", "cwd", "hook_event_name", "tool_name", "tool_input", "tool_use_id", ...}``, out goes
``{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": ..., "permissionDecisionReason": ...}}``.
Exit code 0 says that stdout is to be read, 2 that the call is blocked whatever stdout says; every other code would
let the call through, so a hook has no other.

Source: the hooks reference of coding agents; docs/guides/enforce.md.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tools.errors import UnreadableCallError

Event: TypeAlias = Literal["PreToolUse", "PostToolUse", "PostToolUseFailure"]
Permission: TypeAlias = Literal["allow", "deny", "defer"]

BEFORE: Final = "PreToolUse"
AFTER: Final = ("PostToolUse", "PostToolUseFailure")
MOST: Final = 2**20
"""How many bytes of stdin are read at most."""
MOST_SAID: Final = 4000
"""How many characters of a reason are given to the host at most."""
HEARD: Final = 0
BLOCKED: Final = 2

_ID: Final = re.compile(r"[!-9;-~]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as the host tells it.

    Attributes:
        event: before or after the tool.
        session: the host's session.
        use: the id of this call, or None where the host gives none: its outcome can't be told apart then.
        payload: the operation: ``tool_name``, ``tool_input`` and ``cwd``, and nothing of the host's own.
        broken_off: after the tool, whether it was interrupted.
    """

    event: Event
    session: str
    use: str | None
    payload: Mapping[str, object]
    broken_off: bool = False


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the hook says.

    Attributes:
        stdout: for the host, or an empty text.
        stderr: for the agent, where the exit code is `BLOCKED`.
        code: `HEARD` or `BLOCKED`.
    """

    stdout: str
    stderr: str = ""
    code: int = HEARD

    def to_bytes(self) -> bytes:
        """Spell it, for the process that answers."""
        return json.dumps([self.stdout, self.stderr, self.code]).encode() + b"\n"

    @classmethod
    def of_bytes(cls, data: bytes) -> "Spoken | None":
        """Read it; None where it is not whole, or something else."""
        try:
            value = json.loads(data) if data.endswith(b"\n") else None
        except (ValueError, RecursionError):
            return None
        match value:
            case [str(stdout), str(stderr), 0 | 2 as code] if type(code) is int:
                return cls(stdout, stderr, code)
        return None


SILENCE: Final = Spoken("")
"""Nothing is said: the host goes its own way."""


def read(value: object) -> Call:
    """Read a call from its JSON.

    Raises:
        UnreadableCallError: something is missing, or has another type.
    """
    if not isinstance(value, dict):
        raise UnreadableCallError("the hook's call is no JSON object")
    event = value.get("hook_event_name")
    if event != BEFORE and event not in AFTER:
        raise UnreadableCallError(
            f"the hook is asked about {str(event)[:40]!a}: it answers {BEFORE}, {' and '.join(AFTER)} alone"
        )
    name, given, cwd = value.get("tool_name"), value.get("tool_input"), value.get("cwd")
    if not isinstance(name, str) or not isinstance(given, dict) or not isinstance(cwd, str | None):
        raise UnreadableCallError(
            "the call has no tool_name that is a text, no tool_input that is an object, or no cwd"
        )
    payload: dict[str, object] = {"tool_name": name, "tool_input": given}
    if cwd is not None:
        payload["cwd"] = cwd
    use = value.get("tool_use_id")
    session = _id(value.get("session_id"), "session_id")
    return Call(
        event, session, None if use is None else _id(use, "tool_use_id"), payload, broken_off=_is_broken_off(value)
    )


def answer(permission: Permission, reason: str) -> Spoken:
    """Give an answer in the host's form."""
    return Spoken(_form(permission, reason))


def fault(reason: str) -> Spoken:
    """Say no, twice over: where something is wrong nobody knows which of the two is still read."""
    return Spoken(_form("deny", reason), f"tally: {_short(reason)}\n", BLOCKED)


def complaint(reason: str) -> Spoken:
    """Tell the agent, after a tool, what is wrong with what has been done."""
    return Spoken("", f"tally: {_short(reason)}\n", BLOCKED)


def _form(permission: Permission, reason: str) -> str:
    said = {"hookEventName": BEFORE, "permissionDecision": permission, "permissionDecisionReason": _short(reason)}
    return json.dumps({"hookSpecificOutput": said}, separators=(",", ":")) + "\n"


def _short(reason: str) -> str:
    return reason if len(reason) <= MOST_SAID else f"{reason[: MOST_SAID - 3]}..."


def _id(value: object, name: str) -> str:
    if not isinstance(value, str) or _ID.fullmatch(value) is None:
        raise UnreadableCallError(f"{name} is 1 to 100 visible ASCII characters without a colon")
    return value


def _is_broken_off(value: Mapping[str, object]) -> bool:
    response = value.get("tool_response")
    interrupted = isinstance(response, dict) and response.get("interrupted") is True
    return value.get("is_interrupt") is True or interrupted
