"""Every act of a human, registrar or first human, prepared to be signed: see `grants.issue`.

Source: DESIGN sections 7, 8 and 11.
"""

import secrets
from collections.abc import Iterable, Sequence

from grants.book.checks import GRANT_ID_SIZE
from grants.book.standing import STANDING
from grants.book.states import StandingState
from grants.consent import Terms, Wanted, item_for
from grants.errors import IssueError
from grants.events import (
    ConsentGranted,
    ConsentRefused,
    ConsentRequested,
    ConsentRevoked,
    GrantRatified,
    GrantRatifiedTogether,
    GrantRevoked,
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalRegistered,
    PrincipalSuspended,
)
from grants.identifier import kind_of, parse_principal
from grants.issue import Prepared, prepare, prepare_genesis
from grants.principals import last_restored
from grants.reading import read_event, read_state
from grants.registering import advance, clear, reclassify, register_resource, retire
from grants.sshkey import PublicKey
from grants.standing import StandingTerms, Vocabulary, check_selector
from ledger import canon, digest, disclosure
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import DisclosureError
from ledger.event import Body, Event, Registry
from ledger.instant import Instant
from ledger.log import Snapshot


def open_ledger(
    snapshot: Snapshot,
    *,
    log_key: str,
    origin: str,
    human: str,
    human_key: PublicKey,
    name: str,
    uid: int | None = None,
    demonstration: bool = False,
) -> Prepared:
    """Prepare genesis: the first human opens a log.

    Args:
        snapshot: the empty log.
        log_key: the log's C2SP verifier key, named as its origin.
        origin: the log's name.
        human: principal id of the first human.
        human_key: that human's key.
        name: that human's display name.
        uid: the operating system user that is this human.
        demonstration: whether claimed identities are believed; such a ledger binds nobody.
    """
    fields: dict[str, Json] = {
        "origin": origin,
        "profile": digest.PROFILE,
        "log_key": log_key,
        "human": human,
        "human_key": human_key.line(),
        "uid": uid,
        "demonstration": demonstration,
    }
    opened = (Opening.fresh("/name", name),)
    return prepare_genesis(snapshot, fields, by=human, fingerprint=human_key.fingerprint, openings=opened)


def register_principal(  # noqa: PLR0913  (each names one field of the event)
    snapshot: Snapshot,
    *,
    by: str,
    principal: str,
    name: str,
    keys: Iterable[PublicKey] = (),
    owner: str | None = None,
    uid: int | None = None,
    speaks_for: Iterable[str] = (),
    through: Iterable[str] = (),
) -> Prepared:
    """Prepare the registration of a principal; its kind stands in its id."""
    fields: dict[str, Json] = {
        "principal": principal,
        "kind": kind_of(parse_principal(principal)),
        "keys": [key.line() for key in keys],
        "owner": owner,
        "uid": uid,
        "speaks_for": list(speaks_for),
        "through": list(through),
    }
    return prepare(snapshot, PrincipalRegistered, fields, by=by, openings=(Opening.fresh("/name", name),))


def add_key(snapshot: Snapshot, *, by: str, principal: str, key: PublicKey) -> Prepared:
    """Prepare a further key of a principal."""
    return prepare(snapshot, PrincipalKeyAdded, {"principal": principal, "key": key.line()}, by=by)


def revoke_key(snapshot: Snapshot, *, by: str, principal: str, fingerprint: str) -> Prepared:
    """Prepare the end of a key: the grants that it signed no longer count."""
    fields: dict[str, Json] = {"principal": principal, "fingerprint": fingerprint}
    return prepare(snapshot, PrincipalKeyRevoked, fields, by=by)


def suspend(snapshot: Snapshot, *, by: str, principal: str, reason: str) -> Prepared:
    """Prepare the end of a principal."""
    opened = (Opening.fresh("/reason", reason),)
    return prepare(snapshot, PrincipalSuspended, {"principal": principal}, by=by, openings=opened)


def ratify_grant(
    snapshot: Snapshot,
    vocabulary: Vocabulary,
    *,
    by: str,
    terms: StandingTerms,
    reason: str,
    grant: str | None = None,
) -> Prepared:
    """Prepare a standing grant; one that takes the signatures of several humans is prepared for the first of them.

    The others sign the same text (`grants.together`).

    Args:
        snapshot: the log.
        vocabulary: what the constitution in force declares, and how many humans it asks for.
        by: the human.
        terms: what it covers.
        reason: why.
        grant: its id; a new one unless given.

    Raises:
        ExpressionError: the selector is not one that may be ratified.
        AuthorityError: this principal may not do this.
        IssueError: it breaks its schema, or contradicts what stands.
    """
    check_selector(vocabulary, terms)
    fields: dict[str, Json] = {
        "grant": grant or new_grant_id(),
        "subject": terms.subject,
        "kinds": list(terms.kinds),
        "verbs": list(terms.verbs),
        "targets": terms.targets,
        "selector": terms.selector,
        "expires": terms.expires,
    }
    opened = (Opening.fresh("/reason", reason),)
    if vocabulary.humans == 1:
        return prepare(snapshot, GrantRatified, fields, by=by, openings=opened)
    together: dict[str, Json] = {**fields, "humans": vocabulary.humans, "cosigned": []}
    return prepare(snapshot, GrantRatifiedTogether, together, by=by, openings=opened)


