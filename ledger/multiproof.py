r"""Proofs of many leaves at once: of a set, and of all leaves from one to another.

What is proven comes with its entries, so the proof holds only what they don't determine: the largest subtrees without
any of the leaves, left to right. Of seven leaves, the set {1, 4} leaves 0, {2, 3}, 5 and 6 (X are the set's)::

    height 2          o
                   /     \
    height 1      o      (5)     o
                 / \     / \    / \
    height 0   (0)  X   .   .  X  (8)  (10)

The gaps between the leaves are cut from the left, each time the largest subtree that begins there and ends in the gap.
No other choice is smaller, so there is one proof of a set. A range is a set without gaps within: its proof has the
peaks of the log before it to the left, at most two hashes for each bit of the size in all, and is checked in one pass.

Both trees have these proofs in the same form; the twin's hold its own hashes. As in ``ledger.mmr``, one function lists
positions and another consumes exactly those hashes; ``verify.multiproof`` checks and is written apart.

Source: DESIGN section 6; docs/spec/tree.md.
"""

from collections.abc import Iterator, Sequence

from ledger import mmr
from ledger.errors import ProofError
from ledger.mmr import NodeReader
from ledger.proof import MAX_SET, RangeProof, SetProof


def set_positions(indexes: Sequence[int], leaves: int) -> list[int]:
    """List what a proof of a set reads: the subtrees between its leaves, left to right.

    Raises:
        ProofError: no such leaf, none at all, not in ascending order, or more than a proof may have.
    """
    if not 0 < len(indexes) <= MAX_SET:
        raise ProofError(f"a set has 1 to {MAX_SET} leaves, not {len(indexes)}: prove it in parts")
    positions: list[int] = []
    start = 0
    for index in indexes:
        if not start <= index < leaves:
            raise ProofError(
                f"a tree of {leaves} leaves has no leaf {index} at or after {start}: list each once, in order"
            )
        positions += _gap(start, index)
        start = index + 1
    return [*positions, *_gap(start, leaves)]


def prove_set(reader: NodeReader, indexes: Sequence[int], leaves: int) -> SetProof:
    """Prove that leaves stand in the tree that the reader reads.

    Raises:
        ProofError: no such leaf, none at all, not in ascending order, or more than a proof may have.
    """
    positions = set_positions(indexes, leaves)
    (hashes,) = mmr.split(reader.read(positions), (len(positions),))
    return SetProof(leaves, tuple(indexes), hashes)


def range_positions(first: int, last: int, leaves: int) -> tuple[list[int], list[int]]:
    """List what a proof of a range reads: the subtrees left of it, and those right of it, left to right.

    Raises:
        ProofError: no such leaves, or the first comes after the last.
    """
    if not 0 <= first <= last < leaves:
        raise ProofError(f"a tree of {leaves} leaves has no leaves from {first} to {last}")
    return list(_gap(0, first)), list(_gap(last + 1, leaves))


def prove_range(reader: NodeReader, first: int, last: int, leaves: int) -> RangeProof:
    """Prove that certain entries are all leaves from ``first`` to ``last``, that one included.

    Raises:
        ProofError: no such leaves, or the first comes after the last.
    """
    left, right = range_positions(first, last, leaves)
    return RangeProof(leaves, first, last, *mmr.split(reader.read([*left, *right]), (len(left), len(right))))


def _gap(start: int, stop: int) -> Iterator[int]:
    """Cut the leaves from ``start`` up to, without, ``stop`` into the largest subtrees, left to right."""
    while start < stop:
        level = (stop - start).bit_length() - 1
        if start:
            # A subtree of 2^level leaves begins at a multiple of 2^level.
            level = min(level, (start & -start).bit_length() - 1)
        start += 1 << level
        # Right after the nodes of all leaves before it stands its last leaf, and `level` nodes on, its top.
        yield mmr.leaf_position(start - 1) + level
