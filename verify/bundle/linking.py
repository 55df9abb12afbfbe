"""The links of a bundle: how its checkpoint hangs together with those that the log's former keys have signed.

Source: DESIGN section 9; docs/spec/bundle.md.
"""

from collections.abc import Iterator

from grants.book.states import GenesisState, Reign
from grants.principals import log_state
from ledger import mmr, rfc6962
from ledger.checkpoint import Checkpoint, open_checkpoint, require_blake3
from ledger.errors import NoteError, ProofError
from ledger.log import Snapshot
from ledger.note import VerifierKey
from verify.bundle.form import Link
from verify.errors import BundleError, VerifyError
from verify.inclusion import check_consistency, check_twin_consistency


def links_to(snapshot: Snapshot, checkpoint: Checkpoint) -> Iterator[Link]:
    """Give a link for each key that was replaced before a checkpoint, where a checkpoint under it is kept.

    The checkpoint itself links to the keys that have signed it too.

    Raises:
        BundleError: what is kept is not what the checkpoint continues.
    """
    state = log_state(snapshot)
    for reign in state.former if state is not None else ():
        if state is not None and reign.until < checkpoint.size:
            note = _under(snapshot, state, reign)
            older = None if note is None else _opened(note, reign)
            if note is not None and older is not None and older.size < checkpoint.size:
                yield _link(snapshot, reign, older, note, checkpoint)


def goes_on_as_another(state: GenesisState, reign: Reign) -> bool:
    """Tell whether a reign ended with a restore, and not with a new key alone."""
    return state.at(reign.until + 1)[0] != reign.origin


def _under(snapshot: Snapshot, state: GenesisState, reign: Reign) -> bytes | None:
    """Give the first checkpoint after a change of key, which both have signed; or the last before a restore."""
    if goes_on_as_another(state, reign):
        kept = snapshot.newest_checkpoint(reign.until + 1)
    else:
        kept = next(iter(snapshot.checkpoints(reign.until + 1)), None)
    return None if kept is None else kept[1]


def _opened(note: bytes, reign: Reign) -> Checkpoint | None:
    try:
        return open_checkpoint(note, VerifierKey.parse(reign.log_key))
    except NoteError:
        return None


def _link(snapshot: Snapshot, reign: Reign, older: Checkpoint, note: bytes, checkpoint: Checkpoint) -> Link:
    try:
        link = Link(
            reign.until,
            note,
            mmr.prove_consistency(snapshot.nodes("blake3"), older.size, checkpoint.size),
            rfc6962.prove_consistency(snapshot.nodes("sha256"), older.size, checkpoint.size),
        )
        check_link(link, older, checkpoint)
    except (ProofError, VerifyError, NoteError) as error:
        raise BundleError(
            f"the checkpoint does not continue the one of {older.size} events: {error}; run tally audit"
        ) from error
    return link


def check_link(link: Link, older: Checkpoint, newer: Checkpoint) -> None:
    """Check, in both trees, that one checkpoint continues another.

    Raises:
        InclusionError: it does not, or the proofs are of other sizes.
        CheckpointError: one of them carries no root of the log's own tree.
    """
    check_consistency(require_blake3(older), require_blake3(newer), link.own)
    check_twin_consistency(older.sha256_root, newer.sha256_root, link.twin, old_size=older.size, new_size=newer.size)
