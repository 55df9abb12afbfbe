"""Erasing: what would go and what may not, and the way from a human's signature to a database without the bytes.

A file ``erasing`` stands in the ledger's directory from before the commit until the database was written anew, so that
whoever comes after a crash knows what is left to do.

Source: DESIGN section 8; docs/spec/erasure.md.
"""

import fcntl
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from grants import erasing
from grants.erasing import DAY, Field
from grants.errors import GrantError
from grants.events import Basis, RetentionRule
from grants.reading import read_event
from ledger import disclosure
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import AppendError, DisclosureError, ReadOnlyError
from ledger.event import Draft, Event, Registry, erasure_claim
from ledger.instant import Instant, to_microseconds
from ledger.log import Snapshot
from ledger.sql.scrub import scrub
from tools.errors import HomeError, InputError
from tools.home import Home, sync
from tools.ledger import OpenLedger

_MARKER: Final = "erasing"


@dataclass(frozen=True, slots=True)
class Item:
    """One open field.

    Attributes:
        seq: the event's place; ``at`` and ``type`` are the event's.
        value: what the field holds, as it is kept here.
        fits: whether that is what the event committed to.
        refused: why it may not be erased, or None.
    """

    seq: int
    path: str
    at: Instant
    type: str
    value: Json
    fits: bool
    refused: str | None

    @property
    def field(self) -> Field:
        """The field."""
        return self.seq, self.path


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be erased, and what is left because it may not be."""

    erased: tuple[Item, ...]
    left: tuple[Item, ...]


def plan(snapshot: Snapshot, registry: Registry, wanted: Iterable[Field], basis: Basis, at: Instant) -> Plan:
    """Look what of these open fields may be erased, and what else holds the same values.

    One value stands or falls as a whole: where one of its fields may not be erased, none is.
    """
    named = set(wanted)
    values: dict[bytes, list[Item]] = defaultdict(list)
    for seq, paths in _by_event(named | erasing.twins(snapshot, named)):
        event = _event(snapshot, registry, seq)
        for opening in (one for one in snapshot.openings(seq) if one.path in paths):
            refused = erasing.refusal(snapshot, registry, (seq, opening.path), basis, at)
            item = Item(seq, opening.path, event.at, event.type, opening.value, _fits(event, opening), refused)
            values[opening.salt].append(item)
    erased, left = list[Item](), list[Item]()
    for items in values.values():
        bar = next((item for item in items if item.refused), None)
        if bar is None:
            erased += items
            continue
        also = f"the same value stands as {bar.path} of event {bar.seq}, and {bar.refused}"
        left += [item if item.refused else replace(item, refused=also) for item in items]
    return Plan(tuple(sorted(erased, key=_place)), tuple(sorted(left, key=_place)))


def fields_of(snapshot: Snapshot, seqs: Iterable[int], paths: Sequence[str]) -> list[Field]:
    """Give the open fields of these events: all, or those that one of the pointers covers."""
    return [(seq, opening.path) for seq in seqs for opening in snapshot.openings(seq) if covered(opening.path, paths)]


def covered(path: str, pointers: Sequence[str]) -> bool:
    """Tell whether one of the pointers covers a field; where there are none, every field is meant."""
    return not pointers or any(_covers(pointer, path) for pointer in pointers)


def fields_named(snapshot: Snapshot, registry: Registry, seqs: Sequence[int], paths: Sequence[str]) -> list[Field]:
    """Give the open fields of events that somebody names; each pointer must be of use.

    Raises:
        InputError: there is no such event, or nothing of it is open there; the message says what there is.
    """
    found = fields_of(snapshot, seqs, paths)
    for seq in seqs:
        event = _event(snapshot, registry, seq)
        lacking = [path for path in paths if not any(of == seq and _covers(path, one) for of, one in found)]
        if lacking or not any(of == seq for of, _ in found):
            what = f"open field {', '.join(lacking)}" if lacking else "field that is open"
            raise InputError(f"event {seq} has no {what}: {_told(snapshot, event)}")
    return found


def due(snapshot: Snapshot, registry: Registry, at: Instant) -> Iterator[Field]:
    """Give the open fields that are older than the retention rules let them become."""
    rules = erasing.retention_rules(snapshot)
    terms = [rule.at_most for rule in rules if rule.at_most is not None]
    if not terms:
        return
    last = to_microseconds(at) - min(terms) * DAY
    for seq, data in snapshot.events():
        event = registry.parse(data)
        # Events stand in the order of their times: what follows is younger than any rule asks.
        if to_microseconds(event.at) > last:
            return
        if _any_rule(rules, event):
            yield from (
                (seq, opening.path)
                for opening in snapshot.openings(seq)
                if erasing.is_due(event, erasing.term(rules, event.type, opening.path), at)
            )


def closed(snapshot: Snapshot, seq: int, path: str) -> str:
    """Say why a field has no opening: which event erased it, or that it is not kept here."""
    eraser = snapshot.claimed(erasure_claim(seq, path))
    return "not kept here" if eraser is None else f"erased by event {eraser}"


def carry_out(ledger: OpenLedger, drafts: Sequence[Draft]) -> list[Event]:
    """Append a signed erasure, within `underway`; `finish` is to follow.

    Raises:
        GrantError: it may not be, by what stands now; nothing was erased.
        AppendError: the log refuses it; nothing was erased.
        StoreError: the database can't be written.
    """
    return ledger.log.transact(lambda tx: erasing.append_erasure(tx, ledger.registry, drafts))


def finish(ledger: OpenLedger) -> None:
    """Write the database anew, so that it holds no byte of what was erased.

    Raises:
        StoreError: it can't be done now; ``tally erase --scrub`` does it later.
    """
    scrub(ledger.log.engine)


@contextmanager
def underway(home: Home) -> Iterator[bool]:
    """Keep the marker for the length of a block that erases and finishes; one process at a time.

    It goes when the block has ended well, or was refused before anything was deleted; after any other error nobody
    knows, and it stays.

    Yields:
        Whether an erasure was left unfinished before.

    Raises:
        HomeError: it can't be written; nothing was erased.
    """
    marker = home.path / _MARKER
    handle, pending = _claim(marker)
    try:
        try:
            yield pending
        except (GrantError, AppendError, DisclosureError, ReadOnlyError):
            if not pending:
                marker.unlink(missing_ok=True)
            raise
        marker.unlink(missing_ok=True)
        sync(home.path)
    finally:
        # The lock goes with it, and with a process that is killed.
        os.close(handle)


def unfinished(home: Home) -> bool:
    """Tell whether an erasure was committed whose bytes may still lie in the database."""
    return (home.path / _MARKER).exists()


def _claim(marker: Path) -> tuple[int, bool]:
    """Open the marker and hold it alone; a process that was before us may have taken it away meanwhile."""
    try:
        while True:
            pending = marker.exists()
            handle = os.open(marker, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if marker.exists() and os.path.samestat(os.fstat(handle), marker.stat()):
                sync(marker.parent)
                return handle, pending
            os.close(handle)
    except OSError as error:
        raise HomeError(f"{marker} can't be written ({error.strerror}): nothing was erased") from error


def _event(snapshot: Snapshot, registry: Registry, seq: int) -> Event:
    event = read_event(snapshot, registry, seq)
    if event is None:
        raise InputError(f"there is no event {seq}: tally log tail shows the last ones")
    return event


def _fits(event: Event, opening: Opening) -> bool:
    try:
        disclosure.check(event.body, opening)
    except DisclosureError:
        return False
    return True


def _by_event(fields: Iterable[Field]) -> Iterator[tuple[int, list[str]]]:
    found: dict[int, list[str]] = defaultdict(list)
    for seq, path in sorted(fields):
        found[seq].append(path)
    yield from found.items()


def _covers(pointer: str, path: str) -> bool:
    return path == pointer or path.startswith(f"{pointer}/")


def _told(snapshot: Snapshot, event: Event) -> str:
    opened = {opening.path for opening in snapshot.openings(event.seq)}
    told = [
        path if path in opened else f"{path} ({closed(snapshot, event.seq, path)})"
        for path, _ in disclosure.paths(event.body)
    ]
    return f"there is {', '.join(told)}" if told else f"{event.type} has no disclosable field"


def _any_rule(rules: Iterable[RetentionRule], event: Event) -> bool:
    return any(rule.type in {"*", event.type} for rule in rules)


def _place(item: Item) -> Field:
    return item.field
