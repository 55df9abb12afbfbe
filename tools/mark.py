"""The high-water mark: the text of the checkpoint that was signed last, beside the key and apart from the database.

A database that came back from a backup is behind it. Such a log signs nothing, and decides nothing either: a consent
that was spent after the backup stands unspent in it.

`tally init` signs the first checkpoint before the ledger appears, so that there is never an empty mark: one that is
empty was emptied.

Source: DESIGN section 9.
"""

import os
import secrets
from collections.abc import Callable
from typing import Final

from ledger import digest, rfc6962
from ledger.checkpoint import Checkpoint
from ledger.errors import CheckpointError, ProofError, ReadOnlyError
from ledger.log import Head, Snapshot
from tools.errors import EvidenceError, HomeError
from tools.home import Home, sync
from verify.errors import VerifyError
from verify.proven import prove_growth, roots_of

_MOST: Final = 65_536

WAY_ON: Final = "put a newer copy there, or let this one go on as another log: tally log restored"
"""What is to be done about a copy that is behind its mark."""


def read_mark(home: Home) -> Checkpoint:
    """Read the high-water mark.

    Raises:
        HomeError: it is missing, empty, damaged or unreadable.
    """
    try:
        with home.mark.open("rb") as file:
            data = file.read(_MOST)
    except OSError as error:
        raise HomeError(
            f"{home.mark} can't be read ({error.strerror}): without it nobody knows what was signed; restore it from "
            "where it is kept with the key, and sign nothing before"
        ) from error
    try:
        return parse_mark(data)
    except (CheckpointError, UnicodeDecodeError) as error:
        raise HomeError(f"{home.mark} is damaged: restore it from where it is kept with the key ({error})") from error


def parse_mark(data: bytes) -> Checkpoint:
    """Read the bytes of a mark.

    Raises:
        CheckpointError: it is no text of a checkpoint.
        UnicodeDecodeError: it is no text at all.
    """
    if not data:
        raise CheckpointError("it is empty, and no ledger is without a signed checkpoint")
    return Checkpoint.parse(data.decode())


def write_mark(home: Home, checkpoint: Checkpoint) -> None:
    """Bring the mark down to the disk: the old one stands until the new one does.

    Raises:
        HomeError: it can't be written; nothing was signed.
    """
    unfinished = home.mark.with_name(f".{home.mark.name}.{secrets.token_hex(4)}.new")
    try:
        with unfinished.open("xb") as file:
            file.write(checkpoint.text().encode())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(home.mark)
        sync(home.path)
    except OSError as error:
        raise HomeError(f"{home.mark} can't be written ({error.strerror}): nothing was signed") from error
    finally:
        unfinished.unlink(missing_ok=True)


def other_origin(mark: Checkpoint, origin: str) -> str:
    """Say what it means that the mark is of another log than the database."""
    return (
        f"the high-water mark is of {mark.origin}, and the database holds {origin}: either one of them came from a "
        "backup, or a restore was not finished, which tally log restored does; nothing is signed or written before"
    )


def of_head(head: Head, origin: str) -> Checkpoint:
    """Give the checkpoint that a head commits to."""
    own = digest.root(head.size, head.blake3_peaks)
    return Checkpoint(origin, head.size, rfc6962.root(head.sha256_peaks), own)


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
            f"changed, or this is another history; run tally audit ({error})"
        ) from error


def not_behind(home: Home, origin: str) -> Callable[[Snapshot], None]:
    """Give the check that every transaction of a ledger begins with: its log continues the mark, and is no other.

    That the log continues it is proven anew for each mark, and when the head is not where this process saw it last or
    after that.
    """
    proven: tuple[Checkpoint, Head] | None = None

    def check(look: Snapshot) -> None:
        nonlocal proven
        try:
            mark = read_mark(home)
        except HomeError as error:
            raise ReadOnlyError(str(error)) from error
        if mark.origin != origin:
            raise ReadOnlyError(other_origin(mark, origin))
        head = look.head
        if head.size < mark.size:
            raise ReadOnlyError(
                f"the log holds {head.size} events and a checkpoint of {mark.size} was signed: this copy came from a "
                "backup, and what was spent since stands unspent in it; it can be read, and takes nothing more: "
                f"{WAY_ON}"
            )
        if proven is None or proven[0] != mark or (head != proven[1] and head.size <= proven[1].size):
            try:
                check_continues(look, mark)
            except EvidenceError as error:
                raise ReadOnlyError(f"{error}; nothing is decided or written before") from error
        proven = mark, head

    return check
