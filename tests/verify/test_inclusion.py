"""The checker of the log's own tree: what it accepts, and that it accepts nothing else."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import digest, mmr
from ledger.digest import BLAKE3_TREE, Blake3Tree, be64
from ledger.proof import ConsistencyProof, InclusionProof
from verify import inclusion
from verify.errors import InclusionError, RootMismatchError

KAT39 = json.loads((Path(__file__).parents[1] / "vectors/published/mmr_kat39_sha256.json").read_bytes())
KAT_NODES = [bytes.fromhex(value) for value in KAT39["nodes"]]
LEAVES, PAIRS, STRAY = 130, 66, bytes(range(32))
ENTRIES = [b"entry %d" % index for index in range(LEAVES)]


class KatHasher:
    """The hashing of the published range: leaf values are given, positions count from 1."""

    def leaf(self, index: int, entry: bytes) -> bytes:
        return entry

    def node(self, position: int, left: bytes, right: bytes) -> bytes:
        return hashlib.sha256(be64(position + 1) + left + right).digest()


class Tree:
    """A log in memory."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.peaks: list[list[bytes]] = [[]]
        for index, entry in enumerate(ENTRIES):
            new, peaks = mmr.append(BLAKE3_TREE, index, BLAKE3_TREE.leaf(index, entry), self.peaks[-1])
            self.nodes += [value for _, value in new]
            self.peaks.append(peaks)
        self.roots = [digest.root(size, peaks) for size, peaks in enumerate(self.peaks)]

    def read(self, positions: Sequence[int]) -> list[bytes]:
        return [self.nodes[position] for position in positions]


TREE = Tree()
HASHES = tuple[bytes, ...]


def flips(hashes: HASHES) -> Iterator[HASHES]:
    """One bit of each hash, another bit in each place."""
    for at, value in enumerate(hashes):
        flipped = value[:at] + bytes([value[at] ^ 1 << at % 8]) + value[at + 1 :]
        yield (*hashes[:at], flipped, *hashes[at + 1 :])


def misfits(items: tuple) -> Iterator[tuple]:
    """One element too many or one missing, at both ends."""
    extra = items[0] if items else STRAY
    yield (extra, *items)
    yield (*items, extra)
    if items:
        yield items[1:]
        yield items[:-1]


def refuses(check: Callable[..., object], *arguments: object) -> None:
    with pytest.raises(InclusionError):
        check(*arguments)


# -- published ranges --


def test_every_published_node_leads_to_its_peak() -> None:
    for row in KAT39["inclusion"]:
        leaves = (row["mmr_size"] + len(row["accumulator_indices"])) // 2
        path = [bytes.fromhex(value) for value in row["path_hashes"]]
        position = row["node_index"]
        slot, peak = inclusion.node_peak(leaves, position, KAT_NODES[position], path, KatHasher())
        assert (row["proves_peak_slot"], row["proven_peak"]) == (slot, peak.hex())
        for bad in misfits(tuple(path)):
            refuses(inclusion.node_peak, leaves, position, KAT_NODES[position], bad, KatHasher())


def test_every_published_leaf_leads_to_all_peaks() -> None:
    for row in KAT39["inclusion"]:
        if row["is_leaf"]:
            peaks = [KAT_NODES[position] for position in row["accumulator_indices"]]
            others = [peak for slot, peak in enumerate(peaks) if slot != row["proves_peak_slot"]]
            leaves = (row["mmr_size"] + len(peaks)) // 2
            path = tuple(bytes.fromhex(value) for value in row["path_hashes"])
            proof = InclusionProof(leaves, KAT39["leaf_node_indices"].index(row["node_index"]), path, tuple(others))
            assert peaks == inclusion.inclusion_peaks(proof, KAT_NODES[row["node_index"]], KatHasher())


