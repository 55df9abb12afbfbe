"""Both trees over a range in one stroke: as leaf by leaf where every row fits, and nothing where one does not."""

import pytest

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.growth import Growth
from ledger.log import EMPTY_HEAD
from tools.audit.grown import grown

LEAVES = 70


def entry(index):
    return b"entry %d" % index


@pytest.fixture(scope="module")
def log():
    """All rows of both tables, and for each size the peaks, by `ledger.growth`."""
    growth = Growth(EMPTY_HEAD)
    peaks = [()]
    for index in range(LEAVES):
        growth.extend([entry(index)])
        peaks.append(tuple(zip(*growth.peaks, strict=True)))
    return [(index, "at", "type", entry(index)) for index in range(LEAVES)], growth.nodes, peaks


def rows(log, start, stop):
    return log[0][start:stop], log[1][mmr.size(start) : mmr.size(stop)]


def roots(size, peaks):
    own, twin = zip(*peaks, strict=True)
    return ((digest.root(size, own), rfc6962.root(twin)),)


def test_every_range_comes_to_the_peaks_and_roots_of_its_log(log):
    """From every size to every larger one."""
    for start in range(LEAVES):
        for stop in range(start + 1, LEAVES + 1):
            wanted = sorted({start + 1, (start + stop + 1) // 2, stop})
            found = grown(start, log[2][start], *rows(log, start, stop), wanted)
            assert found is not None
            assert [node.hashes for node in found.peaks] == [[pair] for pair in log[2][stop]]
            assert found.roots == {size: roots(size, log[2][size]) for size in wanted}


@pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, 8), (3, 17), (32, 64), (37, 64), (63, 64), (40, 70)])
def test_no_changed_row_passes(log, start, stop):
    """Each event, each number and each hash of a range, and each peak before it that the range is joined to."""
    events, nodes = rows(log, start, stop)
    base = log[2][start]
    assert grown(start, base, events, nodes, ()) is not None
    for at, (seq, when, type_, data) in enumerate(events):
        for wrong in ((seq + 1, when, type_, data), (seq, when, type_, data + b"!"), (seq, when, type_, data.decode())):
            assert grown(start, base, [*events[:at], wrong, *events[at + 1 :]], nodes, ()) is None
    for at, (position, own, twin) in enumerate(nodes):
        strange = [(position + 1, own, twin), (position, twin, twin), (position, own, own), (position, None, twin)]
        for wrong in [*strange, (position, own[:-1], twin), (position, own, twin + b"!"), (position, own.hex(), twin)]:
            assert grown(start, base, events, [*nodes[:at], wrong, *nodes[at + 1 :]], ()) is None
    if start & 1:
        # Its last peak is the left sibling of the range's first leaf.
        assert grown(start, (*base[:-1], (bytes(32), bytes(32))), events, nodes, ()) is None


def test_a_row_too_many_or_too_few_does_not_pass(log):
    """Of the events and of the nodes, at either end."""
    events, nodes = rows(log, 5, 20)
    more_events, more_nodes = rows(log, 5, 21)
    for changed in ((events[1:], nodes), (events[:-1], nodes), (more_events, nodes), ([], nodes), ([], [])):
        assert grown(5, log[2][5], *changed, ()) is None
    for changed in (nodes[1:], nodes[:-1], more_nodes, []):
        assert grown(5, log[2][5], events, changed, ()) is None


def test_leaves_and_nodes_are_hashed_alike_one_by_one_and_many_at_once():
    """For both trees."""
    entries = [b"", b"a", b"b" * 2000]
    pairs = [(bytes([n]) * 32, bytes([n + 9]) * 32) for n in range(3)]
    for tree in (BLAKE3_TREE, SHA256_TREE):
        assert tree.leaves(7, entries) == [tree.leaf(7 + n, data) for n, data in enumerate(entries)]
        lefts, rights = zip(*pairs, strict=True)
        assert tree.nodes([5, 2**40, 9], lefts, rights) == [
            tree.node(position, *pair) for position, pair in zip([5, 2**40, 9], pairs, strict=True)
        ]
