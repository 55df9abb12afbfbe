"""What every log shows: views, and looks that do not move."""

import threading

import pytest

from ledger import canon, mmr
from ledger.errors import LedgerError, ViewError
from ledger.view import StateRow, fold, states_digest
from tests.ledger.contract.sample import REGISTRY, VIEWS, append, closed, everything, moved


def test_views_are_the_fold_of_the_events(log):
    """The rows are what folding the stored bytes gives."""
    append(log, moved("a", 3), moved("b", 4), moved("a", -5, by="agent:two"))
    append(log, closed("b"))
    found = everything(log)
    folded = fold(VIEWS, map(REGISTRY.parse, found["events"]))
    assert sorted(found["states"], key=lambda row: (row.view, row.key)) == [folded[key] for key in sorted(folded)]
    assert found["digest"] == states_digest(folded.values())


def test_state_says_which_event_changed_it(log):
    """A row holds the last event that touched it."""
    append(log, moved("a", 3), moved("b", 4), moved("a", 2))
    assert log.read(lambda look: look.state("balance", "a")) == StateRow(
        "balance", "a", 2, canon.encode({"sum": 5, "closed": False})
    )
    assert log.read(lambda look: look.state("balance", "c")) is None


def test_states_come_sorted_by_key(log):
    """Keys are in the order of their bytes, whatever their script."""
    keys = ["b", "a", "B", "é", "z", "\U0001f600", "\ufffd", "a/b"]
    append(log, *(moved(key) for key in keys))
    found = log.read(lambda look: [row.key for row in look.states("balance")])
    assert found == sorted(keys, key=str.encode)


def test_refuses_an_event_that_a_view_refuses(log):
    """A contradiction is an error, and nothing of its transaction stays."""
    append(log, moved("a"), closed("a"))
    before = everything(log)
    with pytest.raises(ViewError, match="a is closed"):
        append(log, moved("b"), moved("a"))
    assert everything(log) == before


def test_reading_twice_gives_the_same(log):
    """Reading changes nothing."""
    append(log, moved(once="k", labels=("l",), note="n"), moved("b"))
    log.store_checkpoint(2, b"note")
    assert everything(log) == everything(log)


def test_transaction_reads_its_own_writes(log):
    """What was appended is there at once, in every way to look."""
    append(log, moved("a", 1, labels=("l",)))

    def work(tx):
        draft = moved("a", 2, once="k", labels=("l",), note="n")
        event = tx.append(draft)
        assert tx.head.size == 2
        assert tx.event_bytes(1) == event.data
        assert [seq for seq, _ in tx.events()] == [0, 1]
        assert [seq for seq, _ in tx.events(1, 2)] == [1]
        assert list(tx.tagged("label:l")) == [0, 1]
        assert tx.claimed("once:k") == 1
        assert tx.state("balance", "a").state["sum"] == 3
        assert [row.key for row in tx.states("balance")] == ["a"]
        assert list(tx.openings(1)) == list(draft.openings)
        return tx.at

    at = log.transact(work)
    assert log.read(lambda look: look.head.at) == at


def test_a_look_does_not_move(make_log):
    """A reader sees one state of the log, whatever is appended in the meantime."""
    log = make_log()
    append(log, moved("a", 1))
    done = threading.Event()

    def write():
        append(log, moved("a", 1))
        done.set()

    writer = threading.Thread(target=write)

    def work(look):
        writer.start()
        # A log may let the writer wait until the look has ended, or go on beside it.
        done.wait(0.3)
        return look.head.size, [seq for seq, _ in look.events()], look.state("balance", "a").state["sum"]

    assert log.read(work) == (1, [0], 1)
    writer.join()
    assert log.read(lambda look: look.head.size) == 2


def test_threads_share_one_log(log):
    """Many threads, one log: no number twice, none left out, no update lost."""
    failures = []

    def write(name):
        try:
            for _ in range(10):
                log.transact(lambda tx: tx.append(moved("a", 1, by=name)))
        except LedgerError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(f"agent:{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert log.read(lambda look: look.head.size) == 60
    assert log.read(lambda look: look.state("balance", "a")).state["sum"] == 60


def test_one_key_is_given_to_one_of_many_threads(log):
    """Of all who want the same key, one gets it."""
    taken = []

    def write():
        try:
            append(log, moved(once="the one"))
            taken.append("got it")
        except LedgerError as error:
            taken.append(type(error).__name__)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == ["ClaimTakenError"] * 7 + ["got it"]


def test_a_transaction_reads_its_own_nodes(log):
    """Stored and new nodes are one range, in both trees."""
    append(log, *(moved(amount=n) for n in range(5)))

    def work(tx):
        for number in range(6):
            tx.append(moved(amount=number))
        proofs = [mmr.prove_inclusion(tx.nodes("blake3"), index, 11) for index in range(11)]
        return proofs, tx.nodes("sha256").read(range(mmr.size(11)))

    proofs, twins = log.transact(work)
    assert proofs == log.read(lambda look: [mmr.prove_inclusion(look.nodes("blake3"), n, 11) for n in range(11)])
    assert twins == everything(log)["sha256"]
