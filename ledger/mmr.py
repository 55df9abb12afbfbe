r"""The Merkle Mountain Range: where its nodes stand, how it grows, and how it proves.

Nodes are numbered from 0 in post-order, so a node never moves once it stands. Seven leaves (L) give eleven nodes and
three peaks, at 6, 9 and 10::

    height 2          6
                   /     \
    height 1      2       5      9
                 / \     / \    / \
    height 0    0   1   3   4  7   8  10
                L   L   L   L  L   L   L

n leaves have ``2n - popcount(n)`` nodes, and leaf e is node ``2e - popcount(e)``: it stands right after the nodes of
the e leaves before it. There is one mountain for each bit of n, the highest to the left. A mountain of height h has
``2^h`` leaves and ``2^(h+1) - 1`` nodes.

Each proof has two twins: one lists the positions that it needs, the other reads and consumes exactly those hashes.
This module proves; ``verify.inclusion`` checks and is written apart. What a log hands out of single events comes from
``verify.prover``, which verifies first, and is what `prove_inclusion` says here. Sizes are leaf counts unless a name
says nodes.

Source: DESIGN section 6.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Protocol

from ledger.digest import TreeHasher
from ledger.errors import ProofError
from ledger.proof import ConsistencyProof, InclusionProof


class NodeReader(Protocol):
    """Where the hashes of one tree are stored."""

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Give the hashes at these positions, in the order asked; a position may be asked for twice.

        Raises:
            LedgerError: one of them is not stored.
        """


# -- where nodes stand --


def size(leaves: int) -> int:
    """Count the nodes of a range of so many leaves."""
    return 2 * leaves - leaves.bit_count()


def leaf_position(leaf_index: int) -> int:
    """Find the node of a leaf."""
    return 2 * leaf_index - leaf_index.bit_count()


def locate(position: int) -> tuple[int, int]:
    """Find the last leaf under a node, and the node's height above it.

    Read as a size, ``position`` holds that many whole leaves and so many nodes too few for the next one.

    Raises:
        ProofError: the position is negative.
    """
    if position < 0:
        raise ProofError(f"there is no node {position}")
    leaf, rest = 0, position
    for height_ in reversed(range(position.bit_length())):
        nodes = (2 << height_) - 1
        if rest >= nodes:
            rest -= nodes
            leaf += 1 << height_
    return leaf, rest


def leaf_count(nodes: int) -> int:
    """Count the leaves of a range of so many nodes.

    Raises:
        ProofError: no range has that many nodes.
    """
    leaves, rest = locate(nodes)
    if rest:
        raise ProofError(f"no range has {nodes} nodes")
    return leaves


def height(position: int) -> int:
    """Measure how far above the leaves a node stands."""
    return locate(position)[1]


def parent(position: int) -> int:
    """Find the node that this one is hashed into."""
    leaf, level = locate(position)
    return _subtree(level + 1, leaf >> level + 1)


def sibling(position: int) -> int:
    """Find the node that this one is hashed with."""
    leaf, level = locate(position)
    return _subtree(level, leaf >> level ^ 1)


def peak_positions(leaves: int) -> tuple[int, ...]:
    """List the tops of the mountains, left to right."""
    peaks, before = [], 0
    for level in reversed(range(leaves.bit_length())):
        if leaves >> level & 1:
            before += 1 << level
            peaks.append(size(before) - 1)
    return tuple(peaks)


def peak_slot(position: int, leaves: int) -> int:
    """Count the mountains to the left of the one that holds a node.

    Raises:
        ProofError: the range has no such node.
    """
    return (leaves >> peak_height(position, leaves) + 1).bit_count()


def peak_height(position: int, leaves: int) -> int:
    """Measure the mountain that holds a node.

    Raises:
        ProofError: the range has no such node.
    """
    if not 0 <= position < size(leaves):
        raise ProofError(f"a range of {leaves} leaves has no node {position}")
    # The two numbers agree on the mountains to the left of the leaf; the first bit in which they differ is set in
    # the larger one, `leaves`, and is the leaf's own mountain.
    return (locate(position)[0] ^ leaves).bit_length() - 1


def _subtree(level: int, index: int) -> int:
    """Find the top of the ``index``-th perfect subtree of ``2^level`` leaves, counted from the left."""
    last_leaf = (index + 1 << level) - 1
    return leaf_position(last_leaf) + level


# -- growing --


