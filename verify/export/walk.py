"""Walking an export from its first event to its last, chunk by chunk: what each event says, held against the rest.

Memory holds the peaks of both trees, the states that the views fold, and which openings were erased; claims go to
temporary files.

Source: DESIGN sections 6 to 8; docs/spec/export.md.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from decisions.amendment.check import check_amendment
from decisions.errors import DecisionError
from decisions.events import Adoption
from decisions.observe import check_update
from decisions.ratifying import check_ratified
from decisions.relabelling import check_relabelled
from grants.authority import check_event
from grants.book.states import GenesisState
from grants.erasing import check_erased
from grants.errors import GrantError
from grants.principals import log_state
from ledger import canon, disclosure
from ledger.disclosure import Opening
from ledger.errors import CanonError, EventError, LedgerError
from ledger.event import MAX_EVENT_BYTES, Event, Registry, SignedBody
from ledger.events import LedgerOpened, LedgerRestored
from ledger.instant import Instant
from ledger.view import StateRow, View, step
from verify.errors import ExportFormError, VerifyError
from verify.export.files import Folder, Progress, Records
from verify.export.form import MAX_LINE, NODE_SIZE, Index, file_name
from verify.export.lines import CheckpointLine, OpeningLine
from verify.export.lookup import PassedEvents
from verify.export.report import Tally
from verify.export.seals import Seals
from verify.export.trees import Trees
from verify.export.unique import UniqueKeys

T = TypeVar("T")

_STEP: Final = 1000
_ERASED: Final = "erased:"
_FOLDING: Final = (VerifyError, DecisionError, GrantError, LedgerError, LookupError, TypeError, ValueError)
"""What an event that contradicts the log may raise where it is folded or its signature is judged."""


@dataclass(slots=True)
class Standing:
    """What stands before the event at hand: the reader by which its signature is judged."""

    passed: PassedEvents
    rows: dict[tuple[str, str], StateRow] = field(default_factory=dict)
    adopted: Event | None = None
    last: Event | None = None
    opened: Sequence[Opening] = ()

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the state of one key of a view, or None."""
        return self.rows.get((view, key))

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event before, or None."""
        # Most is judged by the last adoption and by the event right before.
        held = next((one for one in (self.adopted, self.last) if one is not None and one.seq == seq), None)
        return self.passed.event_bytes(seq) if held is None else held.data

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings of the event before."""
        return self.opened if self.last is not None and self.last.seq == seq else ()


