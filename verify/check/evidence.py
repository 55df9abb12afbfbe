"""The bundle, taken apart once for all checks: its events read, its openings tried, its states folded.

`Evidence` is the bundle as a source of events and as a reader of states: what `grants` and `decisions` read from a log
when they decide, they read from it when a decision is checked. A state is folded when it is asked for, from the events
of the bundle before the decision that touch it, and from no others.

Source: DESIGN sections 6 (views) and 8.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from decisions.events import DecisionMade, TrustUpdated
from ledger import canon, disclosure
from ledger.checkpoint import Checkpoint
from ledger.disclosure import Opening
from ledger.errors import DisclosureError, EventError, NoteError
from ledger.event import Event, Registry
from ledger.note import parse_note
from ledger.view import State, StateRow, View, step
from verify.bundle.form import Bundle
from verify.bundle.selection import follows, making

_LONG_AGO = "0001-01-01T00:00:00.000000Z"


@dataclass(slots=True)
class Evidence:
    """What a bundle says, before anything of it is believed.

    Attributes:
        events: those that could be read, by place.
        unread: why the others could not.
        kept: the openings that fit, by event.
        misfits: why the others do not.
    """

    bundle: Bundle
    registry: Registry
    views: Sequence[View]
    events: dict[int, Event] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    kept: dict[int, list[Opening]] = field(default_factory=lambda: defaultdict(list))
    misfits: list[str] = field(default_factory=list)
    _by_name: dict[str, View] = field(init=False)
    _all: dict[tuple[str, str], list[Event]] = field(default_factory=lambda: defaultdict(list))
    _touching: dict[tuple[str, str], list[Event]] = field(default_factory=lambda: defaultdict(list))
    _rows: dict[tuple[str, str], StateRow | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name = {view.name: view for view in self.views}
        for bundled in self.bundle.events:
            try:
                event = self.registry.parse(bundled.data)
            except EventError as error:
                self.unread.append(f"event {bundled.seq}: {error}")
                continue
            if event.seq != bundled.seq:
                self.unread.append(f"event {bundled.seq}: it says that it is event {event.seq}")
                continue
            self.events[event.seq] = event
            self._index(event)
        for disclosed in self.bundle.disclosures:
            try:
                self._try(disclosed.seq, disclosed.opening)
            except DisclosureError as error:
                self.misfits.append(f"event {disclosed.seq}: {error}")

    def _index(self, event: Event) -> None:
        for view in self.views:
            for key in view.keys(event):
                self._all[view.name, key].append(event)
                if event.seq < self.bundle.decision:
                    self._touching[view.name, key].append(event)

    def _try(self, seq: int, opening: Opening) -> None:
        event = self.events.get(seq)
        if event is None:
            raise DisclosureError("it is not in the bundle")
        disclosure.check(event.body, opening)
        self.kept[seq].append(opening)

    @property
    def decision(self) -> tuple[Event, DecisionMade] | None:
        """The decision, or None where the event of that place is none."""
        event = self.events.get(self.bundle.decision)
        return (event, event.body) if event is not None and isinstance(event.body, DecisionMade) else None

    @property
    def size(self) -> int:
        """How many events the checkpoint says that it commits to; what the bundle holds, where it can't be read."""
        try:
            return Checkpoint.parse(parse_note(self.bundle.checkpoint)[0]).size
        except NoteError:
            return max(self.events, default=self.bundle.decision) + 1

    @property
    def whole(self) -> "Whole":
        """The states that all events of the bundle make, those after the decision too."""
        return Whole(self)

    def knows(self, view: str) -> bool:
        """Tell whether there is a view of that name."""
        return view in self._by_name

    # -- as the source of its own selection --

    def event(self, seq: int) -> Event | None:
        """Give an event, or None where the bundle has none."""
        return self.events.get(seq)

    def touching(self, view: str, key: str, stop: int | None = None) -> Sequence[Event]:
        """Give the events before the decision, or before ``stop``, that changed a state, oldest first."""
        if stop is None:
            return self._touching.get((view, key), [])
        return [event for event in self._all.get((view, key), []) if event.seq < stop]

    def naming(self, decision: int) -> Sequence[Event]:
        """Give the consumptions, requests and outcomes that name the decision, oldest first."""
        return [event for event in self.events.values() if follows(event, decision)]

    # -- as a reader of states --

    def state(self, view: str, key: str) -> StateRow | None:
        """Give a state as of the decision, or None where no event of the bundle made it.

        Raises:
            ViewError: the events contradict each other.
        """
        if (view, key) not in self._rows:
            self._rows[view, key] = self.fold(view, key, self.touching(view, key))
        return self._rows[view, key]

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event before the decision, or None."""
        event = self.events.get(seq) if seq < self.bundle.decision else None
        return event.data if event is not None else None

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that fit."""
        return self.kept.get(seq, [])

    def fold(self, name: str, key: str, events: Sequence[Event]) -> StateRow | None:
        """Fold events into one state.

        Raises:
            ViewError: the events contradict each other.
        """
        view = self._by_name[name]
        row: StateRow | None = None
        for event in making(name, events):
            body = event.body
            before = _resumed(row, body) if name == "trust" and isinstance(body, TrustUpdated) else row
            row = step(view, key, before, event)
        return row


@dataclass(frozen=True, slots=True)
class Whole:
    """A bundle as a reader of states as of its checkpoint: what is signed after the decision is judged by these.

    Of the states only those are complete that say who may sign, and under which key the log speaks.
    """

    evidence: Evidence

    def state(self, view: str, key: str) -> StateRow | None:
        """Give a state, or None where no event of the bundle made it.

        Raises:
            ViewError: the events contradict each other.
        """
        return self.evidence.fold(view, key, self.evidence.touching(view, key, self.evidence.size))

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event, or None."""
        event = self.evidence.events.get(seq)
        return None if event is None else event.data

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings that fit."""
        return self.evidence.openings(seq)


def _resumed(row: StateRow | None, update: TrustUpdated) -> StateRow:
    """Give the trust that an update says stood before it: the updates before that are not in the bundle."""
    state: State = {"observed": 0, "taken": _LONG_AGO} if row is None else dict(row.state)
    state |= {"n": update.n[0], "accumulator": update.accumulator[0], "c_ctx": update.c_ctx[0]}
    return StateRow("trust", "", update.observed, canon.encode(state))