def append(
    hasher: TreeHasher, leaf_index: int, leaf_hash: bytes, peaks: Sequence[bytes]
) -> tuple[list[tuple[int, bytes]], list[bytes]]:
    """Add one leaf, from the peaks alone.

    Args:
        hasher: the tree's hashing.
        leaf_index: how many leaves stand before this one.
        leaf_hash: the new leaf.
        peaks: the peaks before it, left to right.

    Returns:
        The new nodes, in order, each with its position; and the new peaks, left to right.
    """
    if len(peaks) != leaf_index.bit_count():
        raise AssertionError(f"{leaf_index} leaves have {leaf_index.bit_count()} peaks, not {len(peaks)}")
    position, top, left = leaf_position(leaf_index), leaf_hash, list(peaks)
    nodes = [(position, top)]
    # Each mountain as high as the new one is joined to it: the trailing ones of the count, carried as in addition.
    for _ in range((~leaf_index & leaf_index + 1).bit_length() - 1):
        position += 1
        top = hasher.node(position, left.pop(), top)
        nodes.append((position, top))
    return nodes, [*left, top]


# -- proving --


def node_path_positions(position: int, leaves: int) -> list[int]:
    """List the siblings on the way from any node up to its peak.

    Raises:
        ProofError: the range has no such node.
    """
    top = peak_height(position, leaves)
    leaf, level = locate(position)
    return [_subtree(at, leaf >> at ^ 1) for at in range(level, top)]


def leaf_path_positions(leaf_index: int, steps: int) -> list[int]:
    """List the siblings on the way from a leaf so many steps up: what is asked for most."""
    position, reach, siblings = leaf_position(leaf_index), 1, []
    for _ in range(steps):
        # A subtree of 2^h leaves has 2^(h+1) - 1 nodes, and the next one as high begins right behind it.
        if leaf_index & 1:
            siblings.append(position - reach)
            position += 1
        else:
            siblings.append(position + reach)
            position += reach + 1
        leaf_index >>= 1
        reach = 2 * reach + 1
    return siblings


def inclusion_positions(leaf_index: int, leaves: int) -> list[int]:
    """List what an inclusion proof reads: the siblings bottom-up, then the other peaks left to right.

    Raises:
        ProofError: the range has no such leaf.
    """
    position = _member(leaf_index, leaves)
    slot, peaks = peak_slot(position, leaves), peak_positions(leaves)
    return [*node_path_positions(position, leaves), *peaks[:slot], *peaks[slot + 1 :]]


def prove_inclusion(reader: NodeReader, leaf_index: int, leaves: int) -> InclusionProof:
    """Prove that a leaf stands in the range.

    Raises:
        ProofError: the range has no such leaf.
    """
    hashes = reader.read(inclusion_positions(leaf_index, leaves))
    path, peaks = split(hashes, (peak_height(leaf_position(leaf_index), leaves), leaves.bit_count() - 1))
    return InclusionProof(leaves, leaf_index, path, peaks)


def consistency_positions(old: int, new: int) -> list[int]:
    """List what a consistency proof reads: old peaks, the path of each to its new peak, new peaks right of them.

    Raises:
        ProofError: the old size is 0 or above the new one.
    """
    check_sizes(old, new)
    old_peaks = peak_positions(old)
    paths = [position for peak in old_peaks for position in node_path_positions(peak, new)]
    right = peak_positions(new)[peak_slot(old_peaks[-1], new) + 1 :]
    return [*old_peaks, *paths, *right]


def prove_consistency(reader: NodeReader, old: int, new: int) -> ConsistencyProof:
    """Prove that the range of ``new`` leaves continues the one of ``old``.

    Raises:
        ProofError: the old size is 0 or above the new one.
    """
    hashes = reader.read(consistency_positions(old, new))
    peaks = peak_positions(old)
    lengths = [peak_height(peak, new) - height(peak) for peak in peaks]
    right = new.bit_count() - peak_slot(peaks[-1], new) - 1
    old_peaks, *paths, right_peaks = split(hashes, (len(peaks), *lengths, right))
    return ConsistencyProof(old, new, old_peaks, tuple(paths), right_peaks)


def check_sizes(old: int, new: int) -> None:
    """Refuse a pair of sizes between which nothing can be proven.

    Raises:
        ProofError: the old size is 0 or above the new one.
    """
    if not 0 < old <= new:
        raise ProofError(f"no consistency from {old} to {new}: the old size must lie between 1 and the new one")


def split(hashes: Iterable[bytes], counts: Iterable[int]) -> list[tuple[bytes, ...]]:
    """Consume hashes in runs of the given lengths: all of them, and no more than there are."""
    rest = iter(hashes)
    runs = []
    for count in counts:
        run = tuple(islice(rest, count))
        if len(run) != count:
            raise AssertionError("a proof has read too few nodes")
        runs.append(run)
    if next(rest, None) is not None:
        raise AssertionError("a proof has read too many nodes")
    return runs


def _member(leaf_index: int, leaves: int) -> int:
    if not 0 <= leaf_index < leaves:
        raise ProofError(f"a range of {leaves} leaves has no leaf {leaf_index}")
    return leaf_position(leaf_index)
