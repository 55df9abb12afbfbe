"""Inclusion proofs of a log at one size, fast, and each one verified before it is handed out.

A proof is verified from the event's own bytes up to a node that is known to be right, not always up to the root. Why
that suffices: the node was reached before by a proof that was verified up to the root, or to a node that was. Each step
of such a proof binds both children, so the siblings on its way are known to be right as well, and so is the way from
each of them to its peak, which the memory keeps with it. A proof that is handed out has, below the known node, the
hashes that were just folded into it; above, the way that is kept with it; and the peaks, which make the root. It could
be wrong only by a collision of the hash. What stands in the database above a known node is not read again: nodes never
change, and one that was changed by somebody else can't get into a proof.

So a proof of a large log reads and hashes as much as one of a small log, once the upper part of the tree is known:
`CUT` siblings, and the event. The memory is bounded, and forgetting costs no more than reading again.

Source: DESIGN section 6.
"""

from collections import OrderedDict

from ledger import digest, mmr
from ledger.digest import BLAKE3_TREE
from ledger.log import TreeReader
from ledger.proof import InclusionProof
from verify.errors import InclusionError, RootMismatchError
from verify.inclusion import MAX_SIZE, climb

CUT = 8
"""Nodes of this height and above are kept."""

MOST = 65_536
"""So many nodes are kept: about 30 MB, all that there are in a log of 8 million events."""


class Prover:
    """Makes inclusion proofs of the log's own tree at one size, for one thread.

    Args:
        reader: where the peaks are read from.
        size: the log's leaves.
        root: its BLAKE3 root: the signed one, or one that was proven to be continued by it.
        most: how many nodes are kept.

    Raises:
        InclusionError: there is no such log, or its peaks do not lead to the root.
        LedgerError: the peaks are not stored.
    """

    def __init__(self, reader: TreeReader, size: int, root: bytes, *, most: int = MOST) -> None:
        if not 0 < size <= MAX_SIZE:
            raise InclusionError(f"nothing can be proven of a log of {size} events")
        peaks = tuple(reader.read(mmr.peak_positions(size)))
        computed = digest.root(size, peaks)
        if computed != root:
            raise RootMismatchError("root", root, computed)
        self.size = size
        self.root = root
        self._peaks = peaks
        self._others = [(*peaks[:slot], *peaks[slot + 1 :]) for slot in range(len(peaks))]
        self._most = most
        # By height and number of the subtree: its top's hash, and the siblings from there up to the peak.
        self._known: OrderedDict[tuple[int, int], tuple[bytes, tuple[bytes, ...]]] = OrderedDict()

    def prove(self, reader: TreeReader, seq: int) -> tuple[bytes, InclusionProof]:
        """Prove that an event stands in the log: one query.

        Args:
            reader: a look at the log, of this size or later.
            seq: the event.

        Returns:
            The event's bytes, and the proof that holds of them.

        Raises:
            InclusionError: there is no such event, or what is stored does not lead to the root.
            LedgerError: it can't be read.
        """
        if not 0 <= seq < self.size:
            raise InclusionError(f"a log of {self.size} events has no event {seq}")
        top = (seq ^ self.size).bit_length() - 1
        slot = (self.size >> top + 1).bit_count()
        height, (expected, above) = self._lowest_known(seq, top, self._peaks[slot])
        (data,), below = reader.read_with((seq,), mmr.leaf_path_positions(seq, height))
        passed = climb(seq, BLAKE3_TREE.leaf(seq, data), below)
        if passed[-1] != expected:
            raise RootMismatchError("node that is known", expected, passed[-1])
        for level in range(CUT, height):
            self._keep((level, seq >> level), passed[level], (*below[level:], *above))
            self._keep((level, seq >> level ^ 1), below[level], (passed[level], *below[level + 1 :], *above))
        return data, InclusionProof(self.size, seq, (*below, *above), self._others[slot])

    def _lowest_known(self, seq: int, top: int, peak: bytes) -> tuple[int, tuple[bytes, tuple[bytes, ...]]]:
        for height in range(CUT, top):
            key = height, seq >> height
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return height, known
        return top, (peak, ())

    def _keep(self, key: tuple[int, int], value: bytes, above: tuple[bytes, ...]) -> None:
        self._known[key] = value, above
        if len(self._known) > self._most:
            self._known.popitem(last=False)
