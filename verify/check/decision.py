"""The last links: the constitution, the verdict decided again, and what was spent.

Source: DESIGN sections 7, 10 and 11.
"""

from decisions import outcome
from decisions.amendment.check import check_link
from decisions.amendment.events import ConstitutionAmended
from decisions.errors import DecisionError
from decisions.events import Adoption, DecisionMade, OutcomeReported
from decisions.shadow import NOT_ENFORCED
from grants.binding import BindingTo
from grants.book.states import ConsentState, GenesisState
from grants.consent import Wanted, item_for
from grants.errors import GrantError
from grants.events import ConsentConsumed, ConsentRequested, Item
from grants.principals import last_restored
from grants.reading import read_state
from ledger import canon, digest
from ledger.errors import LedgerError
from ledger.event import Event
from verify.check.evidence import Evidence
from verify.check.report import Line, failed, not_checked, passed
from verify.redecision import decide_again, differences


def check_constitution(evidence: Evidence) -> Line:
    """Check that the constitution that was applied is the adopted one, and that its whole text is there."""
    decided = evidence.decision
    if decided is None:
        return not_checked("constitution", "there is no decision")
    applied = decided[1].constitution
    row = evidence.state("constitution", "current")
    if row is None:
        if applied:
            return failed("constitution", "no adoption of the constitution that was applied is in the bundle")
        return not_checked("constitution", "none was in force, and the decision says so")
    restored = last_restored(evidence)
    if not applied and restored is not None and row.seq < restored:
        # What was adopted before may have been replaced in what is lost: to apply it would be the fault.
        return not_checked(
            "constitution",
            f"none was in force, and the decision says so: that of event {row.seq} lapsed with the restore of event "
            f"{restored}, and none was adopted since",
        )
    adopted = evidence.events.get(row.seq)
    body = adopted.body if adopted is not None else None
    text = body.document if isinstance(body, Adoption) else ""
    if canon.to_base64url(digest.document(text.encode())) != applied:
        return failed("constitution", f"another one was applied than event {row.seq} adopts")
    return _chain(evidence, adopted, f"{row.state['name']!a}, adopted by event {row.seq}, under its digest")


def _chain(evidence: Evidence, adopted: Event | None, what: str) -> Line:
    """Follow a constitution back through its amendments to the one that a human adopted."""
    told = [what]
    event = adopted
    while event is not None and isinstance(event.body, ConstitutionAmended):
        body = event.body
        try:
            amendment = check_link(evidence, evidence.registry, event, body)
        except (DecisionError, GrantError, LedgerError) as error:
            why = f"event {event.seq} does not follow by right from event {body.base}: {error}"
            return failed("constitution", why)
        told.append(
            f"a change of event {body.base} by amendment {amendment.amendment}: {amendment.change}, worked out again"
        )
        event = evidence.events.get(body.base) if body.base < event.seq else None
    if event is None:
        return failed("constitution", "the constitution that was amended is not in the bundle")
    return passed("constitution", "; ".join(told))


def check_decision(evidence: Evidence) -> Line:
    """Decide again from what is in the bundle, and compare."""
    decided = evidence.decision
    if decided is None:
        return not_checked("decision", "there is no decision")
    event, body = decided
    again = decide_again(evidence, evidence.registry, event, body)
    if again.withheld:
        seq = min(again.withheld)
        return not_checked("decision", f"the reading of trust in event {seq} is not disclosed, or was erased")
    changed = differences(event, body, again)
    if changed:
        return failed(
            "decision",
            f"decided again it is {again.evaluation.verdict.outcome}, {again.evaluation.verdict.reason}; "
            f"recorded is {body.outcome}, {body.reason}; other than recorded: {', '.join(changed)}",
        )
    told = f"decided again: {body.outcome}, {body.reason}, by the same rules and the same authority"
    return passed("decision", f"{told}{_beside(body)}")


def _beside(body: DecisionMade) -> str:
    """Say of what a shadow would have answered that it is no part of what is checked."""
    if body.mode == "shadow":
        return f"; {NOT_ENFORCED}: the whole decision is a shadow"
    if body.shadow is None:
        return ""
    return f"; a shadow would have said {body.shadow.outcome}: {NOT_ENFORCED}, and not checked"


