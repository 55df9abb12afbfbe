"""The links inside the bundle: what must be in it, who signed it, and the states that follow from it.

Source: DESIGN sections 6 to 8 and 11.
"""

from collections.abc import Iterator

from decisions import trust
from decisions.amendment.check import amending_of
from decisions.earned import C_INST
from decisions.errors import DecisionError
from decisions.events import Adoption, Read, TrustObserved, TrustUpdated
from decisions.law import law_in_force
from decisions.ratifying import check_enough
from grants.authority import check_event
from grants.errors import GrantError
from grants.events import GrantRatified
from ledger import canon
from ledger.disclosure import paths
from ledger.errors import LedgerError
from ledger.event import Event, SignedBody
from verify.bundle.selection import select
from verify.check.evidence import Evidence
from verify.check.report import Line, counted, failed, not_checked, passed


def check_structure(evidence: Evidence) -> Line:
    """Check that the bundle holds what the decision rests on, all of it and nothing else."""
    bundle = evidence.bundle
    if evidence.decision is None:
        return failed("structure", f"event {bundle.decision} is no decision that can be read")
    selection = select(evidence, bundle.decision, evidence.size)
    if selection.missing:
        return failed("structure", f"event {min(selection.missing)} is missing, and the verdict rests on it")
    unused = sorted(evidence.events.keys() - selection.events.keys())
    if unused:
        return failed("structure", f"event {unused[0]} has no part in the verdict; a bundle holds nothing else")
    return passed(
        "structure", f"{len(bundle.events)} events, {len(bundle.disclosures)} openings, nothing missing, nothing unused"
    )


def check_events(evidence: Evidence) -> Line:
    """Check that each event is canonical, of a known type, within its schema, in its own place and in its time."""
    faults = [*evidence.unread, *_order_faults(evidence), *_claim_faults(evidence)]
    return counted("events", len(evidence.bundle.events), faults, "events canonical, of a known schema, in order")


def check_disclosures(evidence: Evidence) -> Line:
    """Check that each opening fits the commitment that stands in its event, and count what is open and what is not."""
    total = len(evidence.bundle.disclosures)
    fields = sum(1 for event in evidence.events.values() for _ in paths(event.body))
    opened = sum(len(kept) for kept in evidence.kept.values())
    holds = f"openings fit their commitments; fields open: {opened}, withheld: {fields - opened}"
    return counted("disclosures", total, evidence.misfits, holds)


def check_signatures(evidence: Evidence) -> Line:
    """Check each signature, and that its key was, in that place of the log, a key of one with the role."""
    signed = [event for event in evidence.events.values() if isinstance(event.body, SignedBody)]
    faults = [fault for event in signed if (fault := _signature_fault(evidence, event))]
    return counted("signatures", len(signed), faults, "signatures hold, and lead back to the first human")


def check_states(evidence: Evidence) -> Line:
    """Check that the events of the bundle make each state that the decision says it read."""
    decided = evidence.decision
    if decided is None:
        return not_checked("states", "there is no decision")
    reads = decided[1].reads
    faults = [fault for read in reads if (fault := _state_fault(evidence, read))]
    faults += [fault for event in evidence.events.values() if (fault := _trust_fault(evidence, event))]
    present = sum(read.seq is not None for read in reads)
    if len({(read.view, read.key) for read in reads}) != len(reads):
        faults.append("the decision names a state twice")
    return counted("states", max(present, len(faults)), faults, "states follow from the events")


def check_absences(evidence: Evidence) -> Line:
    """Count what the decision found absent: inclusion can't show that something is not there."""
    decided = evidence.decision
    if decided is None:
        return not_checked("absences", "there is no decision")
    absent = sum(read.seq is None for read in decided[1].reads)
    if not absent:
        return passed("absences", "the decision found nothing absent", 0)
    return not_checked(
        "absences", f"{absent} states are said not to have existed: only an audit of the whole log can tell", absent
    )


