"""The fast prover: what it hands out holds, whatever it remembers and whatever somebody did to the database."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from ledger import digest, mmr, rfc6962
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.errors import LedgerError
from ledger.sql.place import create_log
from tests.ledger.contract.sample import VIEWS, Clock, append, moved
from tools.dev.vectors.tree import Tree, entry, grow
from verify import prover
from verify.errors import InclusionError, RootMismatchError
from verify.inclusion import check_inclusion, check_twin_inclusion
from verify.prover import CUT, Prover, TwinProver

LEAVES = 1100
ENTRIES = [entry(index) for index in range(LEAVES)]
TREE = grow(BLAKE3_TREE, ENTRIES)
TWIN = grow(SHA256_TREE, ENTRIES)


class Reader:
    """What a log answers, unless it lies; and how much was asked of it."""

    def __init__(self, tree: Tree = TREE) -> None:
        self.tree = tree
        self.lies: dict[int, bytes] = {}
        self.false_events: dict[int, bytes] = {}
        self.queries: list[int] = []

    def read(self, positions: Sequence[int]) -> list[bytes]:
        return self.read_with((), positions)[1]

    def read_with(self, seqs: Sequence[int], positions: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        self.queries.append(len(seqs) + len(positions))
        events = [self.false_events.get(seq, ENTRIES[seq]) for seq in seqs]
        return events, [self.lies.get(position, self.tree.nodes[position]) for position in positions]


def root(size: int) -> bytes:
    return digest.root(size, TREE.peaks[size])


def twin_root(size: int) -> bytes:
    return rfc6962.root(TWIN.peaks[size])


def flip(value: bytes) -> bytes:
    return bytes([value[0] ^ 1]) + value[1:]


@pytest.fixture
def low_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember all but the leaves, so that small trees show everything."""
    monkeypatch.setattr(prover, "CUT", 1)


@pytest.mark.usefixtures("low_cut")
def test_proves_every_event_at_every_size_as_the_plain_prover_does() -> None:
    for size in range(1, 40):
        reader = Reader()
        fast = Prover(size, root(size))
        for seq in (*range(size), *reversed(range(size))):
            data, proof = fast.prove(reader, seq)
            assert (data, proof) == (ENTRIES[seq], mmr.prove_inclusion(TREE, seq, size))
            check_inclusion(root(size), proof, data)


@pytest.mark.usefixtures("low_cut")
def test_proves_every_event_of_the_twin_at_every_size_as_the_plain_prover_does() -> None:
    for size in range(1, 40):
        reader = Reader(TWIN)
        fast = TwinProver(size, twin_root(size))
        for seq in (*range(size), *reversed(range(size))):
            data, proof = fast.prove(reader, seq)
            assert (data, proof) == (ENTRIES[seq], rfc6962.prove_inclusion(TWIN, seq, size))
            check_twin_inclusion(twin_root(size), proof, SHA256_TREE.leaf(seq, data), size=size)


def test_proves_a_larger_log_from_one_query_each() -> None:
    reader = Reader()
    fast = Prover(LEAVES, root(LEAVES))
    for seq in (*range(LEAVES), *range(LEAVES)):
        data, proof = fast.prove(reader, seq)
        check_inclusion(root(LEAVES), proof, data)
        assert proof == mmr.prove_inclusion(TREE, seq, LEAVES)
    assert len(reader.queries) == 2 * LEAVES
    # The first proof of each mountain climbs to its peak, and the very first reads all peaks as well; once the upper
    # part is known, none reads more than its event and what is below that.
    assert reader.queries[0] == 1 + 10 + LEAVES.bit_count()
    assert max(reader.queries[LEAVES:]) == 1 + CUT


