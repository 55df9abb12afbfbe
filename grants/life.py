"""The acts by which a log goes on: under another key, or as another log after a restore; prepared to be signed.

Source: DESIGN sections 7 and 9; docs/spec/checkpoint.md.
"""

from grants.errors import IssueError
from grants.events import PrincipalConfirmed
from grants.issue import Prepared, prepare
from grants.principals import find_principal, log_state
from ledger import canon, digest, rfc6962
from ledger.canon import Json
from ledger.events import LedgerKeyRotated, LedgerRestored
from ledger.log import Snapshot
from ledger.note import NoteSigner
from ledger.possession import prove_possession


def rotate_key(snapshot: Snapshot, *, by: str, new: NoteSigner) -> Prepared:
    """Prepare the replacement of the log's key.

    Args:
        snapshot: the log.
        by: the human.
        new: the new key, named as the log; it signs for itself here.

    Raises:
        AuthorityError: this principal may not do this.
        IssueError: the log was not opened yet, or the key can't be its next.
    """
    begun = log_state(snapshot)
    if begun is None:
        raise IssueError("this log was not opened yet: run tally init")
    fields: dict[str, Json] = {
        "old_key": begun.log_key,
        "new_key": new.verifier_key.text(),
        "possession": prove_possession(begun.log_key, new),
    }
    return prepare(snapshot, LedgerKeyRotated, fields, by=by)


def restore(snapshot: Snapshot, *, by: str, new: NoteSigner, checkpoint: bytes) -> Prepared:
    """Prepare that a restored copy goes on as another log.

    Args:
        snapshot: the copy.
        by: the human.
        new: the new key, named as the new origin; it signs for itself here.
        checkpoint: the last checkpoint of the former log, signed by its key.

    Raises:
        AuthorityError: this principal may not do this.
        IssueError: the log was not opened yet, the copy is not behind the checkpoint, or the key can't be its next.
    """
    begun = log_state(snapshot)
    if begun is None:
        raise IssueError("this log was not opened yet: run tally init")
    head = snapshot.head
    fields: dict[str, Json] = {
        "origin": new.name,
        "log_key": new.verifier_key.text(),
        "possession": prove_possession(begun.log_key, new),
        "former_origin": begun.origin,
        "former_key": begun.log_key,
        "checkpoint": checkpoint.decode(),
        "sha256_root": canon.to_base64url(rfc6962.root(head.sha256_peaks)),
        "blake3_root": canon.to_base64url(digest.root(head.size, head.blake3_peaks)),
    }
    return prepare(snapshot, LedgerRestored, fields, by=by)


def confirm_principal(
    snapshot: Snapshot, *, by: str, principal: str, without: frozenset[str] = frozenset()
) -> Prepared:
    """Prepare the word that a principal stands, after a restore.

    Args:
        snapshot: the log.
        by: the human.
        principal: who stands.
        without: fingerprints of keys that are not to stand.

    Raises:
        AuthorityError: this principal may not do this.
        IssueError: there is nothing to confirm.
    """
    begun, row = log_state(snapshot), find_principal(snapshot, principal)
    restored = begun.restored() if begun is not None else None
    if row is None:
        raise IssueError(f"there is no principal {principal}")
    if restored is None:
        raise IssueError("the log was never restored: there is nothing to confirm")
    waiting = [fingerprint for fingerprint, key in row.keys.items() if key.until is None and not key.holds(restored)]
    unknown = sorted(without - row.keys.keys())
    if unknown:
        raise IssueError(f"{unknown[0]} is no key of {principal}")
    standing = [fingerprint for fingerprint in waiting if fingerprint not in without]
    if row.stands(restored) and not standing:
        raise IssueError(f"{principal} stands already, with all its keys")
    fields: dict[str, Json] = {"principal": principal, "keys": [*standing]}
    return prepare(snapshot, PrincipalConfirmed, fields, by=by)
