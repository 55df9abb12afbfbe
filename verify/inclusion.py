"""The checker of tree proofs. It knows nothing of storage and shares no code with the prover.

Where the prover computes with leaf indexes from below, the checker walks down from the peaks: a node at position p and
height h has its right child at ``p - 1`` and its left one at ``p - 2^h``. From the sizes alone it finds how many
hashes each list must have, and refuses any other number before it hashes anything. Each hash must have 32 bytes, for
two neighbours of 31 and 33 would hash like two of 32.

An RFC 6962 root, unlike the log's own, does not commit the number of its leaves: one list of hashes can hold for
several sizes. So the twin's checks take the sizes from whoever signed the roots, and the proof must name the same.

Nothing is proven from size 0: the empty log is consistent with every log.

Source: DESIGN sections 5 and 6; RFC 6962 sections 2.1.1 and 2.1.2.
"""

from collections.abc import Sequence

from ledger import digest
from ledger.digest import BLAKE3_TREE, SHA256_TREE, TreeHasher
from ledger.proof import ConsistencyProof, InclusionProof, TwinConsistency, TwinInclusion
from verify.errors import InclusionError
from verify.expect import (
    MAX_SIZE,
    check_digests,
    check_index,
    check_sizes,
    expect_hash,
    expect_length,
    expect_sizes,
    mountains,
)

# -- the log's own tree --


def check_inclusion(root: bytes, proof: InclusionProof, entry: bytes, hasher: TreeHasher = BLAKE3_TREE) -> None:
    """Check that the entry is leaf ``proof.index`` of the log with this BLAKE3 root.

    Raises:
        InclusionError: it is not proven.
    """
    check_index(proof.index, proof.size)
    expect_hash("root", root, inclusion_root(proof, hasher.leaf(proof.index, entry), hasher))


def inclusion_root(proof: InclusionProof, leaf_hash: bytes, hasher: TreeHasher = BLAKE3_TREE) -> bytes:
    """Compute the BLAKE3 root that the proof leads to from a leaf's hash.

    Raises:
        InclusionError: the proof's lengths do not fit its size and index.
    """
    return digest.root(proof.size, inclusion_peaks(proof, leaf_hash, hasher))


def inclusion_peaks(proof: InclusionProof, leaf_hash: bytes, hasher: TreeHasher = BLAKE3_TREE) -> list[bytes]:
    """Compute all peaks, left to right, that the proof leads to from a leaf's hash.

    Raises:
        InclusionError: the proof's lengths do not fit its size and index.
    """
    size, index = proof.size, proof.index
    check_index(index, size)
    # The size's mountains are its ones, from the left. Those left of the leaf are the ones that the index has as well;
    # the first bit in which the two differ is a one of the size, for it is the larger, and is the leaf's own mountain.
    height = (index ^ size).bit_length() - 1
    slot = (size >> height + 1).bit_count()
    expect_length("peaks", proof.peaks, size.bit_count() - 1)
    expect_length("path", proof.path, height)
    check_digests(proof.peaks)
    peak = climb(index, leaf_hash, proof.path, hasher)[-1]
    return [*proof.peaks[:slot], peak, *proof.peaks[slot:]]


def climb(index: int, leaf_hash: bytes, path: Sequence[bytes], hasher: TreeHasher = BLAKE3_TREE) -> list[bytes]:
    """Compute the hash of every node from a leaf upwards, as far as the path goes.

    Args:
        index: the leaf.
        leaf_hash: its hash.
        path: the siblings on the way, bottom-up.
        hasher: the tree's hashing.

    Returns:
        One hash more than the path has: the leaf's own first.

    Raises:
        InclusionError: a hash is not 32 bytes long.
    """
    check_digests((leaf_hash, *path))
    if hasher is not BLAKE3_TREE:
        return _fold(_turns(index, len(path)), leaf_hash, path, hasher)
    # What is checked most goes without a call for each node: written out, the way takes two thirds of the time.
    own = digest.node_hasher()
    reset, update, finish, spell = own.reset, own.update, own.digest, digest.node_input
    position, passed, step, value = 2 * index - index.bit_count(), [leaf_hash], 2, leaf_hash
    for sibling in path:
        reset()
        if index & 1:
            # A parent stands right behind its right child, and behind the left one and all of the right one's subtree.
            position += 1
            update(spell(position, sibling, value))
        else:
            position += step
            update(spell(position, value, sibling))
        value = finish()
        passed.append(value)
        index >>= 1
        step <<= 1
    return passed


