"""The second stage: what the events say, held against their columns, claims, tags, openings, signatures and states.

An event that the first stage does not believe is passed over, with what hangs on it. From there on the states can't
be worked out, so they and the signatures, which are judged by states, are skipped and said to be.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ledger import canon, disclosure
from ledger.disclosure import Opening
from ledger.errors import CanonError, DisclosureError, EventError
from ledger.event import Event, Registry, SignedBody
from ledger.events import LedgerOpened
from ledger.sql.raw import DisclosureRow, EventRow, KeyRow, RawTables
from ledger.sql.rows import RESTORED
from ledger.view import StateRow, View, step
from tools.audit.erasures import Closed, standing
from tools.audit.report import Progress, Status, Tallies, spell
from tools.audit.side import Side

STEP = 1000


@dataclass(slots=True)
class FoldedStates:
    """The states before the event that is being checked: what its signature is judged by."""

    raw: RawTables
    rows: dict[tuple[str, str], StateRow] = field(default_factory=dict)

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the state of one key of a view, or None."""
        return self.rows.get((view, key))

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the exact bytes of one event, or None."""
        data = self.raw.event_bytes(seq)
        return data if isinstance(data, bytes) else None

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings of an event, sorted by path.

        Raises:
            DisclosureError: one of them can't be read.
        """
        return [read_opening(row) for row in self.raw.openings(seq)]


CheckSignature: TypeAlias = Callable[[FoldedStates, Event], None]
"""Raises if the event is not signed by a key that had the authority, by the states before it; or, where it bears no
signature, if it does not follow from what was signed."""


