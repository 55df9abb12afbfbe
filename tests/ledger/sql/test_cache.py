"""The states that a writer keeps in memory are those of the database, whoever wrote there."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from ledger.errors import AppendError, CorruptError
from ledger.sql import cache as caching
from ledger.sql import snapshot as snapshots
from ledger.sql.place import create_log, open_log
from ledger.sql.rebuild import rebuild
from ledger.sql.rows import to_head
from ledger.sql.snapshot import SqlSnapshot
from ledger.view import StateRow
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, append, closed, moved
from tests.ledger.sql.both import BOTH

ACCOUNTS = "abc"


@pytest.fixture
def other(log, address):
    """A second process's log, as far as a log can tell."""
    other = open_log(address, VIEWS, lambda: START, registry=REGISTRY)
    yield other
    other.close()


@pytest.fixture
def asked(monkeypatch):
    """Note each state that the database is asked for."""
    found = []
    honest = SqlSnapshot.state

    def state(self, view, key):
        found.append(key)
        return honest(self, view, key)

    monkeypatch.setattr(SqlSnapshot, "state", state)
    return found


def sums(log):
    def work(tx):
        rows = [tx.state("balance", account) for account in ACCOUNTS]
        return [row and row.state["sum"] for row in rows]

    return log.transact(work)


@BOTH
def test_a_state_is_asked_for_once(log, asked):
    """What was read or written by this writer is not read again; nor is it that there is none."""
    append(log, moved("a", 1))
    asked.clear()
    assert [sums(log) for _ in range(3)] == [[1, None, None]] * 3
    append(log, moved("b", 2))
    assert sums(log) == [1, 2, None]
    assert sorted(asked) == ["b", "c"]


@BOTH
def test_what_another_process_wrote_is_seen(log, other, asked):
    """Only the states that its events touched are read again."""
    append(log, *(moved(account, 1) for account in ACCOUNTS))
    append(other, moved("b", 10))
    assert sums(log) == [1, 11, 1]
    append(other, moved("b", 10), moved("c", 20))
    asked.clear()
    assert sums(log) == [1, 21, 21]
    assert asked == ["b", "c"]


@BOTH
def test_the_head_that_this_writer_left_is_not_read_anew(log, other, monkeypatch):
    """One comparison tells it; a head that another process left is read, and continued."""
    read = []
    monkeypatch.setattr(snapshots, "to_head", lambda row: read.append(row[0]) or to_head(row))
    append(log, moved("a", 1), moved("a", 1), moved("a", 1))
    read.clear()
    append(log, moved("b", 1))
    assert read == []
    append(other, moved("c", 1))
    read.clear()
    assert append(log, moved("a", 1))[0].seq == 5
    assert read == [5]
    assert log.read(lambda snapshot: snapshot.head.size) == 6


@BOTH
def test_without_the_event_types_all_is_dropped(log, address, asked):
    """What can't be read may have changed anything."""
    append(log, *(moved(account, 1) for account in ACCOUNTS))
    blind = open_log(address, VIEWS, lambda: START)
    assert sums(blind) == [1, 1, 1]
    append(log, moved("b", 10))
    asked.clear()
    assert sums(blind) == [1, 11, 1]
    assert asked == ["a", "b", "c"]
    blind.close()


@BOTH
def test_far_behind_all_is_dropped(log, other, asked, monkeypatch):
    """Beyond a bound, the events of the other process are not read."""
    monkeypatch.setattr(caching, "BEHIND", 2)
    append(other, *(moved(account, 1) for account in ACCOUNTS))
    assert sums(other) == [1, 1, 1]
    append(log, moved("a", 1), moved("a", 1), moved("a", 1))
    asked.clear()
    assert sums(other) == [4, 1, 1]
    assert asked == ["a", "b", "c"]


@BOTH
def test_states_made_anew_are_read_anew(log, address, raw):
    """A rebuild, here of damaged states, is seen by whoever keeps some."""
    append(log, moved("a", 1))
    raw("UPDATE states SET state = ? WHERE view = 'balance'", b'{"closed":false,"sum":7}')
    fresh = open_log(address, VIEWS, lambda: START, registry=REGISTRY)
    assert sums(fresh) == [7, None, None]
    rebuild(log.engine, REGISTRY, VIEWS)
    assert sums(fresh) == [1, None, None]
    fresh.close()


def test_another_log_in_the_same_file_is_noticed(log, other, raw, path):
    """A head that does not continue the known one is another log's: nothing is kept."""
    append(log, moved("a", 1), moved("a", 1))
    assert sums(other) == [2, None, None]
    _replace(path, moved("b", 5), moved("b", 5), moved("b", 5))
    assert sums(other) == [None, 15, None]
    _replace(path, moved("c", 5), moved("c", 5), moved("c", 5))
    assert sums(other) == [None, None, 15]


def event(log, seq):
    return log.transact(lambda tx: tx.event_bytes(seq))


