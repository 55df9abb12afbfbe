"""Two that both believe they hold the writer: the lock is gone, and still only one of them is believed."""

import threading
from contextlib import suppress

import pytest

from ledger.errors import LedgerError
from ledger.sql.dialect.postgresql import PostgreSQL
from ledger.sql.dialect.sqlite import SQLite
from tests.ledger.contract.sample import everything, moved
from tests.ledger.faults.killing import open_at

ROUNDS = 25


@pytest.fixture
def without_the_lock(monkeypatch):
    """Let a writer begin as a reader does, which holds nobody off."""
    for kind, statement in ((SQLite, "BEGIN"), (PostgreSQL, "BEGIN ISOLATION LEVEL READ COMMITTED")):
        monkeypatch.setattr(
            kind, "begin", lambda _self, connection, _purpose, text=statement: connection.exec_driver_sql(text)
        )


def test_of_two_that_read_the_same_head_one_is_refused(address, without_the_lock, audited):
    """Each reads before the other writes; nothing is lost, doubled or forked, and the log goes on."""
    logs = [open_at(address) for _ in range(2)]
    start = everything(logs[0])["head"].size
    taken = []
    for number in range(ROUNDS):
        both = threading.Barrier(2, timeout=20)

        def add(log, name, both=both):
            def work(tx):
                event = tx.append(moved("a", 1, once=name))
                both.wait()
                return event

            with suppress(LedgerError):
                taken.append((name, log.transact(work).seq))

        threads = [threading.Thread(target=add, args=(log, f"{number}:{side}")) for side, log in enumerate(logs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = everything(logs[0])
    # Of each round one at the most; every sequence number was given once, and to whom it was given, he has it.
    assert [seq for _, seq in taken] == list(range(start, start + len(taken)))
    assert found["head"].size == start + len(taken)
    assert {name: found["claims"][f"once:{name}"] for name, _ in taken} == dict(taken)
    assert ROUNDS // 2 <= len(taken) <= ROUNDS
    for log in logs:
        log.close()
    audited(address)
