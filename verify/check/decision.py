"""The last links: the constitution, the verdict decided again, the operation reduced again, and what was spent.

Source: DESIGN sections 7, 10 and 11.
"""

from collections.abc import Iterable

from decisions.action import Action, Reduction
from decisions.events import ConstitutionAdopted, DecisionMade
from decisions.reducers import VERSION, reduce_operation
from grants.binding import BindingTo
from grants.book.states import ConsentState, GenesisState
from grants.consent import ARGS, Wanted, item_for
from grants.events import ConsentConsumed, ConsentRequested, Item
from grants.reading import read_state
from ledger import canon, digest
from ledger.canon import Json
from ledger.event import Event
from verify.check.evidence import Evidence
from verify.check.report import Line, failed, not_checked, passed
from verify.redecision import decide_again, differences, reduction_of


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
    adopted = evidence.events.get(row.seq)
    body = adopted.body if adopted is not None else None
    text = body.document if isinstance(body, ConstitutionAdopted) else ""
    if canon.to_base64url(digest.document(text.encode())) != applied:
        return failed("constitution", f"another one was applied than event {row.seq} adopts")
    return passed("constitution", f"{row.state['name']!a}, adopted by event {row.seq}, under its digest")


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
    return passed("decision", f"decided again: {body.outcome}, {body.reason}, by the same rules and the same authority")


def check_reduction(evidence: Evidence) -> Line:
    """Reduce the operation again, where it is disclosed, and compare what it does.

    The decision point may have followed links on its machine: such an action stands beside the one that it was read as.
    """
    decided = evidence.decision
    if decided is None:
        return not_checked("reduction", "there is no decision")
    event, body = decided
    opened = [opening.value for opening in evidence.openings(event.seq) if opening.path == ARGS]
    if not opened:
        return not_checked("reduction", "the operation is not disclosed: the actions are taken as recorded")
    if body.reducers != VERSION:
        return not_checked("reduction", f"read by reducers of number {body.reducers}; these are number {VERSION}")
    match opened[0]:
        case {"form": form, "payload": dict(payload), **rest} if form == body.form and not rest:
            return _reduced(body, payload)
    return failed("reduction", "what is disclosed is no operation of the recorded form")


def _reduced(body: DecisionMade, payload: dict[str, Json]) -> Line:
    recorded = _effects(reduction_of(body).actions)
    homes = [reduce_operation(body.form, payload, home=home) for home in ("/home/one", "/home/two")]
    if homes[0] != homes[1]:
        # Which home it was is not recorded; what is the same in every home must be there all the same.
        same = _effects(homes[0].actions) & _effects(homes[1].actions)
        if same - recorded or _codes(homes[0]) - set(body.problems):
            return failed("reduction", "the operation does something else than the decision recorded")
        return not_checked("reduction", "the operation depends on a home directory, which is not recorded")
    reduced = reduce_operation(body.form, payload, home=None)
    found, codes = _effects(reduced.actions), _codes(reduced)
    # What the decision point may add, each a deny: more is registered below a target than is looked at; a link can't be
    # followed; the request's id can't be kept.
    added = set(body.problems) - codes <= {"TOO_COMPLEX", "TARGET_UNRESOLVED", "ID_INVALID"}
    if found - recorded or codes - set(body.problems) or not added:
        return failed("reduction", "the operation does something else than the decision recorded")
    more = recorded - found
    if any(_loose(effect) not in {_loose(one) for one in found} for effect in more):
        return failed("reduction", "the decision recorded an action that the operation does not hold")
    reached = f", and {len(more)} that they reach" if more else ""
    return passed("reduction", f"reduced again, it does the same: actions {len(found)}{reached}", len(found))


def check_consumption(evidence: Evidence) -> Line:
    """Check that what was spent, or asked for, is what the decision calls for."""
    decided = evidence.decision
    if decided is None:
        return not_checked("consumption", "there is no decision")
    event, body = decided
    followed = evidence.naming(event.seq)
    spent = [one for one in followed if isinstance(one.body, ConsentConsumed)]
    asked = [one for one in followed if isinstance(one.body, ConsentRequested)]
    fault = _spending_fault(evidence, event, body, spent) or _asking_fault(evidence, event, body, asked)
    if fault:
        return failed("consumption", fault)
    if asked:
        return passed("consumption", f"nothing was spent; a human is asked in event {asked[0].seq}")
    if not spent:
        return passed("consumption", "no consent was used, and none was spent")
    return passed("consumption", f"uses of a consent spent directly behind the decision: {len(spent)}", len(spent))


def _codes(reduced: Reduction) -> set[str]:
    return {problem.code for problem in reduced.problems}


def _effects(actions: Iterable[Action]) -> set[tuple[object, ...]]:
    return {(one.kind, one.verb, one.target, one.facts) for one in actions}


def _loose(effect: tuple[object, ...]) -> tuple[object, ...]:
    """Leave out the target where an action reaches further: by a link, another spelling, or what lies below."""
    kind, verb, _, facts = effect
    return (kind, verb, facts)


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
