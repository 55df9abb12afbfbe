"""Who may sign what, and whether a signed event stands: checked at each append, in each audit and at each use.

| events                        | signed by           |
|-------------------------------|---------------------|
| ``trust.*``                   | a sensor            |
| ``resource.*``                | a human, a registrar; only a human where it opens what was closed |
| ``evidence.*``                | a human, a registrar, a sensor: its issuer |
| ``amendment.*``               | a human, an agent   |
| everything else that is signed| a human             |

Two questions are kept apart. *Was it given by right?* is asked as of the event's own place in the log: a key that was
ended later had signed validly before. *Does it still count?* is asked now: a grant whose key was revoked, or whose
signer was suspended, after it was given no longer gives authority, for nobody can tell any more who held the key.
Nor does one that is older than the last restore of the log.

Nobody consents to what they ask for themselves, nor ratifies a grant for themselves. Where several humans ratify a
grant together, each of their signatures is checked so, and whoever controls the subject is none of them.

Source: DESIGN sections 7 and 11; policy case E03.
"""

from functools import lru_cache
from typing import Final

from grants import sshsig
from grants.book.checks import key_of
from grants.book.states import GenesisState, PrincipalState
from grants.errors import AuthorityError, KeyFileError
from grants.events import (
    ConsentGranted,
    Cosigned,
    GrantRatified,
    GrantRatifiedTogether,
    PrincipalRegistered,
    ResourceCleared,
    ResourceReclassified,
    ResourceRegistered,
)
from grants.principals import find_principal, last_restored, log_state
from grants.reading import StateReader
from ledger.checkpoint import open_checkpoint
from ledger.errors import NoteError
from ledger.event import Body, Event, Signed, SignedBody
from ledger.events import LedgerKeyRotated, LedgerOpened, LedgerRestored
from ledger.note import VerifierKey
from ledger.possession import check_possession

ISSUERS: Final = frozenset({"human", "registrar", "sensor"})
"""The kinds of principal that may issue evidence. An agent or a service never attests what it is judged by."""

_SIGNERS: Final = {
    "trust": frozenset({"sensor"}),
    "resource": frozenset({"human", "registrar"}),
    "evidence": ISSUERS,
    "amendment": frozenset({"human", "agent"}),
}
_HUMAN: Final = frozenset({"human"})


def check_signed(reader: StateReader, body: SignedBody, by: str, at_size: int) -> None:
    """Check that a signed body may become, or was rightly, the event at place ``at_size``.

    Args:
        reader: the ledger, as of that place or later: keys and principals know when they began and ended.
        body: what was signed.
        by: whose act it is.
        at_size: the number of events before it.

    Raises:
        AuthorityError: the signer may not do this, by this key, in this log.
        SignatureError: the signature does not hold.
    """
    if isinstance(body, LedgerOpened):
        _check_genesis(body, by, at_size)
        return
    signer = check_signer(reader, type(body), by, at_size)
    begun = log_state(reader)
    _check_origin(begun, body, at_size)
    if body.log_size > at_size:
        raise AuthorityError(f"it was signed for a log of {body.log_size} events, and this one has {at_size}")
    _check_log_key(body)
    _check_signature(reader, begun, body, Cosigned(by=by, signed=body.signed), signer, at_size)
    if isinstance(body, GrantRatifiedTogether):
        if len({by, *(one.by for one in body.cosigned)}) != 1 + len(body.cosigned):
            raise AuthorityError("somebody has signed twice, and counts once")
        for one in body.cosigned:
            check_cosigned(reader, body, one, at_size)
        if 1 + len(body.cosigned) < body.humans:
            raise AuthorityError(f"{body.humans} humans must sign, and {1 + len(body.cosigned)} did")


def check_cosigned(reader: StateReader, body: GrantRatifiedTogether, one: Cosigned, at_size: int) -> None:
    """Check one of the signatures of those who ratify a grant together, as of place ``at_size``.

    Raises:
        AuthorityError: this human may not do this, by this key.
        SignatureError: the signature does not hold.
    """
    signer = check_signer(reader, type(body), one.by, at_size)
    _check_signature(reader, log_state(reader), body, one, signer, at_size)


def check_signer(reader: StateReader, body_type: type[Body], by: str, at_size: int) -> PrincipalState:
    """Check that a principal may sign events of a type, and give its registration.

    Raises:
        AuthorityError: unknown, suspended, or of another kind.
    """
    signer = find_principal(reader, by)
    if signer is None or signer.registered >= at_size:
        raise AuthorityError(f"{by} is not registered")
    if not signer.stands_at(at_size):
        raise AuthorityError(f"{by} was suspended by event {signer.suspended}")
    check_confirmed(reader, by, signer, at_size)
    may = _SIGNERS.get(body_type.type.partition(".")[0], _HUMAN)
    if signer.kind not in may:
        raise AuthorityError(f"{body_type.type} is signed by a {' or a '.join(sorted(may))}, not by {by}")
    return signer


def check_event(reader: StateReader, event: Event) -> None:
    """Check, as of its own place, an event that must be signed; every other event passes.

    Raises:
        AuthorityError: the signer might not do this.
        SignatureError: the signature does not hold.
    """
    if not isinstance(event.body, SignedBody):
        return
    if event.auth != "signature":
        raise AuthorityError(f"event {event.seq} is signed, and says that its author was established by {event.auth}")
    check_signed(reader, event.body, event.by, event.seq)


def still_counts(reader: StateReader, event: Event) -> bool:
    """Tell whether what was signed still gives authority.

    It does while its signer is neither suspended nor without that key, and the log was not restored since: what took
    it back, or used it up, may be lost.
    """
    body = event.body
    return isinstance(body, SignedBody) and _still_counts(reader, event.seq, event.by, body.signed)


