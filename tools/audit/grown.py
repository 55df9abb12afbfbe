"""Both trees over a range where every row fits: each stored hash is computed anew, all of one kind in one stroke.

The leaves are hashed from the events, and each node above them from its two children as they are stored. That is as
much as growing the trees: the stored leaves are the computed ones, so the nodes above them are what the computed ones
come to, and so on up to the peaks. Which children a node has depends on where the range begins alone, so that it is
worked out once for all ranges of one shape.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias, cast

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE, Blake3Tree, Sha256Tree
from ledger.sql.ranges import Row
from tools.audit.trees import Node, Pair, Trees

Pick: TypeAlias = Callable[[Sequence[bytes]], tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class _Shape:
    """Which nodes of a range are made from which, within the smallest aligned block of leaves that holds it.

    Nodes are counted from the range's first; a peak before the range has a number below 0, -1 the last of them.

    Attributes:
        leaves: picks the leaves.
        joints: which nodes stand above two others, and
        joined: picks them;
        lefts: picks the left, and
        rights: the right child of each.
        borrowed: how many of the peaks before the range are children.
        count: how many nodes there are.
    """

    leaves: Pick
    joints: tuple[int, ...]
    joined: Pick
    lefts: Pick
    rights: Pick
    borrowed: int
    count: int


@dataclass(frozen=True, slots=True)
class _Side:
    """One tree's peaks before a range, left to right, and its nodes in it, in order, as they are stored."""

    tree: Blake3Tree | Sha256Tree
    base: tuple[bytes, ...]
    nodes: tuple[bytes, ...]

    def fits(self, start: int, entries: Sequence[bytes], shape: _Shape, positions: Sequence[int]) -> bool:
        """Tell whether the nodes are what the entries come to."""
        nodes, whole = self.nodes, shape.count
        if self.tree.leaves(start, entries) != list(shape.leaves(nodes)):
            return False
        # Where the range ends its block, the block's top is joined to the peak before it, and that to the one before.
        above = len(nodes) - whole
        known = nodes + self.base
        lefts = shape.lefts(known) + self.base[::-1][shape.borrowed : shape.borrowed + above]
        rights = shape.rights(known) + nodes[whole - 1 : whole - 1 + above]
        return self.tree.nodes(positions, lefts, rights) == [*shape.joined(nodes), *nodes[whole:]]


def grown(start: int, base: Sequence[Pair], events: list[Row], nodes: list[Row], wanted: Sequence[int]) -> Trees | None:
    """Grow the trees over a range, if every row of it fits; else None.

    Args:
        start: the first event of the range.
        base: the peaks before it.
        events: (seq, at, type, bytes) of the range, at least one.
        nodes: (pos, blake3, sha256) of the range.
        wanted: the sizes within the range whose roots are asked for, in order.
    """
    stop = start + len(events)
    first, last = mmr.size(start), mmr.size(stop)
    entries = _column(events, 3)
    hashes = _column(nodes, 1), _column(nodes, 2)
    if not (events and entries and hashes[0] and hashes[1]):
        return None
    if _numbers(events) != list(range(start, stop)) or _numbers(nodes) != list(range(first, last)):
        return None
    if {*map(len, hashes[0]), *map(len, hashes[1])} != {digest.SIZE}:
        return None
    width = (start ^ stop - 1).bit_length()
    shape = _shape(start & (1 << width) - 1, len(events))
    positions = [first + at for at in shape.joints]
    positions += range(first + shape.count, last)
    own = _Side(BLAKE3_TREE, tuple(pair[0] for pair in base), hashes[0])
    twin = _Side(SHA256_TREE, tuple(pair[1] for pair in base), hashes[1])
    if not all(side.fits(start, entries, shape, positions) for side in (own, twin)):
        return None
    pairs = dict(zip(mmr.peak_positions(start), base, strict=True))

    def peaks(size: int) -> list[Pair]:
        return [
            (own.nodes[at - first], twin.nodes[at - first]) if at >= first else pairs[at]
            for at in mmr.peak_positions(size)
        ]

    roots: dict[int, tuple[Pair, ...]] = {}
    for size in [*wanted, stop]:
        left, right = zip(*peaks(size), strict=True)
        roots[size] = ((digest.root(size, left), rfc6962.root(right)),)
    return Trees(set(), [Node([pair]) for pair in peaks(stop)], roots)


def _numbers(rows: list[Row]) -> list[object]:
    """Give the first column."""
    return [row[0] for row in rows]


def _column(rows: list[Row], at: int) -> tuple[bytes, ...] | None:
    """Give a column, if it holds bytes and nothing else."""
    values = tuple([row[at] for row in rows])
    return cast("tuple[bytes, ...]", values) if set(map(type, values)) == {bytes} else None


@lru_cache(maxsize=8)
def _shape(low: int, count: int) -> _Shape:
    """Work out the shape of ``count`` leaves that begin at leaf ``low`` of their block."""
    leaves, joints, lefts, rights, tops = list[int](), list[int](), list[int](), list[int](), list[int]()
    at = borrowed = 0
    for leaf in range(low, low + count):
        leaves.append(at)
        top = at
        at += 1
        for _ in range(_joins(leaf)):
            if tops:
                left = tops.pop()
            else:
                borrowed += 1
                left = -borrowed
            joints.append(at)
            lefts.append(left)
            rights.append(top)
            top = at
            at += 1
        tops.append(top)
    parts = (_pick(leaves), tuple(joints), _pick(joints), _pick(lefts), _pick(rights))
    return _Shape(*parts, borrowed, at)


def _joins(leaf: int) -> int:
    """Count the nodes that stand right above a leaf and end with it: the trailing ones of its number."""
    return (~leaf & leaf + 1).bit_length() - 1


def _pick(places: Sequence[int]) -> Pick:
    if len(places) <= 1:
        return lambda row: tuple(row[place] for place in places)
    found: Pick = itemgetter(*places)
    return found
