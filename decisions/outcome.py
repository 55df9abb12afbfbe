"""What became of an effect: reported by the enforcement point that asked, once, and closing what was spent.

A decision's outcome is told by whoever asked for it: the same principal, established in the same way, through the same
service. Another process of that service is its successor. Nobody else's word counts, a human's neither.

Source: DESIGN sections 7 and 11; policy case D03.
"""

from dataclasses import dataclass
from typing import Final

from decisions.errors import OutcomeError, OutcomeStandsError
from decisions.events import DecisionMade, Effect, OutcomeReported, outcome_claim
from grants.errors import IdentifierError
from grants.events import ConsentConsumed
from grants.identifier import check_text
from grants.principals import identify
from grants.reading import StateReader, read_event
from ledger.disclosure import Opening
from ledger.event import Draft, Event, Registry
from ledger.log import Transaction

NOTE: Final = "/note"
MAX_NOTE: Final = 1000


@dataclass(frozen=True, slots=True)
class Report:
    """What an enforcement point reports.

    Attributes:
        decision: the decision's place in the log.
        outcome: done, failed or unknown.
        uid: the operating system user that reports, or None where there is none to see.
        note: what it says beside it, a visible text of at most `MAX_NOTE` characters, or an empty one.
    """

    decision: int
    outcome: Effect
    uid: int | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """An outcome that stands in the log.

    Attributes:
        event: its place.
        decision: the decision's.
        outcome: done, failed or unknown.
        repeated: the same was reported before.
    """

    event: int
    decision: int
    outcome: Effect
    repeated: bool


def report_outcome(tx: Transaction, registry: Registry, report: Report) -> Reported:
    """Append an outcome; the same one again gives the event that stands.

    Raises:
        OutcomeError: there is no such decision, somebody else has asked, or the note has another form.
        OutcomeStandsError: the decision has another outcome.
    """
    note = _opening(report.note)
    event = read_event(tx, registry, report.decision) if report.decision >= 0 else None
    body = event.body if event is not None else None
    if event is None or not isinstance(body, DecisionMade):
        raise OutcomeError(f"event {report.decision} is no decision: an outcome is reported of one")
    _check_asked(tx, event, body, report.uid)
    standing = tx.claimed(outcome_claim(event.seq))
    if standing is not None:
        return _standing(tx, registry, standing, report)
    told = OutcomeReported(decision=event.seq, outcome=report.outcome, note=note.commitment() if note else None)
    causes = (event.seq, *_spent(tx, registry, event.seq))
    appended = tx.append(Draft(told, event.by, event.auth, event.via, None, causes, (note,) if note else ()))
    return Reported(appended.seq, event.seq, report.outcome, repeated=False)


def fits(report: Event, decision: Event, spent: tuple[int, ...]) -> bool:
    """Tell whether an outcome was reported by whoever asked, of what the decision has spent and of nothing else."""
    same = (report.by, report.via, report.auth) == (decision.by, decision.via, decision.auth)
    return same and report.seq > decision.seq and report.causes == (decision.seq, *spent)


def _opening(note: str) -> Opening | None:
    if not note:
        return None
    if len(note) > MAX_NOTE:
        raise OutcomeError(f"a note has at most {MAX_NOTE} characters: leave the rest where it is")
    try:
        check_text(note)
    except IdentifierError as error:
        raise OutcomeError(f"the note: {error}") from error
    return Opening.fresh(NOTE, note)


def _check_asked(reader: StateReader, event: Event, body: DecisionMade, uid: int | None) -> None:
    # As it was asked then, so it is told now: a suspension since does not make what has happened unsayable.
    asker = identify(reader, uid=uid, claimed="/".join(body.subject))
    believed = asker.auth != "claimed" or asker.demonstration
    if not believed or (asker.by, asker.auth, asker.via) != (event.by, event.auth, event.via):
        through = f" through {event.via}" if event.via else ""
        raise OutcomeError(
            f"decision {event.seq} was asked by {event.by}{through}: its outcome is reported as that system user"
        )


def _standing(tx: Transaction, registry: Registry, seq: int, report: Report) -> Reported:
    found = read_event(tx, registry, seq)
    body = found.body if found is not None else None
    if not isinstance(body, OutcomeReported) or body.outcome != report.outcome:
        was = body.outcome if isinstance(body, OutcomeReported) else "something else"
        raise OutcomeStandsError(f"decision {report.decision} was reported {was} by event {seq}: it has one outcome")
    return Reported(seq, report.decision, report.outcome, repeated=True)


def _spent(tx: Transaction, registry: Registry, decision: int) -> tuple[int, ...]:
    events = (read_event(tx, registry, seq) for seq in tx.tagged(f"decision:{decision}"))
    return tuple(event.seq for event in events if event is not None and isinstance(event.body, ConsentConsumed))
