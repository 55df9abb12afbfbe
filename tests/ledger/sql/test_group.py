"""Threads that wait for the writer are committed together, and none of them feels the others."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from ledger.errors import ClaimTakenError, CorruptError, StoreBusyError, StoreError
from ledger.memory import MemoryLog
from ledger.sql import group
from ledger.sql import log as sql_log
from ledger.sql.driver import Driver
from ledger.sql.snapshot import SqlSnapshot
from tests.ledger.contract.sample import REGISTRY, SECOND, START, VIEWS, append, everything, moved
from tests.ledger.sql.both import BOTH

PATIENCE = 30

pytestmark = BOTH


@pytest.fixture
def pool():
    with ThreadPoolExecutor(40) as pool:
        yield pool


def at_commit(monkeypatch, step):
    """Have something done before each commit of the writer."""
    commit = Driver.commit

    def stepping(driver):
        step()
        commit(driver)

    monkeypatch.setattr(Driver, "commit", stepping)


@pytest.fixture
def commits(log, monkeypatch):
    """Count the commits of the writer."""
    found = []
    at_commit(monkeypatch, lambda: found.append(1))
    return found


@contextmanager
def held(log, pool):
    """Keep the writer busy meanwhile with work that appends nothing."""
    holding, release = threading.Event(), threading.Event()

    def hold(_tx):
        holding.set()
        assert release.wait(PATIENCE)

    held = pool.submit(log.transact, hold)
    assert holding.wait(PATIENCE)
    try:
        yield
    finally:
        release.set()
    held.result(PATIENCE)


def until(condition):
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.001)


def hand_in(log, pool, *works):
    """Hand in work in this order, each from a thread of its own."""
    futures = []
    for work in works:
        before = len(log._group._waiting)
        futures.append(pool.submit(log.transact, work))
        until(lambda before=before: len(log._group._waiting) == before + 1)
    return futures


def together(log, pool, *works) -> list[Future]:
    """Have work done in one group: handed in while the writer is busy."""
    with held(log, pool):
        return hand_in(log, pool, *works)


def appending(*drafts):
    return lambda tx: [tx.append(draft).seq for draft in drafts]


def test_those_that_wait_are_committed_together(log, pool, commits):
    """One commit answers all, each with what its own work gave."""
    futures = together(log, pool, *(appending(moved(amount=n), moved()) for n in range(32)))
    assert [future.result(PATIENCE) for future in futures] == [[2 * n, 2 * n + 1] for n in range(32)]
    # One for the work that held the writer, one for all others.
    assert len(commits) == 2


def test_a_group_is_the_same_as_one_after_another(log, pool):
    """In every table stands what single transactions would have left."""
    drafts = [moved("ab"[n % 2], n, once=str(n), labels=("x",), note=f"note {n}") for n in range(9)]
    for future in together(log, pool, *(appending(draft) for draft in drafts)):
        future.result(PATIENCE)
    alone = MemoryLog(VIEWS, lambda: START)
    for draft in drafts:
        append(alone, draft)
    assert everything(log) == everything(alone)


def test_each_sees_what_those_before_it_appended(log, pool):
    """Within a group, too, everything happens in one order."""

    def work(tx):
        tx.append(moved("a", 1))
        return tx.head.size, tx.state("balance", "a").state["sum"], len(tx.tagged("account:a")), len(list(tx.events()))

    futures = together(log, pool, *[work] * 5)
    assert [future.result(PATIENCE) for future in futures] == [(n, n, n, n) for n in range(1, 6)]


def test_work_that_raises_harms_no_other(log, pool):
    """Nothing of it is written, and it alone hears of it."""

    def raising(tx):
        tx.append(moved("b", 5, once="never", labels=("never",), note="never"))
        raise KeyError("mine")

    first, second, third = together(log, pool, appending(moved(once="k")), raising, appending(moved(once="l")))
    assert (first.result(PATIENCE), third.result(PATIENCE)) == ([0], [1])
    with pytest.raises(KeyError, match="mine"):
        second.result(PATIENCE)
    found = log.read(lambda look: [look.claimed("once:never"), look.state("balance", "b"), *look.tagged("label:never")])
    assert found == [None, None]


def test_what_ends_a_thread_ends_that_thread_alone(log, pool):
    """Work that raises SystemExit or the like harms no other either."""

    def leaving(_tx):
        raise SystemExit(3)

    first, second, third = together(log, pool, appending(moved()), leaving, appending(moved()))
    assert (first.result(PATIENCE), third.result(PATIENCE)) == ([0], [1])
    with pytest.raises(SystemExit):
        second.result(PATIENCE)


def test_of_two_claims_in_one_group_the_first_wins(log, pool):
    """The second is told which event holds the key."""
    first, second, third = together(log, pool, *[appending(moved(once="k"))] * 2, appending(moved()))
    assert (first.result(PATIENCE), third.result(PATIENCE)) == ([0], [1])
    with pytest.raises(ClaimTakenError, match="once:k is already taken by event 0"):
        second.result(PATIENCE)


def test_a_commit_that_fails_is_everybodys(log, pool, monkeypatch):
    """Whoever waits for it hears of it, even who had raised; nothing is written, and the next one is."""
    append(log, moved())
    before = everything(log)
    left = [1]

    def fail():
        # Not the first one, of the work that held the writer.
        left.append(left.pop() - 1)
        if left == [-1]:
            raise sa.exc.OperationalError("COMMIT", {}, OSError("the disk is gone"))

    at_commit(monkeypatch, fail)
    futures = together(log, pool, *(appending(moved(once=key)) for key in "kkl"))
    for future in futures:
        with pytest.raises(StoreError, match="the disk is gone"):
            future.result(PATIENCE)
    monkeypatch.undo()
    assert everything(log) == before
    assert append(log, moved(once="k"))[0].seq == 1


def test_nobody_is_answered_before_the_commit(log, pool, monkeypatch):
    """While it is not durable, no result is out."""
    answered = []
    futures = []
    at_commit(monkeypatch, lambda: answered.append([f.done() for f in futures]))
    with held(log, pool):
        futures += hand_in(log, pool, *[appending(moved())] * 4)
    for future in futures:
        future.result(PATIENCE)
    assert answered[-1] == [False] * 4


def test_what_the_database_refuses_is_blamed_on_its_author(log, pool, monkeypatch):
    """Should the look at the claims be wrong, all others are written, and one is told of its claim."""
    append(log, moved(once="k"))
    honest = SqlSnapshot.claimed
    monkeypatch.setattr(SqlSnapshot, "claimed", lambda self, key: None if look_away else honest(self, key))
    look_away = True
    rolled_back, close = [], sa.Connection.close
    monkeypatch.setattr(sa.Connection, "close", lambda one: (rolled_back.append(1), close(one)))
    with held(log, pool):
        futures = hand_in(log, pool, *(appending(moved(once=key)) for key in "akb"))
    assert [futures[0].result(PATIENCE), futures[2].result(PATIENCE)] == [[1], [2]]
    with pytest.raises(CorruptError, match="refuses"):
        futures[1].result(PATIENCE)
    # All of them together, and the one that was refused again.
    assert len(rolled_back) >= 2
    look_away = False
    assert log.read(lambda look: [look.claimed(f"once:{key}") for key in "akb"]) == [1, 0, 2]


@pytest.mark.parametrize("moment", ["write", "done"])
def test_an_interrupted_leader_strands_nobody(log, pool, monkeypatch, moment):
    """Before the commit the others' work is done by another leader, after it they are answered: once in any case."""
    interrupt(monkeypatch, moment, times=1)
    futures = together(log, pool, *(appending(moved(once=key)) for key in "abcd"))
    with pytest.raises(KeyboardInterrupt):
        futures[0].result(PATIENCE)
    results = [future.result(PATIENCE) for future in futures[1:]]
    # Interrupted before the commit, the first one's work is gone with its thread.
    first = 0 if moment == "write" else 1
    assert results == [[first], [first + 1], [first + 2]]
    assert log.read(lambda look: look.head.size) == first + 3
    assert append(log, moved())[0].seq == first + 3