def test_events_are_read_once_and_are_those_of_the_log_that_is_there(log, other, path, monkeypatch):
    append(log, moved("a", 1))
    first, asked = event(log, 0), []
    honest = SqlSnapshot.event_bytes
    monkeypatch.setattr(SqlSnapshot, "event_bytes", lambda self, seq: asked.append(seq) or honest(self, seq))
    assert [event(other, 0) for _ in range(3)] == [first] * 3
    assert asked == [0]
    append(log, moved("a", 1))
    assert event(other, 1) == event(log, 1) != first
    _replace(path, moved("b", 5), moved("b", 5), moved("b", 5))
    assert event(other, 0) == event(log, 0) != first


def test_the_events_that_are_kept_are_bounded(log, monkeypatch):
    monkeypatch.setattr(caching, "EVENTS", 2)
    monkeypatch.setattr(caching, "EVENT", 4000)
    append(log, *(moved("a", 1) for _ in range(5)))
    found = [event(log, seq) for seq in range(5)]
    assert found == [event(log, seq) for seq in range(5)]
    assert list(log._cache._events) == [3, 4]
    monkeypatch.setattr(caching, "EVENT", 10)
    assert event(log, 0) == found[0]
    assert list(log._cache._events) == [3, 4]


@BOTH
def test_a_claim_is_asked_for_once_in_a_transaction_and_anew_in_the_next(log, other):
    def asked():
        return log.transact(lambda tx: [tx.claimed("once:k") for _ in range(2)])

    assert asked() == [None, None]
    append(other, moved("a", 1, once="k"))
    assert asked() == [0, 0]


@BOTH
def test_work_that_is_undone_leaves_no_state(log):
    """Neither of what raised nor of a transaction that was not committed."""
    append(log, moved("a", 1))

    def raising(tx):
        tx.append(moved("a", 100))
        tx.state("balance", "b")
        raise KeyError

    with pytest.raises(KeyError):
        log.transact(raising)
    assert sums(log) == [1, None, None]


def test_generation_that_is_missing_is_damage(log, raw):
    """Without it nobody could tell whether the states are still those."""
    raw("DROP TRIGGER projections_stay")
    raw("DELETE FROM projections")
    with pytest.raises(CorruptError, match="the generation of the states is missing: run `tally audit`"):
        sums(log)


def test_the_cache_is_bounded():
    """What was used longest ago goes first, and the size is that of what stays."""
    cache = caching.StateCache(VIEWS, REGISTRY, limit=3 * 600)
    rows = {("balance", str(n)): StateRow("balance", str(n), 0, b"x" * 180) for n in range(4)}
    for key in list(rows)[:3]:
        cache.keep(key, rows[key])
    assert cache.get(("balance", "0")) == (rows["balance", "0"],)
    cache.keep(("balance", "3"), rows["balance", "3"])
    assert [key in cache for key in rows] == [True, False, True, True]
    cache.keep(("balance", "3"), None)
    assert cache.get(("balance", "3")) == (None,)
    cache.clear()
    assert cache.size == 0
    cache.keep(("balance", "0"), StateRow("balance", "0", 0, b"x" * 2000))
    assert (("balance", "0") in cache, cache.size) == (False, 0)


def _replace(path, *drafts):
    """Put another log's contents into the file of this one, as restoring a backup in place would."""
    place = path.with_name(f"other {len(list(path.parent.iterdir()))}.db")
    log = create_log(place, VIEWS, lambda: START)
    append(log, *drafts)
    log.close()
    with closing(sqlite3.connect(place)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)


class TwoProcesses(RuleBasedStateMachine):
    """Two logs over one file, each with its cache, against a third that keeps nothing."""

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()
        path = Path(self.folder.name) / "log.db"
        self.logs = [create_log(path, VIEWS, lambda: START, registry=REGISTRY)]
        self.logs.append(open_log(path, VIEWS, lambda: START, registry=REGISTRY))
        self.plain = open_log(path, VIEWS, lambda: START)

    @rule(which=st.integers(0, 1), accounts=st.lists(st.sampled_from(ACCOUNTS), max_size=4), amount=st.integers(1, 9))
    def append(self, which, accounts, amount):
        with suppress(AppendError):
            append(self.logs[which], *(moved(account, amount) for account in accounts))

    @rule(which=st.integers(0, 1), account=st.sampled_from(ACCOUNTS))
    def close(self, which, account):
        with suppress(AppendError):
            append(self.logs[which], closed(account))

    @rule(which=st.integers(0, 1), account=st.sampled_from(ACCOUNTS))
    def give_up(self, which, account):
        def work(tx):
            tx.append(moved(account, 5))
            raise KeyError

        with suppress(AppendError, KeyError):
            self.logs[which].transact(work)

    @rule(which=st.integers(0, 1))
    def rebuild(self, which):
        rebuild(self.logs[which].engine, REGISTRY, VIEWS)

    @rule(which=st.integers(0, 1), accounts=st.sets(st.sampled_from(ACCOUNTS)))
    def read(self, which, accounts):
        keys = [("balance", account) for account in sorted(accounts)] + [("actor", "all")]
        cached = self.logs[which].transact(lambda tx: [tx.state(*key) for key in keys])
        assert cached == self.plain.read(lambda look: [look.state(*key) for key in keys])

    def teardown(self):
        for log in (*self.logs, self.plain):
            log.close()
        self.folder.cleanup()


TestTwoProcesses = TwoProcesses.TestCase
TestTwoProcesses.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
