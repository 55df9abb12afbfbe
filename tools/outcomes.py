"""What became of effects, as a ledger holds it: which allowed decisions are closed, and which nobody has told of.

Source: DESIGN sections 7 and 11; policy case D03.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from decisions.book import OUTCOME
from decisions.events import DecisionMade, OutcomeReported
from grants.events import ConsentConsumed
from grants.reading import read_event
from ledger.canon import Json
from ledger.event import Event, Registry
from ledger.log import Snapshot


@dataclass(frozen=True, slots=True)
class Open:
    """An allowed decision of which nobody has told what became of it.

    Attributes:
        event: the decision.
        spent: what it spent, by the consumptions' places.
    """

    event: Event
    body: DecisionMade
    spent: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object."""
        return {
            "decision": self.event.seq,
            "at": self.event.at,
            "by": self.event.by,
            "via": self.event.via,
            "request": self.event.request,
            "targets": [action.target for action in self.body.actions],
            "spent": list(self.spent),
        }


def open_decisions(snapshot: Snapshot, registry: Registry) -> Iterator[Open]:
    """Give the allowed decisions without an outcome, oldest first."""
    for seq in snapshot.tagged("outcome:allow"):
        if snapshot.state(OUTCOME, str(seq)) is None:
            event = read_event(snapshot, registry, seq)
            if event is not None and isinstance(event.body, DecisionMade):
                yield Open(event, event.body, spent_by(snapshot, registry, seq))


def spent_by(snapshot: Snapshot, registry: Registry, decision: int) -> tuple[int, ...]:
    """Give the places of the consumptions of a decision."""
    events = (read_event(snapshot, registry, seq) for seq in snapshot.tagged(f"decision:{decision}"))
    return tuple(event.seq for event in events if event is not None and isinstance(event.body, ConsentConsumed))


def outcome_of(snapshot: Snapshot, registry: Registry, decision: int) -> Event | None:
    """Give the event that tells what became of a decision's effect, or None."""
    row = snapshot.state(OUTCOME, str(decision))
    seq = row.state["seq"] if row is not None else None
    event = read_event(snapshot, registry, seq) if isinstance(seq, int) else None
    return event if event is not None and isinstance(event.body, OutcomeReported) else None
