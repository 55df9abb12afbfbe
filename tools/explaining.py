"""Explaining a recorded decision from the ledger alone: it is decided again over the states as they stood.

Source: DESIGN sections 1, 8 and 10; docs/guides/explain.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from decisions.constitution.model import Constitution
from decisions.errors import DecisionError
from decisions.events import DecisionMade, outcome_claim
from decisions.explanation.ask import account_of
from decisions.explanation.explained import Explained, stamps
from decisions.explanation.voices import Heard
from decisions.law import Law, law_in_force
from grants.errors import GrantError
from grants.events import ConsentConsumed, ConsentRequested
from grants.reading import read_event
from ledger.disclosure import Opening
from ledger.errors import CorruptError, LedgerError
from ledger.event import Event
from ledger.log import Snapshot
from tools.errors import EvidenceError, InputError
from tools.ledger import OpenLedger
from verify.check.reduction import reduce_again
from verify.past import Past
from verify.redecision import Redecision, decide_again, differences

DETAIL = "/detail"


@dataclass(frozen=True, slots=True)
class Account:
    """A recorded decision with all that it rested on.

    Attributes:
        event: the decision.
        found: the account of it, decided again.
        problems: (code, detail, part) of what could not be read, as far as it is still open.
        lacking: what can't be told any more, each with why.
        differs: what comes out otherwise than it was recorded, for that reason alone.
        request: the request for consent that it led to, or None.
        consumed: the consumptions that it led to.
        outcome: the report of what became of it, or None.
        sources: (event, its type, who, when) of each event that a fact or a grant comes from.
    """

    event: Event
    body: DecisionMade
    constitution: Constitution | None
    found: Explained
    problems: tuple[tuple[str, str, str], ...]
    lacking: tuple[str, ...]
    differs: tuple[str, ...]
    request: int | None
    consumed: tuple[int, ...]
    outcome: int | None
    sources: tuple[tuple[int, str, str, str], ...]

    def heard(self) -> Heard:
        """Give what the caller heard."""
        body = self.body
        return Heard(
            body.outcome,
            body.reason,
            body.reasons,
            self.event.seq,
            self.request,
            needs=body.needs,
            targets=tuple(action.target for action in body.actions),
            problems=tuple((code, detail) for code, detail, _ in self.problems),
        )


def explain(ledger: OpenLedger, seq: int) -> Account:
    """Explain a decision, or the decision that an event came of.

    Raises:
        InputError: there is no such decision.
        EvidenceError: decided again it comes out otherwise, and nothing that was erased is the reason.
        LedgerError: the ledger can't be read.
    """
    return ledger.log.read(lambda snapshot: _account(ledger, snapshot, seq))


def _account(ledger: OpenLedger, snapshot: Snapshot, seq: int) -> Account:
    event, body = _decision(ledger, snapshot, seq)
    past = Past(snapshot, ledger.registry, ledger.views, event.seq)
    again = decide_again(past, ledger.registry, event, body)
    differs = differences(event, body, again)
    openings = snapshot.openings(event.seq)
    lacking = tuple(_lacking(body, openings, again))
    if differs and not again.withheld and not _error_gone(body, again):
        raise EvidenceError(
            f"decision {event.seq}, decided again, differs from its record in {', '.join(differs)}: run tally audit"
        )
    law = _law(past, ledger)
    found = account_of(again.evaluation, law, past, ledger.registry, again.asker, event.at)
    named = list(_naming(ledger, snapshot, event.seq))
    return Account(
        event,
        body,
        law.constitution if law else None,
        found,
        tuple(_problems(body, openings)),
        lacking,
        differs,
        next((one.seq for one in named if isinstance(one.body, ConsentRequested)), None),
        tuple(one.seq for one in named if isinstance(one.body, ConsentConsumed)),
        snapshot.claimed(outcome_claim(event.seq)),
        tuple(_sources(ledger, snapshot, stamps(found))),
    )


def _decision(ledger: OpenLedger, snapshot: Snapshot, seq: int) -> tuple[Event, DecisionMade]:
    event = read_event(snapshot, ledger.registry, seq)
    if event is None:
        raise InputError(f"the log has {snapshot.head.size} events, the first of which is 0; there is no event {seq}")
    led = getattr(event.body, "decision", None)
    if isinstance(led, int) and led < seq:
        event = read_event(snapshot, ledger.registry, led)
    if event is None or not isinstance(event.body, DecisionMade):
        raise InputError(f"event {seq} is no decision: tally log list --type decision.made lists them")
    return event, event.body


def _law(past: Past, ledger: OpenLedger) -> Law | None:
    try:
        return law_in_force(past, ledger.registry)
    except (DecisionError, GrantError, CorruptError):
        return None  # the decision was a deny for just this reason


def _error_gone(body: DecisionMade, again: Redecision) -> bool:
    return body.reason == "POLICY_ERROR" and again.evaluation.verdict.reason != "POLICY_ERROR"


def _lacking(body: DecisionMade, openings: Sequence[Opening], again: Redecision) -> Iterable[str]:
    for seq in sorted(again.withheld):
        yield f"the reading of trust in event {seq} was erased, and counts as 0 now"
    if _error_gone(body, again):
        yield "an error denied it, and does not come again"
    reduced = reduce_again(body, openings)
    if reduced.status != "PASS":
        yield f"what was asked: {reduced.why}"
    if body.detail is not None and all(opening.path != DETAIL for opening in openings):
        yield "what exactly could not be read: its explanation was erased, or is not kept here"


def _problems(body: DecisionMade, openings: Sequence[Opening]) -> Iterable[tuple[str, str, str]]:
    told = next((opening.value for opening in openings if opening.path == DETAIL), None)
    if isinstance(told, list):
        for one in told:
            match one:
                case [str(code), str(detail), str(part)]:
                    yield code, detail, part
        return
    yield from ((code, "", "") for code in body.problems)


def _naming(ledger: OpenLedger, snapshot: Snapshot, decision: int) -> Iterable[Event]:
    for seq in snapshot.tagged(f"decision:{decision}"):
        event = read_event(snapshot, ledger.registry, seq)
        if event is not None:
            yield event


def _sources(ledger: OpenLedger, snapshot: Snapshot, seqs: Sequence[int]) -> Iterable[tuple[int, str, str, str]]:
    for seq in seqs:
        try:
            event = read_event(snapshot, ledger.registry, seq)
        except LedgerError:
            continue
        if event is not None:
            yield seq, event.type, event.by, event.at