def test_nobodys_work_is_done_twice(log, pool, monkeypatch):
    """Interrupted again while it is found out what was committed, all are told that it is not known."""
    interrupt(monkeypatch, "done", times=2)
    first, *others = together(log, pool, *(appending(moved(once=key)) for key in "abcd"))
    with pytest.raises(KeyboardInterrupt):
        first.result(PATIENCE)
    for future in others:
        with pytest.raises(StoreError, match="look whether it stands, or ask again"):
            future.result(PATIENCE)
    assert log.read(lambda look: look.head.size) == 4
    assert append(log, moved())[0].seq == 4


def interrupt(monkeypatch, moment, *, times):
    """Interrupt the thread that writes a group of several, so many times."""
    write, mark, left = sql_log.write, sql_log.mark, [1] * times

    def interrupted_write(*arguments):
        if moment == "write" and left:
            left.pop()
            raise KeyboardInterrupt
        write(*arguments)

    def interrupted_mark(members, fate):
        if moment == fate and left and len(members) > 1:
            left.pop()
            raise KeyboardInterrupt
        mark(members, fate)

    monkeypatch.setattr(sql_log, "write", interrupted_write)
    monkeypatch.setattr(sql_log, "mark", interrupted_mark)


def test_an_interrupt_in_the_leaders_own_work_strands_nobody(log, pool):
    """Its own thread is interrupted, and the others lead themselves."""

    def interrupted(_tx):
        raise KeyboardInterrupt

    first, *others = together(log, pool, interrupted, *[appending(moved())] * 3)
    with pytest.raises(KeyboardInterrupt):
        first.result(PATIENCE)
    assert [future.result(PATIENCE) for future in others] == [[0], [1], [2]]


