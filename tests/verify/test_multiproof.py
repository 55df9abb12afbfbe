"""The checker of many leaves: what it accepts, and that it accepts nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import digest, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.multiproof import prove_range, prove_set
from ledger.proof import MAX_SET, RangeProof, SetProof
from tools.dev.vectors.tree import entry, grow
from verify import multiproof
from verify.errors import InclusionError, RootMismatchError

LEAVES, STRAY = 300, bytes(range(32))
ENTRIES = [entry(index) for index in range(LEAVES)]
OWN, TWIN = grow(BLAKE3_TREE, ENTRIES), grow(SHA256_TREE, ENTRIES)
HASHES = tuple[bytes, ...]


def entries(indexes: Sequence[int]) -> list[bytes]:
    return [ENTRIES[index] for index in indexes]


def check_set(proof: SetProof, given_entries: Sequence[bytes], size: int) -> None:
    multiproof.check_many(digest.root(size, OWN.peaks[size]), proof, given_entries)


def check_range(proof: RangeProof, given_entries: Sequence[bytes], size: int) -> None:
    multiproof.check_many(digest.root(size, OWN.peaks[size]), proof, given_entries)


def both_sets(indexes: Sequence[int], size: int) -> None:
    check_set(prove_set(OWN, indexes, size), entries(indexes), size)
    root, proof = rfc6962.root(TWIN.peaks[size]), prove_set(TWIN, indexes, size)
    multiproof.check_twin_many(root, proof, entries(indexes), size=size)


def both_ranges(first: int, last: int, size: int) -> None:
    span = range(first, last + 1)
    check_range(prove_range(OWN, first, last, size), entries(span), size)
    root, proof = rfc6962.root(TWIN.peaks[size]), prove_range(TWIN, first, last, size)
    multiproof.check_twin_many(root, proof, entries(span), size=size)


def mutations(hashes: HASHES) -> Iterator[HASHES]:
    for at, value in enumerate(hashes):
        flipped = value[: at % 32] + bytes([value[at % 32] ^ 1 << at % 8]) + value[at % 32 + 1 :]
        yield (*hashes[:at], flipped, *hashes[at + 1 :])
        yield (*hashes[:at], *hashes[at + 1 :])
        yield (*hashes[:at], value[:31], *hashes[at + 1 :])
    yield (STRAY, *hashes)
    yield (*hashes, STRAY)
    if len(set(hashes)) > 1:
        yield hashes[::-1]


def test_accepts_every_set_of_small_logs() -> None:
    for size in range(1, 10):
        for count in range(1, size + 1):
            for chosen in combinations(range(size), count):
                both_sets(chosen, size)


def test_accepts_every_range_of_small_logs() -> None:
    for size in range(1, 41):
        for first in range(size):
            for last in range(first, size):
                both_ranges(first, last, size)


@given(st.data())
def test_accepts_sets_and_ranges_of_larger_logs(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, LEAVES))
    chosen = sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=40)))
    both_sets(chosen, size)
    both_ranges(chosen[0], chosen[-1], size)


def test_refuses_every_changed_hash_of_a_set() -> None:
    for size in range(1, 8):
        for count in range(1, size + 1):
            for chosen in combinations(range(size), count):
                proof = prove_set(OWN, chosen, size)
                for changed in mutations(proof.hashes):
                    with pytest.raises(InclusionError):
                        check_set(replace(proof, hashes=changed), entries(chosen), size)


def test_refuses_every_changed_hash_of_a_range() -> None:
    for size in (1, 2, 5, 8, 11, 13):
        for first in range(size):
            for last in range(first, size):
                proof, shown = prove_range(OWN, first, last, size), entries(range(first, last + 1))
                for left in mutations(proof.left):
                    with pytest.raises(InclusionError):
                        check_range(replace(proof, left=left), shown, size)
                for right in mutations(proof.right):
                    with pytest.raises(InclusionError):
                        check_range(replace(proof, right=right), shown, size)


def test_a_set_proves_these_leaves_and_no_others() -> None:
    """Each other set with the same proof and entries is refused, in a log of each size."""
    for size in range(1, 8):
        sets = [chosen for count in range(1, size + 1) for chosen in combinations(range(size), count)]
        for chosen in sets:
            proof = prove_set(OWN, chosen, size)
            for other in sets:
                if other != chosen:
                    with pytest.raises(InclusionError):
                        check_set(replace(proof, indexes=other), entries(chosen), size)
                    with pytest.raises(InclusionError):
                        check_set(proof, entries(other), size)


def test_a_range_proves_that_these_are_all() -> None:
    """Nothing within may be left out, added, moved or taken for something else."""
    size = 13
    for first in range(size):
        for last in range(first, size):
            proof, shown = prove_range(OWN, first, last, size), entries(range(first, last + 1))
            for at in range(len(shown)):
                for wrong in ([*shown[:at], *shown[at + 1 :]], [*shown[:at], b"other", *shown[at + 1 :]]):
                    with pytest.raises(InclusionError):
                        check_range(proof, wrong, size)
            for wrong in ([*shown, b"more"], [b"more", *shown]):
                with pytest.raises(InclusionError):
                    check_range(proof, wrong, size)
            for other in range(size):
                for changes in ({"first": other}, {"last": other}):
                    moved = replace(proof, **changes)
                    if moved != proof:
                        with pytest.raises(InclusionError):
                            check_range(moved, shown, size)


def test_the_twin_s_size_is_the_signer_s() -> None:
    root = rfc6962.root(TWIN.peaks[11])
    with pytest.raises(InclusionError, match="sizes that were signed"):
        multiproof.check_twin_many(root, prove_set(TWIN, [3], 11), entries([3]), size=12)
    with pytest.raises(InclusionError, match="sizes that were signed"):
        multiproof.check_twin_many(root, prove_range(TWIN, 3, 4, 11), entries([3, 4]), size=12)


def test_says_which_root_the_entries_lead_to() -> None:
    with pytest.raises(RootMismatchError) as refused:
        multiproof.check_many(STRAY, prove_set(OWN, [3], 11), entries([3]))
    assert refused.value.computed == digest.root(11, OWN.peaks[11])
    with pytest.raises(RootMismatchError) as refused:
        multiproof.check_twin_many(STRAY, prove_range(TWIN, 3, 5, 11), entries([3, 4, 5]), size=11)
    assert refused.value.computed == rfc6962.root(TWIN.peaks[11])


def test_counts_before_it_hashes() -> None:
    """A proof of the wrong length costs nothing, however large the log that it speaks of."""

    def never() -> Iterator[bytes]:
        pytest.fail("an entry was asked for")
        yield b""

    size = 2**53 - 1
    with pytest.raises(InclusionError, match="must have"):
        multiproof.check_many(STRAY, SetProof(size, (0, size - 1), ()), never())
    with pytest.raises(InclusionError, match="must have"):
        multiproof.check_many(STRAY, RangeProof(size, 0, size - 1, (STRAY,), ()), never())


def test_takes_entries_one_by_one() -> None:
    """A range of any length is checked from a stream, and no further than it must be."""
    taken = []

    def stream() -> Iterator[bytes]:
        for index in range(LEAVES):
            taken.append(index)
            yield b"wrong" if index == LEAVES - 1 else ENTRIES[index]

    with pytest.raises(RootMismatchError):
        multiproof.check_many(STRAY, prove_range(OWN, 0, LEAVES - 1, LEAVES), stream())
    assert taken == list(range(LEAVES))
    endless = iter(lambda: b"x", None)
    with pytest.raises(InclusionError, match="more entries"):
        multiproof.check_many(STRAY, prove_range(OWN, 0, 9, LEAVES), endless)
    assert list(islice(endless, 1)) == [b"x"]


@pytest.mark.parametrize(
    "proof",
    [
        SetProof(0, (0,), ()),
        SetProof(2**53, (0,), (STRAY,) * 53),
        SetProof(11, (), (STRAY,) * 3),
        SetProof(11, (-1, 5), (STRAY,) * 3),
        SetProof(11, (5, 5), (STRAY,) * 3),
        SetProof(11, (5, 11), (STRAY,) * 3),
        SetProof(2 * MAX_SET, tuple(range(MAX_SET + 1)), (STRAY,) * 10),
    ],
)
def test_refuses_what_is_no_set(proof: SetProof) -> None:
    with pytest.raises(InclusionError):
        multiproof.check_many(STRAY, proof, [b""])


@pytest.mark.parametrize(("size", "first", "last"), [(0, 0, 0), (11, -1, 3), (11, 4, 3), (11, 3, 11), (2**53, 0, 0)])
def test_refuses_what_is_no_range(size: int, first: int, last: int) -> None:
    with pytest.raises(InclusionError):
        multiproof.check_many(STRAY, RangeProof(size, first, last, (), ()), [b""])
