"""Growing both trees at once comes to what `mmr.append` comes to, leaf by leaf."""

import pytest

from ledger import mmr
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.errors import ProofError
from ledger.growth import GrowingNodes, Growth
from ledger.log import EMPTY_HEAD, Head

LEAVES = 70


def entry(index):
    return b"entry %d" % index


@pytest.fixture(scope="module")
def grown():
    """For each size the nodes and the peaks of both trees, made one leaf at a time."""
    nodes, own, twin = [], [], []
    sizes = [(0, (), ())]
    for index in range(LEAVES):
        own_nodes, own = mmr.append(BLAKE3_TREE, index, BLAKE3_TREE.leaf(index, entry(index)), own)
        twin_nodes, twin = mmr.append(SHA256_TREE, index, SHA256_TREE.leaf(index, entry(index)), twin)
        nodes += [(position, left, right) for (position, left), (_, right) in zip(own_nodes, twin_nodes, strict=True)]
        sizes.append((len(nodes), tuple(own), tuple(twin)))
    return nodes, sizes


def test_every_growth_is_that_of_one_leaf_at_a_time(grown):
    """From every size to every larger one, in one stroke."""
    nodes, sizes = grown
    for old in range(LEAVES + 1):
        for new in range(old, LEAVES + 1):
            growth = Growth(Head(old, *sizes[old][1:], None))
            growth.extend(entry(index) for index in range(old, new))
            assert growth.size == new
            assert growth.nodes == nodes[sizes[old][0] : sizes[new][0]]
            assert growth.peaks == sizes[new][1:]


def test_growth_may_pause(grown):
    """Any two strokes are one."""
    nodes, sizes = grown
    for middle in range(LEAVES + 1):
        growth = Growth(EMPTY_HEAD)
        growth.extend(map(entry, range(middle)))
        growth.extend(map(entry, range(middle, LEAVES)))
        assert (growth.size, growth.nodes, growth.peaks) == (LEAVES, nodes, sizes[LEAVES][1:])


class Stored:
    def __init__(self, nodes):
        self.nodes = nodes

    def read(self, positions):
        if any(not 0 <= position < len(self.nodes) for position in positions):
            raise ProofError("the log has no such node")
        return [self.nodes[position][1] for position in positions]


def test_new_and_stored_nodes_are_read_as_one_range(grown):
    """Wherever the stored part ends, the same hashes come, in the order asked."""
    nodes, sizes = grown
    asked = [*reversed(range(sizes[20][0])), 3, 3]
    for stored in range(21):
        reader = GrowingNodes(Stored(nodes[: sizes[stored][0]]), nodes[sizes[stored][0] : sizes[20][0]], (), "blake3")
        assert reader.read(asked) == [nodes[position][1] for position in asked]
        for missing in (-1, sizes[20][0]):
            with pytest.raises(ProofError):
                reader.read([missing])


def test_growth_of_a_large_log_needs_its_peaks_alone():
    """Positions follow from the size, whatever it is."""
    size = 2**40 + 5
    peaks = tuple(bytes([n]) * 32 for n in range(size.bit_count()))
    growth = Growth(Head(size, peaks, peaks, None))
    growth.extend([b"a", b"b"])
    assert [position for position, _, _ in growth.nodes] == [*range(mmr.size(size), mmr.size(size + 2))]
    assert len(growth.peaks[0]) == (size + 2).bit_count()