def node_peak(
    size: int, position: int, value: bytes, path: Sequence[bytes], hasher: TreeHasher = BLAKE3_TREE
) -> tuple[int, bytes]:
    """Fold the path of any node, a leaf or not, up to its peak.

    Args:
        size: the leaves of the range.
        position: the node.
        value: the node's hash.
        path: its siblings, bottom-up.
        hasher: the tree's hashing.

    Returns:
        The slot of the peak, counted from the left, and the peak's hash.

    Raises:
        InclusionError: the range has no such node, or its path has another length.
    """
    if not 0 <= size <= MAX_SIZE:
        raise InclusionError(f"there is no log of {size} leaves")
    slot, turns = _descend(size, position)
    expect_length("path", path, len(turns))
    return slot, _fold(turns, value, path, hasher)[-1]


def check_consistency(
    old_root: bytes, new_root: bytes, proof: ConsistencyProof, hasher: TreeHasher = BLAKE3_TREE
) -> None:
    """Check that the log with the new BLAKE3 root continues the one with the old.

    Raises:
        InclusionError: it is not proven.
    """
    new_peaks = consistency_peaks(proof, hasher)
    expect_hash("old root", old_root, digest.root(proof.old_size, proof.old_peaks))
    expect_hash("new root", new_root, digest.root(proof.new_size, new_peaks))


def consistency_peaks(proof: ConsistencyProof, hasher: TreeHasher = BLAKE3_TREE) -> list[bytes]:
    """Compute the new peaks, left to right, that the proof leads to from its old ones.

    Raises:
        InclusionError: the proof's lengths do not fit its sizes, or two old peaks lead to different new ones.
    """
    check_sizes(proof.old_size, proof.new_size)
    climbs = [_descend(proof.new_size, peak) for peak, _, _ in mountains(proof.old_size)]
    expect_length("old peaks", proof.old_peaks, len(climbs))
    expect_length("paths", proof.paths, len(climbs))
    for (_, turns), path in zip(climbs, proof.paths, strict=True):
        expect_length("path", path, len(turns))
    expect_length("right peaks", proof.right_peaks, proof.new_size.bit_count() - climbs[-1][0] - 1)
    check_digests(proof.right_peaks)
    peaks: list[bytes] = []
    for (slot, turns), old_peak, path in zip(climbs, proof.old_peaks, proof.paths, strict=True):
        peak = _fold(turns, old_peak, path, hasher)[-1]
        if slot == len(peaks):
            peaks.append(peak)
        else:
            expect_hash("new peak", peaks[slot], peak)
    return [*peaks, *proof.right_peaks]


def _mountain_of(size: int, position: int) -> tuple[int, int, int]:
    if position >= 0:
        for slot, (top, _, height) in enumerate(mountains(size)):
            if position <= top:
                return slot, top, height
    raise InclusionError(f"a log of {size} leaves has no node {position}")


def _descend(size: int, position: int) -> tuple[int, list[tuple[int, bool]]]:
    """Walk from a peak down to a node.

    Returns:
        The peak's slot; and for each step, the lowest first, the parent's position and whether the way went right.
    """
    slot, top, top_height = _mountain_of(size, position)
    turns, at, height = [], top, top_height
    while at != position:
        left = at - (1 << height)
        right_turn = position > left
        turns.append((at, right_turn))
        at = at - 1 if right_turn else left
        height -= 1
    return slot, turns[::-1]


def _turns(index: int, steps: int) -> list[tuple[int, bool]]:
    """Walk so many steps up from a leaf; see `_descend`."""
    position, turns = 2 * index - index.bit_count(), []
    for level in range(steps):
        right = bool(index >> level & 1)
        position += 1 if right else 2 << level
        turns.append((position, right))
    return turns


