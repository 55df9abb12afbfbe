"""Making a checkpoint: the log is read, held against what was signed before, marked, and only then signed.

The high-water mark is the text of the checkpoint that was signed last. It lies beside the key and apart from the
database, and is on the disk before a signature exists: a database from a backup can't make the log sign a second
history. A mark that is gone is not made anew: without it nobody knows what was signed.

Source: DESIGN section 9.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from grants.principals import log_state
from grants.reading import read_event
from ledger.checkpoint import Checkpoint, may_sign, open_checkpoint, sign_checkpoint
from ledger.errors import CheckpointError
from ledger.event import Registry
from ledger.instant import Instant, to_microseconds
from ledger.log import Head, Snapshot
from ledger.note import VerifierKey
from tools.errors import EvidenceError, HomeError
from tools.home import Home
from tools.keys import signer_of
from tools.ledger import OpenLedger
from tools.mark import WAY_ON, check_continues, of_head, other_origin, read_mark, write_mark


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed checkpoint: what it says, its bytes, and the key that was in force."""

    checkpoint: Checkpoint
    note: bytes
    key: VerifierKey


def make(ledger: OpenLedger) -> Signed:
    """Sign what the log commits to now, and keep the note.

    The key is the one in force at the size that is signed, whatever was in force when the ledger was opened.

    Raises:
        EvidenceError: the log does not continue what was signed before.
        HomeError: the key or the mark can't be used.
        StoreError: the log can't be read, or the note can't be kept.
    """
    with alone(ledger.home):
        return _sign(ledger, read_mark(ledger.home))


def make_first(ledger: OpenLedger) -> Signed:
    """Sign the first checkpoint of a ledger that is being built, which has no mark yet.

    Raises:
        HomeError: the key can't be used, or the mark can't be written.
        StoreError: the log can't be read, or the note can't be kept.
    """
    with alone(ledger.home):
        return _sign(ledger, None)


def _sign(ledger: OpenLedger, mark: Checkpoint | None) -> Signed:
    home = ledger.home
    following, keys = ledger.log.read(lambda snapshot: _following(snapshot, mark))
    _check_may_sign(mark, following)
    signers = [signer_of(home, key) for key in keys]
    # From here on this size has this root for ever, whether or not the signature below comes to be.
    write_mark(home, following)
    note = sign_checkpoint(following, *signers)
    ledger.log.store_checkpoint(following.size, note)
    return Signed(following, note, keys[0])


def latest(snapshot: Snapshot) -> Signed | None:
    """Give the newest checkpoint that is kept, verified; None where there is none yet.

    Raises:
        NoteError: its signature does not hold.
    """
    newest, state = snapshot.newest_checkpoint(), log_state(snapshot)
    if newest is None or state is None:
        return None
    key = VerifierKey.parse(state.at(newest[0])[1])
    return Signed(open_checkpoint(newest[1], key), newest[1], key)


def standing(snapshot: Snapshot, registry: Registry) -> tuple[Head, Signed | None, Instant | None]:
    """Give the head, the newest checkpoint, and the time of the last event under it.

    Raises:
        NoteError: its signature does not hold.
        EventError: that event can't be read.
    """
    signed = latest(snapshot)
    last = None if signed is None else read_event(snapshot, registry, signed.checkpoint.size - 1)
    return snapshot.head, signed, None if last is None else last.at


def age(now: int, at: Instant | None) -> int | None:
    """Give how many seconds before ``now``, in microseconds, an instant was."""
    return None if at is None else max(0, now - to_microseconds(at)) // 1_000_000


def _following(snapshot: Snapshot, mark: Checkpoint | None) -> tuple[Checkpoint, tuple[VerifierKey, ...]]:
    """Give the checkpoint that is due, and the keys that sign it: the one in force, and those it has replaced since."""
    state = log_state(snapshot)
    if state is None:
        raise HomeError("the log was not opened yet: run tally init")
    if mark is not None:
        if mark.origin != state.origin:
            raise HomeError(other_origin(mark, state.origin))
        check_continues(snapshot, mark)
    # The one before this size, so that asked again the same keys give the same note.
    before = snapshot.newest_checkpoint(snapshot.head.size)
    since = before[0] if before is not None else 0
    replaced = [one.log_key for one in reversed(state.former) if one.origin == state.origin and one.until >= since]
    keys = tuple(VerifierKey.parse(vkey) for vkey in (state.log_key, *replaced))
    return of_head(snapshot.head, state.origin), keys


def _check_may_sign(mark: Checkpoint | None, following: Checkpoint) -> None:
    try:
        may_sign(mark, following)
    except CheckpointError as error:
        way_on = f": {WAY_ON}" if mark is not None and following.size < mark.size else ""
        raise EvidenceError(f"nothing was signed: {error}{way_on}") from error


@contextmanager
def alone(home: Home) -> Iterator[None]:
    """Let one process at a time move the mark and the keys.

    The lock is on the directory: of what lies in it, each file may be replaced by another under the same name.
    """
    handle = os.open(home.path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
