"""Appends, audits and rebuilds a log of so many full events, and tells how much memory that took at most.

    python -m tests.tools.audit.weighing FILE EVENTS

The last line is JSON: the peak resident set of this process in MiB, after each of the three.
"""

import json
import resource
import sys
from pathlib import Path

from ledger.sql.place import open_log
from ledger.sql.rebuild import rebuild
from tools.audit.run import audit
from tools.dev.bench.auditing import TABLES
from tools.dev.bench.logs import append_booked, full_log
from tools.dev.bench.sample import REGISTRY, VIEWS, clock

BATCH = 500


def peak() -> float:
    """Give the most memory that this program has held so far, in MiB.

    What getrusage tells counts what the process held that became this program, where the kernel tells it better.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(file: Path, size: int) -> dict[str, float]:
    """Do all of it."""
    told = {}
    log = full_log(file)
    for start in range(0, size, BATCH):
        append_booked(log, start, min(BATCH, size - start))
    log.close()
    told["append"] = peak()
    # Nobody opened this log, and nobody signs in it; but no row of it may be wrong.
    report = audit(file, REGISTRY, VIEWS, lambda _states, _event: None, jobs=1)
    assert not [finding for finding in report.findings if finding.table in TABLES]
    told["audit"] = peak()
    log = open_log(file, VIEWS, clock, registry=REGISTRY)
    assert log.read(lambda look: look.head.size) == size
    rebuild(log.engine, REGISTRY, VIEWS)
    log.close()
    told["rebuild"] = peak()
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]))) + "\n")
