"""What may be erased, and how it is: under no legal hold, not before its time, and wherever the value stands.

An erasure is refused where

- a hold stands over the event: over ``all``, over its place, over a tag that it bears, or over a subtree that one of
  its resources lies in;
- a retention rule says that the field must be kept longer;
- the basis is ``retention-expired``, and no rule says that its time is over;
- the same commitment stands open in another event (a request, the consent that answers it and the decisions that fit
  that consent hold one), unless it is erased with it.

The first three are judged again by whoever audits the log, as of the erasure's own place and time.

Source: DESIGN sections 7 and 8; docs/adr/0005, 0010; docs/spec/erasure.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from grants.book.holds import ALL, EVENT, OVER
from grants.book.retention import RETENTION, RULES
from grants.book.states import HoldsState, RetentionState
from grants.errors import AuthorityError, ErasureError, ReferenceSyntaxError
from grants.events import Basis, FieldsErased, RetentionRule
from grants.events.erasures import MAX_FIELDS
from grants.issue import Prepared, append_checked, prepare
from grants.reading import StateReader, read_event, read_state
from grants.reference import Pattern, candidates
from ledger import disclosure
from ledger.canon import Json
from ledger.event import Draft, Event, Registry
from ledger.instant import Instant, to_microseconds
from ledger.log import Snapshot, Transaction

RESOURCE: Final = "resource:"
DAY: Final = 86_400_000_000
"""Microseconds."""

Field = tuple[int, str]
"""A disclosable field: its event's place, and its pointer."""


@dataclass(frozen=True, slots=True)
class Term:
    """How long a field is kept, in days from its event on; None says nothing."""

    at_least: int | None
    at_most: int | None


def erase(
    snapshot: Snapshot, registry: Registry, *, by: str, fields: Iterable[Field], basis: Basis, at: Instant
) -> list[Prepared]:
    """Prepare an erasure: an act for each `MAX_FIELDS` fields.

    Args:
        snapshot: the log.
        registry: the event types.
        by: the human who signs.
        fields: what is erased; every other field that holds the same commitment must be among them.
        basis: why it may be erased.
        at: now.

    Raises:
        ErasureError: it may not be erased.
        AuthorityError: this principal may not do this.
        IssueError: it breaks its schema, or was erased already.
    """
    named = sorted(set(fields))
    acts = [_act(snapshot, by, named[start : start + MAX_FIELDS], basis) for start in range(0, len(named), MAX_FIELDS)]
    _check_erasure(snapshot, registry, named, basis, at)
    for seq, path in named:
        if all(opening.path != path for opening in snapshot.openings(seq)):
            raise ErasureError(f"{path} of event {seq} is not open here: there is nothing to erase")
    _check_whole(snapshot, named)
    return acts


def append_erasure(tx: Transaction, registry: Registry, drafts: Iterable[Draft]) -> list[Event]:
    """Check an erasure as of now, append its acts, and with them delete what they name.

    Raises:
        ErasureError: it may not be erased, by what stands now.
        AuthorityError: the signer may not do this.
        SignatureError: the signature does not hold.
        AppendError: it was erased already.
        DisclosureError: there is no opening of it.
    """
    acts = list(drafts)
    named: list[Field] = []
    for body in (draft.body for draft in acts):
        if not isinstance(body, FieldsErased):
            raise AuthorityError(f"{body.type} is no erasure")
        fields = list(body.erases())
        _check_erasure(tx, registry, fields, body.basis, tx.at)
        named += fields
    _check_whole(tx, named)
    return [append_checked(tx, draft) for draft in acts]


def check_erased(reader: StateReader, registry: Registry, event: Event) -> None:
    """Check of a recorded erasure that it was allowed, as of its own place and time; every other event passes.

    Raises:
        ErasureError: it was not allowed.
    """
    if isinstance(event.body, FieldsErased):
        _check_erasure(reader, registry, event.body.erases(), event.body.basis, event.at)


def holds_over(reader: StateReader, event: Event) -> list[tuple[str, int]]:
    """Give the holds under which an event is, as (hold, the event that placed it), oldest first."""
    found: set[tuple[int, str]] = set()
    for one in _held_by(event):
        row = read_state(reader, OVER, one, HoldsState)
        found |= {(seq, hold) for hold, seq in row.holds} if row else set()
    return [(hold, seq) for seq, hold in sorted(found)]


def retention_rules(reader: StateReader) -> Sequence[RetentionRule]:
    """Give the retention rules in force."""
    row = read_state(reader, RETENTION, RULES, RetentionState)
    return row.rules if row else ()


