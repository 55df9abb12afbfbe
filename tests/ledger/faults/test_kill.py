"""kill -9 at any statement, within one, or at any moment: what was acknowledged is there once, nothing is half there.

``TALLY_ASSURANCE=1`` makes it a thousand runs over both databases.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assurance import WHOLE
from tests.ledger.contract.sample import append, moved
from tests.ledger.faults.killing import open_at

ROOT = Path(__file__).parents[3]
RUNS = 500 if WHOLE else 30


def kill(address, seed):
    """Run the harness in a process of its own, which forks its children from a quiet state."""
    command = [sys.executable, "-W", "error", "-m", "tests.ledger.faults.killing", str(address), str(RUNS), str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.timeout(1800)
def test_whoever_is_killed_leaves_whole_transactions(address, audited, record_property):
    """By the log's own account, and by an audit of every row."""
    told = kill(address, 1)
    record_property("runs", told["runs"])
    record_property("commits whose answer was lost with the process", told["unanswered"])
    assert told["runs"] == RUNS
    # It died at the beginning, in the middle and at the end: the harness would be blunt otherwise.
    assert any(way.endswith(" 0 acknowledged") for way in told["ways"])
    assert any(way.endswith(f" {n} acknowledged") for way in told["ways"] for n in (1, 2, 3))
    audited(address)
    log = open_at(address)
    assert append(log, moved("a", 1, once="after"))[0].seq == told["size"]
    log.close()
