"""Where nodes stand, how the range grows, and what the prover's twins read."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE, TreeHasher, be64
from ledger.errors import ProofError

PUBLISHED = Path(__file__).parents[1] / "vectors/published"
KAT39 = json.loads((PUBLISHED / "mmr_kat39_sha256.json").read_bytes())
MATH = json.loads((PUBLISHED / "mmr_position_math.json").read_bytes())

# 10^5 pseudo-random leaves; the roots at each size, hashed together.
GOLDEN_LEAVES = 100_000
GOLDEN_BLAKE3 = "80b2f39811e458a01e56692c170bcb0c4e72eea9505f9897b5b268fb91a47572"
GOLDEN_SHA256 = "76d0a943b2c4a3c76f2e879e1ac57224ab6ae136d097fda2a8b0a5ea8c606363"


class KatHasher:
    """The hashing of the published range: leaf values are given, positions count from 1."""

    def leaf(self, index: int, entry: bytes) -> bytes:
        return hashlib.sha256(be64(2 * index - index.bit_count())).digest()

    def node(self, position: int, left: bytes, right: bytes) -> bytes:
        return hashlib.sha256(be64(position + 1) + left + right).digest()


class Nodes(list[bytes]):
    """A reader over a list that remembers what was asked for."""

    asked: Sequence[int] = ()

    def read(self, positions: Sequence[int]) -> list[bytes]:
        self.asked = positions
        return [self[position] for position in positions]


def grow(hasher: TreeHasher, leaves: int) -> tuple[Nodes, list[list[bytes]]]:
    """Append so many leaves: all nodes, and the peaks at each size."""
    nodes, history = Nodes(), [[]]
    for index in range(leaves):
        new, peaks = mmr.append(hasher, index, hasher.leaf(index, b"%d" % index), history[-1])
        assert list(range(len(nodes), len(nodes) + len(new))) == [position for position, _ in new]
        nodes.extend(value for _, value in new)
        history.append(peaks)
    return nodes, history


def post_order(height: int, first: int = 0) -> list[int]:
    """Number a perfect tree by walking it: heights in post-order."""
    return [] if height < 0 else [*post_order(height - 1), *post_order(height - 1), height]


# -- positions --


def test_positions_agree_with_the_published_tables() -> None:
    assert MATH["first_100_heights"] == [mmr.height(position) for position in range(100)]
    assert MATH["leaf_index_to_pos_first_32"] == [mmr.leaf_position(index) for index in range(32)]
    assert MATH["mmr_size_for_leaf_count_first_33"] == [mmr.size(leaves) for leaves in range(33)]
    for position, expected in MATH["grin_peak_map_height"].items():
        assert tuple(expected) == mmr.locate(int(position))
    for position, (low, high) in enumerate(MATH["grin_bintree_range_first_7"]):
        last, height = mmr.locate(position)
        first_node = mmr.leaf_position(last + 1 - (1 << height))
        assert (low, high) == (first_node, position + 1)


def test_positions_agree_with_the_published_range() -> None:
    assert KAT39["complete_mmr_sizes"] == [mmr.size(leaves) for leaves in range(1, 22)]
    assert KAT39["leaf_node_indices"] == [mmr.leaf_position(index) for index in range(21)]
    complete = {mmr.size(leaves): leaves for leaves in range(1, 22)}
    assert KAT39["leaf_count_at_index"] == [complete.get(index + 1) for index in range(39)]
    assert KAT39["complete_mmr_sizes"] == list(complete)
    assert KAT39["heights"] == [mmr.height(position) for position in range(39)]
    assert KAT39["published_leaf_count_row"] == [mmr.locate(position + 1)[0] for position in range(39)]


def test_heights_are_those_of_a_walk() -> None:
    assert post_order(9) == [mmr.height(position) for position in range(2**10 - 1)]


def test_leaf_count_accepts_valid_sizes_alone() -> None:
    assert list(range(33)) == [mmr.leaf_count(nodes) for nodes in MATH["valid_sizes_below_64"]]
    for nodes in [*MATH["invalid_sizes_below_40"], *(n for n in range(64) if n not in MATH["valid_sizes_below_64"])]:
        with pytest.raises(ProofError):
            mmr.leaf_count(nodes)


@given(st.integers(0, 2**63))
def test_leaf_count_inverts_size(leaves: int) -> None:
    assert leaves == mmr.leaf_count(mmr.size(leaves))


@given(st.integers(0, 2**63))
def test_parents_and_siblings_agree(position: int) -> None:
    twin, parent = mmr.sibling(position), mmr.parent(position)
    assert position == mmr.sibling(twin)
    assert parent == mmr.parent(twin)
    assert mmr.height(position) + 1 == mmr.height(twin) + 1 == mmr.height(parent)
    # The right child stands just before its parent, the left one just before all of the right one's nodes.
    assert parent - 1 == max(position, twin)
    assert parent - (2 << mmr.height(position)) == min(position, twin)


@given(st.integers(1, 2**63))
def test_peaks_stand_in_their_slots(leaves: int) -> None:
    peaks = mmr.peak_positions(leaves)
    assert mmr.size(leaves) - 1 == peaks[-1]
    assert list(range(len(peaks))) == [mmr.peak_slot(peak, leaves) for peak in peaks]
    heights = [mmr.height(peak) for peak in peaks]
    assert heights == [mmr.peak_height(peak, leaves) for peak in peaks]
    assert sum(1 << height for height in heights) == leaves
    assert sorted(heights, reverse=True) == heights


def test_no_leaves_have_no_peaks() -> None:
    assert mmr.peak_positions(0) == ()


# -- growing --


def test_grows_the_published_nodes_and_peaks() -> None:
    nodes, history = grow(KatHasher(), 21)
    assert KAT39["nodes"] == [value.hex() for value in nodes]
    assert KAT39["leaves"] == [nodes[mmr.leaf_position(index)].hex() for index in range(21)]
    for row in KAT39["peaks"]:
        leaves = mmr.leaf_count(row["mmr_size"])
        assert row["peak_indices"] == list(mmr.peak_positions(leaves))
        assert row["peak_hashes"] == [peak.hex() for peak in history[leaves]]


def test_append_works_from_peaks_alone() -> None:
    nodes, history = grow(BLAKE3_TREE, 131)
    for leaves, peaks in enumerate(history):
        assert peaks == [nodes[position] for position in mmr.peak_positions(leaves)]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_append_stops_at_peaks_of_another_size(count: int) -> None:
    with pytest.raises(AssertionError, match="peaks"):
        mmr.append(BLAKE3_TREE, 6, bytes(32), [bytes(32)] * count)


def test_roots_of_a_hundred_thousand_leaves() -> None:
    """Both trees grow from one stream; one digest over the root at every size."""
    stream = blake3(b"tallystick golden leaves").digest(length=32 * GOLDEN_LEAVES)
    own, twin = blake3(), hashlib.sha256()
    peaks: list[bytes] = []
    twin_peaks: list[bytes] = []
    for index in range(GOLDEN_LEAVES):
        entry = stream[32 * index : 32 * index + 32]
        _, peaks = mmr.append(BLAKE3_TREE, index, BLAKE3_TREE.leaf(index, entry), peaks)
        _, twin_peaks = mmr.append(SHA256_TREE, index, SHA256_TREE.leaf(index, entry), twin_peaks)
        own.update(digest.root(index + 1, peaks))
        twin.update(rfc6962.root(twin_peaks))
    assert (own.hexdigest(), twin.hexdigest()) == (GOLDEN_BLAKE3, GOLDEN_SHA256)


# -- proving --


def test_reads_the_published_paths_of_every_node() -> None:
    for row in KAT39["inclusion"]:
        leaves = mmr.leaf_count(row["mmr_size"])
        assert row["path_indices"] == mmr.node_path_positions(row["node_index"], leaves)
        assert row["accumulator_indices"] == list(mmr.peak_positions(leaves))
        assert row["proves_peak_slot"] == mmr.peak_slot(row["node_index"], leaves)


def test_proves_the_published_leaves() -> None:
    nodes = Nodes(bytes.fromhex(value) for value in KAT39["nodes"])
    for row in KAT39["inclusion"]:
        leaves, (index, height) = mmr.leaf_count(row["mmr_size"]), mmr.locate(row["node_index"])
        assert row["is_leaf"] == (height == 0)
        if height:
            continue
        proof = mmr.prove_inclusion(nodes, index, leaves)
        others = [peak for slot, peak in enumerate(row["accumulator_indices"]) if slot != row["proves_peak_slot"]]
        assert row["path_hashes"] == [value.hex() for value in proof.path]
        assert [nodes[peak] for peak in others] == list(proof.peaks)


def test_proves_the_published_consistencies() -> None:
    nodes = Nodes(bytes.fromhex(value) for value in KAT39["nodes"])
    for row in KAT39["consistency"]:
        old, new = mmr.leaf_count(row["tree_size_1"]), mmr.leaf_count(row["tree_size_2"])
        proof = mmr.prove_consistency(nodes, old, new)
        assert [nodes[peak] for peak in row["from_peaks"]] == list(proof.old_peaks)
        assert row["consistency_path_hashes"] == [[value.hex() for value in path] for path in proof.paths]
        assert row["right_peaks"] == [value.hex() for value in proof.right_peaks]


def test_each_twin_reads_what_the_other_lists() -> None:
    nodes, _ = grow(BLAKE3_TREE, 40)
    for leaves in range(1, 41):
        for index in range(leaves):
            proof = mmr.prove_inclusion(nodes, index, leaves)
            assert mmr.inclusion_positions(index, leaves) == nodes.asked
            assert nodes.read(nodes.asked) == [*proof.path, *proof.peaks]
        for old in range(1, leaves + 1):
            consistency = mmr.prove_consistency(nodes, old, leaves)
            assert mmr.consistency_positions(old, leaves) == nodes.asked
            paths = [value for path in consistency.paths for value in path]
            assert nodes.read(nodes.asked) == [*consistency.old_peaks, *paths, *consistency.right_peaks]


class Wrong(Nodes):
    """A reader that breaks its promise."""

    short = False

    def read(self, positions: Sequence[int]) -> list[bytes]:
        right = super().read(positions)
        return right[:-1] if self.short else [*right, bytes(32)]


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize("prove", [mmr.prove_consistency, rfc6962.prove_consistency])
def test_stops_when_a_reader_gives_too_few_or_too_many(prove: Callable[..., object], short: bool) -> None:
    nodes = Wrong(grow(BLAKE3_TREE, 11)[0])
    nodes.short = short
    with pytest.raises(AssertionError, match="too few" if short else "too many"):
        prove(nodes, 6, 11)
    with pytest.raises(AssertionError):
        mmr.prove_inclusion(nodes, 5, 11)
    with pytest.raises(AssertionError):
        rfc6962.prove_inclusion(nodes, 5, 11)


@pytest.mark.parametrize(("index", "leaves"), [(0, 0), (1, 1), (-1, 3), (3, 3), (2**60, 3)])
def test_refuses_to_prove_a_leaf_that_is_not_there(index: int, leaves: int) -> None:
    for prover in (mmr, rfc6962):
        with pytest.raises(ProofError, match="no leaf"):
            prover.prove_inclusion(Nodes(), index, leaves)


@pytest.mark.parametrize(("old", "new"), [(0, 0), (0, 3), (-1, 3), (4, 3)])
def test_refuses_to_prove_consistency_from_nothing_or_backwards(old: int, new: int) -> None:
    for prover in (mmr, rfc6962):
        with pytest.raises(ProofError):
            prover.prove_consistency(Nodes(), old, new)


@pytest.mark.parametrize("position", [-1, 4, 2**63])
def test_refuses_the_path_of_a_node_that_is_not_there(position: int) -> None:
    with pytest.raises(ProofError):
        mmr.node_path_positions(position, 3)
    with pytest.raises(ProofError):
        mmr.peak_slot(position, 3)


def test_refuses_negative_positions() -> None:
    with pytest.raises(ProofError):
        mmr.height(-1)
