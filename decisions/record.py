"""Deciding for real: one transaction reads the states, checks the signatures, judges, and appends what came of it.

The decision is event n; the consumptions it needs are n + 1 and on, or, where it holds, the request that asks a human.
Reserved is spent: all of it is durable before anybody is told the verdict. A request id is answered once; the same
request again gets the recorded answer.

Source: DESIGN sections 6, 7, 10 and 11.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from decisions import draft
from decisions.action import Action, Problem, Reduction, action, reduction
from decisions.answer import Answer, recorded, unavailable
from decisions.constitution.model import TrustClass
from decisions.descriptor import Circumstances
from decisions.errors import RequestConflictError
from decisions.evaluation import Evaluation, Trace, erred, evaluate
from decisions.events import DecisionMade
from decisions.hops import hop_problems
from decisions.law import law_in_force, open_class_of
from decisions.limit import Limit, TimeUpError
from decisions.objects import FileObject, Identifier
from decisions.operation import Operation
from decisions.outcome import Report, Reported, report_outcome
from decisions.reducers import reduce_operation
from decisions.shadow.judging import would_be
from grants import consent, principals
from grants.consent import ConsentMiss
from grants.errors import IdentifierError
from grants.events import ConsentRequested
from grants.identifier import check_text, code_points
from grants.principals import Asker
from ledger.errors import ClockError, StoreError
from ledger.event import Event, Registry, erasure_claim
from ledger.log import Log, Transaction

Resolver: TypeAlias = Callable[[str], str | None]
"""Follows the links of a file reference on the machine where it lies; None where it leads nowhere else."""


_Read: TypeAlias = tuple[Reduction, tuple[tuple[str, str], ...], tuple[FileObject, ...]]
"""What an operation does, where links led, and which objects its files are."""

READ_WITHIN: Final = 5.0
"""How many seconds an operation may take to be read."""
_LIMIT: Final = Limit(READ_WITHIN)

MAX_ID: Final = 256
_AUTOMATIC: Final = "auto:"
"""How the ids begin that the decision point gives to requests that came without one."""


@dataclass(frozen=True, slots=True)
class Request:
    """An operation, and what is known of who asks.

    Attributes:
        uid: the operating system user that asks, or None where there is none to see.
        claimed: the subject chain that the asker gives, ``agent:ops-7`` or ``agent:ops-7/part``, or None.
        id: the asker's own id for this request, a visible text of at most `MAX_ID` characters, or None.
    """

    operation: Operation
    uid: int | None
    claimed: str | None
    id: str | None = None


class DecisionPoint:
    """The one place where operations are decided.

    Args:
        log: where decisions are recorded.
        registry: the event types.
        home: home directory that ``~`` means in a shell line, or None where it can't be known.
        resolver: follows file links, or None where the files lie elsewhere.
        identifier: says which object a file is, likewise.
        within: how many seconds an operation may take to be read; what takes longer is too complex.
    """

    def __init__(
        self,
        log: Log,
        registry: Registry,
        *,
        home: str | None = None,
        resolver: Resolver | None = None,
        identifier: Identifier | None = None,
        within: float = READ_WITHIN,
    ) -> None:
        self._log = log
        self._registry = registry
        self._home = home
        self._resolver = resolver
        self._identifier = identifier
        self._limit = _LIMIT if within == READ_WITHIN else Limit(within)

    def decide(self, request: Request) -> Answer:
        """Decide, record, and answer; without a record the answer is a deny.

        Raises:
            RequestConflictError: the request id was used for another operation.
        """
        # Reading the operation needs no lock: it depends on nothing but the operation.
        reduced, resolved, objects = self._read(request.operation)
        if request.id is not None and not _can_be_kept(request.id):
            # Such an id can't stand in the record; that it was refused can.
            why = f"a request id is a visible text of at most {MAX_ID} characters, and not {_AUTOMATIC}..."
            told = Problem("ID_INVALID", f"{why}: {code_points(request.id)[:MAX_ID]}", "the request id")
            request, reduced = replace(request, id=None), reduction(reduced.actions, [*reduced.problems, told])
        try:
            answer = self._log.transact(lambda tx: self._decide(tx, request, reduced))
            return answer if answer.repeated else replace(answer, resolved=resolved, objects=objects)
        except RequestConflictError:
            raise
        except (StoreError, ClockError) as error:
            return unavailable(str(error))
        except Exception as error:  # noqa: BLE001  (fail closed: an error anywhere is a deny with a record)
            # What could not be appended left nothing behind; the refusal itself must still be on record.
            return self._refuse(request, reduced, error)

    def report(self, report: Report) -> Reported:
        """Record what became of an effect.

        Raises:
            OutcomeError: there is no such decision, another outcome stands, or somebody else has asked.
            LedgerError: it can't be recorded now.
        """
        return self._log.transact(lambda tx: report_outcome(tx, self._registry, report))

    def _refuse(self, request: Request, reduced: Reduction, error: Exception) -> Answer:
        try:
            return self._log.transact(lambda tx: self._decide(tx, request, reduced, failed=error))
        except Exception as second:  # noqa: BLE001  (without a record the answer is deny all the same)
            return unavailable(f"{type(second).__name__}: {second}")

    def reduce(self, operation: Operation) -> Reduction:
        """Give what the operation does, links on this machine followed."""
        return self._read(operation)[0]

    def open_class(self) -> TrustClass | None:
        """Give the class that is always open, or None where the constitution in force has none.

        Raises:
            LedgerError: the ledger can't be read.
            DecisionError: no constitution is in force.
        """
        law = self._log.read(lambda snapshot: law_in_force(snapshot, self._registry))
        return open_class_of(law.constitution)

    def _read(self, operation: Operation) -> _Read:
        try:
            return self._limit.run(lambda: self._followed(operation))
        except TimeUpError:
            told = Problem("TOO_COMPLEX", f"reading it took longer than {self._limit.seconds:g} s", "")
        except Exception as error:  # noqa: BLE001  (fail closed: what no reducer could take apart is opaque)
            told = Problem("UNPARSEABLE", f"the reducer failed: {type(error).__name__}", "")
        return reduction((), [told]), (), ()

    def _followed(self, operation: Operation) -> _Read:
        reduced = reduce_operation(operation.form, operation.payload, home=self._home)
        if self._resolver is None:
            return reduced, (), ()
        try:
            led = _resolved(reduced.actions, self._resolver)
            objects = _identified(reduced.actions, led, self._identifier)
        except Exception as error:  # noqa: BLE001  (fail closed: where links lead nobody knows where, nothing is allowed)
            problem = Problem("TARGET_UNRESOLVED", f"its links can't be followed: {type(error).__name__}", "")
            return reduction(reduced.actions, [*reduced.problems, problem]), (), ()
        links = sorted({(source.target, one.target) for source, one in led})
        return reduction([*reduced.actions, *(one for _, one in led)], reduced.problems), tuple(links), objects

    def _decide(
        self, tx: Transaction, request: Request, reduced: Reduction, *, failed: Exception | None = None
    ) -> Answer:
        trace = Trace(tx)
        asker = principals.identify(trace, uid=request.uid, claimed=request.claimed)
        request_id = request.id or f"{_AUTOMATIC}{secrets.token_urlsafe(16)}"
        answered = tx.claimed(f"request:{asker.actor}:{request_id}")
        if answered is not None:
            return self._repeat(tx, answered, request, asker)
        operation = request.operation
        astray = tuple(hop_problems(tx, self._registry, operation, asker))
        reduced = reduction(reduced.actions, [*reduced.problems, *astray]) if astray else reduced
        circumstances = Circumstances(asker, request.id is not None, operation.domain, operation.claims, tx.at)
        terms = draft.terms(trace, asker, operation)
        evaluation = (
            erred(reduced, failed) if failed else evaluate(trace, self._registry, reduced, circumstances, terms)
        )
        asks = evaluation.verdict.outcome == "hold" and asker.authenticated
        wanted = draft.wanting(evaluation) if asks else ()
        to = terms(evaluation.domain)
        pending = consent.find_open_request(tx, self._registry, to, wanted)
        kept = draft.openings(operation, _salts(tx, evaluation, pending[0] if pending else None))
        asked = draft.Asked(operation, request_id, kept)
        shadow = None if failed else would_be(tx, self._registry, reduced, circumstances, terms)
        decision = tx.append(draft.decision(evaluation, trace, circumstances, asked, shadow))
        for consumption in draft.consumptions(evaluation, decision):
            tx.append(consumption)
        body = _decided(decision)
        request_seq = pending[0] if pending else None
        if wanted and pending is None:
            request_seq = tx.append(draft.consent_request(decision, body, wanted, asked, to)).seq
        answer = recorded(decision, body, repeated=False, request=request_seq)
        return replace(
            answer,
            spoken=evaluation.verdict.spoken,
            problems=evaluation.reduction.problems,
            descriptors=evaluation.descriptors,
            trouble=evaluation.trouble,
        )

    def _repeat(self, tx: Transaction, seq: int, request: Request, asker: Asker) -> Answer:
        decision = self._registry.parse(tx.event_bytes(seq) or b"")
        body = _decided(decision)
        kept = tx.openings(seq)
        lost = draft.lost(body, kept)
        if lost is not None:
            eraser = tx.claimed(erasure_claim(seq, lost))
            how = f"was erased by event {eraser}" if eraser is not None else "is not kept here"
            raise RequestConflictError(
                f"request id {request.id} was used for decision {seq}, whose operation {how}: whether this is the same "
                "one can't be told any more; give it a new id"
            )
        if not draft.is_same(body, request.operation, asker, kept):
            raise RequestConflictError(
                f"request id {request.id} was used for another operation, decision {seq}: give each its own"
            )
        asked = [s for s in tx.tagged(f"decision:{seq}") if self._is_request(tx, s)]
        return recorded(decision, body, repeated=True, request=asked[0] if asked else None)

    def _is_request(self, tx: Transaction, seq: int) -> bool:
        return isinstance(self._registry.parse(tx.event_bytes(seq) or b"").body, ConsentRequested)


def _can_be_kept(request_id: str) -> bool:
    """Tell whether an id can stand in the record for ever, and find its own decision again."""
    if not 0 < len(request_id) <= MAX_ID or not request_id.strip() or request_id.startswith(_AUTOMATIC):
        return False
    try:
        check_text(request_id)
    except IdentifierError:
        return False
    return True


def _salts(tx: Transaction, evaluation: Evaluation, pending: int | None) -> dict[str, bytes]:
    """Reuse the salts of the consent or request that this is a retry of, so that one commitment stands in all."""
    fitting = sorted(
        (case.consent for case in evaluation.cases if case.consent.fits),
        key=lambda found: isinstance(found, ConsentMiss),
    )
    origin = fitting[0].seq if fitting else pending
    return {opening.path: opening.salt for opening in tx.openings(origin)} if origin is not None else {}


def _decided(event: Event) -> DecisionMade:
    if not isinstance(event.body, DecisionMade):
        raise TypeError(f"event {event.seq} is no decision")
    return event.body


def _resolved(actions: tuple[Action, ...], resolver: Resolver) -> list[tuple[Action, Action]]:
    """Give each file action once more for where its target's links lead, behind itself: both must be allowed."""
    found = []
    for one in actions:
        led = resolver(one.target) if one.kind == "file" else None
        if led is not None and led != one.target:
            found.append((one, action(one.kind, one.verb, led, dict(one.facts), f"{one.part} (link followed)")))
    return found


def _identified(
    actions: tuple[Action, ...], led: list[tuple[Action, Action]], identifier: Identifier | None
) -> tuple[FileObject, ...]:
    """Say which object each file is that the operation leads to: what links lead from is touched by nobody."""
    if identifier is None:
        return ()
    left = {source.target for source, _ in led}
    reached = {one.target for one in actions if one.kind == "file"} - left | {one.target for _, one in led}
    return tuple(found for found in map(identifier, sorted(reached)) if found is not None)