def humans_behind(reader: StateReader, event: Event) -> int:
    """Count the humans whose signatures of a standing grant still count; neither who asks nor who controls them."""
    body = event.body
    if not isinstance(body, GrantRatifiedTogether):
        return int(still_counts(reader, event))
    asking = {body.subject, _owner(reader, body.subject)}
    signed = [(event.by, body.signed), *((one.by, one.signed) for one in body.cosigned)]
    return sum(by not in asking and _still_counts(reader, event.seq, by, one) for by, one in signed)


def check_confirmed(reader: StateReader, principal: str, row: PrincipalState, at_size: int) -> None:
    """Check that a principal is not waiting to be confirmed after a restore.

    Raises:
        AuthorityError: it is.
    """
    begun = log_state(reader)
    restored = begun.restored(at_size) if begun else None
    if restored is not None and not row.stands_at(at_size, restored):
        raise AuthorityError(
            f"{principal} is not confirmed since the log was restored by event {restored}: "
            f"a human who is confirmed runs tally principal confirm {principal}"
        )


def _still_counts(reader: StateReader, seq: int, by: str, signed: Signed) -> bool:
    restored = last_restored(reader)
    if restored is not None and seq < restored:
        return False
    signer = find_principal(reader, by)
    if signer is None or not signer.stands(restored):
        return False
    key = signer.keys.get(signed.key)
    return key is not None and key.holds(restored)


def _check_signature(
    reader: StateReader,
    begun: GenesisState | None,
    body: SignedBody,
    one: Cosigned,
    signer: PrincipalState,
    at_size: int,
) -> None:
    """Check one signature under a body, and that its signer may say this of others."""
    key = signer.keys.get(one.signed.key)
    if key is None or not key.holds_at(at_size, begun.restored(at_size) if begun else None):
        raise AuthorityError(f"{one.signed.key} is no key of {one.by}, or was not any more, or is not confirmed since")
    check_relation(reader, body, one.by, at_size)
    _verify(one.signed.armour, _statement(body), body.namespace(), key.line)


def _owner(reader: StateReader, principal: str, at_size: int | None = None) -> str | None:
    row = find_principal(reader, principal)
    return None if row is None or (at_size is not None and row.registered >= at_size) else row.owner


def _check_genesis(body: LedgerOpened, by: str, at_size: int) -> None:
    if at_size != 0 or body.log_size != 0:
        raise AuthorityError("a log begins once, with its first event")
    try:
        key = key_of(body.human_key)
    except KeyFileError as error:
        raise AuthorityError(f"the first human's key: {error}") from error
    if by != body.human or body.signed.key != key.fingerprint:
        raise AuthorityError(f"a log is opened by its first human, {body.human}, with the key that it names")
    _verify(body.signed.armour, body.statement(), body.namespace(), body.human_key)


def _check_origin(begun: GenesisState | None, body: SignedBody, at_size: int) -> None:
    if isinstance(body, LedgerRestored):
        # It names the log that it begins; that it goes on from this one, the view checks.
        return
    if begun is None or body.origin != begun.origin_at(at_size):
        raise AuthorityError(f"it was signed for the log {body.origin!r}, and this is another")


def _check_log_key(body: SignedBody) -> None:
    """Check what the log's own keys say in an event that replaces one.

    Raises:
        AuthorityError: the new key has not signed for itself, or the old one not the checkpoint.
    """
    try:
        match body:
            case LedgerKeyRotated():
                check_possession(body.old_key, body.new_key, body.possession)
            case LedgerRestored():
                check_possession(body.former_key, body.log_key, body.possession)
                open_checkpoint(body.checkpoint.encode(), VerifierKey.parse(body.former_key))
    except NoteError as error:
        raise AuthorityError(f"the keys of the log: {error}") from error


def check_relation(reader: StateReader, body: SignedBody, by: str, at_size: int) -> None:
    """Check what an act says of others: an owner is a registered human, and nobody grants what they ask for.

    It needs no signature, so that it can be known before anybody is asked for one.

    Raises:
        AuthorityError: it does not hold.
    """
    match body:
        case PrincipalRegistered(owner=str(owner)):
            row = find_principal(reader, owner)
            if row is None or row.kind != "human" or not row.stands_at(at_size):
                raise AuthorityError(f"the owner {owner} is no registered human, or was suspended")
            check_confirmed(reader, owner, row, at_size)
        case (
            ResourceRegistered(relabels=change)
            | ResourceReclassified(relabels=change)
            | ResourceCleared(relabels=change)
        ) if change is not None and change.opens:
            _check_human(reader, by, body)
        case ConsentGranted(subject=(asker, *_)) | GrantRatified(subject=asker) if asker == by:
            raise AuthorityError(f"{by} can't grant what {by} asks for: another human must")
        case GrantRatifiedTogether(subject=asker) if _owner(reader, asker, at_size) == by:
            raise AuthorityError(f"{by} controls {asker}: where several humans are asked for, others must sign")


def _check_human(reader: StateReader, by: str, body: SignedBody) -> None:
    row = find_principal(reader, by)
    if row is None or row.kind != "human":
        raise AuthorityError(
            f"{body.type} opens what was closed, or may: that is signed by a human, not by {by} (policy case G07)"
        )


@lru_cache(maxsize=256)
def _statement(body: SignedBody) -> bytes:
    return body.statement()


# What is remembered is that these bytes verify under this key; never whether key or grant is still in force.
@lru_cache(maxsize=1024)
def _verify(armour: str, statement: bytes, namespace: str, key_line: str) -> None:
    sshsig.verify(armour, statement, namespace, key_of(key_line))
