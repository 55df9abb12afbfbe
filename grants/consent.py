"""Consent at the moment of its use: whether a human's signed consent covers one action of one operation.

A grant is looked for by target, oldest first, and believed only after its event was read from the log, its signature
verified and its digest computed again from the operation at hand, under the salts of the grant's own openings. What
does not fit is a miss with a reason; the reason that stands first in `REASONS` is told.

    CONSENT_EXPIRED    it fits, and its time is over; there is no leniency
    CONSENT_REVOKED    it fits, and was taken back, or its signer's key or person was ended since
    CONSENT_CONSUMED   it fits, and is used up
    CONSENT_BINDING    given for other arguments, operands, domain or log, or what would tell was erased
    CONSENT_VERSION    given for another version of the resource
    CONSENT_SUBJECT    given to somebody else, or whoever asks is not known to be who they say
    CONSENT_REQUIRED   nobody was asked, or nobody has answered

Source: DESIGN sections 10 and 11; policy cases D03 to D23.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias, TypeVar, get_args

from grants.authority import check_event, still_counts
from grants.binding import BindingTo, binding
from grants.book.consents import BY_TARGET, CONSENT
from grants.book.requests import BY_TARGET as REQUESTS_BY_TARGET
from grants.book.requests import REQUEST
from grants.book.states import ConsentsState, ConsentState, RequestsState, RequestState
from grants.errors import AuthorityError, SignatureError
from grants.events import ConsentGranted, ConsentRequested, Item, Operand
from grants.principals import Asker
from grants.reading import StateReader, read_event, read_state
from ledger.canon import Json
from ledger.disclosure import Disclosable, Opening
from ledger.errors import EventError
from ledger.event import Body, Event, Registry
from ledger.instant import Instant

ARGS = "/args"

Reason: TypeAlias = Literal[
    "CONSENT_EXPIRED",
    "CONSENT_REVOKED",
    "CONSENT_CONSUMED",
    "CONSENT_BINDING",
    "CONSENT_VERSION",
    "CONSENT_SUBJECT",
    "CONSENT_REQUIRED",
]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
"""In their order: the first that applies is told."""

ENDED: Final[frozenset[Reason]] = frozenset({"CONSENT_EXPIRED", "CONSENT_REVOKED", "CONSENT_CONSUMED"})
"""Why a consent that was given for just this operation can't be used any more."""

B = TypeVar("B", bound=Body)


class Asked(Protocol):
    """What an operation is, as far as a consent is bound to it: `Terms` at its time, `Committed` ever after."""

    @property
    def subject(self) -> tuple[str, ...]:
        """The chain from the principal that asks down to the part that acts."""

    def bound(self, openings: Iterable[Opening]) -> BindingTo | None:
        """Give what the items are bound to, under the salts of an earlier commitment; None where one is missing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One action that needs consent, on one version of its resource."""

    kind: str
    verb: str
    target: str
    version: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What one operation is, as far as a consent is bound to it.

    Attributes:
        origin: the log that is asked.
        subject: the chain from the principal that asks down to the part that acts.
        domain: the trust domain, from the trusted side, or an empty text.
        args: the operation as received: its form and its payload.
        operands: (reference, digest of the content) of what the operation will use, sorted.
    """

    origin: str
    subject: tuple[str, ...]
    domain: str
    args: Json
    operands: tuple[tuple[str, str], ...] = ()

    def openings(self) -> tuple[Opening, ...]:
        """Commit to the arguments and operands under new salts."""
        pointed = [(ARGS, self.args), *((content_path(i), value) for i, (_, value) in enumerate(self.operands))]
        return tuple(Opening.fresh(path, value) for path, value in pointed)

    def bound(self, openings: Iterable[Opening]) -> BindingTo | None:
        """Commit to the arguments and operands again, under the salts of earlier openings.

        Returns:
            What the items are bound to, or None where a salt is missing, erased or never given.
        """
        salts = {opening.path: opening.salt for opening in openings}
        try:
            args = Opening(ARGS, salts[ARGS], self.args).commitment()
            operands = tuple(
                Operand(reference=reference, content=Opening(path, salts[path], value).commitment())
                for path, (reference, value) in ((content_path(i), it) for i, it in enumerate(self.operands))
            )
        except KeyError:
            return None
        return BindingTo(self.origin, self.subject, self.domain, args, operands)


@dataclass(frozen=True, slots=True)
class Committed:
    """The terms of a recorded operation: its commitments stand, its arguments need not be at hand.

    A decision commits under the salts of the consent that it fits, so that a later check compares commitments alone.
    """

    subject: tuple[str, ...]
    to: BindingTo

    def bound(self, openings: Iterable[Opening]) -> BindingTo:  # noqa: ARG002  (the commitments were made before)
        """Give what the items are bound to, as it was recorded."""
        return self.to


@dataclass(frozen=True, slots=True)
class ConsentMatch:
    """A consent that covers the action.

    Attributes:
        grant: its id.
        seq: its event.
        item: index of the item that covers the action.
        use: the number of this use, counted from 1.
        args: its commitment to the arguments.
    """

    grant: str
    seq: int
    item: int
    use: int
    args: Disclosable

    @property
    def fits(self) -> bool:
        """It was given for just this operation."""
        return True


@dataclass(frozen=True, slots=True)
class ConsentMiss:
    """No consent covers the action.

    Attributes:
        reason: why the nearest one does not.
        grant: the nearest one's id, or None; ``seq`` is its event and ``args`` its commitment to the arguments.
    """

    reason: Reason
    grant: str | None = None
    seq: int | None = None
    args: Disclosable | None = None

    @property
    def fits(self) -> bool:
        """It was given for just this operation, and has ended."""
        return self.reason in ENDED


def content_path(index: int) -> str:
    """Point to the content of an operand within an event's body."""
    return f"/operands/{index}/content"


