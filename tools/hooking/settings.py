"""The settings of an agent's host: how the hook is named in them, and whether it is.

Source: docs/guides/enforce.md; policy cases F01, F03.
"""

import json
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ledger.canon import Json
from tools.errors import InputError
from tools.hooking import watch, wire

_PATIENCE: Final = 8
"""How many seconds longer than the hook's own deadline a host waits: it must never be the host that gives up."""
_MOST: Final = 2**20
EVENTS: Final = (wire.BEFORE, *wire.AFTER)


@dataclass(frozen=True, slots=True)
class Wired:
    """How the hook is called.

    Attributes:
        program: the words that start ``tally``.
        ledger: the ledger's directory.
        claimed: the subject that it asks for, or None.
        on_allow: see `tools.hooking.judge.Ways`; ``on_hold`` likewise.
        deadline: its own, in seconds.
        keeper: the system user that keeps the ledger, asked by sudo, or None.
    """

    program: str
    ledger: Path
    claimed: str | None
    on_allow: str = "say"
    on_hold: str = "deny"
    deadline: float = watch.DEADLINE
    keeper: str | None = None

    def words(self) -> list[str]:
        """Give the words of the command."""
        sudo = ["sudo", "-n", "-u", self.keeper] if self.keeper else []
        words = [*sudo, self.program, "--ledger", str(self.ledger), "hook"]
        words += ["--as", self.claimed] if self.claimed else []
        words += ["--on-allow", self.on_allow] if self.on_allow != "say" else []
        words += ["--on-hold", self.on_hold] if self.on_hold != "deny" else []
        return words + (["--deadline", f"{self.deadline:g}"] if self.deadline != watch.DEADLINE else [])


def program() -> str:
    """Give the path of ``tally``: a host need not have the same PATH."""
    return str(Path(found).absolute()) if (found := shutil.which(sys.argv[0]) or shutil.which("tally")) else "tally"


def settings_of(wired: Wired) -> dict[str, Json]:
    """Give the settings that make a host ask about every tool.

    A program that is missing, killed or broken is a block all the same: the shell that starts it says so.
    """
    asking = shlex.join(wired.words())
    return {
        "hooks": {
            event: [{"matcher": "*", "hooks": [_command(asking, wired.deadline, blocks=event == wire.BEFORE)]}]
            for event in EVENTS
        }
    }


def _command(asking: str, deadline: float, *, blocks: bool) -> Json:
    line = f"{asking} || exit {wire.BLOCKED}" if blocks else asking
    more: dict[str, Json] = {"onFailure": "block"} if blocks else {}
    return {"type": "command", "command": line, "timeout": int(deadline) + _PATIENCE, **more}


@dataclass(frozen=True, slots=True)
class Found:
    """A hook of ours in a host's settings.

    Attributes:
        file: the settings.
        event: before or after a tool.
        matcher: for which tools.
        command: the line.
        faults: what makes it let calls through.
    """

    file: Path
    event: str
    matcher: str
    command: str
    faults: tuple[str, ...]


def hooks_in(file: Path) -> Iterator[Found]:
    """Give the hooks of ours in a host's settings file.

    Raises:
        InputError: it can't be read, or is no JSON object.
    """
    try:
        with file.open("rb") as stream:
            value = json.loads(stream.read(_MOST))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} can't be read: {error}") from error
    hooks = value.get("hooks") if isinstance(value, dict) else None
    for event in EVENTS:
        for entry in _objects(hooks.get(event) if isinstance(hooks, dict) else None):
            matcher = entry.get("matcher", "")
            for one in _objects(entry.get("hooks")):
                line = one.get("command")
                if isinstance(line, str) and _is_ours(line):
                    yield Found(file, event, str(matcher), line, tuple(_faults(event, str(matcher), line, one, value)))


def _objects(value: object) -> list[dict[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_ours(line: str) -> bool:
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    return any(Path(word).name == "tally" and "hook" in words[place:] for place, word in enumerate(words))


def _faults(event: str, matcher: str, line: str, hook: dict[str, object], settings: object) -> Iterator[str]:
    if isinstance(settings, dict) and settings.get("disableAllHooks"):
        yield "disableAllHooks is set: no hook runs"
    if matcher not in {"", "*", ".*"}:
        yield f"it is asked about {matcher} alone: every other tool runs without being asked about"
    if event != wire.BEFORE:
        return
    if not line.rstrip().endswith(f"|| exit {wire.BLOCKED}"):
        yield f"it does not end in || exit {wire.BLOCKED}: where tally is missing or killed the tool runs"
    if hook.get("async"):
        yield "it runs beside the tool, and blocks nothing"
    patience = hook.get("timeout")
    if isinstance(patience, int | float) and patience <= _deadline(line):
        yield f"the host waits {patience} s, no longer than the hook itself: it gives up first, and the tool runs"


def _deadline(line: str) -> float:
    words = shlex.split(line)
    try:
        return float(words[words.index("--deadline") + 1])
    except (ValueError, IndexError):
        return watch.DEADLINE
