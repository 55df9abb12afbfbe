"""Views ``principal`` and ``uid``: who is registered, with which keys, and which system user they are.

A key or a principal that was ended stays ended: nothing comes back. What was signed before stays signed. When a
restored copy goes on as another log, whoever says so stands, by the key that signed; all others wait until a human
confirms them, for what ended them may be lost.

Source: DESIGN sections 7 and 11.
"""

from collections.abc import Iterable

from grants.book.checks import check_seen, contradiction, key_of, needed, spelling
from grants.book.states import KeyState, PrincipalState, UidState
from grants.events import (
    PrincipalConfirmed,
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalRegistered,
    PrincipalSuspended,
)
from grants.identifier import kind_of, parse_principal
from ledger.event import Event
from ledger.events import LedgerOpened, LedgerRestored
from ledger.view import State

PRINCIPAL = "principal"
UID = "uid"


class PrincipalView:
    """Keeps each principal with all keys that it ever had."""

    name = PRINCIPAL

    def keys(self, event: Event) -> Iterable[str]:
        """Give the principal that the event is about."""
        match event.body:
            case LedgerOpened(human=principal):
                return (principal,)
            case LedgerRestored():
                return (event.by,)
            case PrincipalConfirmed(principal=principal):
                return (principal,)
            case PrincipalRegistered() | PrincipalKeyAdded() | PrincipalKeyRevoked() | PrincipalSuspended() as body:
                return (body.principal,)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Register, or change what is registered."""
        body = event.body
        if isinstance(body, LedgerOpened | PrincipalRegistered):
            if state is not None:
                raise contradiction(event, f"{key} is registered already")
            with spelling(event):
                return _registered(event, body).json_form()
        row = needed(PrincipalState, state, event, f"principal {key}")
        match body:
            case PrincipalKeyAdded():
                check_seen(event, body.log_size, row.changed, key)
                return _key_added(event, row, body.key).json_form()
            case PrincipalKeyRevoked():
                check_seen(event, body.log_size, row.changed, key)
                return _key_revoked(event, row, body.fingerprint).json_form()
            case LedgerRestored():
                return _confirmed(event, row, (body.signed.key,)).json_form()
            case PrincipalConfirmed():
                check_seen(event, body.log_size, row.changed, key)
                return _confirmed(event, row, body.keys).json_form()
            case PrincipalSuspended():
                check_seen(event, body.log_size, row.changed, key)
                _check_active(event, row)
                return row.model_copy(update={"suspended": event.seq}).json_form()
        raise contradiction(event, "it is not about a principal")


class UidView:
    """Keeps which principal an operating system user is; a uid is given once (the claim ``uid:<n>``)."""

    name = UID

    def keys(self, event: Event) -> Iterable[str]:
        """Give the uid that the event maps, if it maps one."""
        match event.body:
            case LedgerOpened(uid=uid) | PrincipalRegistered(uid=uid) if uid is not None:
                return (str(uid),)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Map the uid."""
        if state is not None:
            raise contradiction(event, f"uid {key} is given already")
        match event.body:
            case LedgerOpened(human=principal, uid=int()) | PrincipalRegistered(principal=principal, uid=int()):
                return UidState(principal=principal).json_form()
        raise contradiction(event, "it maps no uid")


def _registered(event: Event, body: LedgerOpened | PrincipalRegistered) -> PrincipalState:
    if isinstance(body, LedgerOpened):
        return PrincipalState(
            kind="human",
            owner=None,
            uid=body.uid,
            speaks_for=(),
            through=(),
            keys=_new_keys(event, (body.human_key,)),
            registered=event.seq,
            suspended=None,
        )
    if body.kind != kind_of(parse_principal(body.principal)):
        raise contradiction(event, f"{body.principal} is no {body.kind}")
    _check_relations(event, body)
    return PrincipalState(
        kind=body.kind,
        owner=body.owner,
        uid=body.uid,
        speaks_for=body.speaks_for,
        through=body.through,
        keys=_new_keys(event, body.keys),
        registered=event.seq,
        suspended=None,
    )


def _new_keys(event: Event, lines: tuple[str, ...]) -> dict[str, KeyState]:
    keys = {key_of(line).fingerprint: KeyState(line=line, since=event.seq, until=None) for line in lines}
    if len(keys) != len(lines):
        raise contradiction(event, "a key stands twice")
    return keys


def _check_relations(event: Event, body: PrincipalRegistered) -> None:
    if (body.owner is None) is not (body.kind == "human"):
        raise contradiction(event, "a human has no owner, and everybody else has one")
    if body.owner is not None and kind_of(parse_principal(body.owner)) != "human":
        raise contradiction(event, f"an owner is a human, not {body.owner}")
    _check_speaking(event, body, "service", body.speaks_for, "agent")
    _check_speaking(event, body, "agent", body.through, "service")


def _check_speaking(event: Event, body: PrincipalRegistered, kind: str, named: tuple[str, ...], other: str) -> None:
    """A service speaks for agents, and an agent through services; either may name the other."""
    if named and body.kind != kind:
        raise contradiction(event, f"services speak for agents, and {body.principal} is no {kind}")
    if len(set(named)) != len(named):
        raise contradiction(event, f"a name stands twice among {', '.join(named)}")
    for one in named:
        if kind_of(parse_principal(one)) != other:
            raise contradiction(event, f"services speak for agents, and {one} is no {other}")


def _key_added(event: Event, row: PrincipalState, line: str) -> PrincipalState:
    _check_active(event, row)
    with spelling(event):
        fingerprint = key_of(line).fingerprint
    if fingerprint in row.keys:
        raise contradiction(event, f"{fingerprint} is there already, or was ended and does not come back")
    return _with_key(row, fingerprint, KeyState(line=line, since=event.seq, until=None))


def _key_revoked(event: Event, row: PrincipalState, fingerprint: str) -> PrincipalState:
    key = row.keys.get(fingerprint)
    if key is None or key.until is not None:
        why = "is no key of this principal" if key is None else f"was ended by event {key.until} already"
        raise contradiction(event, f"{fingerprint} {why}")
    return _with_key(row, fingerprint, key.model_copy(update={"until": event.seq}))


def _confirmed(event: Event, row: PrincipalState, fingerprints: tuple[str, ...]) -> PrincipalState:
    _check_active(event, row)
    if len(set(fingerprints)) != len(fingerprints):
        raise contradiction(event, "a key stands twice")
    keys = dict(row.keys)
    for fingerprint in fingerprints:
        key = keys.get(fingerprint)
        if key is None or key.until is not None:
            why = "is no key of this principal" if key is None else f"was ended by event {key.until}"
            raise contradiction(event, f"{fingerprint} {why}")
        keys[fingerprint] = key.model_copy(update={"confirmed": (*key.confirmed, event.seq)})
    return row.model_copy(update={"keys": keys, "confirmed": (*row.confirmed, event.seq)})


def _with_key(row: PrincipalState, fingerprint: str, key: KeyState) -> PrincipalState:
    return row.model_copy(update={"keys": {**row.keys, fingerprint: key}})


def _check_active(event: Event, row: PrincipalState) -> None:
    if row.suspended is not None:
        raise contradiction(event, f"the principal was suspended by event {row.suspended}")
