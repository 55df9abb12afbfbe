"""The first stage: both trees, computed from the events' bytes and held against the stored nodes.

A leaf that fits in neither tree says that either the event or the node's row was changed. Its parent decides: the one
of the two that the parent's stored hash was made from is the right one; for a leaf without a parent the head decides.

What follows is computed from what is believed, so that one changed row is one finding. Memory holds the peaks.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.sql.raw import EventRow, NodeRow, RawTables
from tools.audit.report import Progress, Status, Tallies, spell
from tools.audit.side import Side

Pair: TypeAlias = tuple[bytes, bytes]
"""The BLAKE3 and the SHA-256 hash of one node, or root of one size."""

STEP = 1000


@dataclass(frozen=True, slots=True)
class Trees:
    """What the events come to.

    Attributes:
        damaged: events that are missing, or whose bytes are not those that the trees hold.
        peaks: hashes of the peaks, left to right; None for one that can't be known.
        roots: both roots at the sizes that were asked for; two of them where the last leaf is in doubt.
    """

    damaged: set[int]
    peaks: tuple[Pair | None, ...]
    roots: dict[int, tuple[Pair, ...]]


@dataclass(slots=True)
class _Node:
    """A node that waits for its sibling.

    Attributes:
        hashes: what it may be, the likelier first; nothing where neither event nor row is there.
        doubt: the leaf of which either the event or the row is wrong: then there are two, stored and computed.
    """

    hashes: list[Pair]
    doubt: int | None = None


@dataclass(slots=True)
class TreeCheck:
    """One run of the stage."""

    raw: RawTables
    size: int
    last_peak: bytes | None
    tallies: Tallies
    status: Status
    _stack: list[_Node] = field(default_factory=list)
    _damaged: set[int] = field(default_factory=set)

    def run(self, wanted: Collection[int]) -> Trees:
        """Compute both trees and compare; ``wanted`` are the sizes whose roots are asked for."""
        events = Side(self.raw.events(), self._strange_event)
        nodes = Side(self.raw.nodes(), self._strange_node)
        roots = {0: _roots(0, [])}
        for seq in range(self.size):
            position = mmr.leaf_position(seq)
            self._stack.append(self._leaf(seq, events.take(seq), self._stored(position, nodes)))
            for above in range(1, (~seq & seq + 1).bit_length()):
                self._join(position + above, self._stored(position + above, nodes))
            if seq + 1 in wanted:
                roots[seq + 1] = _roots(seq + 1, [node.hashes for node in self._stack])
            if not (seq + 1) % STEP or seq + 1 == self.size:
                self.status(Progress("trees", seq + 1, self.size))
        for node in self._stack:
            self._settle_by_head(node)
        events.finish()
        nodes.finish()
        return Trees(self._damaged, tuple(node.hashes[0] if node.hashes else None for node in self._stack), roots)

    def _leaf(self, seq: int, rows: list[EventRow], stored: Pair | None) -> _Node:
        self.tallies.checked("events")
        known = [] if stored is None else [stored]
        if not rows:
            self._damage(seq, "the event is missing")
            return _Node(known)
        data = rows[0].data
        if not isinstance(data, bytes):
            self._damage(seq, "its bytes are not bytes")
            return _Node(known)
        computed = (BLAKE3_TREE.leaf(seq, data), SHA256_TREE.leaf(seq, data))
        if stored is None or stored == computed:
            return _Node([computed])
        if stored[0] == computed[0] or stored[1] == computed[1]:
            # The other tree holds the very same bytes.
            self._bad_node(mmr.leaf_position(seq), "the hash is not that of the event")
            return _Node([computed])
        return _Node([stored, computed], doubt=seq)

    def _join(self, position: int, stored: Pair | None) -> None:
        right, left = self._stack.pop(), self._stack.pop()
        if stored is not None:
            self._settle_by_parent(position, left, right, stored)
        self._settle(left)
        self._settle(right)
        if not left.hashes or not right.hashes:
            self._stack.append(_Node([] if stored is None else [stored]))
            return
        (own_left, twin_left), (own_right, twin_right) = left.hashes[0], right.hashes[0]
        computed = (
            BLAKE3_TREE.node(position, own_left, own_right),
            SHA256_TREE.node(position, twin_left, twin_right),
        )
        if stored is not None and stored != computed:
            self._bad_node(position, "the hash is not that of its children")
        self._stack.append(_Node([computed]))

    def _settle_by_parent(self, position: int, left: _Node, right: _Node, stored: Pair) -> None:
        if left.doubt is None and right.doubt is None:
            return
        for one, other in product(left.hashes, right.hashes):
            if BLAKE3_TREE.node(position, one[0], other[0]) == stored[0]:
                self._settle(left, one)
                self._settle(right, other)

    def _settle_by_head(self, node: _Node) -> None:
        matching = [pair for pair in node.hashes if pair[0] == self.last_peak]
        self._settle(node, matching[0] if matching else None)

    def _settle(self, node: _Node, believed: Pair | None = None) -> None:
        """Say of a leaf in doubt what is wrong: the event, unless the computed hash is the one that is believed."""
        if node.doubt is None:
            return
        seq, node.doubt = node.doubt, None
        if believed == node.hashes[1]:
            self._bad_node(mmr.leaf_position(seq), "the hash is not that of the event")
            node.hashes = [node.hashes[1]]
        else:
            self._damage(seq, "its bytes are not those that both trees hold")
            node.hashes = [node.hashes[0]]

    def _stored(self, position: int, nodes: Side[NodeRow]) -> Pair | None:
        self.tallies.checked("nodes")
        rows = nodes.take(position)
        if not rows:
            self._bad_node(position, "the node is missing")
            return None
        own, twin = rows[0].blake3, rows[0].sha256
        if not (isinstance(own, bytes) and isinstance(twin, bytes) and len(own) == len(twin) == digest.SIZE):
            self._bad_node(position, "a hash is not 32 bytes")
            return None
        return own, twin

    def _damage(self, seq: int, message: str) -> None:
        self._damaged.add(seq)
        self.tallies.find("events", "events", f"seq {seq}", message)

    def _bad_node(self, position: int, message: str) -> None:
        self.tallies.find("nodes", "nodes", f"pos {position}", message)

    def _strange_event(self, row: EventRow) -> None:
        self.tallies.find("events", "events", f"seq {spell(row.seq)}", "the log has no such event")

    def _strange_node(self, row: NodeRow) -> None:
        self.tallies.find("nodes", "nodes", f"pos {spell(row.pos)}", "the trees have no such node")


def _roots(size: int, peaks: list[list[Pair]]) -> tuple[Pair, ...]:
    """Give the roots for each way to believe the peaks: none where one is not known."""
    return tuple(
        (digest.root(size, [own for own, _ in believed]), rfc6962.root([twin for _, twin in believed]))
        for believed in product(*peaks)
    )
