"""The form of each row that the book keeps. ``seq`` and the other whole numbers that name events are their places.

Source: DESIGN section 6; docs/spec/grants.md lists views, keys and forms.
"""

from itertools import pairwise
from typing import Annotated, TypeAlias

from pydantic import ConfigDict, Field

from grants.events import Attributes, Names, PrincipalKind, RetentionRule
from ledger.canon import Json
from ledger.event import Frozen, Many
from ledger.instant import InstantField

Seq: TypeAlias = Annotated[int, Field(ge=0)]
Seqs: TypeAlias = Annotated[tuple[Seq, ...], Many]


def _is_empty(value: tuple[object, ...]) -> bool:
    return not value


def _is_nothing(value: object) -> bool:
    return value is None or value == {}


def _is_known(since: int, confirmed: tuple[int, ...], size: int | None, restored: int | None) -> bool:
    """Tell whether something was said, or said again, after the last restore: what ended it before may be lost."""
    return (
        restored is None
        or since > restored
        or any(restored <= one and (size is None or one < size) for one in confirmed)
    )


class Row(Frozen):
    """Base of every form."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", validate_by_name=True)

    def json_form(self) -> dict[str, Json]:
        """Give the state as it is stored."""
        return self.model_dump(mode="json", by_alias=True)


class Reign(Row):
    """A name and a key under which the log spoke: in its checkpoints of up to ``until`` events.

    Attributes:
        until: the event that ended it.
    """

    origin: str
    log_key: str
    until: Seq


class GenesisState(Row):
    """View ``ledger``: how this log began, and under which name and key it speaks.

    Attributes:
        origin: its name now.
        human_key: fingerprint of the first human's key.
        log_key: the vkey that signs its checkpoints now.
        former: the names and keys before, oldest first; left out where there were none.
    """

    origin: str
    demonstration: bool
    human: str
    human_key: str
    log_key: str
    former: Annotated[tuple[Reign, ...], Many, Field(exclude_if=_is_empty)] = ()

    @property
    def incarnation(self) -> int:
        """Which life of the log this is: 1, and one more for each restore."""
        names = [*(reign.origin for reign in self.former), self.origin]
        return 1 + sum(one != other for one, other in pairwise(names))

    def at(self, size: int) -> tuple[str, str]:
        """Give the origin and the vkey of the checkpoint of ``size`` events."""
        ended = next((reign for reign in self.former if size <= reign.until), None)
        return (self.origin, self.log_key) if ended is None else (ended.origin, ended.log_key)

    def origin_at(self, place: int) -> str:
        """Give the origin that the event at a place speaks to."""
        return self.at(place + 1)[0]

    def restored(self, size: int | None = None) -> Seq | None:
        """Give the last event, before place ``size`` if one is given, with which a copy went on as another log."""
        if not self.former:
            return None
        names = [*(reign.origin for reign in self.former), self.origin]
        turns = zip(self.former, pairwise(names), strict=True)
        places = [reign.until for reign, (name, following) in turns if name != following]
        return max((place for place in places if size is None or place < size), default=None)


class KeyState(Row):
    """A key of a principal, in force for events after ``since`` and up to ``until``.

    Attributes:
        since: the event that brought it, stored as ``from``.
        until: the event that ended it, or null.
        confirmed: the events that said, after a restore, that it stands; left out where there were none.
    """

    line: str
    since: Annotated[Seq, Field(alias="from")]
    until: Seq | None
    confirmed: Annotated[Seqs, Field(exclude_if=_is_empty)] = ()

    def holds_at(self, size: int, restored: Seq | None = None) -> bool:
        """Tell whether the key may sign the event at place ``size``; the one that ends it is the last.

        Args:
            size: the place.
            restored: the last restore before it, or None: what is older must have been confirmed since.
        """
        held = self.since < size and (self.until is None or size <= self.until)
        return held and _is_known(self.since, self.confirmed, size, restored)

    def holds(self, restored: Seq | None = None) -> bool:
        """Tell whether the key may sign now."""
        return self.until is None and _is_known(self.since, self.confirmed, None, restored)


class PrincipalState(Row):
    """View ``principal``.

    Attributes:
        keys: by fingerprint; a key that was ended stays here and never comes back.
        suspended: the event that ended the principal, or null.
        confirmed: the events that said, after a restore, that it stands; left out where there were none.
    """

    kind: PrincipalKind
    owner: str | None
    uid: int | None
    speaks_for: Names
    through: Names
    keys: dict[str, KeyState]
    registered: Seq
    suspended: Seq | None
    confirmed: Annotated[Seqs, Field(exclude_if=_is_empty)] = ()

    @property
    def changed(self) -> int:
        """The event that changed it last."""
        seqs = [self.registered, self.suspended or 0, *self.confirmed]
        for key in self.keys.values():
            seqs += (key.since, key.until or 0)
        return max(seqs)

    def stands_at(self, size: int, restored: Seq | None = None) -> bool:
        """Tell whether the principal may act in the event at place ``size``; the one that suspends it is the last.

        Args:
            size: the place.
            restored: the last restore before it, or None: what is older must have been confirmed since.
        """
        stood = self.registered < size and (self.suspended is None or size <= self.suspended)
        return stood and _is_known(self.registered, self.confirmed, size, restored)

    def stands(self, restored: Seq | None = None) -> bool:
        """Tell whether the principal may act now."""
        return self.suspended is None and _is_known(self.registered, self.confirmed, None, restored)


class UidState(Row):
    """View ``uid``: which principal an operating system user is."""

    principal: str


class ResourceState(Row):
    """View ``resource``.

    Attributes:
        changed: the event that changed it last.
        retired: its attributes are unknown from then on, until it is cleared.
        within: further places that it lies in; left out where there are none.
        stamps: for each attribute the event that gave it its value; left out where an event of schema 1 did.
        cleared: the event since which a retired entry hides nothing, left out where there was none.
    """

    attributes: Attributes
    version: Annotated[int, Field(ge=1)]
    registered: Seq
    changed: Seq
    retired: bool
    within: Annotated[Names, Field(exclude_if=_is_empty)] = ()
    stamps: dict[str, Seq] = Field(default_factory=dict, exclude_if=_is_nothing)
    cleared: Annotated[Seq | None, Field(exclude_if=_is_nothing)] = None

    @property
    def stands(self) -> bool:
        """Whether its attributes are known."""
        return not self.retired

    @property
    def hides(self) -> bool:
        """Whether it was retired and not cleared: nothing around it speaks of it."""
        return self.retired and self.cleared is None

    def stamp(self, name: str) -> int:
        """Give the event that an attribute has its value from, as exactly as the row knows."""
        return self.stamps.get(name, self.changed)


class SpellingsState(Row):
    """View ``resource_spelling``: the registered names that fold to one."""

    spellings: Names


class BelowState(Row):
    """View ``resource_below``.

    Attributes:
        names: the names directly below this place that lead to registrations, sorted.
        more: there are too many to keep; ``names`` is empty then.
    """

    names: Names
    more: bool


class WithinState(Row):
    """View ``resource_within``: the resources that lie in further places, sorted."""

    names: Names


class StandingState(Row):
    """View ``standing``: the life of one standing grant."""

    seq: Seq
    subject: str
    expires: InstantField | None
    revoked: Seq | None


class StandingsState(Row):
    """View ``standing_by_subject``: (grant id, event) of what was not revoked, oldest first."""

    grants: Annotated[tuple[Annotated[tuple[str, Seq], Many], ...], Many]


class ConsentState(Row):
    """View ``consent``: the life of one consent grant.

    Attributes:
        used: how often each item was used.
    """

    seq: Seq
    uses: Annotated[int, Field(ge=1)]
    expires: InstantField
    used: Seqs
    revoked: Seq | None

    @property
    def spent(self) -> bool:
        """Whether every item was used as often as it may be."""
        return all(used >= self.uses for used in self.used)


class ConsentsState(Row):
    """View ``consent_by_target``: where to look for a consent.

    Attributes:
        live: (grant id, event, expiry, uses that are left on this target), oldest first.
        ended: (grant id, event) of the last that were revoked, used up or expired.
    """

    live: Annotated[tuple[Annotated[tuple[str, Seq, InstantField, Seq], Many], ...], Many]
    ended: Annotated[tuple[Annotated[tuple[str, Seq], Many], ...], Many]


class RequestState(Row):
    """View ``request``: whether somebody has answered.

    Attributes:
        decision: the decision that held the operation.
        answer: the event that answered, or null.
        granted: what the answer was, or null.
    """

    decision: Seq
    answer: Seq | None
    granted: bool | None


class RequestsState(Row):
    """View ``request_by_target``: the last requests for a target, oldest first."""

    requests: Seqs


class EvidenceEntry(Row):
    """One piece of evidence: what is attested, by whom, in which event."""

    kind: str
    issuer: str
    seq: Seq


class EvidenceState(Row):
    """View ``evidence``: the latest of each kind by each issuer, by kind and issuer."""

    entries: Annotated[tuple[EvidenceEntry, ...], Many]


class HoldState(Row):
    """View ``hold``: the life of one legal hold.

    Attributes:
        over: what is held.
        released: the event that released it, or null.
    """

    seq: Seq
    over: Names
    released: Seq | None


class HoldsState(Row):
    """View ``hold_over``: (hold, event) of the holds over one thing that were not released, oldest first."""

    holds: Annotated[tuple[Annotated[tuple[str, Seq], Many], ...], Many]


class RetentionState(Row):
    """View ``retention``: the rules in force.

    Attributes:
        seq: the event that set them.
    """

    seq: Seq
    rules: Annotated[tuple[RetentionRule, ...], Many]
