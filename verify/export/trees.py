"""Both trees grown from the events' bytes, written apart from the one that made them.

A leaf stands right behind the nodes of the leaves before it; each node that it completes stands right behind it.

Source: DESIGN sections 5 and 6; RFC 6962 section 2.1.
"""

from dataclasses import dataclass, field
from hashlib import sha256

from ledger import digest
from ledger.digest import BLAKE3_TREE, SHA256_TREE

Pair = tuple[bytes, bytes]
"""The BLAKE3 and the SHA-256 hash of one node, or root of one size."""


@dataclass(slots=True)
class Trees:
    """Two trees over the same leaves; memory holds their peaks."""

    size: int = 0
    _own: list[bytes] = field(default_factory=list)
    _twin: list[bytes] = field(default_factory=list)

    def add(self, data: bytes) -> list[Pair]:
        """Add a leaf, and give the nodes that stand by it, in the order of their positions."""
        index = self.size
        position = 2 * index - index.bit_count()
        own, twin = BLAKE3_TREE.leaf(index, data), SHA256_TREE.leaf(index, data)
        nodes = [(own, twin)]
        while index & 1:
            position += 1
            own = BLAKE3_TREE.node(position, self._own.pop(), own)
            twin = SHA256_TREE.node(position, self._twin.pop(), twin)
            nodes.append((own, twin))
            index >>= 1
        self._own.append(own)
        self._twin.append(twin)
        self.size += 1
        return nodes

    def roots(self) -> Pair:
        """Give both roots as the trees stand."""
        twin = self._twin[-1] if self._twin else sha256().digest()
        for peak in reversed(self._twin[:-1]):
            twin = SHA256_TREE.node(0, peak, twin)
        return digest.root(self.size, self._own), twin
