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

from ledger.checkpoint import Checkpoint
from ledger.errors import CheckpointError, ReadOnlyError
from ledger.log import Head
from tools.errors import HomeError
from tools.home import Home, sync

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


def not_behind(home: Home, origin: str) -> Callable[[Head], None]:
    """Give the check that every transaction of a ledger begins with: its log is not behind the mark, nor another."""

    def check(head: Head) -> None:
        try:
            mark = read_mark(home)
        except HomeError as error:
            raise ReadOnlyError(str(error)) from error
        if mark.origin != origin:
            raise ReadOnlyError(other_origin(mark, origin))
        if head.size < mark.size:
            raise ReadOnlyError(
                f"the log holds {head.size} events and a checkpoint of {mark.size} was signed: this copy came from a "
                "backup, and what was spent since stands unspent in it; it can be read, and takes nothing more: "
                f"{WAY_ON}"
            )

    return check
