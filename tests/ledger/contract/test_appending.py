"""What every log does with what is appended."""

import pytest

from ledger import mmr
from ledger.digest import BLAKE3_TREE, SHA256_TREE
from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, DisclosureError, EventError, ProofError, StoreError, ViewError
from ledger.event import Draft
from ledger.log import EMPTY_HEAD
from tests.ledger.contract.sample import append, closed, everything, moved


def test_begins_empty(log):
    """A new log has nothing of anything."""
    found = everything(log)
    assert found["head"] == EMPTY_HEAD
    assert [] == found["events"] == found["states"] == found["blake3"] == found["checkpoints"]


def test_numbers_events_from_zero(log):
    """An event's number is its leaf, across transactions."""
    first = append(log, moved(), moved())
    second = append(log, moved())
    assert [event.seq for event in (*first, *second)] == [0, 1, 2]
    assert log.read(lambda look: list(look.events())) == [(event.seq, event.data) for event in (*first, *second)]


def test_gives_a_range_of_events(log):
    """``start`` is in, ``stop`` is out, and beyond the end there is nothing."""
    append(log, *(moved() for _ in range(7)))

    def numbers(start, stop=None):
        return log.read(lambda look: [seq for seq, _ in look.events(start, stop)])

    assert numbers(2, 5) == [2, 3, 4]
    assert numbers(5) == [5, 6]
    assert numbers(5, 100) == [5, 6]
    assert numbers(7) == numbers(3, 3) == []


def test_has_no_event_beyond_its_end(log):
    """An event that is not there is None."""
    append(log, moved())
    assert log.read(lambda look: look.event_bytes(1)) is None
    assert log.read(lambda look: look.event_bytes(-1)) is None


def test_stores_the_nodes_of_both_trees(log):
    """Each leaf stands where the range says, in both trees."""
    events = append(log, *(moved(amount=n) for n in range(11)))

    def leaves(look, tree):
        return look.nodes(tree).read([mmr.leaf_position(event.seq) for event in events])

    assert log.read(lambda look: leaves(look, "blake3")) == [BLAKE3_TREE.leaf(e.seq, e.data) for e in events]
    assert log.read(lambda look: leaves(look, "sha256")) == [SHA256_TREE.leaf(e.seq, e.data) for e in events]


def test_head_holds_the_peaks_that_are_stored(log):
    """The head's peaks are nodes, and prove against what is stored."""
    append(log, *(moved(amount=n) for n in range(11)))

    def peaks(look):
        return tuple(look.nodes("blake3").read(mmr.peak_positions(11))), look.head.blake3_peaks

    stored, kept = log.read(peaks)
    assert stored == kept


def test_reads_nodes_in_the_order_asked_and_twice(log):
    """A position may be asked for more than once, in any order, and many at a time."""
    append(log, *(moved(amount=n) for n in range(600)))
    everything_once = log.read(lambda look: look.nodes("blake3").read(range(mmr.size(600))))
    again = log.read(lambda look: look.nodes("blake3").read([3, 1, 3, *range(mmr.size(600))]))
    assert again == [everything_once[3], everything_once[1], everything_once[3], *everything_once]


@pytest.mark.parametrize("count", [3, 600])
def test_reads_events_beside_nodes_in_the_order_asked(log, count):
    """A proof needs both, few or many: they come from one look, each in its own order."""
    events = append(log, *(moved(amount=n) for n in range(600)))
    wanted = [5, 3, 5, *range(count)]
    found, nodes = log.read(lambda look: look.nodes("sha256").read_with(wanted, [mmr.leaf_position(n) for n in wanted]))
    assert found == [events[seq].data for seq in wanted]
    assert nodes == [SHA256_TREE.leaf(seq, events[seq].data) for seq in wanted]
    assert log.read(lambda look: look.nodes("blake3").read_with([], [])) == ([], [])


@pytest.mark.parametrize("seqs", [[11], [-1], [*range(100)]])
def test_has_no_event_to_read_beside_nodes_beyond_its_end(log, seqs):
    """An event that is not there is an error, among few and among many."""
    append(log, *(moved() for _ in range(11)))
    with pytest.raises(ProofError):
        log.read(lambda look: look.nodes("blake3").read_with(seqs, [0]))


