"""The states that the events fold into, and the signatures, which are judged by the states before them.

One process does it, in order; only what is signed or folded comes here. From an event on that can't be believed the
states can't be worked out, so they and the signatures are skipped and said to be.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grants.errors import ErasureError
from ledger.disclosure import Opening
from ledger.errors import EventError
from ledger.event import Event, Registry
from ledger.sql.raw import RawTables, StateRowAsStored
from ledger.sql.scratch import ScratchStates
from ledger.view import StateRow, View
from tools.audit.contents import Contents, is_signed, read_opening
from tools.audit.report import Kind, Tallies, spell
from tools.audit.trees import never_written


@dataclass(frozen=True, slots=True)
class FoldedStates:
    """The states before the event that is being checked: what its signature is judged by."""

    raw: RawTables
    scratch: ScratchStates

    def state(self, view: str, key: str) -> StateRow | None:
        """Give the state of one key of a view, or None."""
        return self.scratch.get(view, key)

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
"""Is asked of every event that is signed or that a view folds. Raises if it is not signed by a key that had the
authority, by the states before it; or, where it bears no signature, if it does not follow from what was signed."""


@dataclass(slots=True)
class Fold:
    """One fold over the log.

    Attributes:
        since: the states changed before this event are not compared.
        trusted: whether every event so far was believed and folded.
    """

    states: FoldedStates
    registry: Registry
    views: Sequence[View]
    check_signature: CheckSignature
    tallies: Tallies
    since: int = 0
    trusted: bool = True

    def begin(self, rows: Iterator[tuple[object, ...]]) -> None:
        """Fold events that are taken as they stand: (seq, bytes)."""
        for seq, data in rows:
            try:
                event = self.registry.parse(data if isinstance(data, bytes) else b"")
            except EventError as error:
                self.distrust(f"event {spell(seq)}, before the checkpoint, can't be read: {error}")
                return
            touched, fault = self._touched(event)
            fault = fault or self._apply(event, touched)
            if fault is not None:
                self._unfolded(event.seq, fault)
                return

    def take(self, start: int, contents: Contents) -> None:
        """Judge and fold the acts of a range, up to the first event in it that can't be believed."""
        unread = contents.unread
        first_unread = start + (unread & -unread).bit_length() - 1 if unread else None
        for seq, act in contents.acts:
            if first_unread is not None and seq > first_unread:
                break
            if not self.trusted:
                return
            event = act if isinstance(act, Event) else self.registry.parse(act)
            self._judge(seq, event)
        if first_unread is not None:
            self.distrust(f"event {first_unread} can't be believed")

    def distrust(self, reason: str) -> None:
        """Say why the states can't be worked out from here on."""
        if self.trusted:
            self.tallies.skip("states", reason)
            self.tallies.skip("signatures", f"not from here on: {reason}")
        self.trusted = False

    def compare(self) -> None:
        """Hold what stands against what was folded: both are sorted by the bytes of view and key."""
        if not self.trusted:
            return
        expected = self.states.scratch.rows()
        waiting = next(expected, None)
        for row in self.states.raw.states():
            if not (isinstance(row.view, str) and isinstance(row.key, str)):
                self._strange(row)
                continue
            own = _place(row.view, row.key)
            while waiting is not None and _place(waiting.view, waiting.key) < own:
                self._missing(waiting)
                waiting = next(expected, None)
            folded = waiting if waiting is not None and _place(waiting.view, waiting.key) == own else None
            if folded is not None:
                waiting = next(expected, None)
            self._compare(row, folded)
        while waiting is not None:
            self._missing(waiting)
            waiting = next(expected, None)

    # -- one event --

    def _judge(self, seq: int, event: Event) -> None:
        signed = is_signed(type(event.body))
        touched, fault = self._touched(event)
        if not (signed or touched or fault):
            return
        self._authority(seq, event, signed=signed)
        if fault is None:
            fault = self._apply(event, touched)
        if fault is not None:
            self._unfolded(seq, fault)

    def _authority(self, seq: int, event: Event, *, signed: bool) -> None:
        if signed:
            self.tallies.checked("signatures")
        try:
            self.check_signature(self.states, event)
        except Exception as error:  # noqa: BLE001  (whatever it raises says that the signature does not hold)
            fault = "it has no valid signature" if signed else "it does not follow from what was signed"
            if isinstance(error, ErasureError):
                fault = "it was not allowed"
            self.tallies.find("signatures", "events", f"seq {seq}", f"{fault}: {error}", events=(seq, seq + 1))

    def _touched(self, event: Event) -> tuple[list[tuple[View, str]], Exception | None]:
        touched: list[tuple[View, str]] = []
        try:
            if event.body.folded:
                for view in self.views:
                    for key in view.keys(event):
                        touched.append((view, key))  # noqa: PERF401  (what came before an error counts too)
        except Exception as error:  # noqa: BLE001  (a view of another package: its fault is a finding)
            return touched, error
        return touched, None

    def _apply(self, event: Event, touched: Sequence[tuple[View, str]]) -> Exception | None:
        try:
            for view, key in touched:
                self.states.scratch.fold(view, key, event)
        except Exception as error:  # noqa: BLE001  (as above)
            return error
        return None

    def _unfolded(self, seq: int, error: Exception) -> None:
        told = f"the views can't fold it: {error}"
        self.tallies.find("states", "events", f"seq {seq}", told, events=(seq, seq + 1))
        self.distrust(f"event {seq} can't be folded")

    # -- one state --

    def _compare(self, row: StateRowAsStored, own: StateRow | None) -> None:
        old = type(row.seq) is int and 0 <= row.seq < self.since
        if old and (own is None or own.seq < self.since):
            return
        if own is None:
            self._strange(row)
            return
        self.tallies.checked("states")
        if type(row.seq) is int and row.seq == own.seq and row.state == own.data:
            return
        key, inside = f"{spell(row.view)} {spell(row.key)}", (own.seq, own.seq + 1)
        if type(row.seq) is not int or row.seq != own.seq:
            older = type(row.seq) is int and 0 <= row.seq < own.seq
            told = f"seq is {spell(row.seq)}, event {own.seq} changed it last"
            self.tallies.find("states", "states", key, told, kind="view" if older else "tampering", events=inside)
        else:
            kind: Kind = "torn" if never_written(row.state) else "tampering"
            told = "the state is not what the events fold into"
            self.tallies.find("states", "states", key, told, kind=kind, events=inside)

    def _strange(self, row: StateRowAsStored) -> None:
        self.tallies.checked("states")
        self.tallies.find("states", "states", f"{spell(row.view)} {spell(row.key)}", "no event makes such a state")

    def _missing(self, own: StateRow) -> None:
        if own.seq >= self.since:
            inside = (own.seq, own.seq + 1)
            self.tallies.find(
                "states", "states", f"{own.view} {own.key}", "the state is missing", kind="view", events=inside
            )


def _place(view: str, key: str) -> tuple[bytes, bytes]:
    return view.encode("utf-8", "surrogateescape"), key.encode("utf-8", "surrogateescape")