def item_for(to: BindingTo, wanted: Wanted) -> Item:
    """Make the item of a request or a grant, with its binding digest."""
    digest = binding(to, wanted.kind, wanted.verb, wanted.target, wanted.version)
    return Item(binding=digest, kind=wanted.kind, verb=wanted.verb, target=wanted.target, version=wanted.version)


def find_consent(
    reader: StateReader, registry: Registry, asker: Asker, terms: Asked, wanted: Wanted, at: Instant
) -> ConsentMatch | ConsentMiss:
    """Find the oldest consent that covers one action of an operation, or say why there is none.

    Args:
        reader: the ledger; every row that the answer rests on is read through it.
        registry: the event types.
        asker: who asks; one that is not authenticated uses nobody's consent.
        terms: the operation at hand.
        wanted: the action.
        at: the time of the transaction.
    """
    misses: list[ConsentMiss] = [ConsentMiss("CONSENT_REQUIRED")]
    for event, body, state in _candidates(reader, registry, wanted.target):
        for index, item in enumerate(body.items):
            if (item.kind, item.verb, item.target) != (wanted.kind, wanted.verb, wanted.target):
                continue
            reason = _unfit(reader, asker, terms, event, body, item, wanted) or _ended(
                reader, event, body, state, index, at
            )
            if reason is None:
                return ConsentMatch(body.grant, event.seq, index, state.used[index] + 1, body.args)
            misses.append(ConsentMiss(reason, body.grant, event.seq, body.args))
    return min(misses, key=lambda miss: REASONS.index(miss.reason))


def find_open_request(
    reader: StateReader, registry: Registry, terms: Terms, wanted: Sequence[Wanted]
) -> tuple[int, ConsentRequested] | None:
    """Find the request that waits for an answer to this same operation, so that asking twice asks once.

    Returns:
        The request's place in the log and its body, or None.
    """
    if not wanted:
        return None
    row = read_state(reader, REQUESTS_BY_TARGET, wanted[0].target, RequestsState)
    for seq in row.requests if row else ():
        state = read_state(reader, REQUEST, str(seq), RequestState)
        if state is None or state.answer is not None:
            continue
        found = _event_of(reader, registry, seq, ConsentRequested)
        to = terms.bound(reader.openings(seq))
        if found is None or to is None:
            continue
        body = found[1]
        if body.subject == terms.subject and body.items == tuple(item_for(to, one) for one in wanted):
            return seq, body
    return None


def _candidates(
    reader: StateReader, registry: Registry, target: str
) -> Iterator[tuple[Event, ConsentGranted, ConsentState]]:
    """Give the consents for a target, those that may be live first, each read from its event and rightly signed."""
    row = read_state(reader, BY_TARGET, target, ConsentsState) or ConsentsState(live=(), ended=())
    for grant, seq in (*((grant, seq) for grant, seq, _, _ in row.live), *row.ended):
        found = _event_of(reader, registry, seq, ConsentGranted)
        state = read_state(reader, CONSENT, grant, ConsentState)
        if found is None or state is None or len(state.used) != len(found[1].items):
            continue
        event, body = found
        try:
            check_event(reader, event)
        except (AuthorityError, SignatureError):
            continue  # it was never a grant: the audit names it
        if body.grant == grant and state.seq == seq:
            yield event, body, state


def _event_of(reader: StateReader, registry: Registry, seq: int, body_type: type[B]) -> tuple[Event, B] | None:
    """Read an event of one type; None where the log has no such event: the row alone is nothing."""
    try:
        event = read_event(reader, registry, seq)
    except EventError:
        return None
    return (event, event.body) if event is not None and isinstance(event.body, body_type) else None


def _unfit(
    reader: StateReader,
    asker: Asker,
    terms: Asked,
    event: Event,
    body: ConsentGranted,
    item: Item,
    wanted: Wanted,
) -> Reason | None:
    """Say in what the grant was given for something else than the operation at hand."""
    if not asker.authenticated or asker.chain != terms.subject or body.subject != terms.subject:
        return "CONSENT_SUBJECT"
    if item.version != wanted.version:
        return "CONSENT_VERSION"
    to = terms.bound(reader.openings(event.seq))
    if to is None or (to.audience, to.domain, to.args, to.operands) != (
        body.origin,
        body.domain,
        body.args,
        body.operands,
    ):
        return "CONSENT_BINDING"
    # The digest is what was signed for the item; that the fields beside it agree does not stand in for it.
    return None if item == item_for(to, wanted) else "CONSENT_BINDING"


def _ended(
    reader: StateReader, event: Event, body: ConsentGranted, state: ConsentState, index: int, at: Instant
) -> Reason | None:
    """Say why a grant that fits is no longer to be had. Expiry and uses are read from what was signed."""
    if at >= body.expires:
        return "CONSENT_EXPIRED"
    if state.revoked is not None or not still_counts(reader, event):
        return "CONSENT_REVOKED"
    return "CONSENT_CONSUMED" if state.used[index] >= body.uses else None
