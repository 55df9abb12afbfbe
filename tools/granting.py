"""Grants and requests for consent as a ledger holds them: listed, told in full, and prepared for what is foreseen.

Source: DESIGN section 11; policy case E09.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from decisions.descriptor import Circumstances
from decisions.draft import terms as terms_of
from decisions.draft import wanting
from decisions.errors import DecisionError
from decisions.evaluation import Evaluation, Trace, evaluate
from decisions.law import law_in_force
from decisions.needs import consent_mends
from decisions.operation import Operation
from decisions.record import DecisionPoint
from grants import acts
from grants.authority import humans_behind
from grants.book.consents import CONSENT
from grants.book.requests import REQUEST
from grants.book.standing import STANDING
from grants.book.states import ConsentState, RequestState, StandingState
from grants.errors import GrantError, IssueError
from grants.events import ConsentGranted, ConsentRequested, GrantRatified
from grants.issue import Prepared
from grants.principals import Asker, last_restored, parse_chain, recorded
from grants.reading import read_event, read_state
from ledger.disclosure import Opening
from ledger.errors import CorruptError
from ledger.event import Event, Registry
from ledger.instant import Instant
from ledger.log import Snapshot
from tools.show.standing import Listed, consent_listed, standing_listed

LIVE: Final = "live"


@dataclass(frozen=True, slots=True)
class Pending:
    """One request for consent, and what became of it.

    Attributes:
        state: open, granted or refused.
        grant: the consent that was given, or None.
    """

    event: Event
    body: ConsentRequested
    state: str
    grant: str | None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """An operation that nobody has asked for yet, as a human wants to consent to it.

    Attributes:
        subject: the subject chain that will ask, ``agent:ops-7`` or ``agent:ops-7/part``.
        through: the service that will speak for it, or None.
    """

    operation: Operation
    subject: str
    through: str | None


@dataclass(frozen=True, slots=True)
class Given:
    """The terms that a human sets for a consent."""

    reason: str
    expires: Instant
    uses: int = 1


def grants(snapshot: Snapshot, registry: Registry, at: Instant, *, everything: bool) -> list[Listed]:
    """List the grants, oldest first; the live ones, or all."""
    found = [*_standing(snapshot, registry, at), *_consents(snapshot, registry, at)]
    return sorted((one for one in found if everything or one.life == LIVE), key=lambda one: one.seq)


def history(snapshot: Snapshot, registry: Registry, grant: str) -> list[tuple[Event, Sequence[Opening]]]:
    """Give every event of a grant's life, from the log itself, whatever has become of the grant.

    Raises:
        IssueError: there is no such grant.
    """
    begun = snapshot.claimed(f"grant:{grant}")
    if begun is None:
        raise IssueError(f"there is no grant {grant}: tally grant list --all shows those there are")
    seqs = sorted({begun, *snapshot.tagged(f"grant:{grant}")})
    return [(_event(snapshot, registry, seq), snapshot.openings(seq)) for seq in seqs]


def is_consent(snapshot: Snapshot, registry: Registry, grant: str) -> bool:
    """Tell whether a grant is a consent; else it is a standing grant.

    Raises:
        IssueError: there is no such grant.
    """
    return isinstance(history(snapshot, registry, grant)[0][0].body, ConsentGranted)


def requests(snapshot: Snapshot, registry: Registry, *, everything: bool) -> list[Pending]:
    """List the requests for consent, oldest first; those that wait, or all."""
    found = [request(snapshot, registry, int(row.key)) for row in snapshot.states(REQUEST)]
    return sorted((one for one in found if everything or one.state == "open"), key=lambda one: one.event.seq)


def request(snapshot: Snapshot, registry: Registry, seq: int) -> Pending:
    """Give one request.

    Raises:
        IssueError: there is no such request.
    """
    event = read_event(snapshot, registry, seq)
    state = read_state(snapshot, REQUEST, str(seq), RequestState)
    if event is None or state is None or not isinstance(event.body, ConsentRequested):
        raise IssueError(f"event {seq} is no request for consent: tally request list shows those that wait")
    answered = "open" if state.answer is None else "granted" if state.granted else "refused"
    answer = None if state.answer is None else read_event(snapshot, registry, state.answer)
    grant = answer.body.grant if answer is not None and isinstance(answer.body, ConsentGranted) else None
    return Pending(event, event.body, answered, grant)


def foresee(
    snapshot: Snapshot, registry: Registry, point: DecisionPoint, foreseen: Foreseen, at: Instant
) -> tuple[Evaluation, Asker]:
    """Judge an operation as if it were asked now, without recording anything.

    Raises:
        IssueError: the subject is no subject chain.
    """
    chain = parse_chain(foreseen.subject)
    if chain is None:
        raise IssueError(f"{foreseen.subject} is no subject such as agent:ops-7 or agent:ops-7/part")
    trace = Trace(snapshot)
    asker = recorded(trace, chain[0], chain, "os-uid", foreseen.through)
    operation = foreseen.operation
    circumstances = Circumstances(asker, True, operation.domain, operation.claims, at)
    reduced = point.reduce(operation)
    return evaluate(trace, registry, reduced, circumstances, terms_of(trace, asker, operation)), asker


def grant_foreseen(
    snapshot: Snapshot,
    registry: Registry,
    point: DecisionPoint,
    foreseen: Foreseen,
    given: Given,
    *,
    by: str,
    at: Instant,
) -> Prepared:
    """Prepare the consent to a foreseen operation, for exactly what of it needs one.

    Raises:
        IssueError: a consent would change nothing: it is allowed anyway, or forbidden whatever a human says.
    """
    evaluation, asker = foresee(snapshot, registry, point, foreseen, at)
    verdict = evaluation.verdict
    if verdict.outcome == "allow" or not consent_mends(verdict.reasons):
        why = "is allowed without one" if verdict.outcome == "allow" else f"is denied ({', '.join(verdict.reasons)})"
        raise IssueError(f"a consent would change nothing: this operation {why}")
    wanted = wanting(evaluation)
    terms = terms_of(snapshot, asker, foreseen.operation)(evaluation.domain)
    return acts.grant_terms(
        snapshot,
        by=by,
        terms=terms,
        wanted=wanted,
        reason=given.reason,
        expires=given.expires,
        uses=given.uses,
    )


def _standing(snapshot: Snapshot, registry: Registry, at: Instant) -> Iterator[Listed]:
    restored, humans = last_restored(snapshot) or 0, _humans(snapshot, registry)
    for row in snapshot.states(STANDING):
        state = read_state(snapshot, STANDING, row.key, StandingState)
        event = _event(snapshot, registry, state.seq) if state else None
        if state is not None and event is not None and isinstance(event.body, GrantRatified):
            ended = {"revoked": state.revoked is not None, "lapsed": event.seq < restored}
            yield standing_listed(event, event.body, **ended, short=humans_behind(snapshot, event) < humans, at=at)


def _humans(snapshot: Snapshot, registry: Registry) -> int:
    """Give how many humans must have signed a standing grant; one where no constitution says so."""
    try:
        return law_in_force(snapshot, registry).vocabulary.humans
    except (DecisionError, GrantError, CorruptError):
        return 1


def _consents(snapshot: Snapshot, registry: Registry, at: Instant) -> Iterator[Listed]:
    restored = last_restored(snapshot) or 0
    for row in snapshot.states(CONSENT):
        state = read_state(snapshot, CONSENT, row.key, ConsentState)
        event = _event(snapshot, registry, state.seq) if state else None
        if state is not None and event is not None and isinstance(event.body, ConsentGranted):
            ended = {"revoked": state.revoked is not None, "lapsed": event.seq < restored}
            yield consent_listed(event, event.body, used=state.used, at=at, **ended)


def _event(snapshot: Snapshot, registry: Registry, seq: int) -> Event:
    event = read_event(snapshot, registry, seq)
    if event is None:
        raise IssueError(f"the log has no event {seq}: run tally audit")
    return event
