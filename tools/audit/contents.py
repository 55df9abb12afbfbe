"""What the events of a range say, held against their columns and openings; and what they demand of other tables.

An event that the trees do not believe is passed over, with what hangs on it. The states, and the signatures, which are
judged by states, are folded afterwards, in order (`tools.audit.fold`): here it is found out which events they need.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from ledger import canon, digest, disclosure
from ledger.disclosure import Disclosable, Opening
from ledger.errors import CanonError, DisclosureError, EventError
from ledger.event import Body, Event, Registry, SignedBody
from ledger.multiset import Weights
from ledger.sql.ranges import Keyed, Row
from ledger.sql.rows import RESTORED
from ledger.view import View
from tools.audit.erasures import Closed, Tables, standing
from tools.audit.report import Kind, Tallies, spell
from tools.audit.trees import never_written


@dataclass(slots=True)
class Demand:
    """The claims or tags that a range demands: how many rows, and their sum."""

    rows: int = 0
    sum: int = 0

    def add(self, texts: Collection[str], weights: Weights, place: int) -> None:
        """Take in an event's rows, each text once, at a place."""
        weight = 0
        for text in texts:
            weight += weights[text]
        self.rows += len(texts)
        self.sum += weight * place


@dataclass(slots=True)
class Contents:
    """What the events of a range come to.

    Attributes:
        first_at: time of the first event, and
        last_at: of the last one; None where it can't be known.
        lives: how often the log was restored in it.
        unread: the events that can't be believed, as bits counted from the first of its bucket.
        closed: the disclosable fields that have no opening.
        erases: whether one of them erases openings.
        acts: the events that are signed or that a view may fold: the place of each, and itself or its bytes.
    """

    first_at: str | None = None
    last_at: str | None = None
    lives: int = 0
    unread: int = 0
    closed: Closed = field(default_factory=Closed)
    claims: Demand = field(default_factory=Demand)
    tags: Demand = field(default_factory=Demand)
    erases: bool = False
    acts: list[tuple[int, Event | bytes]] = field(default_factory=list)

    def packed(self, views: Sequence[View]) -> "Contents":
        """Give the same for another process, which reads events quicker from their bytes, and needs few of them."""
        acts: list[tuple[int, Event | bytes]] = []
        for seq, act in self.acts:
            if not isinstance(act, Event):
                acts.append((seq, act))
            elif is_signed(type(act.body)) or _is_folded(views, act):
                acts.append((seq, act.data))
        return replace(self, acts=acts)

    def demand(self, table: Keyed) -> Demand:
        """Give what is demanded of one table."""
        return self.claims if table == "claims" else self.tags