def test_closing_finishes_what_was_handed_in(log, pool):
    """What was accepted is written and answered, what comes later is refused."""
    with held(log, pool):
        futures = hand_in(log, pool, *[appending(moved())] * 3)
        closing = pool.submit(log.close)
        until(lambda: log._group._closed)
        with pytest.raises(StoreError, match="this log was closed"):
            append(log, moved())
        assert not closing.done()
    closing.result(PATIENCE)
    assert [future.result(PATIENCE) for future in futures] == [[0], [1], [2]]
    with pytest.raises(StoreError, match="this log was closed"):
        append(log, moved())
    log.close()


def test_whoever_finds_no_room_waits_for_it(log, pool, monkeypatch):
    """The queue is bounded: callers wait, and are let in as others leave."""
    monkeypatch.setattr(group, "ROOM", 2)
    with held(log, pool):
        futures = hand_in(log, pool, *[appending(moved())] * 2)
        third = pool.submit(log.transact, appending(moved()))
        time.sleep(0.05)
        assert len(log._group._waiting) == 2
    assert sorted(future.result(PATIENCE) for future in [*futures, third]) == [[0], [1], [2]]


def test_whoever_finds_no_room_does_not_wait_for_ever(log, monkeypatch):
    """In the end it is told to come again."""
    monkeypatch.setattr(group, "ROOM", 0)
    monkeypatch.setattr(group, "BUSY_SECONDS", 0.1)
    with pytest.raises(StoreBusyError, match="0 threads wait for the writer already: try again"):
        append(log, moved())
    monkeypatch.undo()
    assert append(log, moved())[0].seq == 0


