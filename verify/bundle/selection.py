"""Which events a bundle must hold, and may hold: what the verdict rested on, and nothing else.

- genesis, the decision, and what followed from it: its consumptions, the request that asks a human, and what its
  enforcement point has reported up to the checkpoint;
- whatever changed the name or the key of the log, up to the checkpoint: whose signature it bears follows from these;
- the causes of the decision: whatever was read while it was made;
- for each state that it read, the events that made that state what it was;
- for each signed event among these, the events that made its signer, and its signer's owner, what they were: before
  the decision, or before the event itself where that is later.

Of the constitution only the last adoption counts; where it follows from an amendment, it comes with that, with its
votes, and with the constitution before it, and so on back to one that a human adopted. Of evidence the last of each
kind by each issuer counts. Of trust and of a reading only the last update counts, and the one that brought the latest
reading: an update names the numbers that stood before it. Each comes with its observation.

The maker asks a log for the events that touch a state, the checker asks the bundle: what they then select is the same.

Source: DESIGN section 6 (views, reads); docs/spec/bundle.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from decisions.amendment.events import AmendmentAdopted, AmendmentProposed, AmendmentVoted, ConstitutionAmended
from decisions.events import DecisionMade, OutcomeReported, TrustUpdated
from grants.book.evidence import EVIDENCE
from grants.events import (
    ConsentConsumed,
    ConsentRequested,
    EvidenceRecorded,
    GrantRatifiedTogether,
    PrincipalRegistered,
)
from ledger.event import Event, SignedBody
from ledger.events import LedgerOpened

LAST_COUNTS = frozenset({"constitution"})
LATEST_COUNTS = frozenset({"trust", "reading"})
LIFE_OF_THE_LOG = ("ledger", "genesis")
"""The view and the key of the state that says under which name and key the log speaks."""


class Source(Protocol):
    """Where events come from: a log, or a bundle."""

    def event(self, seq: int) -> Event | None:
        """Give an event, or None where there is none."""

    def touching(self, view: str, key: str, stop: int | None = None) -> Sequence[Event]:
        """Give the events before the decision, or before ``stop``, that changed a state, oldest first."""

    def naming(self, decision: int) -> Sequence[Event]:
        """Give the consumptions, requests and outcomes that name the decision, oldest first."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The events of a bundle.

    Attributes:
        events: by place, all that were found.
        missing: the places of those that were not.
    """

    events: dict[int, Event]
    missing: frozenset[int]


def select(source: Source, decision: int, size: int) -> Selection:
    """Select the events of a decision's bundle.

    Args:
        source: where they come from.
        decision: the decision.
        size: the number of events that the checkpoint commits to.
    """
    named = (event.seq for event in source.naming(decision) if _belongs(event, size))
    return _collected(source, [0, decision, *named, *_life(source, size)], decision)


def select_life(source: Source, size: int) -> Selection:
    """Select the events that say under which names and keys the log spoke, and who signed that: of no decision.

    Args:
        source: where they come from.
        size: the number of events that the checkpoint commits to.
    """
    return _collected(source, [0, *_life(source, size)], 0)


def _life(source: Source, size: int) -> list[int]:
    return [event.seq for event in source.touching(*LIFE_OF_THE_LOG, size)]


def _collected(source: Source, wanted: list[int], decision: int) -> Selection:
    """Give the wanted events and all that they lead to."""
    found: dict[int, Event] = {}
    missing: set[int] = set()
    signers: set[tuple[str, int]] = set()
    while wanted:
        seq = wanted.pop()
        if seq in found or seq in missing:
            continue
        event = source.event(seq)
        if event is None:
            missing.add(seq)
            continue
        found[seq] = event
        wanted += _leads_to(source, event, decision)
        stop = max(seq, decision)
        for signer in {(signer, stop) for signer in _signers(event)} - signers:
            signers.add(signer)
            wanted += [one.seq for one in source.touching("principal", *signer)]
    return Selection(dict(sorted(found.items())), frozenset(missing))


def making(view: str, events: Sequence[Event]) -> Sequence[Event]:
    """Give those of the events touching a state that its present value follows from; of readings the latest first."""
    if view in LAST_COUNTS or not events:
        return events[-1:]
    if view == EVIDENCE:
        last = {(one.body.kind, one.body.issuer): one for one in events if isinstance(one.body, EvidenceRecorded)}
        return sorted(last.values(), key=_place)
    if view in LATEST_COUNTS:
        latest = max(events, key=_taken)
        return (events[-1],) if latest is events[-1] else (latest, events[-1])
    return events


def _place(event: Event) -> int:
    return event.seq


def follows(event: Event, decision: int) -> bool:
    """Tell whether the event is a consumption, a request or an outcome of the decision."""
    followers = ConsentConsumed | ConsentRequested | OutcomeReported
    return isinstance(event.body, followers) and event.body.decision == decision


def _belongs(event: Event, size: int) -> bool:
    """Tell whether a bundle over ``size`` events holds what followed; an outcome may come after its checkpoint."""
    return event.seq < size or not isinstance(event.body, OutcomeReported)


def _leads_to(source: Source, event: Event, decision: int) -> Iterable[int]:
    body = event.body
    if isinstance(body, DecisionMade) and event.seq == decision:
        yield from event.causes
        for read in body.reads:
            yield from (one.seq for one in making(read.view, source.touching(read.view, read.key)))
    match body:
        case TrustUpdated():
            yield body.observed
        case ConstitutionAmended():
            # And so on back to the constitution that a human adopted: what each asks for, the one before it says.
            yield from (body.adopted, body.base)
        case AmendmentAdopted():
            yield from (body.amendment, *body.votes)
        case AmendmentProposed():
            yield body.base


def _signers(event: Event) -> set[str]:
    """Name those on whose registration the signature of an event rests; genesis rests on itself."""
    match event.body:
        case LedgerOpened():
            return set()
        case PrincipalRegistered(owner=str(owner)):
            return {event.by, owner}
        case AmendmentVoted(human=human) | AmendmentAdopted(human=human):
            return {event.by, human}
        case GrantRatifiedTogether(subject=subject, cosigned=others):
            # And the subject: whoever controls it is none of them.
            return {event.by, subject, *(one.by for one in others)}
        case SignedBody():
            return {event.by}
    return set()


def _taken(event: Event) -> tuple[str, int]:
    body = event.body
    return (min(body.taken, event.at) if isinstance(body, TrustUpdated) else "", event.seq)