def test_every_published_consistency_leads_to_the_new_peaks() -> None:
    for row in KAT39["consistency"]:
        old, new = ((row[f"tree_size_{n}"] + len(row[f"{which}_peaks"])) // 2 for n, which in ((1, "from"), (2, "to")))
        paths = tuple(tuple(bytes.fromhex(value) for value in path) for path in row["consistency_path_hashes"])
        old_peaks = tuple(KAT_NODES[position] for position in row["from_peaks"])
        right = tuple(bytes.fromhex(value) for value in row["right_peaks"])
        peaks = inclusion.consistency_peaks(ConsistencyProof(old, new, old_peaks, paths, right), KatHasher())
        assert [KAT_NODES[position] for position in row["to_peaks"]] == peaks
        assert [*row["consistent_roots"], *row["right_peaks"]] == [peak.hex() for peak in peaks]


def test_the_quick_way_up_is_the_plain_one() -> None:
    """Of the log's own tree, nodes are hashed in a way of their own."""

    class Plain(Blake3Tree):
        """The same tree, and not the one that is known."""

    for index in range(LEAVES):
        path = [BLAKE3_TREE.leaf(step, b"sibling") for step in range(12)]
        quick = inclusion.climb(index, STRAY, path)
        assert quick == inclusion.climb(index, STRAY, path, Plain())
        assert len(quick) == len(path) + 1


# -- every leaf of every log up to 130 --


@pytest.mark.parametrize("size", range(LEAVES + 1))
def test_accepts_each_leaf_and_nothing_near_it(size: int) -> None:
    root = TREE.roots[size]
    for index in range(size):
        proof, entry = mmr.prove_inclusion(TREE, index, size), ENTRIES[index]
        inclusion.check_inclusion(root, proof, entry)
        for bad in changed(proof):
            refuses(inclusion.check_inclusion, root, bad, entry)
    refuses(inclusion.check_inclusion, root, InclusionProof(size, size, (), ()), b"")


def changed(proof: InclusionProof) -> Iterator[InclusionProof]:
    for path in (*flips(proof.path), *misfits(proof.path)):
        yield replace(proof, path=path)
    for peaks in (*flips(proof.peaks), *misfits(proof.peaks)):
        yield replace(proof, peaks=peaks)
    for index in {proof.index - 1, proof.index + 1, proof.index ^ 1, proof.size, -1, 2**64 - 1} - {proof.index}:
        yield replace(proof, index=index)
    # The second has as many peaks, so that only the root can tell it.
    shift = proof.size << 1
    for size in {proof.size - 1, proof.size + 1, shift, shift ^ 3 << shift.bit_length() - 2, 0, -1, 2**53, 2**64}:
        if size != proof.size:
            yield replace(proof, size=size)


def test_refuses_every_other_index_and_size() -> None:
    """The whole square for one leaf: no other index and no other size leads to the root."""
    proof, root = mmr.prove_inclusion(TREE, 5, 11), TREE.roots[11]
    accepted = []
    for size in range(LEAVES):
        for index in range(LEAVES):
            try:
                inclusion.check_inclusion(root, replace(proof, size=size, index=index), ENTRIES[5])
            except InclusionError:
                continue
            accepted.append((index, size))
    assert accepted == [(5, 11)]


# -- every pair of sizes up to 66 --


@pytest.mark.parametrize("new", range(1, PAIRS + 1))
def test_accepts_each_pair_and_nothing_near_it(new: int) -> None:
    for old in range(1, new + 1):
        proof = mmr.prove_consistency(TREE, old, new)
        roots = TREE.roots[old], TREE.roots[new]
        inclusion.check_consistency(*roots, proof)
        for bad in changed_pair(proof):
            refuses(inclusion.check_consistency, *roots, bad)
        if old != new:
            refuses(inclusion.check_consistency, *roots[::-1], proof)


def changed_pair(proof: ConsistencyProof) -> Iterator[ConsistencyProof]:
    for peaks in (*flips(proof.old_peaks), *misfits(proof.old_peaks)):
        yield replace(proof, old_peaks=peaks)
    for peaks in (*flips(proof.right_peaks), *misfits(proof.right_peaks)):
        yield replace(proof, right_peaks=peaks)
    for paths in misfits(proof.paths):
        yield replace(proof, paths=paths)
    for at, path in enumerate(proof.paths):
        for bad in (*flips(path), *misfits(path)):
            yield replace(proof, paths=(*proof.paths[:at], bad, *proof.paths[at + 1 :]))
    old, new = proof.old_size, proof.new_size
    for size in {0, -1, old - 1, old + 1, 2 * old, new + 1} - {old}:
        yield replace(proof, old_size=size)
    for size in {0, -1, new - 1, new + 1, 2 * new, old - 1, 2**53, 2**64} - {new}:
        yield replace(proof, new_size=size)


def test_two_old_peaks_must_meet_in_one_new_peak() -> None:
    proof = mmr.prove_consistency(TREE, 3, 4)
    forked = replace(proof, paths=((STRAY,), proof.paths[1]))
    with pytest.raises(RootMismatchError, match="new peak"):
        inclusion.consistency_peaks(forked)


def test_sizes_are_checked_before_any_hash() -> None:
    class Never:
        def leaf(self, *_: object) -> bytes:
            raise AssertionError

        node = leaf

    proof = mmr.prove_inclusion(TREE, 5, 11)
    pair = mmr.prove_consistency(TREE, 6, 11)
    for bad in misfits(proof.path):
        refuses(inclusion.inclusion_peaks, replace(proof, path=bad), STRAY, Never())
    for bad in misfits(proof.peaks):
        refuses(inclusion.inclusion_peaks, replace(proof, peaks=bad), STRAY, Never())
    for bad in misfits(pair.old_peaks):
        refuses(inclusion.consistency_peaks, replace(pair, old_peaks=bad), Never())
    for bad in misfits(pair.right_peaks):
        refuses(inclusion.consistency_peaks, replace(pair, right_peaks=bad), Never())
    for bad in misfits(pair.paths[1]):
        refuses(inclusion.consistency_peaks, replace(pair, paths=(pair.paths[0], bad)), Never())


def test_refuses_hashes_of_another_length() -> None:
    """31 and 33 bytes hash like 32 and 32."""
    proof = mmr.prove_inclusion(TREE, 5, 11)
    entry, path, peaks = ENTRIES[5], proof.path, proof.peaks
    joined, bagged = path[0] + path[1], peaks[0] + peaks[1]
    refuses(inclusion.check_inclusion, TREE.roots[11], replace(proof, path=(joined[:31], joined[31:], path[2])), entry)
    moved = replace(proof, peaks=(bagged[:31], bagged[31:]))
    assert TREE.roots[11] == digest.root(11, [TREE.peaks[11][0], *moved.peaks])
    refuses(inclusion.check_inclusion, TREE.roots[11], moved, entry)
    refuses(inclusion.inclusion_root, proof, STRAY[:31])
    pair = mmr.prove_consistency(TREE, 6, 11)
    old = pair.old_peaks[0] + pair.old_peaks[1]
    refuses(inclusion.consistency_peaks, replace(pair, old_peaks=(old[:31], old[31:])))
    right = pair.right_peaks[0] + pair.right_peaks[1]
    refuses(inclusion.consistency_peaks, replace(pair, right_peaks=(right[:31], right[31:])))


def test_the_last_size_is_the_last_that_json_can_hold() -> None:
    """2^53 - 1 leaves are all ones: 53 mountains, the last of one leaf."""
    last = 2**53 - 1
    proof = InclusionProof(last, last - 1, (), (STRAY,) * 52)
    assert inclusion.inclusion_peaks(proof, STRAY) == [STRAY] * 53
    assert inclusion.node_peak(last, mmr.leaf_position(last - 1), STRAY, ()) == (52, STRAY)
    pair = ConsistencyProof(last, last, (STRAY,) * 53, ((),) * 53, ())
    assert inclusion.consistency_peaks(pair) == [STRAY] * 53
    beyond = InclusionProof(last + 1, 0, (STRAY,) * 53, ())
    refuses(inclusion.inclusion_peaks, beyond, STRAY)
    refuses(inclusion.node_peak, last + 1, 0, STRAY, (STRAY,) * 53)
    refuses(inclusion.consistency_peaks, ConsistencyProof(last + 1, last + 1, (STRAY,), ((),), ()))


def test_every_entrance_refuses_an_index_beyond_the_size() -> None:
    for index in (-1, 1, 2):
        proof = InclusionProof(1, index, (), ())
        for check in (inclusion.inclusion_peaks, inclusion.inclusion_root):
            with pytest.raises(InclusionError, match="no leaf"):
                check(proof, STRAY)
        with pytest.raises(InclusionError, match="no leaf"):
            inclusion.check_inclusion(STRAY, proof, b"")


def test_a_mismatch_carries_both_roots() -> None:
    proof = mmr.prove_inclusion(TREE, 5, 11)
    with pytest.raises(RootMismatchError) as caught:
        inclusion.check_inclusion(STRAY, proof, ENTRIES[5])
    assert (STRAY, TREE.roots[11]) == (caught.value.expected, caught.value.computed)
    assert TREE.roots[11].hex() in str(caught.value)


@pytest.mark.parametrize(("size", "position"), [(0, 0), (-1, 0), (11, -1), (11, 19), (2**53, 0), (11, 2**70)])
def test_refuses_nodes_that_are_not_there(size: int, position: int) -> None:
    refuses(inclusion.node_peak, size, position, STRAY, ())


@given(st.integers(1, 2**53 - 1), st.data())
def test_large_logs_have_paths_of_the_prover_s_length(size: int, data: st.DataObject) -> None:
    """The two ways of counting agree far beyond what can be built."""
    index = data.draw(st.integers(0, size - 1))
    positions = mmr.inclusion_positions(index, size)
    climb = len(positions) - size.bit_count() + 1
    proof = InclusionProof(size, index, (STRAY,) * climb, (STRAY,) * (size.bit_count() - 1))
    peaks = inclusion.inclusion_peaks(proof, STRAY)
    slot = mmr.peak_slot(mmr.leaf_position(index), size)
    assert [STRAY] * (len(peaks) - 1) == peaks[:slot] + peaks[slot + 1 :]
    assert (peaks[slot] == STRAY) == (climb == 0)


HASH = st.binary(min_size=31, max_size=33)
LIST = st.lists(HASH, max_size=5).map(tuple)
NUMBER = st.integers(-2, 12) | st.integers()


@given(st.builds(InclusionProof, NUMBER, NUMBER, LIST, LIST), HASH)
def test_only_inclusion_errors_escape(proof: Any, value: Any) -> None:
    with pytest.raises(InclusionError):
        inclusion.check_inclusion(value, proof, value)


@given(st.builds(ConsistencyProof, NUMBER, NUMBER, LIST, st.lists(LIST, max_size=3).map(tuple), LIST), HASH, HASH)
def test_only_inclusion_errors_escape_consistency(proof: Any, old: int, new: int) -> None:
    with pytest.raises(InclusionError):
        inclusion.check_consistency(old, new, proof)