def test_refuses_a_node_that_is_not_there(log):
    """A missing node is an error, never a guess."""
    append(log, moved())
    with pytest.raises(ProofError, match="no such node"):
        log.read(lambda look: look.nodes("blake3").read([0, 1]))


def test_work_that_raises_leaves_nothing(log):
    """Whatever was appended before the error is gone, in every table."""
    append(log, moved(once="x", note="n"))
    before = everything(log)

    def work(tx):
        tx.append(moved("b", 5, once="y", labels=("l",), note="secret"))
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        log.transact(work)
    assert everything(log) == before
    found = log.read(lambda look: [look.claimed("once:y"), *look.tagged("label:l"), *look.openings(1)])
    assert found == [None]


def test_transaction_without_appends_changes_nothing(log):
    """Work that only reads is no event."""
    append(log, moved())
    before = everything(log)
    assert log.transact(lambda tx: tx.head.size) == 1
    assert everything(log) == before


def test_gives_the_result_of_the_work(log):
    """What the work returns is what the caller gets."""
    assert log.transact(lambda tx: (tx.append(moved()).seq, tx.head.size)) == (0, 1)


def test_claim_is_taken_once_for_ever(log):
    """A second claim on a key is refused, and says who holds it."""
    append(log, moved(), moved(once="k"))
    before = everything(log)
    with pytest.raises(ClaimTakenError, match="once:k is already taken by event 1") as caught:
        append(log, moved("b"), moved("b", once="k"))
    assert (caught.value.key, caught.value.seq) == ("once:k", 1)
    assert everything(log) == before


def test_claim_is_taken_within_its_own_transaction(log):
    """Two events of one transaction can't share a key; the first alone may still be kept."""

    def work(tx):
        tx.append(moved(once="k"))
        with pytest.raises(ClaimTakenError):
            tx.append(moved(once="k"))

    log.transact(work)
    assert log.read(lambda look: (look.head.size, look.claimed("once:k"))) == (1, 0)


def test_refused_append_can_be_caught_and_followed(log):
    """A refusal within the work leaves the transaction as it was before that append."""

    def work(tx):
        tx.append(moved("a", 3))
        tx.append(closed("a"))
        with pytest.raises(ViewError, match="a is closed"):
            tx.append(moved("a", 4, once="never", labels=("never",)))
        return tx.append(moved("b", 5))

    assert log.transact(work).seq == 2
    assert log.read(lambda look: look.claimed("once:never")) is None
    assert list(log.read(lambda look: look.tagged("label:never"))) == []


def test_finds_events_by_tag(log):
    """Tags give the events that carry them, oldest first, and the actor is a tag."""
    append(log, moved("a", labels=("x",)), moved("b", by="agent:two"), moved("a", labels=("x", "y")))
    append(log, moved("a", labels=("x",)))
    assert list(log.read(lambda look: look.tagged("label:x"))) == [0, 2, 3]
    assert list(log.read(lambda look: look.tagged("actor:agent:two"))) == [1]
    assert list(log.read(lambda look: look.tagged("label:none"))) == []


def test_keeps_openings_beside_their_event(log):
    """An opening is given back, with whatever value it holds."""
    draft = moved(note="Žofie\u0000 \U0001f600")
    append(log, moved(), draft)
    assert list(log.read(lambda look: look.openings(1))) == list(draft.openings)
    assert list(log.read(lambda look: look.openings(0))) == []


def test_refuses_an_opening_that_does_not_fit(log):
    """An opening must be of a declared field and fit its commitment."""
    good = moved(note="n")
    (opening,) = good.openings
    for bad in (
        Opening("/note", opening.salt, "m"),
        Opening("/note", bytes(32), "n"),
        Opening("/note", b"short", "n"),
        Opening("/account", opening.salt, "n"),
    ):
        with pytest.raises(DisclosureError):
            append(log, Draft(good.body, good.by, good.auth, openings=(bad,)))
    assert log.read(lambda look: look.head.size) == 0


def test_refuses_a_cause_that_is_not_earlier(log):
    """An event is caused by earlier events alone."""
    append(log, moved())
    for cause in (1, 2, -1):
        with pytest.raises(EventError, match="caused by earlier events alone"):
            append(log, moved(causes=(cause,)))
    append(log, moved(causes=(0,)))


