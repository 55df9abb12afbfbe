"""The only module that hashes: BLAKE3 in derive-key mode, one context per use, and the SHA-256 twin.

``be64(x)`` is x in 8 bytes, big-endian. Every digest is 32 bytes. A leaf commits its index, a node its position and
a root its leaf count: a node can't pass for a leaf, an index can't be changed, a size can't be confused.

Source: DESIGN section 5; BLAKE3 derive_key; RFC 6962 section 2.1 for the twin.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from operator import add
from struct import Struct
from typing import Protocol

from blake3 import blake3

from ledger import canon
from ledger.canon import Json

SIZE = 32
PROFILE = 1

_LEAF = "tallystick 2026-11-30 event leaf v1"
_NODE = "tallystick 2026-11-30 mmr node v1"
_ROOT = "tallystick 2026-11-30 mmr root v1"
_FIELD = "tallystick 2026-11-30 field v1"
_BINDING = "tallystick 2026-11-30 binding v1"
_DOCUMENT = "tallystick 2026-11-30 document v1"

# Deriving a context's key costs as much as hashing a node; a hasher that holds it is copied instead, never fed.
_LEAF_HASHER = blake3(derive_key_context=_LEAF)
_NODE_HASHER = blake3(derive_key_context=_NODE)
_ROOT_HASHER = blake3(derive_key_context=_ROOT)
_FIELD_HASHER = blake3(derive_key_context=_FIELD)

_be64 = Struct(">Q").pack
node_input = Struct(f">Q{SIZE}s{SIZE}s").pack
"""Spells what `Blake3Tree.node` hashes. The children must be digests, which the caller has checked: of any others bytes
would be dropped or made up."""


class TreeHasher(Protocol):
    """How one tree hashes its leaves and nodes: what published vectors exchange."""

    def leaf(self, index: int, entry: bytes) -> bytes:
        """Hash the entry at leaf ``index``."""

    def node(self, position: int, left: bytes, right: bytes) -> bytes:
        """Hash two children into the node at 0-based post-order ``position``."""


class Blake3Tree:
    """The log's own tree."""

    def leaf(self, index: int, entry: bytes) -> bytes:
        """Hash an event's bytes, bound to its index."""
        hasher = _LEAF_HASHER.copy()
        hasher.update(index.to_bytes(8, "big") + entry)
        return hasher.digest()

    def node(self, position: int, left: bytes, right: bytes) -> bytes:
        """Hash two children, bound to the parent's position."""
        hasher = _NODE_HASHER.copy()
        hasher.update(position.to_bytes(8, "big") + left + right)
        return hasher.digest()

    def leaves(self, first: int, entries: Sequence[bytes]) -> list[bytes]:
        """Hash the entries at leaf ``first`` and on, as `leaf` does, without a call for each."""
        fresh, count = _LEAF_HASHER.copy, len(entries)
        bound = map(add, map(_be64, range(first, first + count)), entries)
        return [fresh().update(data).digest() for data in bound]

    def nodes(self, positions: Sequence[int], lefts: Sequence[bytes], rights: Sequence[bytes]) -> list[bytes]:
        """Hash pairs of children, 32 bytes each, as `node` does, without a call for each."""
        fresh = _NODE_HASHER.copy
        return [fresh().update(data).digest() for data in map(node_input, positions, lefts, rights)]


class Sha256Tree:
    """The twin: RFC 6962 hashes of the same subtrees, for the C2SP world."""

    def leaf(self, index: int, entry: bytes) -> bytes:  # noqa: ARG002  (RFC 6962 leaves know no index)
        """Hash 0x00 and the entry."""
        return hashlib.sha256(b"\x00" + entry).digest()

    def node(self, position: int, left: bytes, right: bytes) -> bytes:  # noqa: ARG002  (nor nodes a position)
        """Hash 0x01 and the children."""
        return hashlib.sha256(b"\x01" + left + right).digest()

    def leaves(self, first: int, entries: Sequence[bytes]) -> list[bytes]:  # noqa: ARG002  (as `leaf`)
        """Hash entries, as `leaf` does, without a call for each."""
        sha256 = hashlib.sha256
        return [sha256(b"\x00" + entry).digest() for entry in entries]

    def nodes(self, positions: Sequence[int], lefts: Sequence[bytes], rights: Sequence[bytes]) -> list[bytes]:  # noqa: ARG002  (as `node`)
        """Hash pairs of children, as `node` does, without a call for each."""
        sha256 = hashlib.sha256
        return [sha256(b"\x01" + left + right).digest() for left, right in zip(lefts, rights, strict=True)]


BLAKE3_TREE = Blake3Tree()
SHA256_TREE = Sha256Tree()


def node_hasher() -> blake3:
    """Give a hasher for many nodes of the log's own tree, to one caller in one thread.

    For each node it is reset, updated with a `node_input` and asked for its digest: half the cost of `Blake3Tree.node`.
    """
    return _NODE_HASHER.copy()


def be64(number: int) -> bytes:
    """Spell a number of 0 to 2^64 - 1 in 8 bytes, big-endian."""
    return number.to_bytes(8, "big")


def root(leaves: int, peaks: Sequence[bytes]) -> bytes:
    """Hash the peaks, left to right, into the BLAKE3 root of a log of so many leaves."""
    hasher = _ROOT_HASHER.copy()
    hasher.update(be64(leaves) + b"".join(peaks))
    return hasher.digest()


def field(salt: bytes, pointer: str, value: Json) -> bytes:
    """Commit to the value of one disclosable field.

    Args:
        salt: 32 random bytes.
        pointer: the field's RFC 6901 pointer within the event's body.
        value: what the field holds.
    """
    return field_of(salt, pointer, canon.encode(value))


def field_of(salt: bytes, pointer: str, data: bytes) -> bytes:
    """Commit to a value that is given in its canonical bytes, as `field` does."""
    if len(salt) != SIZE:
        raise ValueError("a salt has 32 bytes")
    path = pointer.encode()
    hasher = _FIELD_HASHER.copy()
    hasher.update(salt + be64(len(path)) + path + data)
    return hasher.digest()


def binding(document_bytes: bytes) -> bytes:
    """Hash the canonical bytes of what a consent is bound to (DESIGN section 11)."""
    return blake3(document_bytes, derive_key_context=_BINDING).digest()


def document(data: bytes) -> bytes:
    """Hash a document: a constitution, a schema, an operand, a view's state."""
    return blake3(data, derive_key_context=_DOCUMENT).digest()


def document_of(parts: Iterable[bytes]) -> bytes:
    """Hash a document that is given piece by piece."""
    hasher = blake3(derive_key_context=_DOCUMENT)
    for part in parts:
        hasher.update(part)
    return hasher.digest()


def keyed_numbers(secret: bytes, use: bytes) -> Callable[[bytes], int]:
    """Give a function that nobody can foretell without the secret: a number of 120 bits for any bytes.

    It is for one caller in one thread.

    Args:
        secret: 32 random bytes.
        use: for another use of one secret it is another function.
    """
    # One hasher for all texts, as in `node_hasher`: a new one takes longer than a short text.
    hasher = blake3(key=blake3(use, key=secret).digest())
    reset, update, finish, from_bytes = hasher.reset, hasher.update, hasher.digest, int.from_bytes

    def number(data: bytes) -> int:
        reset()
        update(data)
        return from_bytes(finish(15), "big")

    return number