def check_consumption(evidence: Evidence) -> Line:
    """Check that what was spent, or asked for, is what the decision calls for, and who told what became of it."""
    decided = evidence.decision
    if decided is None:
        return not_checked("consumption", "there is no decision")
    event, body = decided
    followed = evidence.naming(event.seq)
    if body.mode == "shadow" and followed:
        return failed("consumption", f"event {followed[0].seq} follows from a shadow, which is {NOT_ENFORCED}")
    spent = [one for one in followed if isinstance(one.body, ConsentConsumed)]
    asked = [one for one in followed if isinstance(one.body, ConsentRequested)]
    told = [one for one in followed if isinstance(one.body, OutcomeReported)]
    fault = (
        _spending_fault(evidence, event, body, spent)
        or _asking_fault(evidence, event, body, asked)
        or _outcome_fault(event, spent, told)
    )
    if fault:
        return failed("consumption", fault)
    then = _reported(body, told)
    if asked:
        return passed("consumption", f"nothing was spent; a human is asked in event {asked[0].seq}{then}")
    if not spent:
        return passed("consumption", f"no consent was used, and none was spent{then}")
    uses = f"uses of a consent spent directly behind the decision: {len(spent)}"
    return passed("consumption", f"{uses}{then}", len(spent))


def _outcome_fault(event: Event, spent: list[Event], told: list[Event]) -> str | None:
    """Name an outcome that is not from whoever asked; that there is one at most is for the claims."""
    seqs = tuple(one.seq for one in spent)
    wrong = [one.seq for one in told if not outcome.fits(one, event, seqs)]
    return f"event {wrong[0]} is no report by whoever asked for the decision, of what it spent" if wrong else None


def _reported(body: DecisionMade, told: list[Event]) -> str:
    """Say what was reported; that an effect was carried out is the enforcement point's word."""
    found = [(one.seq, one.body.outcome) for one in told if isinstance(one.body, OutcomeReported)]
    if not found:
        return ""
    seq, effect = found[0]
    spite = f", although the decision was {body.outcome}" if effect == "done" and body.outcome != "allow" else ""
    return f"; reported {effect} in event {seq}{spite}"


def _spending_fault(evidence: Evidence, event: Event, body: DecisionMade, spent: list[Event]) -> str | None:
    due = dict.fromkeys(
        (one.grant, one.item, body.actions[one.action].target)
        for one in body.authority
        if one.by == "consent" and body.outcome == "allow" and one.action < len(body.actions)
    )
    if len(spent) != len(due):
        return f"{len(due)} uses of a consent are due, and the bundle has {len(spent)} consumptions"
    for offset, (one, (grant, item, target)) in enumerate(zip(spent, due, strict=True), start=1):
        state = read_state(evidence, "consent", grant or "", ConsentState)
        if state is None or item is None or item >= len(state.used):
            return f"the consent {grant} is not in the bundle"
        wanted = ConsentConsumed(
            grant=grant or "", item=item, use=state.used[item] + 1, decision=event.seq, target=target
        )
        if one.seq != event.seq + offset or one.body != wanted or one.at != event.at:
            return f"event {one.seq} is not the consumption that the decision calls for"
        if set(one.causes) != {event.seq, state.seq} or (one.by, one.via, one.auth) != (event.by, event.via, "ledger"):
            return f"event {one.seq} is not caused by the decision and the consent alone"
    return None


def _asking_fault(evidence: Evidence, event: Event, body: DecisionMade, asked: list[Event]) -> str | None:
    if not asked:
        return None
    request, given = asked[0], asked[0].body
    due = len(asked) == 1 and body.outcome == "hold" and request.seq == event.seq + 1
    if not due or not isinstance(given, ConsentRequested):
        return f"event {asked[-1].seq} asks a human for what the decision does not hold"
    fits = (given.subject, given.args, given.operands) == (body.subject, body.args, body.operands)
    fits = fits and given.domain in {one.domain for one in body.actions}
    fits = fits and (request.by, request.via, request.auth) == (event.by, event.via, "ledger")
    if not fits or given.items != _items(evidence, body, given.domain) or request.causes != (event.seq,):
        return f"event {request.seq} asks for something else than the operation that was held"
    return None


def _items(evidence: Evidence, body: DecisionMade, domain: str) -> tuple[Item, ...]:
    genesis = read_state(evidence, "ledger", "genesis", GenesisState)
    to = BindingTo(genesis.origin if genesis else "", body.subject, domain, body.args, body.operands)
    wanted = sorted({need.action for need in body.needs if need.what == "consent"})
    return tuple(
        item_for(to, Wanted(one.kind, one.verb, one.target, one.version))
        for one in (body.actions[index] for index in wanted if index < len(body.actions))
        if one.version is not None
    )
