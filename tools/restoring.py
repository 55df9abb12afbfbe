"""A copy that came back from a backup goes on as another log: under a new origin, with a new key and a new mark.

In this order, so that after a crash nothing was signed twice and the same command finishes what was begun: the new
key is on the disk; the event is in the log; the old mark and the key beside it are put aside under that key's id; the
new mark is down. Until then the old mark keeps the database closed.

The key that signed last need not be the one that the copy names: it may have come into force in what is lost. The
copy's own key signs the last checkpoint's text again, since nobody can follow another from what the copy holds; that
text was signed before, so no size gets a second root.

Source: DESIGN section 9; docs/guides/operate.md.
"""

from collections.abc import Callable
from dataclasses import dataclass

from grants import life
from grants.principals import log_state
from grants.reading import read_event
from ledger.checkpoint import Checkpoint, sign_checkpoint
from ledger.errors import ReadOnlyError
from ledger.event import Event
from ledger.events import LedgerRestored
from ledger.log import Snapshot
from ledger.note import VerifierKey, parse_note
from tools import checkpointing
from tools.checkpointing import Signed, alone
from tools.errors import EvidenceError, HomeError, InputError
from tools.home import Home, write_new
from tools.keys import in_place, is_copied, signer_of
from tools.ledger import OpenLedger
from tools.mark import check_continues, of_head, read_mark, write_mark
from tools.succession import SignAct, exchange, gone_if_refused, successor, trust


@dataclass(frozen=True, slots=True)
class Restored:
    """What came of it.

    Attributes:
        event: the `ledger.restored`.
        body: its body.
        lost: the size of the former log's last checkpoint: what lies from the event's place up to it is lost.
        signed: the first checkpoint of the new origin.
    """

    event: Event
    body: LedgerRestored
    lost: int
    signed: Signed


def restore(ledger: OpenLedger, origin: str, sign_act: SignAct) -> Restored:
    """Let a copy that is behind its mark go on as another log, or finish what was begun.

    Args:
        ledger: the open copy.
        origin: the new log's name.
        sign_act: has a human sign the event.

    Raises:
        InputError: the copy is not behind the mark.
        EvidenceError: the copy does not continue the checkpoints that are kept in it, or is not behind the mark and
            does not continue it either.
        HomeError: the key or the mark can't be used.
        ToolError: the person said no, or nobody was there to be asked.
        GrantError: this principal may not do this.
    """
    home = ledger.home
    mark = read_mark(home)
    begun = ledger.log.read(lambda snapshot: _begun(snapshot, ledger, mark))
    if begun is None:
        begun = _begin(ledger, _behind(ledger, mark), origin, sign_act)
    event, body = begun
    if mark.origin == body.former_origin:
        _finish(ledger, mark, body)
    signed = checkpointing.make(ledger)
    return Restored(event, body, last_size(body), signed)


def last_size(body: LedgerRestored) -> int:
    """Give how many events the former log had when it signed last."""
    return Checkpoint.parse(parse_note(body.checkpoint.encode())[0]).size


def _begin(ledger: OpenLedger, mark: Checkpoint, origin: str, sign_act: SignAct) -> tuple[Event, LedgerRestored]:
    home = ledger.home
    former = signer_of(home, VerifierKey.parse(ledger.genesis.log_key))
    is_copied(home, in_place(home, mark.origin))  # what could not be kept is said before anything is written
    # A text that was signed before: no second statement, and under the same key Ed25519 gives the same signature.
    last = sign_checkpoint(mark, former)
    new = successor(home, origin)
    size = ledger.log.read(lambda snapshot: snapshot.head.size)
    ledger.log.guard = _nothing_since(home, mark, size)
    with gone_if_refused(home, new.verifier_key):
        event = sign_act(lambda snapshot, by: life.restore(snapshot, by=by, new=new, checkpoint=last))
    if not isinstance(event.body, LedgerRestored):
        raise HomeError(f"event {event.seq} is {event.type}, not ledger.restored")
    return event, event.body


def _finish(ledger: OpenLedger, mark: Checkpoint, body: LedgerRestored) -> None:
    home, new = ledger.home, VerifierKey.parse(body.log_key)
    with alone(home):
        held = in_place(home, mark.origin)
        if held.public_key != new.public_key:  # else the mark was put aside before the keys were exchanged
            _put_aside(home, mark, held)
        exchange(home, mark.origin, new)
        trust(home, new)
        signer_of(home, new)  # without the key there is no use in a mark for it
        # From here on the database is open again.
        write_mark(home, ledger.log.read(lambda snapshot: of_head(snapshot.head, body.origin)))


def _put_aside(home: Home, mark: Checkpoint, signer: VerifierKey) -> None:
    aside = home.mark.with_name(f"{home.mark.name}.{signer.key_id.hex()}")
    try:
        if not aside.exists():
            write_new(aside, mark.text().encode(), 0o600)
    except OSError as error:
        raise HomeError(f"{aside} can't be written ({error.strerror}): run tally log restored again") from error


def _begun(snapshot: Snapshot, ledger: OpenLedger, mark: Checkpoint) -> tuple[Event, LedgerRestored] | None:
    """Find the event of a restore that was not finished: the database names another origin than the mark."""
    state = log_state(snapshot)
    seq = state.restored() if state is not None else None
    if state is None or seq is None:
        return None
    event = read_event(snapshot, ledger.registry, seq)
    if event is None or not isinstance(event.body, LedgerRestored):
        raise EvidenceError(f"event {seq} is not the restore that the view names: run tally audit")
    return (event, event.body) if mark.origin == event.body.former_origin else None


def _behind(ledger: OpenLedger, mark: Checkpoint) -> Checkpoint:
    """Insist that there is something to restore from, and that the copy is in itself what was signed."""
    if mark.origin != ledger.origin:
        raise HomeError(
            f"{ledger.home.mark} is of {mark.origin}, and the copy of {ledger.origin}: put that log's key and mark back"
        )

    def look(snapshot: Snapshot) -> int:
        newest = checkpointing.latest(snapshot)
        if newest is not None:
            check_continues(snapshot, newest.checkpoint)
        _check_no_fork(snapshot, mark)
        return snapshot.head.size

    size = ledger.log.read(look)
    if size >= mark.size:
        raise InputError(
            f"the log holds {size} events and {mark.size} were signed: it is not behind, and goes on as it is"
        )
    return mark


def _check_no_fork(snapshot: Snapshot, mark: Checkpoint) -> None:
    """Refuse a log that is as long as its mark and contradicts it: the restore of an earlier copy can't mend that.

    A restore says that all up to its own place was signed and what comes after is lost. Of such a log neither is true:
    something was written to it after it parted from what was signed, and nobody can tell from where on.
    """
    try:
        check_continues(snapshot, mark)
    except EvidenceError as error:
        raise EvidenceError(
            f"the log holds {snapshot.head.size} events and is not behind the {mark.size} that were signed: it is "
            "another history, which no restore makes right; put the database back that was signed, or a backup from "
            f"before the two parted, which can then go on by tally log restored ({error})"
        ) from error


def _nothing_since(home: Home, mark: Checkpoint, size: int) -> Callable[[Snapshot], None]:
    def check(look: Snapshot) -> None:
        if look.head.size != size or read_mark(home) != mark:
            raise ReadOnlyError("the log or its mark has moved while this was signed: look again with tally doctor")

    return check
