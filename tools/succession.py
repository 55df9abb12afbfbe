"""One log key after another: the files, and the policy that auditors are given.

A new key is on the disk before an event names it, and a key that was replaced is kept under its id: the first
checkpoint after a change is signed by both. `tools.keys.signer_of` finds a key under either name, so that a crash
between two steps loses nothing; the next checkpoint is signed all the same. Whatever lies in ``log.key`` is kept under
its own id before another key takes its place, whether or not the log names it: a copy from a backup names an older one.

Source: DESIGN section 9.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from grants import life
from grants.errors import GrantError
from grants.issue import Prepared
from ledger.errors import AppendError, NoteError, PolicyFileError
from ledger.event import Event
from ledger.log import Snapshot
from ledger.note import NoteSigner, VerifierKey
from ledger.policy import PolicyLog, parse_policy
from tools import checkpointing
from tools.checkpointing import Signed, alone
from tools.errors import HomeError, ToolError
from tools.home import Home, sync, write_new
from tools.keys import has_passphrase, in_place, is_copied, kept_beside, new_key, signer_of
from tools.ledger import OpenLedger

Act: TypeAlias = Callable[[Snapshot, str], Prepared]

SignAct: TypeAlias = Callable[[Act], Event]
"""Shows an act to a human, has it signed, and appends it."""


def rotate(ledger: OpenLedger, sign_act: SignAct) -> tuple[Event, Signed]:
    """Replace the log's key, and sign the first checkpoint with both.

    Args:
        ledger: the open ledger.
        sign_act: has a human sign the event.

    Raises:
        HomeError: the key in force is not there, or a file can't be written.
        ToolError: the person said no, or nobody was there to be asked.
        GrantError: this principal may not do this.
    """
    home = ledger.home
    # Without the old key the first checkpoint could not be signed, and nobody who trusts that key could follow.
    old = signer_of(home, VerifierKey.parse(ledger.genesis.log_key)).verifier_key
    is_copied(home, in_place(home, old.name))  # what could not be kept is said before anything is written
    new = successor(home, ledger.origin)
    with gone_if_refused(home, new.verifier_key):
        event = sign_act(lambda snapshot, by: life.rotate_key(snapshot, by=by, new=new))
    with alone(home):
        exchange(home, old.name, new.verifier_key)
    trust(home, new.verifier_key)
    return event, checkpointing.make(ledger)


def successor(home: Home, origin: str) -> NoteSigner:
    """Make the key that is to come, sealed as the one in force is, under its own id.

    Raises:
        HomeError: it can't be written.
    """
    passphrase = home.unlock(home.key) if home.unlock is not None and has_passphrase(home.key) else None
    draft = home.key.with_name(f".{home.key.name}.{secrets.token_hex(4)}.new")
    try:
        signer = NoteSigner(origin, new_key(draft, passphrase))
        draft.rename(kept_beside(home, signer.verifier_key))
        sync(home.path)
    except OSError as error:
        raise HomeError(f"no new key can be written to {home.path} ({error.strerror}): nothing was changed") from error
    finally:
        draft.unlink(missing_ok=True)
    return signer


@contextmanager
def gone_if_refused(home: Home, key: VerifierKey) -> Iterator[None]:
    """Take a new key away again where it is certain that no event names it; in doubt it stays."""
    try:
        yield
    except (ToolError, GrantError, AppendError, KeyboardInterrupt):
        kept_beside(home, key).unlink(missing_ok=True)
        raise


def exchange(home: Home, name: str, new: VerifierKey) -> None:
    """Put the new key in the place of the one there, which is kept under its id; done twice it changes nothing.

    Args:
        home: the directory.
        name: the name of the log whose key lies there.
        new: the key that is now in force.

    Raises:
        HomeError: the key there can't be read or kept, or a file can't be moved; both keys are where they were.
    """
    held = in_place(home, name)
    if held.public_key == new.public_key:
        return
    try:
        if not is_copied(home, held):
            os.link(home.key, kept_beside(home, held))
            sync(home.path)
        if kept_beside(home, new).exists():
            kept_beside(home, new).rename(home.key)
        sync(home.path)
    except OSError as error:
        raise HomeError(
            f"the keys in {home.path} can't be moved ({error.strerror}): both are there, and the log finds them"
        ) from error


def trust(home: Home, key: VerifierKey) -> None:
    """Name a new key in the policy that lies beside the ledger, with those before it.

    Raises:
        HomeError: the policy can't be read or written.
    """
    unfinished = home.policy.with_name(f".{home.policy.name}.{secrets.token_hex(4)}.new")
    try:
        text = home.policy.read_bytes()
        if key in {log.key for log in parse_policy(text).logs}:
            return
        whole = f"log {PolicyLog(key).key.text()}\n".encode() + text
        parse_policy(whole)
        write_new(unfinished, whole)
        unfinished.replace(home.policy)
        sync(home.path)
    except (OSError, PolicyFileError, NoteError) as error:
        raise HomeError(
            f"{home.policy} can't be given the new key ({error}): add the line yourself: log {key.text()}"
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
