"""The twin tree against published values and against the RFC's own recursions."""

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ledger import mmr, rfc6962
from ledger.digest import SHA256_TREE

PUBLISHED = json.loads((Path(__file__).parents[1] / "vectors/published/rfc6962_proof_probes.json").read_bytes())
ENTRIES = [bytes.fromhex(text) for text in PUBLISHED["leaf_inputs_hex"]]
SIZES = 66


class Twin:
    """A twin tree in memory."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.nodes: list[bytes] = []
        self.peaks: list[list[bytes]] = [[]]
        for index, entry in enumerate(entries):
            new, peaks = mmr.append(SHA256_TREE, index, SHA256_TREE.leaf(index, entry), self.peaks[-1])
            self.nodes += [value for _, value in new]
            self.peaks.append(peaks)

    def read(self, positions: Sequence[int]) -> list[bytes]:
        self.asked = positions
        return [self.nodes[position] for position in positions]


PROBED, TREE = Twin(ENTRIES), Twin([b"%d" % index for index in range(SIZES)])
MEMO: dict[tuple[int, int], bytes] = {}


def split(count: int) -> int:
    """The largest power of two below a count."""
    return 1 << (count - 1).bit_length() - 1


def mth(low: int, high: int) -> bytes:
    """RFC 6962 section 2.1, over the leaves of TREE."""
    if high == low:
        return hashlib.sha256().digest()
    if (low, high) not in MEMO:
        if high - low == 1:
            value = hashlib.sha256(b"\0%d" % low).digest()
        else:
            middle = low + split(high - low)
            value = hashlib.sha256(b"\1" + mth(low, middle) + mth(middle, high)).digest()
        MEMO[low, high] = value
    return MEMO[low, high]


def path(index: int, low: int, high: int) -> list[bytes]:
    """RFC 6962 section 2.1.1."""
    if high - low == 1:
        return []
    middle = low + split(high - low)
    if index < middle:
        return [*path(index, low, middle), mth(middle, high)]
    return [*path(index, middle, high), mth(low, middle)]


def subproof(old: int, low: int, high: int, known: bool) -> list[bytes]:
    """RFC 6962 section 2.1.2."""
    if old == high:
        return [] if known else [mth(low, high)]
    middle = low + split(high - low)
    if old <= middle:
        return [*subproof(old, low, middle, known), mth(middle, high)]
    return [*subproof(old, middle, high, False), mth(low, middle)]


def test_published_roots() -> None:
    assert PUBLISHED["root_by_size_hex"] == [rfc6962.root(peaks).hex() for peaks in PROBED.peaks]


def test_published_node_hashes() -> None:
    for level, hashes in enumerate(PUBLISHED["node_hashes_level0_to_3_hex"]):
        positions = [position for position in range(len(PROBED.nodes)) if mmr.height(position) == level]
        assert hashes == [PROBED.nodes[position].hex() for position in positions]


def test_the_empty_root_is_the_hash_of_nothing() -> None:
    assert hashlib.sha256().digest() == rfc6962.EMPTY_ROOT == rfc6962.root([])


def test_published_proofs_are_the_ones_made() -> None:
    def spelled(case: dict[str, Any]) -> list[bytes]:
        return [base64.b64decode(text) for text in case["proof"] or []]

    made = 0
    for case in PUBLISHED["probes"]["inclusion"]:
        if not case["wantErr"]:
            assert spelled(case) == list(rfc6962.prove_inclusion(PROBED, case["leafIdx"], case["treeSize"]).path)
            made += 1
    for case in PUBLISHED["probes"]["consistency"]:
        if not case["wantErr"]:
            assert spelled(case) == list(rfc6962.prove_consistency(PROBED, case["size1"], case["size2"]).path)
            made += 1
    assert made == 7


def test_roots_are_the_rfcs_at_every_size() -> None:
    assert [mth(0, size) for size in range(SIZES + 1)] == [rfc6962.root(peaks) for peaks in TREE.peaks]


def test_inclusion_proofs_are_the_rfcs_for_every_leaf() -> None:
    for size in range(1, SIZES + 1):
        for index in range(size):
            assert path(index, 0, size) == list(rfc6962.prove_inclusion(TREE, index, size).path)
            assert rfc6962.inclusion_positions(index, size) == TREE.asked


def test_consistency_proofs_are_the_rfcs_for_every_pair() -> None:
    for new in range(1, SIZES + 1):
        for old in range(1, new + 1):
            assert subproof(old, 0, new, True) == list(rfc6962.prove_consistency(TREE, old, new).path)
            assert rfc6962.consistency_positions(old, new) == TREE.asked
