"""Deciding for the one who asks on this machine: who they are by the operating system, their home, their links.

Source: DESIGN sections 10 and 13.
"""

import os

from decisions.answer import Answer
from decisions.constitution import Constitution, load_cached
from decisions.errors import ConstitutionError
from decisions.events import Adoption
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants.principals import find_principal, log_state
from grants.reading import read_event
from ledger.errors import LedgerError
from ledger.event import Registry
from ledger.log import Log, Snapshot
from tools.operations import follow_links, home_of, identify
from tools.show.asker import AskedBy


def decision_point(log: Log, registry: Registry, uid: int) -> DecisionPoint:
    """Give the decision point for an operating system user."""
    return DecisionPoint(log, registry, home=home_of(uid), resolver=follow_links, identifier=identify)


def decide(log: Log, registry: Registry, operation: Operation, *, claimed: str | None, request: str | None) -> Answer:
    """Decide what the user who runs this process asks.

    Raises:
        RequestConflictError: the request id was used for another operation.
    """
    uid = os.getuid()
    return decision_point(log, registry, uid).decide(Request(operation, uid, claimed, request))


def asker_of(log: Log, registry: Registry, answer: Answer) -> AskedBy | None:
    """Give what the log says of who asked, as of the decision, or None where it can't be read: it merely explains."""
    body, decision = answer.body, answer.decision
    if body is None or decision is None:
        return None

    def read(snapshot: Snapshot) -> AskedBy | None:
        event = read_event(snapshot, registry, decision)
        principal = find_principal(snapshot, body.subject[0])
        if event is None:
            return None
        ended = principal.suspended if principal is not None else None
        begun = log_state(snapshot)
        restored = begun.restored(decision) if begun is not None else None
        return AskedBy(
            body.subject,
            established=event.by == body.subject[0],
            registered=principal is not None and principal.registered < decision,
            suspended=ended if ended is not None and ended < decision else None,
            via=event.via,
            confirmed=principal is None or not principal.stands_at(decision) or principal.stands_at(decision, restored),
        )

    try:
        return log.read(read)
    except LedgerError:
        return None


def constitution_of(log: Log, registry: Registry, answer: Answer) -> Constitution | None:
    """Give the constitution that an answer rests on, or None where it can't be read: it merely explains."""
    body = answer.body
    if body is None or not body.constitution:
        return None
    name = body.constitution

    def read(snapshot: Snapshot) -> Constitution | None:
        for seq in snapshot.tagged(f"constitution:{name}"):
            event = read_event(snapshot, registry, seq)
            if event is not None and isinstance(event.body, Adoption):
                return load_cached(event.body.document)
        return None

    try:
        return log.read(read)
    except (LedgerError, ConstitutionError):
        return None