def test_a_past_size_has_its_own_prover() -> None:
    reader = Reader()
    for size in (1, 2, 255, 256, 257, 700, 1024):
        fast = Prover(size, root(size))
        for seq in {0, size // 2, size - 1}:
            data, proof = fast.prove(reader, seq)
            check_inclusion(root(size), proof, data)


@pytest.mark.usefixtures("low_cut")
@pytest.mark.parametrize("warm", [False, True])
def test_hands_out_nothing_that_a_changed_node_got_into(warm: bool) -> None:
    """Whichever node is changed, before or after it is known: every proof that is handed out holds."""
    size, refused = 21, 0
    for position in range(mmr.size(size)):
        reader = Reader()
        fast = Prover(size, root(size))
        if warm:
            for seq in range(size):
                fast.prove(reader, seq)
        reader.lies[position] = flip(TREE.nodes[position])
        for seq in (*range(size), *range(size)):
            try:
                data, proof = fast.prove(reader, seq)
            except RootMismatchError:
                refused += 1
            else:
                check_inclusion(root(size), proof, data)
                assert proof == mmr.prove_inclusion(TREE, seq, size)
    assert refused > 0
    if warm:
        # What is known is not read again: each of the 20 leaves that have a sibling spoils that one's proof alone.
        assert refused == 2 * 20


@pytest.mark.usefixtures("low_cut")
@pytest.mark.parametrize("warm", [False, True])
def test_hands_out_nothing_of_the_twin_that_a_changed_node_got_into(warm: bool) -> None:
    size, refused = 21, 0
    for position in range(mmr.size(size)):
        reader = Reader(TWIN)
        fast = TwinProver(size, twin_root(size))
        if warm:
            for seq in range(size):
                fast.prove(reader, seq)
        reader.lies[position] = flip(TWIN.nodes[position])
        for seq in (*range(size), *range(size)):
            try:
                data, proof = fast.prove(reader, seq)
            except RootMismatchError:
                refused += 1
            else:
                check_twin_inclusion(twin_root(size), proof, SHA256_TREE.leaf(seq, data), size=size)
    assert refused == 2 * 20 if warm else refused > 0


@pytest.mark.parametrize("height", range(11))
def test_refuses_a_changed_node_at_each_height(height: int) -> None:
    """Whichever sibling on the way of event 700 is changed, or the event itself: its proof is refused, and again."""
    reader = Reader()
    fast = Prover(LEAVES, root(LEAVES))
    way = mmr.leaf_path_positions(700, 10)
    if height == 10:
        reader.false_events[700] = b"other"
    else:
        reader.lies[way[height]] = flip(TREE.nodes[way[height]])
    for _ in range(2):
        with pytest.raises(RootMismatchError):
            fast.prove(reader, 700)
    reader.lies, reader.false_events = {}, {}
    data, proof = fast.prove(reader, 700)
    check_inclusion(root(LEAVES), proof, data)


def test_refuses_a_changed_event_where_everything_above_is_known() -> None:
    reader = Reader()
    fast = Prover(LEAVES, root(LEAVES))
    fast.prove(reader, 700)
    reader.false_events[700] = b"other"
    with pytest.raises(RootMismatchError):
        fast.prove(reader, 700)


@pytest.mark.parametrize("most", [1, 3, 8, 64])
@pytest.mark.usefixtures("low_cut")
def test_keeps_no_more_than_it_may_and_proves_on(most: int) -> None:
    for size in (1, 2, 31, 64, 100):
        reader = Reader()
        fast = Prover(size, root(size), most=most)
        for seq in (*range(size), *range(0, size, 7)):
            data, proof = fast.prove(reader, seq)
            check_inclusion(root(size), proof, data)
        assert len(fast._known) <= most


def test_refuses_a_root_that_the_peaks_do_not_lead_to() -> None:
    """And refuses it again: what it has read by then is not kept."""
    for reader, fast in ((Reader(), Prover(11, root(12))), (Reader(TWIN), TwinProver(11, twin_root(12)))):
        for _ in range(2):
            with pytest.raises(RootMismatchError, match="root"):
                fast.prove(reader, 0)
    for slot in range(3):
        reader, fast = Reader(), Prover(11, root(11))
        reader.lies[mmr.peak_positions(11)[slot]] = bytes(32)
        for seq in (0, 10):
            with pytest.raises(RootMismatchError):
                fast.prove(reader, seq)


def test_refuses_a_peak_of_another_length() -> None:
    """Two peaks of 31 and 33 bytes hash to the same root as two of 32."""
    reader, fast = Reader(), Prover(11, root(11))
    first, second, _ = mmr.peak_positions(11)
    joined = TREE.nodes[first] + TREE.nodes[second]
    reader.lies = {first: joined[:31], second: joined[31:]}
    for seq in (0, 8, 10):
        with pytest.raises(InclusionError):
            fast.prove(reader, seq)


@pytest.mark.parametrize("size", [0, -1, 2**53])
def test_refuses_a_size_that_no_log_has(size: int) -> None:
    with pytest.raises(InclusionError):
        Prover(size, root(0))


@pytest.mark.parametrize("seq", [-1, 11, 2**60])
def test_refuses_an_event_that_is_not_there(seq: int) -> None:
    reader = Reader()
    with pytest.raises(InclusionError, match="no event"):
        Prover(11, root(11)).prove(reader, seq)


def test_the_way_of_a_leaf_is_that_of_any_node() -> None:
    for size in range(1, 70):
        for leaf in range(size):
            way = mmr.node_path_positions(mmr.leaf_position(leaf), size)
            assert mmr.leaf_path_positions(leaf, len(way)) == way


def test_hands_out_nothing_wrong_from_a_changed_file(tmp_path: Path) -> None:
    """Rows of the real tables are changed by somebody who can write the file."""
    size = 300
    log = create_log(tmp_path / "log.db", VIEWS, Clock())
    append(log, *(moved(amount=n) for n in range(size)))
    head = log.read(lambda look: look.head)
    signed = digest.root(size, head.blake3_peaks)

    def outcome(seq: int) -> str:
        def work(look):
            reader = look.nodes("blake3")
            data, proof = Prover(size, signed).prove(reader, seq)
            check_inclusion(signed, proof, data)
            return "proven"

        try:
            return log.read(work)
        except (InclusionError, LedgerError) as error:
            return type(error).__name__

    assert outcome(100) == "proven"
    way = [*mmr.leaf_path_positions(100, 8), *mmr.peak_positions(size)]
    with sqlite3.connect(tmp_path / "log.db", isolation_level=None) as other:
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f"DROP TRIGGER {name}")
        for position in way:
            (good,) = other.execute("SELECT blake3 FROM nodes WHERE pos = ?", (position,)).fetchone()
            for bad, what in ((flip(good), "RootMismatchError"), (good[:31], "Error"), ("text", "CorruptError")):
                other.execute("UPDATE nodes SET blake3 = ? WHERE pos = ?", (bad, position))
                assert outcome(100).endswith(what)
            other.execute("UPDATE nodes SET blake3 = ? WHERE pos = ?", (good, position))
        assert outcome(100) == "proven"
        other.execute("UPDATE events SET bytes = ? WHERE seq = 100", (b"other",))
        assert outcome(100) == "RootMismatchError"
        other.execute("DELETE FROM nodes WHERE pos = ?", (way[3],))
        assert outcome(100) == "ProofError"
    log.close()
