"""Both trees as they grow, in one pass: what an append adds to ``nodes``, from the peaks alone.

The trees have one shape, so their new nodes stand at the same positions and one walk makes both. It is `mmr.append`
twice, for many leaves, without what a function call for each node would cost; tests/ledger/test_growth.py holds the
two against each other.

Source: DESIGN sections 5 and 6.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from ledger import mmr
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.errors import ProofError
from ledger.event import Event
from ledger.log import Head, Tree, TreeReader

NodePair = tuple[int, bytes, bytes]
"""A position, the BLAKE3 node and the SHA-256 node that stand there."""


MANY: Final = 16
"""From so many leaves on it is quicker to make a level at a time."""

_NO_NODE: Final = (-1, b"", b"")


class Growth:
    """The trees of a log from one size on.

    Args:
        head: where the log stands.

    Attributes:
        size: how many leaves the trees have now.
        nodes: the nodes that were added, in order; their positions follow each other.
    """

    def __init__(self, head: Head) -> None:
        self.size = head.size
        self.nodes: list[NodePair] = []
        self._own = list(head.blake3_peaks)
        self._twin = list(head.sha256_peaks)

    @property
    def peaks(self) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """The peaks of the log's own tree and of its twin, left to right."""
        return tuple(self._own), tuple(self._twin)

    def extend(self, entries: Iterable[bytes]) -> None:
        """Add leaves.

        Args:
            entries: the events' bytes, in order.
        """
        together = list(entries)
        if len(together) < MANY:
            self._add_each(together)
        else:
            self._add_levels(together)

    def _add_levels(self, entries: Sequence[bytes]) -> None:
        """Add many leaves level by level: a level is hashed in one stroke, and each node put where it stands."""
        start, stop = self.size, self.size + len(entries)
        first = mmr.size(start)
        rows: list[NodePair] = [_NO_NODE] * (mmr.size(stop) - first)
        own = BLAKE3_TREE.leaves(start, entries)
        twin = SHA256_TREE.leaves(start, entries)
        positions = [2 * leaf - leaf.bit_count() for leaf in range(start, stop)]
        own_peaks: list[bytes] = []
        twin_peaks: list[bytes] = []
        height = 0
        while True:
            for position, one, other in zip(positions, own, twin, strict=True):
                rows[position - first] = position, one, other
            if start & 1:
                # Its left sibling is the smallest of the mountains that stood before.
                own.insert(0, self._own.pop())
                twin.insert(0, self._twin.pop())
            if stop & 1:
                # Nothing stands to the right of it: a mountain of its own.
                own_peaks.append(own.pop())
                twin_peaks.append(twin.pop())
            start, stop, height = start >> 1, stop >> 1, height + 1
            if not own:
                break
            positions = [2 * leaf - leaf.bit_count() + height for leaf in _last_leaves(start, stop, height)]
            own = BLAKE3_TREE.nodes(positions, own[::2], own[1::2])
            twin = SHA256_TREE.nodes(positions, twin[::2], twin[1::2])
        self._own += reversed(own_peaks)
        self._twin += reversed(twin_peaks)
        self.nodes += rows
        self.size += len(entries)

    def _add_each(self, entries: Iterable[bytes]) -> None:
        own_leaf, own_node = BLAKE3_TREE.leaf, BLAKE3_TREE.node
        twin_leaf, twin_node = SHA256_TREE.leaf, SHA256_TREE.node
        own_peaks, twin_peaks, add, index = self._own, self._twin, self.nodes.append, self.size
        position = mmr.size(index)
        for entry in entries:
            own, twin = own_leaf(index, entry), twin_leaf(index, entry)
            add((position, own, twin))
            position += 1
            # Each mountain as high as the new one is joined to it: the trailing ones of the count.
            carry = index
            while carry & 1:
                own = own_node(position, own_peaks.pop(), own)
                twin = twin_node(position, twin_peaks.pop(), twin)
                add((position, own, twin))
                position += 1
                carry >>= 1
            own_peaks.append(own)
            twin_peaks.append(twin)
            index += 1
        self.size = index


def _last_leaves(start: int, stop: int, height: int) -> range:
    """Give the last leaf under each of a height's nodes, counted from the left."""
    return range((start + 1 << height) - 1, (stop + 1 << height) - 1, 1 << height)


class GrowingNodes:
    """Reads one tree's nodes: the new ones from a growth, the others from below."""

    def __init__(self, below: TreeReader, nodes: Sequence[NodePair], events: Sequence[Event], tree: Tree) -> None:
        self._below = below
        self._nodes = nodes
        self._events = events
        self._tree = tree

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Give the nodes at these positions, in the same order.

        Raises:
            ProofError: one of them is not stored.
        """
        if not self._nodes:
            return self._below.read(positions)
        first = self._nodes[0][0]
        if any(position >= first + len(self._nodes) for position in positions):
            raise ProofError("the log has no such node")
        stored = iter(self._below.read([position for position in positions if position < first]))
        return [next(stored) if position < first else self._new(position - first) for position in positions]

    def read_with(self, seqs: Sequence[int], positions: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        """Give events and nodes, each in the order asked.

        Raises:
            ProofError: one of them is not stored.
        """
        own = {event.seq: event.data for event in self._events}
        stored = iter(self._below.read_with([seq for seq in seqs if seq not in own], ())[0])
        return [own[seq] if seq in own else next(stored) for seq in seqs], self.read(positions)

    def _new(self, index: int) -> bytes:
        _, own, twin = self._nodes[index]
        return own if self._tree == "blake3" else twin
