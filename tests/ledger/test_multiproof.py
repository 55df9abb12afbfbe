"""The prover of many leaves: what it reads, that nothing smaller would do, and what it refuses to prove."""

from collections.abc import Sequence
from itertools import combinations

import pytest

from ledger import mmr, multiproof
from ledger.digest import BLAKE3_TREE
from ledger.errors import ProofError
from ledger.proof import MAX_SET
from tools.dev.vectors.tree import entry, grow

TREE = grow(BLAKE3_TREE, [entry(index) for index in range(66)])


class Noting:
    """A reader that keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def read(self, positions: Sequence[int]) -> list[bytes]:
        self.asked.append(list(positions))
        return TREE.read(positions)


def leaves_under(position: int) -> range:
    last, height = mmr.locate(position)
    return range(last - (1 << height) + 1, last + 1)


def largest_without(wanted: Sequence[int], size: int) -> list[int]:
    """By search: every subtree that holds none of the leaves, and is in none that holds none either."""
    free = [node for node in range(mmr.size(size)) if not set(leaves_under(node)) & set(wanted)]
    return [node for node in free if node in mmr.peak_positions(size) or mmr.parent(node) not in free]


def test_a_set_is_proven_by_the_largest_subtrees_without_it() -> None:
    for size in range(1, 10):
        for count in range(1, size + 1):
            for chosen in combinations(range(size), count):
                assert multiproof.set_positions(chosen, size) == largest_without(chosen, size)


def test_a_range_is_proven_by_the_largest_subtrees_beside_it() -> None:
    for size in range(1, 25):
        for first in range(size):
            for last in range(first, size):
                left, right = multiproof.range_positions(first, last, size)
                assert [*left, *right] == largest_without(range(first, last + 1), size)
                assert tuple(left) == mmr.peak_positions(first)


def test_reads_what_it_lists_in_one_query() -> None:
    for size in range(1, 20):
        for first in range(size):
            reader = Noting()
            span = multiproof.prove_range(reader, first, size - 1, size)
            chosen = multiproof.prove_set(reader, [*range(0, first + 1, 3)], size)
            left, right = multiproof.range_positions(first, size - 1, size)
            assert reader.asked == [[*left, *right], multiproof.set_positions(chosen.indexes, size)]
            assert (span.left, span.right) == (tuple(TREE.read(left)), tuple(TREE.read(right)))
            assert chosen.hashes == tuple(TREE.read(reader.asked[1]))


def test_the_set_of_a_range_reads_the_same() -> None:
    for first in range(66):
        left, right = multiproof.range_positions(first, 65, 66)
        assert [*left, *right] == multiproof.set_positions(range(first, 66), 66)


def test_the_whole_log_needs_no_hash() -> None:
    for size in range(1, 66):
        assert multiproof.range_positions(0, size - 1, size) == ([], [])
        assert multiproof.set_positions(range(size), size) == []


def test_no_range_reads_more_than_two_hashes_for_each_bit() -> None:
    size = 2**53 - 1
    for first in (0, 1, 2**52 - 1, 2**52, 2**52 + 1, 2**53 - 3, 0x15555555555555):
        left, right = multiproof.range_positions(first, first, size)
        assert len(left) + len(right) <= 2 * 53
        assert len(left) <= 53


@pytest.mark.parametrize(
    ("indexes", "size"),
    [([], 3), ([3], 3), ([-1], 3), ([1, 1], 3), ([2, 1], 3), ([0], 0), (range(MAX_SET + 1), 2 * MAX_SET)],
)
def test_refuses_what_is_no_set(indexes: Sequence[int], size: int) -> None:
    with pytest.raises(ProofError):
        multiproof.prove_set(Noting(), indexes, size)


@pytest.mark.parametrize(("first", "last", "size"), [(0, 0, 0), (-1, 1, 3), (2, 1, 3), (0, 3, 3), (3, 3, 3)])
def test_refuses_what_is_no_range(first: int, last: int, size: int) -> None:
    with pytest.raises(ProofError):
        multiproof.prove_range(Noting(), first, last, size)