@dataclass(slots=True)
class ContentCheck:
    """One run of the stage.

    Attributes:
        genesis: the first event's body, once it is read.
        last_at: the last event's time, or None where it can't be known.
        lives: how often the log was restored, and 1.
    """

    raw: RawTables
    registry: Registry
    views: Sequence[View]
    check_signature: CheckSignature
    tallies: Tallies
    status: Status
    genesis: LedgerOpened | None = None
    last_at: str | None = None
    lives: int = 1
    _states: FoldedStates = field(init=False)
    _trusted: bool = True
    _closed: Closed = field(default_factory=Closed)

    def __post_init__(self) -> None:
        self._states = FoldedStates(self.raw)

    def run(self, size: int, damaged: set[int]) -> None:
        """Check every event that is there and believed, then the states."""
        events = Side(self.raw.events(), _ignore)
        claims = Side(self.raw.claims(), self._stranger("claims"))
        tags = Side(self.raw.tags(), self._stranger("tags"))
        openings = Side(self.raw.disclosures(), self._strange_opening)
        for seq in range(size):
            rows = events.take(seq)
            event = self._read(rows[0]) if rows and seq not in damaged else None
            own = (claims.take(seq), tags.take(seq), openings.take(seq))
            if event is None:
                self._pass_over(seq)
            else:
                self._keys("claims", event, event.claims, own[0])
                self._keys("tags", event, event.tags, own[1])
                self._openings(event, own[2])
                self._authority(event)
                self._fold(event)
            if not (seq + 1) % STEP or seq + 1 == size:
                self.status(Progress("events", seq + 1, size))
        for side in (claims, tags, openings):
            side.finish()
        self._closed.tell(self.tallies)
        if self._trusted:
            self._compare_states()

    # -- one event --

    def _read(self, row: EventRow) -> Event | None:
        before, self.last_at = self.last_at, None
        try:
            # Bytes they are: the first stage has hashed them.
            event = self.registry.parse(row.data if isinstance(row.data, bytes) else b"")
        except EventError as error:
            self._bad_event(row.seq, str(error))
            return None
        self._columns(row, event)
        if before is not None and event.at < before:
            self._bad_event(row.seq, f"its time {event.at} is before that of the event before it")
        if any(not 0 <= cause < event.seq for cause in event.causes):
            self._bad_event(row.seq, "it names a cause that is no earlier event")
        self.last_at = event.at
        self.lives += event.type == RESTORED
        if event.seq == 0 and isinstance(event.body, LedgerOpened):
            self.genesis = event.body
        return event

    def _columns(self, row: EventRow, event: Event) -> None:
        for name, stored, own in (
            ("seq", row.seq, event.seq),
            ("at", row.at, event.at),
            ("type", row.type, event.type),
        ):
            if stored != own:
                self._bad_event(row.seq, f"the column {name} holds {spell(stored)}, the event says {own}")

    def _pass_over(self, seq: int) -> None:
        self.last_at = None
        self._distrust(f"event {seq} can't be believed")
        for dimension in ("claims", "tags", "disclosures"):
            self.tallies.skip(dimension, f"those of event {seq} can't be known")

    def _keys(self, table: str, event: Event, expected: Callable[[], Sequence[str]], rows: list[KeyRow]) -> None:
        try:
            missing = set(expected())
        except Exception as error:  # noqa: BLE001  (an event type of another package: its fault is a finding)
            self._bad_event(event.seq, f"its {table} can't be worked out: {error}")
            return
        strange = []
        for row in rows:
            self.tallies.checked(table)
            if row.key in missing:
                missing.discard(str(row.key))
            else:
                strange.append(row)
        for key in sorted(missing):
            self.tallies.find(table, table, _key(table, key, event.seq), f"missing: event {event.seq} demands it")
        for row in strange:
            self._stranger(table)(row)

    def _openings(self, event: Event, rows: list[DisclosureRow]) -> None:
        declared = {path for path, _ in disclosure.paths(event.body)}
        self._closed.look(self.raw, event.seq, sorted(declared.difference(str(row.path) for row in rows)))
        for key, message in standing(self.raw, event):
            self.tallies.find("disclosures", "disclosures", key, message)
        for row in rows:
            self.tallies.checked("disclosures")
            try:
                disclosure.check(event.body, read_opening(row))
            except DisclosureError as error:
                self.tallies.find("disclosures", "disclosures", f"{event.seq} {spell(row.path)}", str(error))

    def _authority(self, event: Event) -> None:
        if not self._trusted:
            return
        signed = isinstance(event.body, SignedBody)
        self.tallies.checked("signatures", int(signed))
        try:
            self.check_signature(self._states, event)
        except Exception as error:  # noqa: BLE001  (whatever it raises says that the signature does not hold)
            fault = "it has no valid signature" if signed else "it does not follow from what was signed"
            self.tallies.find("signatures", "events", f"seq {event.seq}", f"{fault}: {error}")

    def _fold(self, event: Event) -> None:
        if not self._trusted:
            return
        rows = self._states.rows
        try:
            for view in self.views:
                for key in view.keys(event):
                    rows[view.name, key] = step(view, key, rows.get((view.name, key)), event)
        except Exception as error:  # noqa: BLE001  (a view of another package: its fault is a finding)
            self.tallies.find("states", "events", f"seq {event.seq}", f"the views can't fold it: {error}")
            self._distrust(f"event {event.seq} can't be folded")

    # -- states --

    def _compare_states(self) -> None:
        expected = self._states.rows
        for row in self.raw.states():
            self.tallies.checked("states")
            key = f"{spell(row.view)} {spell(row.key)}"
            own = expected.pop((str(row.view), str(row.key)), None)
            if own is None or (own.view, own.key) != (row.view, row.key):
                self.tallies.find("states", "states", key, "no event makes such a state")
            elif type(row.seq) is not int or row.seq != own.seq:
                self.tallies.find("states", "states", key, f"seq is {spell(row.seq)}, event {own.seq} changed it last")
            elif row.state != own.data:
                self.tallies.find("states", "states", key, "the state is not what the events fold into")
        for view, name in sorted(expected):
            self.tallies.find("states", "states", f"{view} {name}", "the state is missing")

    # -- findings --

    def _distrust(self, reason: str) -> None:
        if self._trusted:
            self.tallies.skip("states", reason)
            self.tallies.skip("signatures", f"not from here on: {reason}")
        self._trusted = False

    def _bad_event(self, seq: object, message: str) -> None:
        self.tallies.find("events", "events", f"seq {spell(seq)}", message)

    def _stranger(self, table: str) -> Callable[[KeyRow], None]:
        def tell(row: KeyRow) -> None:
            key = _key(table, spell(row.key), spell(row.seq))
            self.tallies.find(table, table, key, f"event {spell(row.seq)} has no such entry")

        return tell

    def _strange_opening(self, row: DisclosureRow) -> None:
        key = f"{spell(row.seq)} {spell(row.path)}"
        self.tallies.find("disclosures", "disclosures", key, "it belongs to no event")


def read_opening(row: DisclosureRow) -> Opening:
    """Read an opening as it is stored.

    Raises:
        DisclosureError: it is none.
    """
    if not (isinstance(row.path, str) and isinstance(row.salt, bytes) and isinstance(row.value, bytes)):
        raise DisclosureError("not a path, a salt and a value")
    try:
        return Opening(row.path, row.salt, canon.decode(row.value))
    except CanonError as error:
        raise DisclosureError(f"its value can't be read: {error}") from error


def _key(table: str, key: str, seq: object) -> str:
    return key if table == "claims" else f"{key} {seq}"


def _ignore(_row: object) -> None:
    """Strange events were told of by the first stage."""