@dataclass(slots=True)
class LogWalk:
    """One walk over an export.

    Attributes:
        genesis: the first event, once it is read.
        trees: both trees, over the events so far.
    """

    folder: Folder
    index: Index
    registry: Registry
    views: Sequence[View]
    seals: Seals
    progress: Progress
    genesis: Event | None = None
    trees: Trees = field(default_factory=Trees)
    events: Tally = field(default_factory=lambda: Tally("events"))
    own: Tally = field(default_factory=lambda: Tally("tree BLAKE3"))
    twin: Tally = field(default_factory=lambda: Tally("tree SHA-256"))
    signatures: Tally = field(default_factory=lambda: Tally("signatures"))
    states: Tally = field(default_factory=lambda: Tally("states"))
    disclosures: Tally = field(default_factory=lambda: Tally("disclosures"))
    withheld: int = 0
    _standing: Standing = field(init=False)
    _erased: set[str] = field(default_factory=set)
    _at: str = ""

    def __post_init__(self) -> None:
        self._standing = Standing(PassedEvents(self.folder, self.index))

    def run(self) -> None:
        """Walk to the end, or to where the export can't be followed any further.

        Raises:
            NotAnExportError: a file can't be read.
        """
        try:
            with UniqueKeys() as claims:
                for chunk in range(self.index.chunks):
                    self._chunk(chunk, claims)
                for before, seq in claims.repeated():
                    self.events.fault(f"event {seq} takes a key that event {before} has taken")
            self._check_erased()
        except ExportFormError as error:
            self.events.fault(f"after {self.trees.size} events: {error}")
            self._stop(f"the export can't be followed beyond {self.trees.size} events")

    def _chunk(self, chunk: int, claims: UniqueKeys) -> None:
        first, stop = self.index.bounds(chunk)
        with ExitStack() as files:

            def records(kind: str, most: int, parse: Callable[[bytes], T]) -> Records[T]:
                name = file_name(kind, chunk)
                return Records(files.enter_context(self.folder.open(name)), name, most, parse)

            events = records("events", MAX_EVENT_BYTES + 1, bytes)
            checkpoints = records("checkpoints", MAX_LINE, CheckpointLine.parse)
            openings = records("openings", MAX_LINE, OpeningLine.parse) if self.index.openings else None
            nodes = files.enter_context(self.folder.open(file_name("nodes", chunk)))
            for seq in range(first, stop):
                data = events.take()
                if data is None:
                    raise ExportFormError(f"the events end, and the index speaks of {self.index.size}")
                self._event(seq, data, self._opened(seq, openings), claims)
                added = self.trees.add(data)
                self._nodes(seq, added, nodes.read(NODE_SIZE * len(added)))
                self._standing.passed.passed(data)
                self._seal(seq + 1, checkpoints)
                if not (seq + 1) % _STEP or seq + 1 == self.index.size:
                    self.progress("events", seq + 1, self.index.size)
            self._check_ends(chunk, events=events, openings=openings, checkpoints=checkpoints)
            if nodes.read(1):
                self.own.fault(f"{file_name('nodes', chunk)} has more nodes than the events make")

    def _check_ends(self, chunk: int, **files: Records[Any] | None) -> None:
        for kind, records in files.items():
            if records is not None and records.peek() is not None:
                raise ExportFormError(f"{file_name(kind, chunk)} has a line that belongs to none of its events")

    # -- one event --

    def _nodes(self, seq: int, added: list[tuple[bytes, bytes]], stored: bytes) -> None:
        self.own.tried(len(added))
        self.twin.tried(len(added))
        if stored == b"".join(own + twin for own, twin in added):
            return
        position = 2 * seq - seq.bit_count()
        for offset, (own, twin) in enumerate(added):
            row = stored[offset * NODE_SIZE : (offset + 1) * NODE_SIZE]
            for tally, stored_hash, computed in ((self.own, row[:32], own), (self.twin, row[32:], twin)):
                if stored_hash != computed:
                    tally.fault(f"node {position + offset} is not what events up to {seq} make")

    def _opened(self, seq: int, openings: Records[OpeningLine] | None) -> list[OpeningLine]:
        found: list[OpeningLine] = []
        while openings is not None and (one := openings.peek()) is not None and one.seq <= seq:
            if one.seq < seq or (found and one.path <= found[-1].path):
                raise ExportFormError("openings are sorted by seq and path, and each stands once")
            found.append(one)
            openings.take()
        return found

    def _event(self, seq: int, data: bytes, opened: list[OpeningLine], claims: UniqueKeys) -> None:
        self.events.tried()
        try:
            event = self.registry.parse(data)
        except EventError as error:
            self.events.fault(f"event {seq}: {error}")
            self._distrust(f"event {seq} can't be read")
            return
        if event.seq != seq:
            self.events.fault(f"event {seq}: it says that it is event {event.seq}")
            self._distrust(f"event {seq} is not in its place")
            return
        self._order(event)
        for key in event.claims():
            claims.add(key, seq)
            if key.startswith(_ERASED):
                self._erased.add(key.removeprefix(_ERASED))
        openings = self._fitting(event, opened)
        if not self.states.end:
            self._judge(event)
            self._fold(event)
            self._standing.last, self._standing.opened = event, openings

    def _order(self, event: Event) -> None:
        if event.seq == 0:
            self.genesis = event
            if not isinstance(event.body, LedgerOpened):
                self.events.fault("event 0 opens no log")
        if event.at < self._at:
            self.events.fault(f"event {event.seq} is of {event.at}, and the one before it of {self._at}")
        self._at = event.at
        if any(not 0 <= cause < event.seq for cause in event.causes):
            self.events.fault(f"event {event.seq} says that a later event caused it")
        if isinstance(event.body, LedgerRestored):
            named = tuple(map(_bytes, (event.body.blake3_root, event.body.sha256_root)))
            if named != self.trees.roots():
                self.events.fault(f"event {event.seq} names other roots of the restored copy than its events come to")

    def _fitting(self, event: Event, opened: list[OpeningLine]) -> list[Opening]:
        fitting = []
        for line in opened:
            self.disclosures.tried()
            try:
                opening = line.opening()
                disclosure.check(event.body, opening)
            except (LedgerError, ValueError) as error:
                self.disclosures.fault(f"event {event.seq}: {error}")
            else:
                fitting.append(opening)
        self.withheld += sum(1 for _ in disclosure.paths(event.body)) - len(fitting)
        return fitting

    def _judge(self, event: Event) -> None:
        signed = isinstance(event.body, SignedBody)
        self.signatures.tried(int(signed))
        try:
            check_event(self._standing, event)
            check_update(self._standing, self.registry, event)
            check_erased(self._standing, self.registry, event)
            check_relabelled(self._standing, self.registry, event)
            check_amendment(self._standing, self.registry, event)
            check_ratified(self._standing, self.registry, event)
        except _FOLDING as error:
            self.signatures.fault(f"event {event.seq}, {event.type}: {_line(error)}")

    def _fold(self, event: Event) -> None:
        rows = self._standing.rows
        try:
            for view in self.views:
                for key in view.keys(event):
                    self.states.tried()
                    rows[view.name, key] = step(view, key, rows.get((view.name, key)), event)
        except _FOLDING as error:
            self.states.fault(f"event {event.seq}: {_line(error)}")
            self._distrust(f"event {event.seq} can't be folded")
        if isinstance(event.body, Adoption):
            self._standing.adopted = event

    def _seal(self, size: int, checkpoints: Records[CheckpointLine]) -> None:
        while (one := checkpoints.peek()) is not None and one.size <= size:
            if one.size < size or size == self.seals.reached:
                raise ExportFormError("checkpoints are sorted by size, and each size stands once")
            self.seals.check(one, self.trees.roots(), self.log_state(), Instant(self._at) if self._at else None)
            checkpoints.take()

    def log_state(self) -> GenesisState | None:
        """Give the names and keys of the log as far as it was walked, or None where they can't be known."""
        try:
            return None if self.states.end else log_state(self._standing)
        except (GrantError, LedgerError):
            return None

    def event(self, seq: int) -> Event | None:
        """Give an event that was passed, or None."""
        data = self._standing.event_bytes(seq)
        return None if data is None else self.registry.parse(data)

    # -- what was erased --

    def _check_erased(self) -> None:
        """Hold the openings against the erasures, which may stand long after what they erase."""
        for chunk in range(self.index.chunks) if self._erased and self.index.openings else ():
            name = file_name("openings", chunk)
            with self.folder.open(name) as file:
                openings = Records(file, name, MAX_LINE, OpeningLine.parse)
                while (one := openings.take()) is not None:
                    if f"{one.seq}:{one.path}" in self._erased:
                        self.disclosures.fault(f"event {one.seq}: {one.path} was erased, and is here")

    # -- where it ends --

    def _distrust(self, why: str) -> None:
        self.states.stop(why)
        self.signatures.stop(why)

    def _stop(self, why: str) -> None:
        for tally in (self.own, self.twin, self.disclosures, self.seals.tally):
            tally.stop(why)
        self._distrust(why)


def _bytes(text: str) -> bytes:
    try:
        return canon.from_base64url(text)
    except CanonError:
        return b""


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