def revoke_grant(snapshot: Snapshot, *, by: str, grant: str, reason: str) -> Prepared:
    """Prepare the end of a standing grant."""
    row = read_state(snapshot, STANDING, grant, StandingState)
    if row is None:
        raise IssueError(f"there is no standing grant {grant}")
    fields: dict[str, Json] = {"grant": grant, "subject": row.subject}
    return prepare(
        snapshot, GrantRevoked, fields, by=by, openings=(Opening.fresh("/reason", reason),), causes=(row.seq,)
    )


def grant_request(
    snapshot: Snapshot,
    registry: Registry,
    *,
    by: str,
    request: int,
    reason: str,
    expires: Instant,
    uses: int = 1,
    grant: str | None = None,
) -> Prepared:
    """Prepare the consent that answers a request, for exactly what was asked.

    Raises:
        IssueError: no such request, or its arguments were erased: nobody could read what they consent to.
    """
    event, body = _request(snapshot, registry, request)
    restored = last_restored(snapshot)
    if restored is not None and request < restored:
        raise IssueError(f"request {request} is older than the restore by event {restored}: let it be asked again")
    opened = tuple(snapshot.openings(request))
    if {o.path for o in opened} != {path for path, _ in disclosure.paths(body)}:
        raise IssueError(f"what request {request} asks for was erased: it can't be consented to any more")
    try:
        for opening in opened:
            disclosure.check(body, opening)
    except DisclosureError as error:
        raise IssueError(f"what is kept of request {request} is not what was asked: {error}") from error
    asked = body.model_dump(mode="json", exclude={"decision", "args"})
    more: dict[str, Json] = {"grant": grant or new_grant_id(), "request": request, "uses": uses, "expires": expires}
    return prepare(
        snapshot,
        ConsentGranted,
        {**asked, **more},
        by=by,
        openings=(*opened, Opening.fresh("/reason", reason)),
        causes=(event.seq,),
    )


def grant_terms(
    snapshot: Snapshot,
    *,
    by: str,
    terms: Terms,
    wanted: Sequence[Wanted],
    reason: str,
    expires: Instant,
    uses: int = 1,
    grant: str | None = None,
) -> Prepared:
    """Prepare a consent to an operation that a human foresees and nobody has asked for yet."""
    opened = terms.openings()
    to = terms.bound(opened)
    if to is None:  # pragma: no cover
        raise AssertionError(terms)  # the openings were made from these terms
    fields: dict[str, Json] = {
        "subject": list(terms.subject),
        "domain": terms.domain,
        "items": [item_for(to, one).model_dump(mode="json") for one in wanted],
        "operands": [operand.model_dump(mode="json") for operand in to.operands],
        "grant": grant or new_grant_id(),
        "request": None,
        "uses": uses,
        "expires": expires,
    }
    return prepare(snapshot, ConsentGranted, fields, by=by, openings=(*opened, Opening.fresh("/reason", reason)))


def refuse(snapshot: Snapshot, registry: Registry, *, by: str, request: int, reason: str) -> Prepared:
    """Prepare the refusal of a request."""
    event, _ = _request(snapshot, registry, request)
    opened = (Opening.fresh("/reason", reason),)
    return prepare(snapshot, ConsentRefused, {"request": request}, by=by, openings=opened, causes=(event.seq,))


def revoke_consent(snapshot: Snapshot, registry: Registry, *, by: str, grant: str, reason: str) -> Prepared:
    """Prepare to take a consent back before it is used up."""
    seq = snapshot.claimed(f"grant:{grant}")
    found = None if seq is None else read_event(snapshot, registry, seq)
    if found is None or not isinstance(found.body, ConsentGranted):
        raise IssueError(f"there is no consent {grant}")
    targets: list[Json] = [*sorted({item.target for item in found.body.items})]
    return prepare(
        snapshot,
        ConsentRevoked,
        {"grant": grant, "targets": targets},
        by=by,
        openings=(Opening.fresh("/reason", reason),),
        causes=(found.seq,),
    )


def new_grant_id() -> str:
    """Draw a grant id: 128 random bits, drawn again where a command line would take it for an option."""
    while (grant := canon.to_base64url(secrets.token_bytes(GRANT_ID_SIZE))).startswith("-"):
        pass
    return grant


def _request(snapshot: Snapshot, registry: Registry, seq: int) -> tuple[Event, ConsentRequested]:
    event = read_event(snapshot, registry, seq)
    body: Body | None = event.body if event else None
    if event is None or not isinstance(body, ConsentRequested):
        raise IssueError(f"event {seq} is no request for consent")
    return event, body


__all__ = [
    "add_key",
    "advance",
    "clear",
    "grant_request",
    "grant_terms",
    "new_grant_id",
    "open_ledger",
    "ratify_grant",
    "reclassify",
    "refuse",
    "register_principal",
    "register_resource",
    "retire",
    "revoke_consent",
    "revoke_grant",
    "revoke_key",
    "suspend",
]
