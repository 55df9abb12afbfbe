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

from grants.book import genesis
from grants.book.states import GenesisState
from grants.reading import read_state
from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint, may_sign, open_checkpoint, sign_checkpoint
from ledger.errors import CheckpointError, ProofError
from ledger.log import Head, Snapshot
from ledger.note import NoteSigner, VerifierKey
from tools.errors import EvidenceError, HomeError
from tools.home import Home
from tools.keys import signer_of
from tools.ledger import OpenLedger
from tools.mark import read_mark, write_mark
from verify.errors import VerifyError
from verify.proven import prove_growth, roots_of


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed checkpoint: what it says, and its bytes."""

    checkpoint: Checkpoint
    note: bytes


def make(ledger: OpenLedger) -> Signed:
    """Sign what the log commits to now, and keep the note.

    Raises:
        EvidenceError: the log does not continue what was signed before.
        HomeError: the key or the mark can't be used.
        StoreError: the log can't be read, or the note can't be kept.
    """
    signer = log_signer(ledger)
    with alone(ledger.home):
        mark = read_mark(ledger.home)
        if mark is None:
            ledger.log.read(lambda snapshot: check_nothing_signed(ledger.home, snapshot))
        following = ledger.log.read(lambda snapshot: _following(snapshot, ledger.origin, mark))
        _check_may_sign(mark, following)
        # From here on this size has this root for ever, whether or not the signature below comes to be.
        write_mark(ledger.home, following)
        note = sign_checkpoint(following, signer)
        ledger.log.store_checkpoint(following.size, note)
    return Signed(following, note)


def latest(snapshot: Snapshot) -> Signed | None:
    """Give the newest checkpoint that is kept, verified; None where there is none yet.

    Raises:
        NoteError: its signature does not hold.
    """
    newest = snapshot.newest_checkpoint()
    state = read_state(snapshot, genesis.NAME, genesis.GENESIS, GenesisState)
    if newest is None or state is None:
        return None
    return Signed(open_checkpoint(newest[1], VerifierKey.parse(state.log_key)), newest[1])


def of_head(head: Head, origin: str) -> Checkpoint:
    """Give the checkpoint that a head commits to."""
    own = digest.root(head.size, head.blake3_peaks)
    return Checkpoint(origin, head.size, rfc6962.root(head.sha256_peaks), own)


def log_signer(ledger: OpenLedger) -> NoteSigner:
    """Give who signs for the log: its key, if it is the one that the first event names.

    Raises:
        HomeError: it is another, or can't be read.
    """
    return signer_of(ledger.home, VerifierKey.parse(ledger.genesis.log_key))


def check_continues(snapshot: Snapshot, mark: Checkpoint) -> None:
    """Check, in both trees, that the log as it stands continues the one that the mark was signed for.

    Raises:
        EvidenceError: it does not.
    """
    now = of_head(snapshot.head, mark.origin)
    if mark.size == 0 or mark.size > now.size:
        return
    try:
        prove_growth(snapshot, roots_of(mark), roots_of(now))
    except (ProofError, VerifyError, CheckpointError) as error:
        raise EvidenceError(
            f"the log does not continue the checkpoint of size {mark.size} that was signed before: its record was "
            f"changed; run tally audit ({error})"
        ) from error


def check_nothing_signed(home: Home, snapshot: Snapshot) -> None:
    """Check that an empty mark is right: where a signed checkpoint is kept, the mark was emptied.

    Raises:
        HomeError: something was signed.
    """
    signed = snapshot.newest_checkpoint()
    if signed is not None:
        raise HomeError(
            f"{home.mark} is empty, and a checkpoint of size {signed[0]} was signed: restore it from where it is kept "
            "with the key, and sign nothing before"
        )


def _following(snapshot: Snapshot, origin: str, mark: Checkpoint | None) -> Checkpoint:
    if mark is not None:
        check_continues(snapshot, mark)
    return of_head(snapshot.head, origin)


def _check_may_sign(mark: Checkpoint | None, following: Checkpoint) -> None:
    try:
        may_sign(mark, following)
    except CheckpointError as error:
        raise EvidenceError(f"nothing was signed: {error}") from error


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
