"""Memory does not grow with the log: to append, audit and rebuild takes no more in a log of several times the size.

``TALLY_ASSURANCE=1`` takes logs of 20,000 and 200,000 full events.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assurance import WHOLE

ROOT = Path(__file__).parents[3]
SMALL, LARGE = (20_000, 200_000) if WHOLE else (2_000, 12_000)
GROWTH, MOST = (40 if WHOLE else 12), 300
"""In MiB: found is what keeps 1,300 bytes of each event; where all is run, 250."""


def peaks(file, size):
    """Do it in a process of its own: what a process once held counts to its end."""
    command = [sys.executable, "-W", "error", "-m", "tests.tools.audit.weighing", str(file), str(size)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.timeout(3600)
def test_memory_does_not_grow_with_the_log(tmp_path, record_property):
    small, large = peaks(tmp_path / "small.db", SMALL), peaks(tmp_path / "large.db", LARGE)
    record_property("peaks in MiB", f"{SMALL}: {small}, {LARGE}: {large}")
    for stage, most in large.items():
        assert most - small[stage] < GROWTH, (stage, small, large)
        assert most < MOST, (stage, large)