def test_whoever_is_not_reached_withdraws(log, pool, monkeypatch):
    """Its work is not done later, behind its back."""
    with held(log, pool):
        monkeypatch.setattr(group, "BUSY_SECONDS", 0.1)
        waiting = hand_in(log, pool, appending(moved()))[0]
        with pytest.raises(StoreBusyError, match="another thread is writing"):
            waiting.result(PATIENCE)
    assert log.read(lambda look: look.head.size) == 0
    assert append(log, moved())[0].seq == 0


def test_a_group_is_bounded(log, pool, commits, monkeypatch):
    """More than fit into one transaction take several."""
    monkeypatch.setattr(group, "GROUP", 3)
    for future in together(log, pool, *[appending(moved())] * 7):
        future.result(PATIENCE)
    assert len(commits) == 1 + 3


@pytest.mark.parametrize("bound", ["GROUP_EVENTS", "GROUP_BYTES"])
def test_a_group_takes_no_more_when_it_is_large(log, pool, commits, monkeypatch, bound):
    """Many events, or large ones, are committed before others are taken."""
    monkeypatch.setattr(group, bound, 2 if bound == "GROUP_EVENTS" else 300)
    for future in together(log, pool, *[appending(moved(), moved())] * 3):
        future.result(PATIENCE)
    assert len(commits) == 1 + 3


def test_who_comes_after_the_clock_was_read_is_not_in_the_group(log, pool, clock):
    """No expiry is judged by a time before the question was asked."""
    append(log, moved())
    late = []

    class Late:
        now = START

        def __call__(self):
            if not late:
                late.append(pool.submit(log.transact, lambda tx: tx.at))
                until(lambda: any(member.ticket == 2 for member in log._group._waiting))
            self.now += SECOND
            return self.now

    log._clock = Late()
    early = log.transact(lambda tx: tx.at)
    assert late[0].result(PATIENCE) > early


@pytest.mark.parametrize(
    "inner",
    [
        lambda log: log.transact(lambda tx: None),
        lambda log: log.extend([], {}),
        lambda log: log.store_checkpoint(0, b""),
        lambda log: log.close(),
    ],
)
def test_a_transaction_within_a_transaction_is_an_error(log, pool, inner):
    """It would wait for itself; whether the work is done by its own thread or by another."""
    with pytest.raises(StoreError, match="a transaction can't wait for another one"):
        log.transact(lambda _tx: inner(log))
    _, second = together(log, pool, appending(moved()), lambda _tx: inner(log))
    with pytest.raises(StoreError, match="a transaction can't wait for another one"):
        second.result(PATIENCE)
    assert append(log, moved())[0].seq == 1


def test_a_look_ends_with_its_transaction(log):
    """The connection lives on, in other transactions; what was kept of an earlier one reads nothing."""
    append(log, moved(note="n"))
    kept = log.transact(lambda tx: (tx, tx.events(), tx._below._below))
    for read in (
        lambda: kept[0].state("balance", "new"),
        lambda: kept[0].claimed("once:k"),
        lambda: kept[0].tagged("label:x"),
        lambda: kept[2].event_bytes(0),
        lambda: list(kept[1]),
        lambda: list(kept[2].states("balance")),
    ):
        with pytest.raises(StoreError, match="this look at the log has ended"):
            read()


def test_many_threads_at_random_leave_one_history(log, pool):
    """Whatever the groups were, the log is what its events come to, one after another."""

    def busy(number):
        for turn in range(6):
            try:
                append(log, moved("abc"[turn % 3], number, once=f"{turn}", by=f"agent:{number}"), moved("d", 1))
            except ClaimTakenError:
                append(log, moved("e", 1, labels=(str(number),), by=f"agent:{number}"))

    for future in [pool.submit(busy, number) for number in range(16)]:
        future.result(PATIENCE)
    found = everything(log)
    assert found["head"].size == 6 * 2 + 6 * 15
    again = MemoryLog(VIEWS, lambda: START)
    again.extend([REGISTRY.parse(data) for data in found["events"]], {})
    assert found == everything(again)
