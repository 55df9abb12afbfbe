"""Both trees, computed from the events' bytes and held against the stored nodes, one range of the log after another.

A range grows from the peaks before it. `tools.audit.grown` does that in one stroke where everything fits, which is
nearly always; where it does not, `TreeCheck` goes through the range leaf by leaf and finds out what is wrong.

A leaf that fits in neither tree says that either the event or the node's row was changed. Its parent decides: the one
of the two that the parent's stored hash was made from is the right one; for a leaf without a parent the head decides.
What follows is computed from what is believed, so that one changed row is one finding. Memory holds the peaks.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.sql.ranges import Row
from tools.audit.report import Kind, Tallies, spell
from tools.audit.side import Side

Pair: TypeAlias = tuple[bytes, bytes]
"""The BLAKE3 and the SHA-256 hash of one node, or root of one size."""

PAGE = 512
"""So many zero bytes in a row are no value that the log writes: they are a piece of a page that was never written."""


@dataclass(slots=True)
class Node:
    """A peak so far: a node that waits for its sibling.

    Attributes:
        hashes: what it may be, the likelier first; nothing where neither event nor row is there.
        doubt: the leaf of which either the event or the row is wrong: then there are two, stored and computed.
    """

    hashes: list[Pair]
    doubt: int | None = None


@dataclass(frozen=True, slots=True)
class Trees:
    """What the events of a range come to.

    Attributes:
        damaged: events that are missing, or whose bytes are not those that the trees hold.
        peaks: the peaks after the range, left to right.
        roots: both roots at the sizes that were asked for; two of them where the last leaf is in doubt.
    """

    damaged: set[int]
    peaks: list[Node]
    roots: dict[int, tuple[Pair, ...]]


@dataclass(slots=True)
class TreeCheck:
    """One careful walk over a range.

    Attributes:
        start: the first event of the range.
        stop: the one behind it.
        peaks: the peaks before the range; after `run`, those after it.
        last_peak: where the range ends the log, the last peak's BLAKE3 hash that the head holds.
        unreadable: rows that the database can't read, events and nodes, each by its number.
    """

    start: int
    stop: int
    peaks: list[Node]
    last_peak: bytes | None
    tallies: Tallies
    unreadable: tuple[Collection[int], Collection[int]] = ((), ())
    _damaged: set[int] = field(default_factory=set)
    _zeros: set[tuple[str, int]] = field(default_factory=set)

    def run(self, event_rows: list[Row], node_rows: list[Row], wanted: Collection[int], *, last: bool) -> Trees:
        """Compute both trees and compare; ``wanted`` are the sizes whose roots are asked for."""
        events = Side(iter(event_rows), self._strange_event)
        nodes = Side(iter(node_rows), self._strange_node)
        roots: dict[int, tuple[Pair, ...]] = {}
        for seq in range(self.start, self.stop):
            position = mmr.leaf_position(seq)
            self.peaks.append(self._leaf(seq, events.take(seq), self._stored(position, nodes)))
            for above in range(1, (~seq & seq + 1).bit_length()):
                self._join(position + above, self._stored(position + above, nodes))
            if seq + 1 in wanted:
                roots[seq + 1] = roots_of(seq + 1, self.peaks)
        if last:
            for node in self.peaks:
                self._settle_by_head(node)
        events.finish()
        nodes.finish()
        return Trees(self._damaged, self.peaks, roots)

    def _leaf(self, seq: int, rows: list[Row], stored: Pair | None) -> Node:
        known = [] if stored is None else [stored]
        if not rows:
            self._lost(seq)
            return Node(known)
        for row in rows[1:]:
            self._strange_event(row)
        data = rows[0][3]
        if never_written(data):
            self._zeros.add(("seq", seq))
        if not isinstance(data, bytes):
            self._damage(seq, "its bytes are not bytes")
            return Node(known)
        computed = (BLAKE3_TREE.leaf(seq, data), SHA256_TREE.leaf(seq, data))
        if stored is None or stored == computed:
            return Node([computed])
        if stored[0] == computed[0] or stored[1] == computed[1]:
            # The other tree holds the very same bytes.
            self._bad_node(mmr.leaf_position(seq), "the hash is not that of the event")
            return Node([computed])
        return Node([stored, computed], doubt=seq)

    def _join(self, position: int, stored: Pair | None) -> None:
        right, left = self.peaks.pop(), self.peaks.pop()
        if stored is not None:
            self._settle_by_parent(position, left, right, stored)
        self._settle(left)
        self._settle(right)
        if not left.hashes or not right.hashes:
            self.peaks.append(Node([] if stored is None else [stored]))
            return
        (own_left, twin_left), (own_right, twin_right) = left.hashes[0], right.hashes[0]
        computed = (
            BLAKE3_TREE.node(position, own_left, own_right),
            SHA256_TREE.node(position, twin_left, twin_right),
        )
        if stored is not None and stored != computed:
            self._bad_node(position, "the hash is not that of its children")
        self.peaks.append(Node([computed]))

    def _settle_by_parent(self, position: int, left: Node, right: Node, stored: Pair) -> None:
        if left.doubt is None and right.doubt is None:
            return
        for one, other in product(left.hashes, right.hashes):
            if BLAKE3_TREE.node(position, one[0], other[0]) == stored[0]:
                self._settle(left, one)
                self._settle(right, other)

    def _settle_by_head(self, node: Node) -> None:
        matching = [pair for pair in node.hashes if pair[0] == self.last_peak]
        self._settle(node, matching[0] if matching else None)

    def _settle(self, node: Node, believed: Pair | None = None) -> None:
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

    def _stored(self, position: int, nodes: Side[Row]) -> Pair | None:
        rows = nodes.take(position)
        if not rows:
            torn = position in self.unreadable[1]
            self._bad_node(position, "the database can't read it" if torn else "the node is missing", torn=torn)
            return None
        for row in rows[1:]:
            self._strange_node(row)
        _, own, twin = rows[0]
        if never_written(own) or never_written(twin):
            self._zeros.add(("pos", position))
        if not (isinstance(own, bytes) and isinstance(twin, bytes) and len(own) == len(twin) == digest.SIZE):
            self._bad_node(position, "a hash is not 32 bytes")
            return None
        return own, twin

    def _lost(self, seq: int) -> None:
        torn = seq in self.unreadable[0]
        self._damage(seq, "the database can't read it" if torn else "the event is missing", torn=torn)

    def _damage(self, seq: int, message: str, *, torn: bool = False) -> None:
        self._damaged.add(seq)
        kind: Kind = "torn" if torn or ("seq", seq) in self._zeros else "tampering"
        self.tallies.find("events", "events", f"seq {seq}", message, kind=kind, events=(seq, seq + 1))

    def _bad_node(self, position: int, message: str, *, torn: bool = False) -> None:
        # A node is written with the last event under it: a log that is smaller has not got it.
        leaf, _ = mmr.locate(position)
        kind: Kind = "torn" if torn or ("pos", position) in self._zeros else "tampering"
        self.tallies.find("nodes", "nodes", f"pos {position}", message, kind=kind, events=(leaf, leaf + 1))

    def _strange_event(self, row: Row) -> None:
        self.tallies.find("events", "events", f"seq {spell(row[0])}", "the log has no such event")

    def _strange_node(self, row: Row) -> None:
        self.tallies.find("nodes", "nodes", f"pos {spell(row[0])}", "the trees have no such node")


def never_written(data: object) -> bool:
    """Tell bytes that hold a piece of a page that was never written."""
    return isinstance(data, bytes) and bool(data) and (not any(data) or bytes(PAGE) in data)


def roots_of(size: int, peaks: Sequence[Node]) -> tuple[Pair, ...]:
    """Give the roots for each way to believe the peaks: none where one is not known."""
    return tuple(
        (digest.root(size, [own for own, _ in believed]), rfc6962.root([twin for _, twin in believed]))
        for believed in product(*(node.hashes for node in peaks))
    )
