"""Under which name and key the log spoke at each size: read from its own events, for the sake of its checkpoints.

Source: DESIGN section 9.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from grants.book.genesis import GENESIS, LedgerView
from grants.book.states import GenesisState
from ledger import canon
from ledger.errors import CanonError, LedgerError
from ledger.event import Event, Registry
from ledger.events import LIFE, TYPES, LedgerOpened, LedgerRestored
from ledger.note import VerifierKey
from ledger.sql.raw import RawTables
from tools.audit.report import Tallies, spell
from tools.audit.trees import Pair

_EVENTS: Final = Registry(*TYPES)


def turns(raw: RawTables) -> list[int]:
    """Give the events that are said to have changed the name or the key of the log, oldest first."""
    return sorted({seq for seq in raw.tagged(LIFE) if type(seq) is int and seq >= 0})


def read_reigns(raw: RawTables, genesis: LedgerOpened, tallies: Tallies) -> tuple[GenesisState, Sequence[Event]] | None:
    """Fold genesis and what came after it; None, and a finding, where that can't be.

    Args:
        raw: the tables.
        genesis: the first event's body.
        tallies: is told what contradicts.
    """
    state = GenesisState(
        origin=genesis.origin,
        demonstration=genesis.demonstration,
        human=genesis.human,
        human_key=genesis.signed.key,
        log_key=genesis.log_key,
    )
    events: list[Event] = []
    for seq in turns(raw):
        data = raw.event_bytes(seq)
        try:
            event = _EVENTS.parse(data if isinstance(data, bytes) else b"")
            state = GenesisState.model_validate(LedgerView().apply(GENESIS, state.json_form(), event))
        except LedgerError as error:
            tallies.find("checkpoints", "events", f"seq {seq}", f"the log's key can't be followed: {error}")
            return None
        events.append(event)
    return state, events


def keys_at(state: GenesisState, size: int, before: int) -> list[VerifierKey]:
    """Give the keys that sign the checkpoint of a size: the one in force, and those replaced since the one before it.

    Raises:
        NoteError: a key is none.
    """
    origin, vkey = state.at(size)
    replaced = [one.log_key for one in state.former if one.origin == origin and before <= one.until < size]
    return [VerifierKey.parse(one) for one in (vkey, *replaced)]


def wrong_roots(events: Sequence[Event], roots: Mapping[int, Sequence[Pair]]) -> Iterator[tuple[str, str]]:
    """Find a restore that names other roots of the restored copy than the events come to."""
    for event in events:
        body, known = event.body, roots.get(event.seq, ())
        if isinstance(body, LedgerRestored) and known:
            try:
                named = canon.from_base64url(body.blake3_root), canon.from_base64url(body.sha256_root)
            except CanonError:
                named = (b"", b"")
            if named not in known:
                yield f"seq {spell(event.seq)}", "the events before it do not come to the roots that it names"
