"""Many processes with many threads each: what happens once happens once, on every database.

``TALLY_ASSURANCE=1`` makes it eight processes of eight threads.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ledger.memory import MemoryLog
from ledger.sql.place import create_log
from tests.assurance import WHOLE
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, everything

ROOT = Path(__file__).parents[3]
PROCESSES, THREADS, ROUNDS = (8, 8, 25) if WHOLE else (3, 3, 8)


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """Where a log can be made, and found by a process that is told."""
    return tmp_path / "log.db" if request.param == "sqlite" else request.getfixturevalue("postgres").address()


@pytest.fixture
def log(address):
    log = create_log(address, VIEWS, lambda: START, registry=REGISTRY)
    yield log
    log.close()


def crowd(job, address, limit=0):
    """Let all loose at once, and give what they tell."""
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.concurrency.crowd", job, str(address)]
    running = [
        subprocess.Popen(
            [*command, f"agent:{number}", str(THREADS), str(ROUNDS), str(limit)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    try:
        assert [process.stdout.readline() for process in running] == ["ready\n"] * PROCESSES
        for process in running:
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [one for process in running for one in json.loads(process.communicate(timeout=250)[0])]
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert [process.returncode for process in running] == [0] * PROCESSES
    assert len(told) == PROCESSES * THREADS * ROUNDS
    return told


def whole(log, size):
    """Hold the log against its own events, one after another, in every table."""
    found = everything(log)
    assert found["head"].size == size == len(found["events"])
    again = MemoryLog(VIEWS, lambda: START)
    again.extend([REGISTRY.parse(data) for data in found["events"]], {})
    assert found == everything(again)


@pytest.mark.parametrize(("job", "first", "later"), [("once", "done", "repeated"), ("claim", "won", "lost")])
def test_what_all_ask_for_at_once_is_done_once(log, address, job, first, later):
    """Whether they look first or not: one does it, and everybody else is told of that one's event."""
    told = crowd(job, address)
    done = {number: seq for number, outcome, seq in told if outcome == first}
    assert Counter(outcome for _, outcome, _ in told) == {first: ROUNDS, later: len(told) - ROUNDS}
    assert sorted(done) == list(range(ROUNDS))
    assert sorted(done.values()) == list(range(ROUNDS))
    assert all(seq == done[number] for number, _, seq in told)
    assert log.read(lambda look: {n: look.claimed(f"once:{n}") for n in range(ROUNDS)}) == done
    whole(log, ROUNDS)


def test_a_condition_holds_whoever_moved_the_state(log, address):
    """Nobody decides on a state that another process has changed: the account ends at its limit, not one above."""
    limit = PROCESSES * THREADS * ROUNDS // 2
    told = crowd("spend", address, limit)
    assert Counter(outcome for _, outcome, _ in told) == {"spent": limit, "refused": len(told) - limit}
    assert sorted(seq for _, outcome, seq in told if outcome == "spent") == list(range(limit))
    assert {seq for _, outcome, seq in told if outcome == "refused"} == {limit - 1}
    assert log.read(lambda look: look.state("balance", "a")).state["sum"] == limit
    whole(log, limit)