def _fold(turns: Sequence[tuple[int, bool]], value: bytes, path: Sequence[bytes], hasher: TreeHasher) -> list[bytes]:
    """Hash a way up, and give the hash of every node on it, the lowest first."""
    check_digests((value, *path))
    passed = [value]
    for (parent, right), sibling in zip(turns, path, strict=True):
        value = hasher.node(parent, sibling, value) if right else hasher.node(parent, value, sibling)
        passed.append(value)
    return passed


# -- the RFC 6962 twin --


def check_twin_inclusion(root: bytes, proof: TwinInclusion, leaf_hash: bytes, *, size: int) -> None:
    """Check that a leaf is number ``proof.index`` of the tree with this SHA-256 root.

    Args:
        root: the signed root.
        proof: the RFC's audit path.
        leaf_hash: the leaf's SHA-256 hash.
        size: the size that was signed with the root.

    Raises:
        InclusionError: it is not proven.
    """
    check_index(proof.index, proof.size)
    expect_sizes((proof.size,), (size,))
    expect_hash("root", root, twin_inclusion_root(proof, leaf_hash))


def twin_inclusion_root(proof: TwinInclusion, leaf_hash: bytes) -> bytes:
    """Compute the RFC 6962 root that the audit path leads to from a leaf's hash.

    Raises:
        InclusionError: the path's length does not fit the proof's size and index.
    """
    check_index(proof.index, proof.size)
    inner, border = _twin_shape(proof.index, proof.size, 0)
    expect_length("path", proof.path, inner + border)
    check_digests((leaf_hash, *proof.path))
    value = leaf_hash
    for level, sibling in enumerate(proof.path):
        left = level >= inner or proof.index >> level & 1
        value = _twin_node(sibling, value) if left else _twin_node(value, sibling)
    return value


def check_twin_consistency(
    old_root: bytes, new_root: bytes, proof: TwinConsistency, *, old_size: int, new_size: int
) -> None:
    """Check that the tree with the new SHA-256 root continues the one with the old.

    Args:
        old_root: the older signed root.
        new_root: the newer signed root.
        proof: the RFC's consistency proof.
        old_size: the size that was signed with the older root.
        new_size: the size that was signed with the newer root.

    Raises:
        InclusionError: it is not proven.
    """
    check_sizes(proof.old_size, proof.new_size)
    expect_sizes((proof.old_size, proof.new_size), (old_size, new_size))
    check_digests((old_root, new_root))
    if old_size == new_size:
        expect_length("path", proof.path, 0)
        expect_hash("root", old_root, new_root)
        return
    computed = _twin_roots(old_root, proof)
    expect_hash("old root", old_root, computed[0])
    expect_hash("new root", new_root, computed[1])


def _twin_roots(old_root: bytes, proof: TwinConsistency) -> tuple[bytes, bytes]:
    """Climb from the last perfect subtree of the old tree to both roots.

    Every hash to the left is common to both trees; every hash to the right is new.
    """
    level = (proof.old_size & -proof.old_size).bit_length() - 1
    inner, border = _twin_shape(proof.old_size - 1, proof.new_size, level)
    whole = proof.old_size == 1 << level
    expect_length("path", proof.path, inner + border + (not whole))
    check_digests(proof.path)
    seed, *path = (old_root, *proof.path) if whole else proof.path
    index = proof.old_size - 1 >> level
    old = new = seed
    for step, sibling in enumerate(path):
        if step >= inner or index >> step & 1:
            old, new = _twin_node(sibling, old), _twin_node(sibling, new)
        else:
            new = _twin_node(new, sibling)
    return old, new


def _twin_shape(leaf: int, size: int, level: int) -> tuple[int, int]:
    """Count the steps of the path from the leaf's subtree at a level up to the root.

    Returns:
        The steps until the path meets the tree's right edge; and those along the edge, where all siblings are left.
    """
    meeting = (leaf ^ size - 1).bit_length()
    return meeting - level, (leaf >> meeting).bit_count()


def _twin_node(left: bytes, right: bytes) -> bytes:
    return SHA256_TREE.node(0, left, right)