def term(rules: Iterable[RetentionRule], type_name: str, path: str) -> Term:
    """Give how long a field is kept: of the rules that cover it the strictest, either way."""
    covering = [rule for rule in rules if rule.covers(type_name, path)]
    least = [rule.at_least for rule in covering if rule.at_least is not None]
    most = [rule.at_most for rule in covering if rule.at_most is not None]
    return Term(max(least, default=None), min(most, default=None))


def refusal(reader: StateReader, registry: Registry, field: Field, basis: Basis, at: Instant) -> str | None:
    """Say why a field may not be erased now, or None where it may."""
    try:
        _check_erasure(reader, registry, [field], basis, at)
    except ErasureError as error:
        return str(error)
    return None


def is_due(event: Event, kept: Term, at: Instant) -> bool:
    """Tell whether a field is older than it may be kept, and no longer must be."""
    age = to_microseconds(at) - to_microseconds(event.at)
    return kept.at_most is not None and age >= kept.at_most * DAY and age >= (kept.at_least or 0) * DAY


def twins(snapshot: Snapshot, fields: Iterable[Field]) -> set[Field]:
    """Give the other open fields under the same salts: to erase one value is to erase it wherever it stands.

    A request, the consent that answers it and the decisions that fit it share theirs; and whoever knows a salt can try
    out what an erased commitment held.
    """
    named = set(fields)
    salts = {
        opening.salt
        for seq in {seq for seq, _ in named}
        for opening in snapshot.openings(seq)
        if (seq, opening.path) in named
    }
    return set(snapshot.salted(salts)) - named


def _check_erasure(reader: StateReader, registry: Registry, fields: Iterable[Field], basis: Basis, at: Instant) -> None:
    """Check that each field can be erased, is under no hold, and that its time has come; they come by event."""
    rules = retention_rules(reader)
    event: Event | None = None
    for seq, path in fields:
        if event is None or event.seq != seq:
            event = _event(reader, registry, seq)
            _check_free(reader, event)
        if path not in dict(disclosure.paths(event.body)):
            raise ErasureError(f"event {seq} ({event.type}) has no disclosable field {path}")
        _check_time(event, path, term(rules, event.type, path), basis, at)


def _act(snapshot: Snapshot, by: str, fields: Sequence[Field], basis: Basis) -> Prepared:
    named: list[Json] = [{"event": seq, "path": path} for seq, path in fields]
    return prepare(snapshot, FieldsErased, {"fields": named, "basis": basis}, by=by)


def _event(reader: StateReader, registry: Registry, seq: int) -> Event:
    event = read_event(reader, registry, seq)
    if event is None:
        raise ErasureError(f"there is no event {seq}")
    return event


def _held_by(event: Event) -> Iterator[str]:
    """Give everything over which a hold would hold this event."""
    yield ALL
    yield f"{EVENT}{event.seq}"
    for tag in event.tags():
        yield tag
        if tag.startswith(RESOURCE):
            try:
                reference = Pattern.parse(tag.removeprefix(RESOURCE)).reference
            except ReferenceSyntaxError:
                continue  # a target that no reference names lies in no subtree
            yield from (f"{RESOURCE}{one}" for one in candidates(reference)[1:])


def _check_free(reader: StateReader, event: Event) -> None:
    holds = holds_over(reader, event)
    if holds:
        hold, placed = holds[0]
        more = f", and {len(holds) - 1} more" if len(holds) > 1 else ""
        raise ErasureError(
            f"event {event.seq} is under the legal hold {hold} (event {placed}){more}: nothing of it is erased before "
            "that is released"
        )


def _check_time(event: Event, path: str, kept: Term, basis: Basis, at: Instant) -> None:
    age = to_microseconds(at) - to_microseconds(event.at)
    if kept.at_least is not None and age < kept.at_least * DAY:
        raise ErasureError(
            f"{path} of event {event.seq} is kept for {kept.at_least} days at least, and is {age // DAY} days old"
        )
    if basis == "retention-expired" and not is_due(event, kept, at):
        limit = "no rule limits how long it is kept" if kept.at_most is None else f"it is kept for {kept.at_most} days"
        raise ErasureError(f"the time of {path} of event {event.seq} is not over: {limit}")


def _check_whole(snapshot: Snapshot, fields: Iterable[Field]) -> None:
    left = twins(snapshot, fields)
    if left:
        seq, path = min(left)
        raise ErasureError(f"the same value stands open as {path} of event {seq}: erase it there too")
