"""Two processes that both believe they hold the writer: the lock is gone, and still only one of them is believed."""

import multiprocessing
from contextlib import suppress
from threading import Barrier
from unittest.mock import patch

from ledger.errors import LedgerError
from ledger.sql.address import Address
from ledger.sql.dialect.base import STANDING
from ledger.sql.dialect.postgresql import PostgreSQL
from ledger.sql.dialect.sqlite import SQLite
from tests.ledger.contract.sample import everything, moved
from tests.ledger.faults.killing import open_at

ROUNDS = 25
READERS = ((SQLite, "BEGIN"), (PostgreSQL, "BEGIN ISOLATION LEVEL READ COMMITTED"))


def write_as_a_reader_begins() -> None:
    """Let each writer of this process begin as a reader does, which holds nobody off."""

    def beginning(statement):
        def begin(_self, cursor):
            cursor.execute(statement)
            cursor.execute(STANDING)
            return cursor.fetchone()

        return begin

    for kind, statement in READERS:
        patch.object(kind, "begin_writing", beginning(statement)).start()


def race(address: Address, side: int, both: Barrier) -> list[tuple[str, int]]:
    """Append in every round what the other process appends too; give what was taken, and as which event."""
    write_as_a_reader_begins()
    log, taken = open_at(address), []
    for number in range(ROUNDS):
        name = f"{number}:{side}"
        # Nobody reads the head before the round before is over for both.
        both.wait()

        def add(tx, name=name):
            event = tx.append(moved("a", 1, once=name))
            both.wait()
            return event

        with suppress(LedgerError):
            taken.append((name, log.transact(add).seq))
    log.close()
    return taken


def test_of_two_processes_that_read_the_same_head_one_is_refused(address, audited):
    """Each reads before the other writes; nothing is lost, doubled or forked, and the log goes on."""
    log = open_at(address)
    start = everything(log)["head"].size
    spawn = multiprocessing.get_context("spawn")
    with spawn.Manager() as manager, spawn.Pool(2) as pool:
        both = manager.Barrier(2, timeout=20)
        sides = pool.starmap(race, [(address, side, both) for side in range(2)], chunksize=1)
    taken = sorted((one for side in sides for one in side), key=lambda one: one[1])
    found = everything(log)
    # Of each round one at the most; every sequence number was given once, and to whom it was given, he has it.
    rounds = [int(name.partition(":")[0]) for name, _ in taken]
    assert rounds == sorted(set(rounds))
    assert [seq for _, seq in taken] == list(range(start, start + len(taken)))
    assert found["head"].size == start + len(taken)
    assert {name: found["claims"][f"once:{name}"] for name, _ in taken} == dict(taken)
    assert ROUNDS // 2 <= len(taken) <= ROUNDS
    log.close()
    audited(address)
