"""A request that an answer has led to: the decision before it must be one, and must have let its request go.

Whoever follows redirections says which decision it comes from, so that the record shows the way. A way that is not in
the log is none.

Source: DESIGN section 10; policy case B13 (each hop is a decision of its own).
"""

from collections.abc import Iterator

from decisions.action import Problem
from decisions.events import DecisionMade
from decisions.operation import Operation
from decisions.reducers.errors import UnreadableError
from decisions.reducers.http import REDIRECTED, redirected_from
from grants.principals import Asker
from grants.reading import StateReader, read_event
from ledger.event import Registry


def hop_problems(reader: StateReader, registry: Registry, operation: Operation, asker: Asker) -> Iterator[Problem]:
    """Say what is wrong with the way that a request says it came by; nothing where it came by none."""
    if operation.form != "http":
        return
    try:
        before = redirected_from(operation.payload)
    except UnreadableError:
        return  # the reducer has said so
    if before is not None and not _let_go(reader, registry, before, asker):
        why = f"{REDIRECTED}: {before} is no decision that allowed this asker a request"
        yield Problem("TARGET_UNRESOLVED", why, "the request")


def _let_go(reader: StateReader, registry: Registry, seq: int, asker: Asker) -> bool:
    event = read_event(reader, registry, seq)
    body = event.body if event else None
    if event is None or not isinstance(body, DecisionMade) or event.by != asker.actor:
        return False
    return (body.form, body.mode, body.outcome, body.subject) == ("http", "enforce", "allow", asker.chain)
