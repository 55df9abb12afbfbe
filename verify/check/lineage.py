"""Under which name and key the log speaks at a size, and how a verifier who trusts an earlier key comes to a later one.

From genesis on the bundle holds every event that changed name or key. A step back from a key to the one that it
replaced counts where

- a human whom the verifier has pinned signed the event, and the new key signed for itself;
- a checkpoint under the replaced key is linked: after a rotation one that covers the event, after a restore one of the
  restored copy; and the bundle's checkpoint continues it in both trees;
- after a restore, the replaced key signed the last checkpoint of the former log, which the event names.

Source: DESIGN section 9; docs/spec/bundle.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grants.authority import check_event
from grants.book.states import GenesisState, Reign
from grants.errors import GrantError
from grants.principals import log_state
from ledger.checkpoint import Checkpoint, open_checkpoint, require_blake3
from ledger.errors import LedgerError, NoteError
from ledger.event import Event
from ledger.events import LedgerKeyRotated, LedgerRestored
from ledger.note import VerifierKey, parse_note
from ledger.policy import Witnessed
from verify.bundle.linking import check_link, goes_on_as_another
from verify.check.evidence import Evidence
from verify.errors import LineageError, VerifyError

if TYPE_CHECKING:
    from verify.check.log import Anchor


def life_of_the_log(evidence: Evidence) -> GenesisState:
    """Fold the bundle's events into the names and keys of the log.

    Raises:
        LineageError: event 0 opens no log, or an event contradicts those before it.
    """
    try:
        state = log_state(evidence.whole)
    except (GrantError, LedgerError) as error:
        raise LineageError(str(error)) from error
    if state is None:
        raise LineageError("event 0 of the bundle opens no log")
    return state


def follow(evidence: Evidence, anchor: "Anchor") -> Witnessed:
    """Open a checkpoint that is signed by a key that came after one of the policy's.

    Raises:
        LineageError: the way from the policy's key to it is not shown.
        NoteError: the checkpoint is malformed, or the key in force has not signed it.
    """
    note = evidence.bundle.checkpoint
    checkpoint = Checkpoint.parse(parse_note(note)[0])
    state = life_of_the_log(evidence)
    key = VerifierKey.parse(state.at(checkpoint.size)[1])
    cosigned = anchor.policy.open_under(note, key)
    require_blake3(cosigned.checkpoint)
    check_way(evidence, anchor, state, checkpoint.size)
    return cosigned


def check_way(evidence: Evidence, anchor: "Anchor", state: GenesisState, size: int) -> None:
    """Check that the key in force at a size is one of the policy's, or came after one of them, step by step.

    Raises:
        LineageError: the way from the policy's key to it is not shown.
        NoteError: a checkpoint that a step rests on does not hold.
    """
    trusted, known = {log.key.text() for log in anchor.policy.logs}, state.at(size)[1]
    steps = [reign for reign in state.former if reign.until < size]
    while known not in trusted:
        if not steps:
            raise LineageError(
                "none of the policy's logs has signed this checkpoint, nor did one of its former keys stand there"
            )
        reign = steps.pop()
        _check_step(evidence, anchor, state, reign)
        known = reign.log_key


def check_links(evidence: Evidence, state: GenesisState, checkpoint: Checkpoint) -> None:
    """Check that each link of the bundle is of a change of key before the checkpoint, and holds.

    Raises:
        LineageError: one is not.
    """
    former = {reign.until: reign for reign in state.former if reign.until < checkpoint.size}
    for link in evidence.bundle.links:
        if link.event not in former:
            raise LineageError(f"a link is of event {link.event}, which changed no key before this checkpoint")
        _check_linked(evidence, state, former[link.event], checkpoint)


def told(evidence: Evidence, state: GenesisState, checkpoint: Checkpoint) -> str:
    """Say what became of the log's name and key before a checkpoint."""
    parts = []
    for reign in state.former:
        if reign.until >= checkpoint.size:
            continue
        event = evidence.events[reign.until]
        body = event.body
        if isinstance(body, LedgerRestored):
            lost = Checkpoint.parse(parse_note(body.checkpoint.encode())[0]).size
            parts.append(
                f"the log {reign.origin} went on as {body.origin} with event {event.seq}, signed by {event.by}: events "
                f"{event.seq} to {lost - 1} of {reign.origin}, and any after them, are lost"
            )
        else:
            parts.append(f"event {event.seq}, signed by {event.by}, replaced the log's key")
    return "; ".join(parts)


def signed_by(note: bytes, keys: Sequence[VerifierKey]) -> bool:
    """Tell whether each of these keys has signed a checkpoint.

    Raises:
        NoteError: malformed, or a line does not hold.
    """
    lines = {(line.name, line.key_id) for line in parse_note(note)[1]}
    for key in keys:
        if (key.name, key.key_id) not in lines:
            return False
        open_checkpoint(note, key)
    return True


def _check_step(evidence: Evidence, anchor: "Anchor", state: GenesisState, reign: Reign) -> None:
    event = evidence.events[reign.until]
    _check_pinned(evidence, anchor, event)
    checkpoint = Checkpoint.parse(parse_note(evidence.bundle.checkpoint)[0])
    former = VerifierKey.parse(reign.log_key)
    if isinstance(event.body, LedgerRestored):
        open_checkpoint(event.body.checkpoint.encode(), former)
    if not goes_on_as_another(state, reign) and signed_by(evidence.bundle.checkpoint, [former]):
        return
    _check_linked(evidence, state, reign, checkpoint)


def _check_pinned(evidence: Evidence, anchor: "Anchor", event: Event) -> None:
    body = event.body
    if not isinstance(body, LedgerKeyRotated | LedgerRestored):
        raise LineageError(f"event {event.seq} changes no key")
    what = f"event {event.seq} replaced the key that the policy names"
    if anchor.signers is None:
        raise LineageError(f"{what}; to follow it the human who signed it must be pinned: give --signers FILE")
    try:
        check_event(evidence.whole, event)
        anchor.signers.lookup(body.signed.key, body.namespace(), anchor.at or event.at, event.by)
    except (GrantError, LedgerError) as error:
        raise LineageError(f"{what}; {event.by} signed it, and {error}") from error


def _check_linked(evidence: Evidence, state: GenesisState, reign: Reign, checkpoint: Checkpoint) -> None:
    link = next((one for one in evidence.bundle.links if one.event == reign.until), None)
    what = f"event {reign.until} replaced a key of the log"
    if link is None:
        raise LineageError(f"{what}, and no checkpoint under the former key is linked")
    try:
        older = open_checkpoint(link.checkpoint, VerifierKey.parse(reign.log_key))
        check_link(link, older, checkpoint)
    except (NoteError, VerifyError) as error:
        raise LineageError(f"{what}, and the link to the former one does not hold: {error}") from error
    covers = older.size > reign.until
    if covers is goes_on_as_another(state, reign):
        wanted = "of the restored copy" if covers else "that covers it"
        raise LineageError(
            f"{what}, and the checkpoint that is linked is of {older.size} events: one {wanted} is wanted"
        )