def _order_faults(evidence: Evidence) -> Iterator[str]:
    last = ""
    for event in evidence.events.values():
        if event.at < last:
            yield f"event {event.seq} is of {event.at}, and an earlier event of {last}"
        elif any(not 0 <= cause < event.seq for cause in event.causes):
            yield f"event {event.seq} says that a later event caused it"
        last = max(last, event.at)


def _claim_faults(evidence: Evidence) -> Iterator[str]:
    """Find a key that two events take: one signature that was made into two, one use that was spent twice."""
    taken: dict[str, int] = {}
    for event in evidence.events.values():
        for key in event.claims():
            if key in taken:
                yield f"event {event.seq} takes the key {key!a}, which event {taken[key]} has taken"
            taken[key] = event.seq


def _signature_fault(evidence: Evidence, event: Event) -> str | None:
    reader = evidence if event.seq <= evidence.bundle.decision else evidence.whole
    try:
        check_event(reader, event)
        _check_ratified(evidence, event)
    except (GrantError, LedgerError, DecisionError) as error:
        return f"event {event.seq}, {event.type}: {error}"
    return None


def _check_ratified(evidence: Evidence, event: Event) -> None:
    """Count who signed a standing grant, by the constitution of its time, where that is in the bundle."""
    if not isinstance(event.body, GrantRatified):
        return
    before = [one for one in evidence.events.values() if one.seq < event.seq and isinstance(one.body, Adoption)]
    if before:
        adopted = before[-1]
        asked = amending_of(evidence, evidence.registry, adopted.seq)
        check_enough(event.body, asked.humans, adopted.seq)


def _state_fault(evidence: Evidence, read: Read) -> str | None:
    what = f"state {read.view} {read.key!a}"
    if not evidence.knows(read.view):
        return f"{what}: this version knows no view {read.view!a}"
    try:
        row = evidence.state(read.view, read.key)
    except (GrantError, LedgerError) as error:
        return f"{what}: {error}"
    if read.seq is None or read.state is None:
        there = row is not None or read.seq is not None or read.state is not None
        return f"{what}: said to be absent, and event {row.seq if row else read.seq} made it" if there else None
    if row is None:
        return f"{what}: no event of the bundle makes it"
    if (row.seq, canon.to_base64url(row.digest)) != (read.seq, read.state):
        return f"{what}: the events lead to another state than the one that was read"
    return None


def _trust_fault(evidence: Evidence, event: Event) -> str | None:
    """Hold an update of trust against the observation that it says caused it."""
    body = event.body
    if not isinstance(body, TrustUpdated):
        return None
    cause = evidence.events.get(body.observed)
    seen = cause.body if cause is not None else None
    if not isinstance(seen, TrustObserved):
        return f"event {event.seq}: event {body.observed} is no observation of trust"
    agreed = ("system", "counterpart", "domain", "taken")
    follows = all(getattr(body, name) == getattr(seen, name) for name in agreed)
    follows = follows and cause is not None and (event.by, event.auth) == (cause.by, "ledger")
    if not follows or (body.counted and not seen.qualifying):
        return f"event {event.seq}: it does not follow from the observation {body.observed}"
    return _terms_fault(evidence, event, body, seen)


def _terms_fault(evidence: Evidence, event: Event, body: TrustUpdated, seen: TrustObserved) -> str | None:
    """Hold an update against the trust terms of the constitution that was in force when it was made."""
    adoption = evidence.state("constitution", "current")
    # Adopted later: the terms before it are not in the bundle.
    if adoption is None or adoption.seq > event.seq:
        return None
    terms = law_in_force(evidence, evidence.registry).constitution.trust
    if (body.gain, body.cap, body.floor_step) != (terms.gain, terms.cap, terms.floor_step):
        return f"event {event.seq}: its terms are not those of the constitution in force"
    for opening in evidence.openings(body.observed):
        counts = seen.qualifying and trust.reading(opening.value) >= terms.qualifying_from
        if opening.path == C_INST and body.counted != counts:
            return f"event {event.seq}: whether it counts does not follow from the reading in event {body.observed}"
    return None
