"""The parsers of what agents' hosts hand in, and of what enforcement points keep.

Source: docs/guides/enforce.md.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from decisions.operation import Operation
from decisions.pep import Kept
from ledger import canon
from tools.dev.fuzz.parser import Parser
from tools.hooking import wire
from tools.hooking.judge import tool_call
from tools.hooking.settings import Wired, hooks_in, settings_of

_CALL = {
    "session_id": "5f0c",
    "cwd": "/srv/app",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "rm build.log"},
    "tool_use_id": "toolu_01",
}
_AFTER = {**_CALL, "hook_event_name": "PostToolUse", "tool_response": {"interrupted": True}}
_KEPT = (
    Kept("said", "kept-1", "agent:a", Operation("conversation", {"class": "referral", "person": "p-7"}), at="2026"),
    Kept("outcome", "kept-2", decision=18, outcome="failed", note="it broke"),
)


def _call(data: bytes) -> Any:
    call = wire.read(canon.loads(data))
    return call, tool_call(call.payload)


def _settings(data: bytes) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        path.write_bytes(data)
        return list(hooks_in(path))


def parsers() -> dict[str, Parser]:
    """Give the parsers by name."""
    return {
        "hook-call": Parser(_call, lambda: [json.dumps(one).encode() for one in (_CALL, _AFTER)]),
        "kept": Parser(
            lambda data: Kept.of_json(canon.decode_object(data)),
            lambda: [canon.encode(one.to_json()) for one in _KEPT],
        ),
        "host-settings": Parser(
            _settings, lambda: [json.dumps(settings_of(Wired("tally", Path("/l"), "agent:a"))).encode()]
        ),
    }
