"""The checker of proofs of many leaves. It knows nothing of storage and shares no code with the prover.

Where the prover cuts gaps out of the row of leaves, the checker walks down from the peaks: a subtree without any of the
leaves takes the next hash of the proof, a leaf takes the next entry, anything else is hashed from its two halves. How
many hashes that will take is counted first, and any other number is refused before anything is hashed. Entries are
taken one by one, so that a range of any length is checked in memory that does not grow.

The log's own tree commits its size in the root. The twin does not: its size is taken from whoever signed the root.

Source: DESIGN sections 5 and 6; docs/spec/tree.md.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from ledger import digest
from ledger.digest import BLAKE3_TREE, SHA256_TREE, TreeHasher
from ledger.proof import MAX_SET, RangeProof, SetProof
from verify.errors import InclusionError
from verify.expect import MAX_SIZE, check_digests, expect_hash, expect_length, expect_sizes, mountains

Many: TypeAlias = SetProof | RangeProof
"""A proof of many leaves."""


def check_many(root: bytes, proof: Many, entries: Iterable[bytes]) -> None:
    """Check that the entries are the leaves that a proof is of, in the log with this BLAKE3 root.

    Raises:
        InclusionError: it is not proven.
    """
    peaks = _peaks(proof, entries, BLAKE3_TREE)
    expect_hash("root", root, digest.root(proof.size, peaks))


def check_twin_many(root: bytes, proof: Many, entries: Iterable[bytes], *, size: int) -> None:
    """Check that the entries are the leaves that a proof of the twin's hashes is of, under this SHA-256 root.

    Args:
        root: the signed root.
        proof: a proof of the twin's hashes.
        entries: the leaves' bytes, in order.
        size: the size that was signed with the root.

    Raises:
        InclusionError: it is not proven.
    """
    expect_sizes((proof.size,), (size,))
    expect_hash("root", root, _twin_root(_peaks(proof, entries, SHA256_TREE)))


def check_in_both(roots: tuple[bytes, bytes], own: Many, twin: Many, entries: Iterable[bytes], *, size: int) -> None:
    """Check the same leaves under both roots, from entries that are taken once.

    Args:
        roots: the BLAKE3 and the SHA-256 root.
        own: a proof in the log's own tree.
        twin: a proof of the same leaves in the twin.
        entries: the leaves' bytes, in order.
        size: the size that was signed with the roots.

    Raises:
        InclusionError: it is not proven, or the proofs are not of the same leaves.
    """
    expect_sizes((own.size, twin.size), (size, size))
    indexes, left = _read(own)
    others, right = _read(twin)
    # Two ranges compare as quickly as two tuples, and a range is none: both must be of one kind.
    if indexes != others:
        raise InclusionError("the two proofs are of different leaves")
    pairs = [one + other for one, other in zip(left, right, strict=True)]
    peaks = _Walk(indexes, pairs, entries, _Pairs()).peaks(size)
    expect_hash("root", roots[0], digest.root(size, [peak[: digest.SIZE] for peak in peaks]))
    expect_hash("root", roots[1], _twin_root([peak[digest.SIZE :] for peak in peaks]))


def _peaks(proof: Many, entries: Iterable[bytes], hasher: TreeHasher) -> list[bytes]:
    indexes, hashes = _read(proof)
    return _Walk(indexes, hashes, entries, hasher).peaks(proof.size)


def _read(proof: Many) -> tuple[Sequence[int], tuple[bytes, ...]]:
    """Give the leaves that a proof is of, and its hashes: as many as it takes, and each of 32 bytes."""
    _check_size(proof.size)
    indexes, hashes = _read_set(proof) if isinstance(proof, SetProof) else _read_range(proof)
    check_digests(hashes)
    return indexes, hashes


def _read_set(proof: SetProof) -> tuple[Sequence[int], tuple[bytes, ...]]:
    indexes = proof.indexes
    if not 0 < len(indexes) <= MAX_SET:
        raise InclusionError(f"a set has 1 to {MAX_SET} leaves, not {len(indexes)}")
    if any(index >= following for index, following in zip(indexes, (*indexes[1:], proof.size), strict=True)):
        raise InclusionError("a set lists each leaf once, in ascending order, and none beyond the log")
    if indexes[0] < 0:
        raise InclusionError(f"there is no leaf {indexes[0]}")
    expect_length("hashes", proof.hashes, _all_needed(indexes, proof.size))
    return indexes, proof.hashes


def _read_range(proof: RangeProof) -> tuple[Sequence[int], tuple[bytes, ...]]:
    if not 0 <= proof.first <= proof.last < proof.size:
        raise InclusionError(f"a log of {proof.size} leaves has no leaves from {proof.first} to {proof.last}")
    indexes = range(proof.first, proof.last + 1)
    # Left of the range lies one subtree for each mountain of the log that ended before it.
    expect_length("left", proof.left, proof.first.bit_count())
    expect_length("right", proof.right, _all_needed(indexes, proof.size) - len(proof.left))
    return indexes, (*proof.left, *proof.right)


class _Pairs:
    """Both trees in one walk: each hash is the log's own and the twin's, joined."""

    def leaf(self, index: int, entry: bytes) -> bytes:
        return BLAKE3_TREE.leaf(index, entry) + SHA256_TREE.leaf(index, entry)

    def node(self, position: int, left: bytes, right: bytes) -> bytes:
        half = digest.SIZE
        own = BLAKE3_TREE.node(position, left[:half], right[:half])
        return own + SHA256_TREE.node(position, left[half:], right[half:])


class _Walk:
    """One walk over a tree, left to right: what is known is taken, what is not is hashed."""

    def __init__(
        self, indexes: Sequence[int], hashes: Sequence[bytes], entries: Iterable[bytes], hasher: TreeHasher
    ) -> None:
        self._indexes = indexes
        self._hashes = iter(hashes)
        self._entries: Iterator[bytes] = iter(entries)
        self._hasher = hasher
        self._done = 0

    def peaks(self, size: int) -> list[bytes]:
        """Give the hash of each mountain, left to right, from exactly the entries that are listed."""
        found = [self._value(top, low, height) for top, low, height in mountains(size)]
        if next(self._entries, None) is not None:
            raise InclusionError("there are more entries than the proof is of")
        return found

    def _value(self, position: int, low: int, height: int) -> bytes:
        """Give the hash of the subtree whose top stands at a position, and whose first leaf is ``low``."""
        if self._done == len(self._indexes) or self._indexes[self._done] >= low + (1 << height):
            return next(self._hashes)
        if height == 0:
            return self._leaf(low)
        half = 1 << height - 1
        # Of the nodes below the top, the right half's come last.
        left = self._value(position - (half << 1), low, height - 1)
        right = self._value(position - 1, low + half, height - 1)
        return self._hasher.node(position, left, right)

    def _leaf(self, index: int) -> bytes:
        entry = next(self._entries, None)
        if entry is None:
            raise InclusionError(f"the entry of leaf {index} is missing")
        self._done += 1
        return self._hasher.leaf(index, entry)


def _all_needed(indexes: Sequence[int], size: int) -> int:
    """Count the hashes that a proof of these leaves takes."""
    return sum(_needed(indexes, low, low + (1 << height)) for _, low, height in mountains(size))


def _needed(indexes: Sequence[int], low: int, high: int) -> int:
    """Count the hashes that stand for what is not listed of a subtree's leaves."""
    within = bisect_left(indexes, high) - bisect_left(indexes, low)
    if within == 0:
        return 1
    if within == high - low:
        return 0
    middle = (low + high) // 2
    return _needed(indexes, low, middle) + _needed(indexes, middle, high)


def _twin_root(peaks: Sequence[bytes]) -> bytes:
    """Hash the peaks as RFC 6962 does: the tree right of the largest left half is a tree itself."""
    if len(peaks) == 1:
        return peaks[0]
    return SHA256_TREE.node(0, peaks[0], _twin_root(peaks[1:]))


def _check_size(size: int) -> None:
    if not 0 < size <= MAX_SIZE:
        raise InclusionError(f"nothing stands in a log of {size} leaves")
