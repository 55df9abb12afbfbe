"""A court with a hook over it, and the host that calls it."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from decisions.pep import MemorySpool
from ledger import canon
from tests.decisions.conftest import court, found, registry, views  # noqa: F401  (fixtures)
from tools.hooking import wire
from tools.hooking.judge import Judge, Ways
from tools.hooking.wire import Spoken
from tools.hooking.wiring import known
from tools.show.answer import headline

AGENT = 1001


def judge_over(over, service=None, *, claimed=None, uid=AGENT, **more) -> Judge:
    log, events = over.office.log, over.office.registry
    return Judge(
        service or over.point,
        lambda request: log.read(lambda snapshot: known(snapshot, events, (uid, claimed), request)),
        headline,
        uid,
        claimed,
        more.pop("spool", MemorySpool()),
        **more,
    )


@dataclass
class Host:
    """Calls the hook as a host does, without a process between them."""

    court: Any
    ways: Ways = field(default_factory=Ways)
    spool: MemorySpool = field(default_factory=MemorySpool)

    def judge(self) -> Judge:
        return judge_over(self.court, ways=self.ways, spool=self.spool)

    def call(self, event: str, tool: str, given: dict[str, Any], use: str | None = "toolu_1", **more: Any) -> Spoken:
        value = {
            "session_id": "s-1",
            "transcript_path": "/home/ops/.claude/t.jsonl",
            "permission_mode": "default",
            "cwd": "/srv/app",
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": given,
            **({} if use is None else {"tool_use_id": use}),
            **more,
        }
        return self.hand_in(value)

    def hand_in(self, value: Any) -> Spoken:
        call = wire.read(canon.loads(canon.encode(value)))
        return self.judge().before(call)[0] if call.event == wire.BEFORE else self.judge().after(call)

    def before(self, tool: str, given: dict[str, Any], use: str | None = "toolu_1", **more: Any) -> Spoken:
        return self.call("PreToolUse", tool, given, use, **more)

    def after(self, tool: str, given: dict[str, Any], use: str | None = "toolu_1", **more: Any) -> Spoken:
        return self.call("PostToolUse", tool, given, use, tool_response={"stdout": ""}, **more)

    def events(self, kind: str) -> list[Any]:
        events = [self.court.office.registry.parse(data) for _, data in self.court.office.log.events()]
        return [event for event in events if event.type == kind]

    def outcomes(self) -> list[str]:
        return [event.body.outcome for event in self.events("outcome.reported")]


@pytest.fixture
def host(court):  # noqa: F811  (the fixture)
    return Host(court)
