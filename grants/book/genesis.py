"""View ``ledger``: one row, ``genesis``, that says how this log began, and under which name and key it speaks.

Source: DESIGN section 7.
"""

from collections.abc import Iterable

from grants.book.checks import contradiction, key_of, needed, spelling
from grants.book.states import GenesisState, Reign
from grants.identifier import kind_of, parse_principal
from ledger import canon, digest
from ledger.checkpoint import Checkpoint
from ledger.event import Event
from ledger.events import LedgerKeyRotated, LedgerOpened, LedgerRestored
from ledger.note import VerifierKey, parse_note
from ledger.view import State

NAME = "ledger"
GENESIS = "genesis"


class LedgerView:
    """Keeps the origin, the log's key, those before them, and the first human."""

    name = NAME

    def keys(self, event: Event) -> Iterable[str]:
        """Give the one key, for genesis and what changes name or key."""
        return (GENESIS,) if isinstance(event.body, LedgerOpened | LedgerKeyRotated | LedgerRestored) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Begin the log, replace its key, or let a restored copy go on."""
        match event.body:
            case LedgerOpened() as body:
                return _opened(event, body, state).json_form()
            case LedgerKeyRotated() as body:
                row = needed(GenesisState, state, event, "log")
                return _rotated(event, body, row).json_form()
            case LedgerRestored() as body:
                row = needed(GenesisState, state, event, "log")
                return _restored(event, body, row).json_form()
        raise contradiction(event, "it is no event of the log's own")


def _opened(event: Event, body: LedgerOpened, state: State | None) -> GenesisState:
    if state is not None or event.seq != 0:
        raise contradiction(event, "a log begins once, with its first event")
    with spelling(event):
        if kind_of(parse_principal(body.human)) != "human":
            raise contradiction(event, f"the first principal is a human, not {body.human}")
        human_key = key_of(body.human_key)
        log_key = VerifierKey.parse(body.log_key)
    if log_key.name != body.origin:
        raise contradiction(event, f"the log's key is named {log_key.name!r}, its origin {body.origin!r}")
    return GenesisState(
        origin=body.origin,
        demonstration=body.demonstration,
        human=body.human,
        human_key=human_key.fingerprint,
        log_key=body.log_key,
    )


def _rotated(event: Event, body: LedgerKeyRotated, row: GenesisState) -> GenesisState:
    if body.old_key != row.log_key:
        raise contradiction(event, f"the key in force is {row.log_key}, not {body.old_key}")
    _check_new(event, body.new_key, body.origin, row)
    return _next(event, row, row.origin, body.new_key)


def _restored(event: Event, body: LedgerRestored, row: GenesisState) -> GenesisState:
    if (body.former_origin, body.former_key) != (row.origin, row.log_key):
        raise contradiction(event, f"the restored copy is of {row.origin}, under the key {row.log_key}")
    if body.log_size != event.seq:
        raise contradiction(event, f"it was signed for a copy of {body.log_size} events, and this one has {event.seq}")
    if body.origin in {row.origin, *(reign.origin for reign in row.former)}:
        raise contradiction(event, f"{body.origin} was this log's name before: a restored copy goes on under a new one")
    _check_new(event, body.log_key, body.origin, row)
    with spelling(event):
        last = Checkpoint.parse(parse_note(body.checkpoint.encode())[0])
        for root in (body.sha256_root, body.blake3_root):
            if len(canon.from_base64url(root)) != digest.SIZE:
                raise contradiction(event, f"a root has {digest.SIZE} bytes")
    if last.origin != row.origin or last.size <= event.seq:
        raise contradiction(
            event, f"a copy is restored where {row.origin} has signed more than its {event.seq} events, and it has not"
        )
    return _next(event, row, body.origin, body.log_key)


def _check_new(event: Event, vkey: str, origin: str, row: GenesisState) -> None:
    """Refuse a key that was this log's before: whoever has it could speak in its name again."""
    with spelling(event):
        key = VerifierKey.parse(vkey)
        known = {VerifierKey.parse(one).public_key for one in (row.log_key, *(reign.log_key for reign in row.former))}
    if key.name != origin:
        raise contradiction(event, f"the log's key is named {key.name!r}, its origin {origin!r}")
    if key.public_key in known:
        raise contradiction(event, "this key was the log's before: a new one is wanted")


def _next(event: Event, row: GenesisState, origin: str, log_key: str) -> GenesisState:
    ended = Reign(origin=row.origin, log_key=row.log_key, until=event.seq)
    return row.model_copy(update={"origin": origin, "log_key": log_key, "former": (*row.former, ended)})
