"""Many processes, one log; and processes that die."""

import subprocess
import sys
from pathlib import Path

from ledger import digest
from ledger.memory import MemoryLog
from ledger.sql.place import open_log
from tests.ledger.contract.sample import START, VIEWS, append, everything, moved
from tests.ledger.sql.both import BOTH

pytestmark = BOTH

ROOT = Path(__file__).parents[3]
WORKER = [sys.executable, "-m", "tests.ledger.sql.worker"]


def test_eight_processes_append_without_gap_or_loss(log, address):
    """Every event of every process is there once, in one row of numbers, under one root."""
    names = [f"agent:{n}" for n in range(8)]
    each = 15
    running = [subprocess.Popen([*WORKER, "append", str(address), name, str(each)], cwd=ROOT) for name in names]
    assert [process.wait(60) for process in running] == [0] * 8
    found = everything(log)
    assert found["head"].size == 8 * each == len(found["events"])
    assert {name: len(found["tags"][f"actor:{name}"]) for name in names} == dict.fromkeys(names, each)
    assert len(set(found["claims"].values())) == 8 * each
    assert log.read(lambda look: look.state("balance", "a")).state["sum"] == 8 * each
    peaks = log.read(lambda look: look.head.blake3_peaks)
    assert digest.root(8 * each, peaks) == found["root"]


def test_a_process_killed_at_any_statement_leaves_whole_transactions(log, address):
    """Two events or none, all of them or nothing; what was acknowledged is there."""
    append(log, moved("a", 1))
    log.close()
    steps = 40
    done = subprocess.run(
        [*WORKER, "crash", str(address), str(steps)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    size, acknowledgements = 1, []
    for number, line in enumerate(done.stdout.splitlines(), 1):
        step, acknowledged, now = map(int, line.split())
        assert step == number
        assert now - size in ({2} if acknowledged else {0, 2})
        size = now
        acknowledgements.append(acknowledged)
    # The steps reach from the first statement to beyond the commit.
    assert len(acknowledgements) == steps
    assert acknowledgements[0] == 0
    assert acknowledgements[-1] == 1

    log = open_log(address, VIEWS, lambda: START)
    append(log, moved("a", 1))
    found = everything(log)
    log.close()
    again = MemoryLog(VIEWS, lambda: START)
    append(again, moved("a", 1), *(moved("a", 1, labels=("l",)) for _ in range(size - 1)), moved("a", 1))
    assert found["head"].size == size + 1 == len(found["events"])
    assert found["tags"]["label:l"] == list(range(1, size))
    assert len(found["blake3"]) == len(everything(again)["blake3"])
    assert next(row.state["sum"] for row in found["states"] if row.view == "balance") == size + 1