def test_keeps_checkpoints_by_size(log):
    """A checkpoint stands for ever; the same one again is no error, another one is."""
    append(log, moved(), moved())
    log.store_checkpoint(2, b"two")
    log.store_checkpoint(1, b"one")
    log.store_checkpoint(2, b"two")
    with pytest.raises(StoreError, match="another checkpoint of size 2"):
        log.store_checkpoint(2, b"other")
    assert log.read(lambda look: list(look.checkpoints())) == [(1, b"one"), (2, b"two")]
    assert log.read(lambda look: list(look.checkpoints(2))) == [(2, b"two")]
    assert log.read(lambda look: [look.newest_checkpoint(stop) for stop in (None, 3, 2, 1)]) == [
        (2, b"two"),
        (2, b"two"),
        (1, b"one"),
        None,
    ]


def test_keeps_what_witnesses_add_beside_its_checkpoint(log):
    """Lines come sorted by witness; of one witness the first line stands for ever."""
    append(log, moved(), moved())
    log.store_checkpoint(1, b"one")
    log.store_checkpoint(2, b"two")
    log.store_cosignature(2, "w.example+0000000b", "\u2014 b\n")
    log.store_cosignature(2, "w.example+0000000a", "\u2014 a\n")
    log.store_cosignature(1, "w.example+0000000b", "\u2014 other\n")
    log.store_cosignature(2, "w.example+0000000b", "\u2014 later\n")
    lines = [("w.example+0000000a", "\u2014 a\n"), ("w.example+0000000b", "\u2014 b\n")]
    assert log.read(lambda look: list(look.cosignatures(2))) == lines
    assert log.transact(lambda tx: list(tx.cosignatures(2))) == lines
    assert log.read(lambda look: list(look.cosignatures(1))) == [("w.example+0000000b", "\u2014 other\n")]
    assert log.read(lambda look: list(look.cosignatures(3))) == []


def test_nobody_witnesses_a_checkpoint_that_is_not_kept(log):
    """A line without its checkpoint would speak of nothing."""
    append(log, moved())
    with pytest.raises(StoreError, match="no checkpoint of size 1 is kept"):
        log.store_cosignature(1, "w.example+0000000b", "\u2014 b\n")
    assert log.read(lambda look: list(look.cosignatures(1))) == []


def test_knows_how_far_each_witness_has_come(log):
    """The largest size that a witness cosigned, whatever came first."""
    append(log, moved(), moved(), moved())
    assert log.read(lambda look: look.newest_checkpoint()) is None
    for size in (1, 3, 2):
        log.store_checkpoint(size, b"note of %d" % size)
    for size in (2, 1):
        log.store_cosignature(size, "w.example+0000000a", "line\n")
    log.store_cosignature(3, "w.example+0000000b", "line\n")
    names = ("w.example+0000000a", "w.example+0000000b", "w.example")
    assert log.read(lambda look: [look.last_cosigned(name) for name in names]) == [2, 3, None]
    assert log.transact(lambda tx: [tx.last_cosigned(name) for name in names]) == [2, 3, None]
    assert log.read(lambda look: look.newest_checkpoint()) == (3, b"note of 3")
    assert log.transact(lambda tx: tx.newest_checkpoint()) == (3, b"note of 3")


def test_keeps_time_stamps_beside_their_checkpoint(log):
    """Tokens come sorted by authority; of one authority the first stands for ever."""
    append(log, moved())
    with pytest.raises(StoreError, match="no checkpoint of size 1 is kept"):
        log.store_timestamp(1, "b.example", b"token")
    log.store_checkpoint(1, b"one")
    for authority, token in (("b.example", b"0"), ("a.example", b"\x00\xff"), ("b.example", b"later")):
        log.store_timestamp(1, authority, token)
    stamps = [("a.example", b"\x00\xff"), ("b.example", b"0")]
    assert log.read(lambda look: list(look.timestamps(1))) == stamps
    assert log.transact(lambda tx: list(tx.timestamps(1))) == stamps
    assert log.read(lambda look: list(look.timestamps(2))) == []
