"""Inclusion proofs of a log at one size, each verified before it is handed out; the more of them, the faster.

A proof is verified from the event's own bytes up to a node that is known to be right, not always up to the root. Why
that suffices: the node was reached before by a proof that was verified up to the root, or to a node that was. Each step
of such a proof binds both children, so the siblings on its way are known to be right as well, and with each of them all
that stand above it. A proof that is handed out has, below the known node, the hashes that were just folded into it;
above, the siblings that are known; and the peaks, which make the root. It could be wrong only by a collision of the
hash. What stands in the database above a known node is not read again: nodes never change, and one that was changed by
somebody else can't get into a proof.

So a proof of a large log reads and hashes as much as one of a small log, once the upper part of the tree is known:
`CUT` siblings, and the event. The first proof reads the peaks as well. Each is one query.

Source: DESIGN section 6; RFC 6962 section 2.1.1 for the twin.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE, TreeHasher
from ledger.log import TreeReader
from ledger.proof import InclusionProof, TwinInclusion
from verify.errors import InclusionError
from verify.expect import MAX_SIZE, check_digests, expect_hash
from verify.inclusion import climb

CUT = 6
"""Nodes of this height and above are kept, or of a greater height where there are too many."""

MOST = 2**19
"""So many nodes of a tree are kept: 38 MB at most, in a log of 16 million events; 73 bytes for each that is known."""

Hashes: TypeAlias = tuple[bytes, ...]


class _Ways(ABC):
    """The verified ways from a tree's leaves up to its peaks.

    Known nodes stand in one list, numbered as in a heap over the smallest perfect tree that holds all leaves: node k
    has the children 2k and 2k + 1, and so the sibling ``k ^ 1`` and the parent ``k >> 1``. With a node its sibling is
    known, and all above, up to the peak.

    Args:
        size: the log's leaves.
        root: the tree's root at that size: the signed one, or one that was proven to be continued by it.
        most: how many nodes are kept.

    Raises:
        InclusionError: there is no such log.
    """

    _hasher: ClassVar[TreeHasher]

    def __init__(self, size: int, root: bytes, *, most: int = MOST) -> None:
        if not 0 < size <= MAX_SIZE:
            raise InclusionError(f"nothing can be proven of a log of {size} events")
        self._size = size
        self._root = root
        self._peaks: Hashes = ()
        self._tails: list[Hashes] = []
        self._leaves = 1 << size.bit_length()
        self._cut = max(CUT, size.bit_length() + 2 - most.bit_length())
        self._known = [b""] * (2 * self._leaves >> self._cut)

    @staticmethod
    @abstractmethod
    def _root_of(size: int, peaks: Hashes) -> bytes:
        """Hash the peaks into the root."""

    @staticmethod
    @abstractmethod
    def _tail(peaks: Hashes, slot: int) -> Hashes:
        """Give what a proof lists of the other peaks."""

    def _find(self, reader: TreeReader, seq: int) -> tuple[bytes, Hashes, Hashes]:
        """Give an event's bytes, the siblings from its leaf up to the peak, and what is listed of the other peaks."""
        if not 0 <= seq < self._size:
            raise InclusionError(f"a log of {self._size} events has no event {seq}")
        top = (seq ^ self._size).bit_length() - 1
        slot = (self._size >> top + 1).bit_count()
        if self._peaks:
            height, expected = self._lowest_known(seq, top, slot)
            (data,), path = reader.read_with((seq,), mmr.leaf_path_positions(seq, height))
        else:
            positions = [*mmr.leaf_path_positions(seq, top), *mmr.peak_positions(self._size)]
            (data,), read = reader.read_with((seq,), positions)
            self._take(tuple(read[top:]))
            height, expected, path = top, self._peaks[slot], read[:top]
        passed = climb(seq, self._hasher.leaf(seq, data), path, self._hasher)
        expect_hash("node that is known", expected, passed[-1])
        self._complete(seq, top, passed, path)
        return data, tuple(path), self._tails[slot]

    def _lowest_known(self, seq: int, top: int, slot: int) -> tuple[int, bytes]:
        known, height = self._known, self._cut
        if top <= height:
            return top, self._peaks[slot]
        node = (self._leaves | seq) >> height
        while not known[node]:
            node >>= 1
            height += 1
        return height, known[node]

    def _complete(self, seq: int, top: int, passed: list[bytes], path: list[bytes]) -> None:
        """Keep what was read and has been verified, and lead the path on from there to the peak."""
        known, height, node = self._known, len(path), (self._leaves | seq) >> self._cut
        for level in range(self._cut, height):
            known[node], known[node ^ 1] = passed[level], path[level]
            node >>= 1
        for _ in range(height, top):
            path.append(known[node ^ 1])
            node >>= 1

    def _take(self, peaks: Hashes) -> None:
        """Take the peaks, once it is shown that they make the root."""
        check_digests(peaks)
        expect_hash("root", self._root, self._root_of(self._size, peaks))
        self._tails = [self._tail(peaks, slot) for slot in range(len(peaks))]
        self._peaks, before = peaks, 0
        for peak in peaks:
            height = (self._size ^ before).bit_length() - 1
            if height >= self._cut:
                self._known[(self._leaves | before) >> height] = peak
            before |= 1 << height


class Prover(_Ways):
    """Makes inclusion proofs of the log's own tree at one size, for one thread.

    Args:
        size: the log's leaves.
        root: its BLAKE3 root: the signed one, or one that was proven to be continued by it.
        most: how many nodes are kept.

    Raises:
        InclusionError: there is no such log.
    """

    _hasher = BLAKE3_TREE

    def prove(self, reader: TreeReader, seq: int) -> tuple[bytes, InclusionProof]:
        """Prove that an event stands in the log: one query.

        Args:
            reader: the log's own tree, of this size or later.
            seq: the event.

        Returns:
            The event's bytes, and the proof that holds of them.

        Raises:
            InclusionError: there is no such event, or what is stored does not lead to the root.
            LedgerError: it can't be read.
        """
        data, path, others = self._find(reader, seq)
        return data, InclusionProof(self._size, seq, path, others)

    @staticmethod
    def _root_of(size: int, peaks: Hashes) -> bytes:
        return digest.root(size, peaks)

    @staticmethod
    def _tail(peaks: Hashes, slot: int) -> Hashes:
        return peaks[:slot] + peaks[slot + 1 :]


class TwinProver(_Ways):
    """Makes inclusion proofs of the RFC 6962 twin at one size, for one thread; the root is the SHA-256 one."""

    _hasher = SHA256_TREE

    def prove(self, reader: TreeReader, seq: int) -> tuple[bytes, TwinInclusion]:
        """Prove that an event stands in the twin, whose nodes the reader gives: one query; see `Prover.prove`."""
        data, path, others = self._find(reader, seq)
        return data, TwinInclusion(self._size, seq, path + others)

    @staticmethod
    def _root_of(size: int, peaks: Hashes) -> bytes:  # noqa: ARG004  (an RFC 6962 root commits no size)
        return rfc6962.root(peaks)

    @staticmethod
    def _tail(peaks: Hashes, slot: int) -> Hashes:
        """Hash the peaks to the right into one, as RFC 6962 does; those to the left follow, the nearest first."""
        right = peaks[slot + 1 :]
        return (*((rfc6962.root(right),) if right else ()), *reversed(peaks[:slot]))