@dataclass(slots=True)
class ContentCheck:
    """One walk over a range.

    Attributes:
        weights: what the rows of the other tables weigh in the sums.
        first: the number that the bits of ``unread`` are counted from.
    """

    tables: Tables
    registry: Registry
    weights: Weights
    tallies: Tallies
    first: int
    contents: Contents = field(default_factory=Contents)
    _after_unread: bool = False

    def run(self, start: int, stop: int, events: list[Row], openings: list[Row], damaged: set[int]) -> Contents:
        """Check every event that is there and believed."""
        by_seq: dict[int, list[Row]] = {}
        for row in openings:
            if type(row[0]) is int:
                by_seq.setdefault(row[0], []).append(row)
            else:
                self._strange_opening(row)
        rows = {row[0]: row for row in reversed(events)}
        for seq in range(start, stop):
            found = rows.get(seq)
            event = None if found is None or seq in damaged else self._read(seq, found)
            if event is None:
                self._pass_over(seq)
                continue
            self._demand(seq, event)
            if seq in by_seq or not _is_closed(type(event.body)):
                self._openings(seq, event, by_seq.get(seq, ()))
            if event.body.folded or is_signed(type(event.body)):
                self.contents.acts.append((seq, event))
        return self.contents

    # -- one event --

    def _read(self, seq: int, row: Row) -> Event | None:
        _, at, type_, data = row
        try:
            # Bytes they are: the trees have hashed them.
            event = self.registry.parse(data if isinstance(data, bytes) else b"")
        except EventError as error:
            self._bad_event(seq, str(error))
            return None
        own, contents = event.at, self.contents
        if at != own or type_ != event.body.type or seq != event.seq:
            self._columns(row, event)
        before = contents.last_at
        if before is None:
            if not self._after_unread:
                contents.first_at = own
        elif own < before:
            self._bad_event(seq, f"its time {own} is before that of the event before it")
        if event.causes and not (min(event.causes) >= 0 and max(event.causes) < event.seq):
            self._bad_event(seq, "it names a cause that is no earlier event")
        contents.last_at = own
        contents.lives += event.body.type == RESTORED
        return event

    def _columns(self, row: Row, event: Event) -> None:
        for name, stored, own in zip(("seq", "at", "type"), row, (event.seq, event.at, event.type), strict=False):
            if stored != own:
                self._bad_event(row[0], f"the column {name} holds {spell(stored)}, the event says {own}")

    def _pass_over(self, seq: int) -> None:
        self.contents.last_at, self._after_unread = None, True
        self.contents.unread |= 1 << seq - self.first
        for dimension in ("claims", "tags", "disclosures"):
            self.tallies.skip(dimension, f"those of event {seq} can't be known")

    def _demand(self, seq: int, event: Event) -> None:
        weights, contents = self.weights, self.contents
        place = weights.places[seq % len(weights.places)]
        try:
            claims = event.claims()
            contents.claims.add(set(claims) if len(claims) > 1 else claims, weights, place)
        except Exception as error:  # noqa: BLE001  (an event type of another package: its fault is a finding)
            self._bad_event(seq, f"its claims can't be worked out: {error}")
        try:
            contents.tags.add(event.tags(), weights, place)
        except Exception as error:  # noqa: BLE001  (as above)
            self._bad_event(seq, f"its tags can't be worked out: {error}")

    def _openings(self, seq: int, event: Event, rows: Sequence[Row]) -> None:
        declared = dict(disclosure.paths(event.body))
        if len(rows) != len(declared) or any(row[1] not in declared for row in rows):
            missing = declared.keys() - {row[1] for row in rows}
            self.contents.closed.look(self.tables, seq, sorted(missing))
        self.contents.erases |= any(True for _ in event.body.erases())
        for key, message in standing(self.tables, event):
            self.tallies.find("disclosures", "disclosures", key, message, events=(seq, seq + 1))
        self.tallies.checked("disclosures", len(rows))
        for row in rows:
            try:
                check_opening(declared, row)
            except DisclosureError as error:
                key = f"{seq} {spell(row[1])}"
                kind: Kind = "torn" if any(map(never_written, row[2:])) else "tampering"
                self.tallies.find("disclosures", "disclosures", key, str(error), kind=kind, events=(seq, seq + 1))

    # -- findings --

    def _bad_event(self, seq: object, message: str) -> None:
        inside = (seq, seq + 1) if type(seq) is int else None
        self.tallies.find("events", "events", f"seq {spell(seq)}", message, events=inside)

    def _strange_opening(self, row: Row) -> None:
        key = f"{spell(row[0])} {spell(row[1])}"
        self.tallies.find("disclosures", "disclosures", key, "it belongs to no event")


@cache
def is_signed(body: type[Body]) -> bool:
    """Tell a type whose events are signed; asked of a type once, since the models' own check takes long."""
    return issubclass(body, SignedBody)


@cache
def _is_closed(body: type[Body]) -> bool:
    """Tell a type whose events have no openings and erase none, whatever they say; most have none."""
    return body.erases is Body.erases and not disclosure.may_disclose(body)


def _is_folded(views: Sequence[View], event: Event) -> bool:
    try:
        return any(True for view in views for _ in view.keys(event))
    except Exception:  # noqa: BLE001  (a view of another package: the fold will say so)
        return True


def check_opening(declared: dict[str, Disclosable], row: Row) -> None:
    """Accept an opening, as it is stored, of one of the fields that an event declares.

    Raises:
        DisclosureError: it is none, or does not fit.
    """
    opening = read_opening(row)
    commitment = declared.get(opening.path)
    if commitment is None:
        raise DisclosureError(f"{opening.path} is not a disclosable field of this event")
    fits = len(opening.salt) == digest.SIZE and commitment.sd == canon.to_base64url(
        digest.field_of(opening.salt, opening.path, row[3] if isinstance(row[3], bytes) else b"")
    )
    if not fits:
        raise DisclosureError(f"the opening of {opening.path} does not fit its commitment")


def read_opening(row: Row) -> Opening:
    """Read an opening as it is stored: seq, path, salt, value.

    Raises:
        DisclosureError: it is none.
    """
    _, path, salt, value = row
    if not (isinstance(path, str) and isinstance(salt, bytes) and isinstance(value, bytes)):
        raise DisclosureError("not a path, a salt and a value")
    try:
        return Opening(path, salt, canon.decode(value))
    except CanonError as error:
        raise DisclosureError(f"its value can't be read: {error}") from error
