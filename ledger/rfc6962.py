"""The twin tree: RFC 6962 roots and proofs from the nodes of the same range.

A mountain is a perfect subtree of the RFC's tree, and the RFC's root is the peaks hashed together from right to left,
``H(p1, H(p2, ... H(pk-1, pk)))``. So the twin needs no nodes of its own: each node row keeps two hashes.

The twins of each proof are as in ``ledger.mmr``: one lists positions, the other consumes exactly those hashes.

Source: RFC 6962 sections 2.1, 2.1.1 and 2.1.2; DESIGN section 5.
"""

from collections.abc import Sequence

from ledger import mmr
from ledger.digest import SHA256_TREE
from ledger.errors import ProofError
from ledger.mmr import NodeReader
from ledger.proof import TwinConsistency, TwinInclusion

EMPTY_ROOT = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
"""SHA-256 of nothing: the root of no leaves."""


def root(peaks: Sequence[bytes]) -> bytes:
    """Hash the peaks, given left to right, into the RFC 6962 root."""
    if not peaks:
        return EMPTY_ROOT
    *left, top = peaks
    for peak in reversed(left):
        # Nodes above the peaks have no position in the range, and RFC 6962 asks for none.
        top = SHA256_TREE.node(0, peak, top)
    return top


def inclusion_positions(leaf_index: int, leaves: int) -> list[int]:
    """List what an inclusion proof reads.

    Raises:
        ProofError: the tree has no such leaf.
    """
    if not 0 <= leaf_index < leaves:
        raise ProofError(f"a tree of {leaves} leaves has no leaf {leaf_index}")
    return _node_positions(mmr.leaf_position(leaf_index), leaves)


def prove_inclusion(reader: NodeReader, leaf_index: int, leaves: int) -> TwinInclusion:
    """Prove that a leaf stands in the tree (RFC 6962 section 2.1.1).

    Raises:
        ProofError: the tree has no such leaf.
    """
    hashes = reader.read(inclusion_positions(leaf_index, leaves))
    return TwinInclusion(leaves, leaf_index, _node_path(hashes, mmr.leaf_position(leaf_index), leaves))


def consistency_positions(old: int, new: int) -> list[int]:
    """List what a consistency proof reads.

    Raises:
        ProofError: the old size is 0 or above the new one.
    """
    mmr.check_sizes(old, new)
    if old == new:
        return []
    seed = mmr.peak_positions(old)[-1]
    return [*_own(old, seed), *_node_positions(seed, new)]


def prove_consistency(reader: NodeReader, old: int, new: int) -> TwinConsistency:
    """Prove that the tree of ``new`` leaves continues the one of ``old`` (RFC 6962 section 2.1.2).

    The proof is the way from the last old peak to the new root: the left siblings on it make the old root too.

    Raises:
        ProofError: the old size is 0 or above the new one.
    """
    hashes = reader.read(consistency_positions(old, new))
    if old == new:
        return TwinConsistency(old, new, tuple(*mmr.split(hashes, (0,))))
    seed = mmr.peak_positions(old)[-1]
    own = len(_own(old, seed))
    path = _node_path(hashes[own:], seed, new)
    return TwinConsistency(old, new, (*hashes[:own], *path))


def _own(old: int, seed: int) -> list[int]:
    """Leave out the only peak of the old tree: it is the old root, which the checker has."""
    return [] if old.bit_count() == 1 else [seed]


def _node_positions(position: int, leaves: int) -> list[int]:
    """List the siblings up to the peak, then the peaks right of it, then those left of it from right to left."""
    slot, peaks = mmr.peak_slot(position, leaves), mmr.peak_positions(leaves)
    return [*mmr.node_path_positions(position, leaves), *peaks[slot + 1 :], *reversed(peaks[:slot])]


def _node_path(hashes: Sequence[bytes], position: int, leaves: int) -> tuple[bytes, ...]:
    slot = mmr.peak_slot(position, leaves)
    right = leaves.bit_count() - slot - 1
    climb = mmr.peak_height(position, leaves) - mmr.height(position)
    siblings, right_peaks, left_peaks = mmr.split(hashes, (climb, right, slot))
    bagged = (root(right_peaks),) if right_peaks else ()
    return (*siblings, *bagged, *left_peaks)
