"""The one exception to "no verdict, no effect": what the always-open class may say when no verdict can be had.

A referral must not vanish with the ledger. So where a reply of the open class was asked for and there is no verdict,
neither a deny nor a hold, the enforcement point may say the class's fixed words. The reply itself is not said. It is
for conversation alone; nothing that could be set opens anything else. What was said is kept, and recorded when the
ledger is back.

Source: DESIGN section 12; policy case C09.
"""

from collections.abc import Iterator

from decisions.answer import Answer
from decisions.constitution.model import TrustClass
from decisions.errors import DecisionError, OutcomeError, OutcomeStandsError
from decisions.law import open_class_of
from decisions.operation import Operation
from decisions.outcome import Report
from decisions.pep.seam import DecisionService, asked
from decisions.pep.spool import Kept, Spool
from decisions.record import Request
from decisions.reducers import reduce_operation
from ledger.errors import LedgerError

_KIND = "conversation"


class Refuge:
    """Knows the fixed words as the constitution in force has them; of a ledger never seen, the default one's.

    Attributes:
        law: digest of the constitution that it last looked at, or None.
    """

    def __init__(self, service: DecisionService) -> None:
        self.law: str | None = None
        self._service = service
        self._open: TrustClass | None = None
        self._known = False

    def words(self, operation: Operation, answer: Answer) -> str | None:
        """Give what may be said in place of the reply, or None: a verdict was had, or it is another class."""
        if answer.decision is not None or answer.body is not None or answer.reason != "LEDGER_UNAVAILABLE":
            return None
        open_class = self._open if self._known else _default()
        if open_class is None or operation.form != _KIND:
            return None
        found = reduce_operation(operation.form, operation.payload, home=None)
        verbs = {action.verb if action.kind == _KIND else "" for action in found.actions}
        return open_class.answer if verbs and verbs <= open_class.verbs and not found.problems else None

    def look(self) -> None:
        """Read the class that is open from the constitution in force; what was known stays known where that fails."""
        self._open = self._service.open_class()
        self._known = True


def _default() -> TrustClass | None:
    from decisions.constitution import default  # noqa: PLC0415  (start-up time: only an outage needs it)

    return open_class_of(default())


def recover(service: DecisionService, uid: int | None, spool: Spool) -> Iterator[Kept]:
    """Record what is kept, oldest first, and give each that was.

    What was said is asked after the fact, under its own id, and reported done with when it was said. What another user
    has kept is left to that user; where the ledger can't be had, everything is left.
    """
    for kept in spool.pending():
        try:
            recorded = _recorded(service, uid, kept)
        except OutcomeStandsError:
            recorded = True  # the ledger knows better
        except OutcomeError:
            continue
        except (LedgerError, DecisionError):
            recorded = False
        if not recorded:
            return
        spool.settle(kept)
        yield kept


def _recorded(service: DecisionService, uid: int | None, kept: Kept) -> bool:
    decision, note = kept.decision, kept.note
    if kept.what == "said" and kept.operation is not None:
        answer = asked(service, Request(kept.operation, uid, kept.claimed, kept.id))
        decision = answer.decision
        note = f"the fixed words were said without a verdict{f', at {kept.at}' if kept.at else ''}"
        if decision is None:
            return answer.reason != "LEDGER_UNAVAILABLE"
    if decision is not None:
        service.report(Report(decision, kept.outcome, uid, note))
    return True
