"""Proofs from a log, each verified in both trees before it is handed out.

What is trusted are the roots of one size: of a signed checkpoint, or of a size before it whose roots were shown to be
continued by it. A proof that the database's contents don't bear out is refused here, by the checker that the verifier
uses. Each tree's part is one query; a range is a second one, for its events, which are taken one by one. Single events
are proven in the way of `verify.prover`, which remembers what it has verified.

Source: DESIGN section 6; docs/spec/proof-file.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger import digest, mmr, rfc6962
from ledger.checkpoint import Checkpoint, require_blake3
from ledger.digest import SHA256_TREE
from ledger.log import Snapshot
from ledger.multiproof import prove_range, prove_set
from ledger.proof import ConsistencyProof, InclusionProof, RangeProof, SetProof, TwinConsistency, TwinInclusion
from verify import inclusion
from verify.errors import InclusionError
from verify.expect import expect_sizes
from verify.multiproof import check_in_both
from verify.prover import Prover, TwinProver


@dataclass(frozen=True, slots=True)
class Roots:
    """What a log of one size commits to.

    Attributes:
        size: the number of events.
        blake3: the root of the log's own tree.
        sha256: the root of the twin.
    """

    size: int
    blake3: bytes
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Growth:
    """That a log continues an older one, in both trees."""

    own: ConsistencyProof
    twin: TwinConsistency


def roots_of(checkpoint: Checkpoint) -> Roots:
    """Give the roots of a checkpoint.

    Raises:
        CheckpointError: it has no BLAKE3 root.
    """
    return Roots(checkpoint.size, require_blake3(checkpoint), checkpoint.sha256_root)


def prove_growth(look: Snapshot, old: Roots, new: Roots) -> Growth:
    """Prove that the log of the new roots continues the one of the old.

    Raises:
        InclusionError: it does not, or not by what is stored.
        LedgerError: it can't be read, or nothing can be proven between these sizes.
    """
    found = Growth(
        mmr.prove_consistency(look.nodes("blake3"), old.size, new.size),
        rfc6962.prove_consistency(look.nodes("sha256"), old.size, new.size),
    )
    check_growth(old, new, found)
    return found


def check_growth(old: Roots, new: Roots, found: Growth) -> None:
    """Check in both trees that a log continues an older one.

    Raises:
        InclusionError: it is not proven.
    """
    expect_sizes((found.own.old_size, found.own.new_size), (old.size, new.size))
    inclusion.check_consistency(old.blake3, new.blake3, found.own)
    inclusion.check_twin_consistency(old.sha256, new.sha256, found.twin, old_size=old.size, new_size=new.size)


def roots_before(look: Snapshot, size: int, trusted: Roots) -> tuple[Roots, Growth]:
    """Give the roots that the log had at a past size, and the proof that the trusted ones continue them.

    Raises:
        InclusionError: what is stored does not lead to the trusted roots.
        LedgerError: it can't be read, or there is no such size before the trusted one.
    """
    mmr.check_sizes(size, trusted.size)
    peaks = mmr.peak_positions(size)
    own, twin = (look.nodes(tree).read(peaks) for tree in ("blake3", "sha256"))
    past = Roots(size, digest.root(size, own), rfc6962.root(twin))
    return past, prove_growth(look, past, trusted)


class EventProver:
    """Proves single events in both trees, one after the other.

    Args:
        roots: of the log in which they stand.

    Raises:
        InclusionError: there is no log of that size.
    """

    def __init__(self, roots: Roots) -> None:
        self._own = Prover(roots.size, roots.blake3)
        self._twin = TwinProver(roots.size, roots.sha256)

    def prove(self, look: Snapshot, seq: int) -> tuple[bytes, InclusionProof, TwinInclusion]:
        """Prove that an event stands in the log of the roots.

        Raises:
            InclusionError: there is no such event, or what is stored does not lead to the roots.
            LedgerError: it can't be read.
        """
        data, own = self._own.prove(look.nodes("blake3"), seq)
        read_again, twin = self._twin.prove(look.nodes("sha256"), seq)
        if read_again != data:
            raise InclusionError(f"event {seq} was read as two different ones")
        return data, own, twin


def check_event(roots: Roots, own: InclusionProof, twin: TwinInclusion, data: bytes) -> None:
    """Check in both trees that an event stands in the log of these roots.

    Raises:
        InclusionError: it is not proven, or the proofs are of two events.
    """
    if (own.size, own.index) != (roots.size, twin.index):
        raise InclusionError(f"the proofs are not both of one event of {roots.size}")
    inclusion.check_inclusion(roots.blake3, own, data)
    leaf = SHA256_TREE.leaf(twin.index, data)
    inclusion.check_twin_inclusion(roots.sha256, twin, leaf, size=roots.size)


def prove_events(look: Snapshot, roots: Roots, seqs: Sequence[int]) -> tuple[list[bytes], SetProof, SetProof]:
    """Prove that some events stand in the log of these roots.

    Args:
        look: the log.
        roots: what is trusted.
        seqs: the events, ascending.

    Raises:
        InclusionError: what is stored does not lead to the roots.
        LedgerError: it can't be read, or these are no set of its events.
    """
    own = prove_set(look.nodes("blake3"), seqs, roots.size)
    twin = prove_set(look.nodes("sha256"), seqs, roots.size)
    events, _ = look.nodes("blake3").read_with(seqs, ())
    check_in_both((roots.blake3, roots.sha256), own, twin, events, size=roots.size)
    return events, own, twin


def prove_all(look: Snapshot, roots: Roots, first: int, last: int) -> tuple[RangeProof, RangeProof]:
    """Prove that the log of these roots has certain events from one to another, and nothing between them.

    The events are read and not kept: ask the same look for them again.

    Raises:
        InclusionError: what is stored does not lead to the roots.
        LedgerError: it can't be read, or these are no events of it.
    """
    own = prove_range(look.nodes("blake3"), first, last, roots.size)
    twin = prove_range(look.nodes("sha256"), first, last, roots.size)
    check_in_both((roots.blake3, roots.sha256), own, twin, all_events(look, first, last), size=roots.size)
    return own, twin


def all_events(look: Snapshot, first: int, last: int) -> Iterator[bytes]:
    """Give the bytes of all events from one to another, that one included."""
    return (data for _, data in look.events(first, last + 1))
