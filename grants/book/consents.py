"""Views ``consent`` and ``consent_by_target``: what is left of each consent, and where to find it.

The second is an index: it never says that a grant is good, only that one was given. What is left stands in the first,
what was allowed in the signed event.

Source: DESIGN section 11; policy cases D01, D03, D09, D21.
"""

from collections import Counter
from collections.abc import Iterable

from grants.book.checks import (
    check_chain,
    check_grant_id,
    check_seen,
    check_words,
    contradiction,
    held,
    needed,
    spelling,
)
from grants.book.states import ConsentsState, ConsentState
from grants.events import ConsentConsumed, ConsentGranted, ConsentRequested, ConsentRevoked
from grants.reference import parse
from ledger import canon, digest
from ledger.event import Event
from ledger.view import State

CONSENT = "consent"
BY_TARGET = "consent_by_target"
ENDED_KEPT = 8


class ConsentView:
    """Keeps the life of each consent grant, by its id."""

    name = CONSENT

    def keys(self, event: Event) -> Iterable[str]:
        """Give the grant that the event is about."""
        match event.body:
            case ConsentGranted() | ConsentRevoked() | ConsentConsumed() as body:
                return (body.grant,)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Grant, spend or revoke."""
        if isinstance(event.body, ConsentGranted):
            if state is not None:
                raise contradiction(event, f"grant {key} is there already")
            return _granted(event, event.body).json_form()
        row = needed(ConsentState, state, event, f"consent {key}")
        if row.revoked is not None:
            raise contradiction(event, f"consent {key} was revoked by event {row.revoked}")
        match event.body:
            case ConsentConsumed() as body:
                return _consumed(event, row, body).json_form()
            case ConsentRevoked() as body:
                check_seen(event, body.log_size, row.seq, f"consent {key}")
                if row.spent:
                    raise contradiction(event, f"consent {key} is used up: there is nothing to take back")
                return row.model_copy(update={"revoked": event.seq}).json_form()
        raise contradiction(event, "it is not about a consent")


class ConsentsByTarget:
    """Keeps for each target the consents that may be left, oldest first, and the last that ended."""

    name = BY_TARGET

    def keys(self, event: Event) -> Iterable[str]:
        """Give the targets of the consent."""
        match event.body:
            case ConsentGranted(items=items):
                return sorted({item.target for item in items})
            case ConsentRevoked(targets=targets):
                return sorted(set(targets))
            case ConsentConsumed(target=target):
                return (target,)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Add a consent, count a use down, or move a consent to those that ended."""
        row = held(ConsentsState, state) or ConsentsState(live=(), ended=())
        match event.body:
            case ConsentGranted() as body:
                uses = body.uses * Counter(item.target for item in body.items)[key]
                row = _without_expired(row, event)
                live = (*row.live, (body.grant, event.seq, body.expires, uses))
                return ConsentsState(live=live, ended=row.ended).json_form()
            case ConsentRevoked(grant=grant):
                return _ended(row, {grant}).json_form()
            case ConsentConsumed(grant=grant):
                return _counted_down(event, row, grant, key).json_form()
        raise contradiction(event, "it is not about a consent")


def check_terms(event: Event, body: ConsentGranted | ConsentRequested) -> None:
    """Refuse a request or a consent whose names, targets or digests have another spelling, or that covers nothing."""
    if not body.items:
        raise contradiction(event, "a consent is about at least one action")
    with spelling(event):
        check_chain(body.subject)
        for item in body.items:
            check_words((item.kind, item.verb), "kind and verb")
            parse(item.target)
            if len(canon.from_base64url(item.binding)) != digest.SIZE:
                raise contradiction(event, f"a binding digest has {digest.SIZE} bytes")
        for operand in body.operands:
            parse(operand.reference)


def _granted(event: Event, body: ConsentGranted) -> ConsentState:
    check_terms(event, body)
    with spelling(event):
        check_grant_id(body.grant)
    if body.expires <= event.at:
        raise contradiction(event, f"it would have ended at {body.expires} already")
    used = (0,) * len(body.items)
    return ConsentState(seq=event.seq, uses=body.uses, expires=body.expires, used=used, revoked=None)


def _consumed(event: Event, row: ConsentState, body: ConsentConsumed) -> ConsentState:
    if body.item >= len(row.used):
        raise contradiction(event, f"consent {body.grant} has no item {body.item}")
    if body.use != row.used[body.item] + 1:
        raise contradiction(event, f"the next use of this item is number {row.used[body.item] + 1}, not {body.use}")
    if body.use > row.uses:
        raise contradiction(event, f"item {body.item} of consent {body.grant} is used up")
    if event.at >= row.expires:
        raise contradiction(event, f"consent {body.grant} expired at {row.expires}")
    if body.decision <= row.seq or not {body.decision, row.seq} <= set(event.causes):
        raise contradiction(event, "it is caused by the consent and by a decision made after it")
    used = (*row.used[: body.item], body.use, *row.used[body.item + 1 :])
    return row.model_copy(update={"used": used})


def _without_expired(row: ConsentsState, event: Event) -> ConsentsState:
    return _ended(row, {grant for grant, _, expires, _ in row.live if event.at >= expires})


def _ended(row: ConsentsState, grants: set[str]) -> ConsentsState:
    moved = tuple((grant, seq) for grant, seq, _, _ in row.live if grant in grants)
    live = tuple(entry for entry in row.live if entry[0] not in grants)
    return ConsentsState(live=live, ended=(*row.ended, *moved)[-ENDED_KEPT:])


def _counted_down(event: Event, row: ConsentsState, grant: str, target: str) -> ConsentsState:
    left = {entry[0]: entry[3] for entry in row.live}.get(grant)
    if left is None:
        raise contradiction(event, f"no live consent {grant} for {target}")
    if left == 1:
        return _ended(row, {grant})
    live = tuple((*entry[:3], left - 1) if entry[0] == grant else entry for entry in row.live)
    return ConsentsState(live=live, ended=row.ended)
