"""What every enforcement point needs of a decision point, wherever that is, and the one reading of its answer.

`decisions.record.DecisionPoint` is such a service; a client that asks over a wire is another.

Source: DESIGN sections 10 and 11; policy cases F01, F11, D13, D17.
"""

from typing import Protocol, get_args

from decisions.answer import Answer, conflicting, unavailable
from decisions.constitution.model import TrustClass
from decisions.errors import RequestConflictError
from decisions.events import DecisionMade, Outcome, Reason
from decisions.outcome import Report, Reported
from decisions.record import Request


class DecisionService(Protocol):
    """Where decisions are made and recorded."""

    def decide(self, request: Request) -> Answer:
        """Decide, record, and answer.

        Raises:
            RequestConflictError: the request id was used for another operation.
        """

    def report(self, report: Report) -> Reported:
        """Record what became of an effect.

        Raises:
            OutcomeError: there is no such decision, another outcome stands, or somebody else has asked.
            LedgerError: it can't be recorded now.
        """

    def open_class(self) -> TrustClass | None:
        """Give the class that is always open, or None where the constitution in force has none.

        Raises:
            LedgerError: the ledger can't be read.
            DecisionError: no constitution is in force.
        """


def asked(service: DecisionService, request: Request) -> Answer:
    """Ask, and take every failure for a deny.

    Returns:
        The answer as it came; where it is none, or none came, a deny that says so.
    """
    try:
        answer: object = service.decide(request)
    except RequestConflictError as error:
        return conflicting(str(error))
    except Exception as error:  # noqa: BLE001  (fail closed: whatever it is, there is no allow)
        return unavailable(f"the decision point can't be asked: {type(error).__name__}: {error}")
    return answer if isinstance(answer, Answer) and _well_formed(answer) else unavailable("what came is no answer")


def _well_formed(answer: Answer) -> bool:
    """Tell whether what came over the seam has the types that it must have: nothing is read of what has others."""
    known = answer.outcome in get_args(Outcome) and answer.reason in get_args(Reason)
    if answer.decision is None or answer.body is None:
        return known and answer.decision is None and answer.body is None
    return known and type(answer.decision) is int and isinstance(answer.body, DecisionMade)


def why_not(answer: Answer) -> str | None:
    """Say why the effect must not run; None for a fresh allow that stands in the log, and for nothing else."""
    body = answer.body
    if type(answer.decision) is not int or not isinstance(body, DecisionMade):
        return answer.trouble or "there is no record of a decision"
    if answer.outcome != body.outcome:
        return f"the answer says {answer.outcome!s:.20}, and the record {body.outcome}"
    if body.outcome != "allow":
        return body.reason
    if body.mode != "enforce":
        return f"decision {answer.decision} is not enforced: it only says what would have been"
    if answer.repeated is not False:
        return f"decision {answer.decision} was acted on before: its effect has run, or is running"
    return None
