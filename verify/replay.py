"""Replay: every recorded decision decided again, from the log's own states at that point.

The log is folded once, from its first event. What is kept is the states, the constitution in force and the grants:
never the whole log. With another constitution in place of the adopted ones, the same walk answers what would have
happened under it.

    same             the verdict comes out as it was recorded
    changed          it does not; what differs is named
    not replayable   a reading of trust that the verdict used was erased since, and counts as 0 now; or an error denied
                     it that does not come again; or the plug-in that read the operation is not here; or, under another
                     constitution, something that it reads is not there

Beside that, the recorded actions are held against the operation as received, where that is still there. Where it was
erased, or depends on a home directory, they are taken as recorded and the line says so.

Source: DESIGN sections 1, 6 and 8.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decisions.amendment.check import check_amendment
from decisions.amendment.events import (
    AmendmentAdopted,
    AmendmentProposed,
    AmendmentRejected,
    AmendmentVoted,
    ConstitutionAmended,
)
from decisions.constitution.loader import load_cached
from decisions.constitution.model import Constitution
from decisions.draft import fired
from decisions.errors import DecisionError
from decisions.events import Adoption, DecisionMade, FiredRule, Outcome, Reason, TrustUpdated
from decisions.law import Law, law_of
from decisions.reducers import read_by
from grants.errors import GrantError
from grants.events import ConsentGranted, EvidenceRecorded, GrantRatified
from grants.reading import StateReader
from ledger import disclosure
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import DisclosureError, LedgerError
from ledger.event import Event, Registry
from ledger.view import StateRow, View, step
from verify.check.reduction import CHECK, lacking_plugin, reduce_again
from verify.check.report import Line, failed
from verify.errors import ReplayError
from verify.redecision import Redecision, decide_again, differences
from verify.whatif import claims_of, unheard, unread

Status: TypeAlias = Literal["same", "changed", "not replayable"]
Openings: TypeAlias = Callable[[int], Sequence[Opening]]


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """How one decision came out.

    Attributes:
        seq: the decision.
        recorded: outcome and reason as they stand in the log.
        replayed: outcome and reason as they come out now.
        why: what differs or what is missing, or an empty text.
        unreduced: why its actions are taken as recorded, or an empty text where the operation was reduced again.
        spoke: the rules that spoke then, where the outcome is another now; and
        speak: those that speak now.
    """

    seq: int
    status: Status
    recorded: tuple[Outcome, Reason]
    replayed: tuple[Outcome, Reason]
    why: str = ""
    unreduced: str = ""
    spoke: tuple[FiredRule, ...] = ()
    speak: tuple[FiredRule, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """Give the line as one JSON object."""
        explained: dict[str, Json] = {
            "explained": {
                "recorded": [one.model_dump(mode="json") for one in self.spoke],
                "replayed": [one.model_dump(mode="json") for one in self.speak],
            }
        }
        return {
            "decision": self.seq,
            "status": self.status,
            "recorded": {"outcome": self.recorded[0], "reason": self.recorded[1]},
            "replayed": {"outcome": self.replayed[0], "reason": self.replayed[1]},
            "why": self.why,
            "unreduced": self.unreduced,
            **(explained if self.spoke or self.speak else {}),
        }


class _Walk:
    """The states as of the events that were passed: a `StateReader` that moves on."""

    def __init__(self, registry: Registry, views: Sequence[View], openings: Openings) -> None:
        self._registry = registry
        self._views = views
        self._rows: dict[tuple[str, str], StateRow] = {}
        self._grants: dict[int, bytes] = {}
        self._observed: dict[str, Event] = {}
        self._evidence: dict[tuple[str, str, str], Event] = {}
        self._last: Event | None = None
        self._adopted: Event | None = None
        self._amending: dict[int, bytes] = {}
        self._size = 0
        self.openings = openings

    def read(self, seq: int, data: bytes) -> Event:
        if seq != self._size:
            raise ReplayError(f"event {seq} comes where event {self._size} should")
        try:
            event = self._registry.parse(data)
        except LedgerError as error:
            raise ReplayError(f"event {seq}: {error}") from error
        if event.seq != seq:
            raise ReplayError(f"event {event.seq} stands in the place of event {seq}")
        return event

    def go(self, event: Event) -> None:
        try:
            check_amendment(self, self._registry, event)
            for view in self._views:
                for key in view.keys(event):
                    self._rows[view.name, key] = step(view, key, self._rows.get((view.name, key)), event)
        except (LedgerError, GrantError, DecisionError) as error:
            raise ReplayError(f"event {event.seq}, {event.type}: {error}; run tally audit") from error
        if isinstance(event.body, ConsentGranted | GrantRatified):
            self._grants[event.seq] = event.data
        if isinstance(event.body, EvidenceRecorded):
            self._evidence[event.body.subject, event.body.kind, event.body.issuer] = event
        self._keep_amending(event)
        if isinstance(event.body, Adoption):
            self._adopted = event
        if isinstance(event.body, TrustUpdated):
            self._keep_reading(event.body)
        self._last = event
        self._size = event.seq + 1

    def _keep_amending(self, event: Event) -> None:
        """Keep what the next constitution, and the one in force, is judged by; of proposals those that are open."""
        match event.body:
            case AmendmentProposed() | AmendmentVoted() | AmendmentAdopted():
                self._amending[event.seq] = event.data
            case AmendmentRejected(amendment=amendment):
                self._amending.pop(amendment, None)
            case ConstitutionAmended():
                # What changes the constitution before it is stale from now on.
                kept = {seq: self._registry.parse(data).body for seq, data in self._amending.items()}
                stale = [seq for seq, body in kept.items() if isinstance(body, AmendmentProposed)]
                for seq in stale:
                    del self._amending[seq]

    def _keep_reading(self, body: TrustUpdated) -> None:
        """Keep the observation behind which an update stands while its reading is the latest of these parties."""
        key = f"{body.system}|{body.counterpart}"
        row, last = self._rows.get(("reading", key)), self._last
        if row is not None and last is not None and row.state.get("observed") == last.seq:
            self._observed[key] = last

    @property
    def constitution(self) -> Constitution | None:
        """The one that was adopted last, or None."""
        body = self._adopted.body if self._adopted is not None else None
        return load_cached(body.document) if isinstance(body, Adoption) else None

    def state(self, view: str, key: str) -> StateRow | None:
        return self._rows.get((view, key))

    def event_bytes(self, seq: int) -> bytes | None:
        if self._adopted is not None and self._adopted.seq == seq:
            return self._adopted.data
        if seq in self._grants:
            return self._grants[seq]
        if seq in self._amending:
            return self._amending[seq]
        others = (*self._observed.values(), *self._evidence.values())
        return next((event.data for event in others if event.seq == seq), None)


def replay(
    events: Iterable[tuple[int, bytes]],
    openings: Openings,
    registry: Registry,
    views: Sequence[View],
    constitution: str | None = None,
) -> Iterator[ReplayLine]:
    """Decide every recorded decision again.

    Args:
        events: the log, from its first event on, in order.
        openings: gives the openings that are kept for an event.
        registry: the event types.
        views: the folds.
        constitution: the TOML text of a constitution to decide by instead of the adopted ones, or None.

    Raises:
        ConstitutionError: the other constitution is refused.
        ReplayError: while the lines are taken: the log can't be folded.
    """
    # Read here, not in the generator: a constitution is refused before the log is walked.
    law = None if constitution is None else law_of(constitution)
    return _lines(events, _Walk(registry, views, openings), registry, law)


def _lines(
    events: Iterable[tuple[int, bytes]], walk: _Walk, registry: Registry, law: Law | None
) -> Iterator[ReplayLine]:
    for seq, data in events:
        event = walk.read(seq, data)
        if isinstance(event.body, DecisionMade):
            yield _line(walk, registry, event, event.body, law)
        walk.go(event)


def _supposed(walk: _Walk, registry: Registry, event: Event, body: DecisionMade, law: Law) -> ReplayLine:
    """Decide by a constitution that was not in force; where anything that it needs is missing, nothing is said."""
    openings = walk.openings(event.seq)
    names = unheard(body, walk.constitution if body.constitution else None, law.constitution)
    claims = claims_of(body, openings, names)
    again = decide_again(walk, registry, event, body, law, claims)
    verdict = again.evaluation.verdict
    recorded, replayed = (body.outcome, body.reason), (verdict.outcome, verdict.reason)
    reduced = _reduced(body, openings)
    unreduced = "" if reduced.status == "PASS" else reduced.why
    missing = _absent(body) or unread(walk, body) or _lacking(body, again)
    if claims is None:
        missing = f"whether the payload spoke of {', '.join(names)} was not recorded, and it is not open any more"
    if missing:
        return ReplayLine(event.seq, "not replayable", recorded, replayed, missing, unreduced)
    if verdict.outcome == body.outcome:
        return ReplayLine(event.seq, "same", recorded, replayed, "", unreduced)
    speak = tuple(fired(spoken) for spoken in verdict.spoken)
    return ReplayLine(event.seq, "changed", recorded, replayed, _named(("outcome",)), unreduced, body.rules, speak)


def _line(walk: _Walk, registry: Registry, event: Event, body: DecisionMade, law: Law | None) -> ReplayLine:
    if law is not None:
        return _supposed(walk, registry, event, body, law)
    again = decide_again(walk, registry, event, body)
    verdict = again.evaluation.verdict
    recorded, replayed = (body.outcome, body.reason), (verdict.outcome, verdict.reason)
    changed = differences(event, body, again)
    absent = _absent(body)
    lacking = absent or _lacking(body, again)
    reduced = _reduced(body, walk.openings(event.seq))
    if reduced.status == "FAIL":
        # No erased reading explains this: the operation is there, and it is another one.
        why = f"{_named((*changed, reduced.check))}: {reduced.why}"
        return ReplayLine(event.seq, "changed", recorded, replayed, why)
    unreduced = "" if reduced.status == "PASS" else reduced.why
    # A reading that was gone already when it was decided counted as 0 then too, and the verdict would be the same.
    status: Status = "same" if not (changed or absent) else "not replayable" if lacking else "changed"
    return ReplayLine(event.seq, status, recorded, replayed, lacking or _named(changed), unreduced)


def _reduced(body: DecisionMade, openings: Sequence[Opening]) -> Line:
    try:
        for opening in openings:
            disclosure.check(body, opening)
    except DisclosureError as error:
        return failed(CHECK, str(error))
    return reduce_again(body, openings)


def _absent(body: DecisionMade) -> str:
    """Say which plug-in read the operation that is not here: nobody can tell what its actions were read from."""
    return lacking_plugin(body) if read_by(body.form) != body.plugin else ""


def _lacking(body: DecisionMade, again: Redecision) -> str:
    """Say what is not there any more for the decision to come out as it was recorded."""
    if again.withheld:
        return f"the reading of trust in event {min(again.withheld)} is erased and counts as 0"
    if body.reason == "POLICY_ERROR" and again.evaluation.verdict.reason != "POLICY_ERROR":
        return "an error denied it, and does not come again"
    return ""


def _named(changed: Sequence[str]) -> str:
    return f"differs in {', '.join(changed)}" if changed else ""


def redecided(
    events: Iterable[tuple[int, bytes]], openings: Openings, registry: Registry, views: Sequence[View]
) -> Iterator[tuple[Event, DecisionMade, Redecision, StateReader]]:
    """Decide every recorded decision again, and hand out what led to it, with the states as they stood.

    Args:
        events: the log, from its first event on, in order.
        openings: gives the openings that are kept for an event.
        registry: the event types.
        views: the folds.

    Raises:
        ReplayError: the log can't be folded.
    """
    walk = _Walk(registry, views, openings)
    for seq, data in events:
        event = walk.read(seq, data)
        if isinstance(event.body, DecisionMade):
            yield event, event.body, decide_again(walk, registry, event, event.body), walk
        walk.go(event)
