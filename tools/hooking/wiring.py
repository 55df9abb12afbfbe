"""One run of the hook: what came in is read, the ledger is opened, and the judge is asked.

Source: DESIGN sections 2 and 10.
"""

import os
from dataclasses import dataclass
from typing import Final

from decisions.answer import Answer
from decisions.events import DecisionMade
from decisions.explanation.voices import heard_of, steps_of
from decisions.operation import Operation
from decisions.pep.refuge import recover
from decisions.record import DecisionPoint
from grants.consent import ARGS
from grants.principals import identify
from grants.reading import read_event
from ledger import canon
from ledger.errors import CanonError
from ledger.event import Registry
from ledger.log import Snapshot
from tools.deciding import decision_point
from tools.errors import UnreadableCallError
from tools.home import Home
from tools.hooking import wire
from tools.hooking.judge import Judge, Known, Ways
from tools.hooking.watch import Afterwards, Decided
from tools.ledger import OpenLedger, open_ledger
from tools.show.answer import headline
from tools.spool import FileSpool

_SAID_BY_THE_JUDGE: Final = frozenset({"wait_for_consent", "run_once"})


def explain(answer: Answer) -> str:
    """Say what to do next, as to an agent: its host shows it what a hook says, and nothing of the rules is for it."""
    steps = [step.text for step in steps_of(heard_of(answer)) if step.do not in _SAID_BY_THE_JUDGE]
    return "  ".join([headline(answer), " ".join(steps)]).rstrip()


@dataclass(frozen=True, slots=True)
class Asking:
    """How the host has wired the hook.

    Attributes:
        home: the ledger.
        claimed: the subject that it asks for, or None.
        ways: how the host is answered.
        confirm_clock: an operator says that a long jump of the clock is right.
    """

    home: Home
    claimed: str | None
    ways: Ways
    confirm_clock: bool = False

    def run(self, text: bytes) -> Decided:
        """Decide or report what came in.

        Returns:
            What the host is told, and what is left to do once it is known whether it has heard.
        """
        ledger = open_ledger(self.home, confirm_clock=self.confirm_clock)
        point = decision_point(ledger.log, ledger.registry, os.getuid())
        judge = self._judge(ledger, point)
        if len(text) > wire.MOST:
            return judge.refused(text, f"the hook's call is larger than {wire.MOST} bytes"), self._caught_up(point)
        try:
            call = wire.read(canon.loads(text) if text.strip() else None)
        except (UnreadableCallError, CanonError) as error:
            return judge.refused(text, str(error)), self._caught_up(point)
        if call.event != wire.BEFORE:
            return judge.after(call), self._caught_up(point)
        spoken, answer = judge.before(call)
        return spoken, self._ended(judge, point, answer)

    def _judge(self, ledger: OpenLedger, point: DecisionPoint) -> Judge:
        uid = os.getuid()

        def find(request: str) -> Known | None:
            return ledger.log.read(lambda snapshot: known(snapshot, ledger.registry, (uid, self.claimed), request))

        return Judge(point, find, explain, uid, self.claimed, FileSpool(self.home.spool), self.ways)

    def _ended(self, judge: Judge, point: DecisionPoint, answer: Answer) -> Afterwards:
        def afterwards(heard: bool) -> None:
            if not heard:
                judge.withdraw(answer)
            self._recover(point)

        return afterwards

    def _caught_up(self, point: DecisionPoint) -> Afterwards:
        return lambda _heard: self._recover(point)

    def _recover(self, point: DecisionPoint) -> None:
        for _ in recover(point, os.getuid(), FileSpool(self.home.spool)):
            pass


def known(snapshot: Snapshot, registry: Registry, asker: tuple[int, str | None], request: str) -> Known | None:
    """Find the decision of an asker under a request id."""
    uid, claimed = asker
    actor = identify(snapshot, uid=uid, claimed=claimed).actor
    seq = snapshot.claimed(f"request:{actor}:{request}")
    event = read_event(snapshot, registry, seq) if seq is not None else None
    if event is None or not isinstance(event.body, DecisionMade):
        return None
    return Known(event.seq, event.body, _operation(snapshot, event.seq))


def _operation(snapshot: Snapshot, seq: int) -> Operation | None:
    content = next((opening.value for opening in snapshot.openings(seq) if opening.path == ARGS), None)
    payload = content.get("payload") if isinstance(content, dict) else None
    return Operation(str(content["form"]), payload) if isinstance(content, dict) and isinstance(payload, dict) else None
