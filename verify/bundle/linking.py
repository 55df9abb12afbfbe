"""What a bundle and a file of links prove from a log: links to the checkpoints of the log's former keys.

Source: DESIGN section 9; docs/spec/bundle.md.
"""

from collections.abc import Iterator
from typing import Protocol

from grants.book.states import GenesisState, Reign
from ledger import mmr, rfc6962
from ledger.checkpoint import Checkpoint, open_checkpoint, require_blake3
from ledger.errors import NoteError, ProofError
from ledger.log import Tree
from ledger.mmr import NodeReader
from ledger.note import VerifierKey, parse_note
from verify.bundle.parts import Link
from verify.errors import BundleError, VerifyError
from verify.inclusion import check_consistency, check_twin_consistency


class Kept(Protocol):
    """What a log keeps beside its events, or an export of it."""

    def nodes(self, tree: Tree) -> NodeReader:
        """Give access to the stored nodes of one tree."""

    def checkpoints(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Give the stored checkpoints of ``start`` events and more as (size, note), smallest first."""

    def newest_checkpoint(self, stop: int | None = None) -> tuple[int, bytes] | None:
        """Give the newest stored checkpoint, or the newest of fewer than ``stop`` events; None where there is none."""


def links_to(kept: Kept, state: GenesisState | None, checkpoint: Checkpoint) -> Iterator[Link]:
    """Give a link for each key that was replaced before a checkpoint, where a checkpoint under it is kept.

    The checkpoint itself links to the keys that have signed it too.

    Args:
        kept: the log's nodes and checkpoints.
        state: its names and keys, as of the checkpoint or later; None where it was not opened.
        checkpoint: what they link to.

    Raises:
        BundleError: what is kept is not what the checkpoint continues.
    """
    for reign in state.former if state is not None else ():
        if state is not None and reign.until < checkpoint.size:
            note = _under(kept, state, reign)
            older = None if note is None else _opened(note, reign)
            if note is not None and older is not None and older.size < checkpoint.size:
                yield _link(kept, reign, older, note, checkpoint)


def goes_on_as_another(state: GenesisState, reign: Reign) -> bool:
    """Tell whether a reign ended with a restore, and not with a new key alone."""
    return state.at(reign.until + 1)[0] != reign.origin


def _under(kept: Kept, state: GenesisState, reign: Reign) -> bytes | None:
    """Give the first checkpoint after a change of key, which both have signed; or the last before a restore."""
    if goes_on_as_another(state, reign):
        found = kept.newest_checkpoint(reign.until + 1)
    else:
        found = next(iter(kept.checkpoints(reign.until + 1)), None)
    return None if found is None else found[1]


def _opened(note: bytes, reign: Reign) -> Checkpoint | None:
    try:
        return open_checkpoint(note, VerifierKey.parse(reign.log_key))
    except NoteError:
        return None


def _link(kept: Kept, reign: Reign, older: Checkpoint, note: bytes, checkpoint: Checkpoint) -> Link:
    try:
        link = Link(
            reign.until,
            note,
            mmr.prove_consistency(kept.nodes("blake3"), older.size, checkpoint.size),
            rfc6962.prove_consistency(kept.nodes("sha256"), older.size, checkpoint.size),
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


def parsed(note: bytes) -> Checkpoint:
    """Read a checkpoint of both trees, whoever has signed it.

    Raises:
        BundleError: it is none.
    """
    try:
        checkpoint = Checkpoint.parse(parse_note(note)[0])
        require_blake3(checkpoint)
    except NoteError as error:
        raise BundleError(f"the checkpoint: {error}") from error
    return checkpoint
