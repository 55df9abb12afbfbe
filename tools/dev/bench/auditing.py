"""Auditing and rebuilding a log of full events: a claim, three tags and a changed state each."""

import os
from pathlib import Path

from ledger import mmr
from ledger.event import Event
from ledger.sql.place import open_log
from ledger.sql.raw import open_raw
from ledger.sql.rebuild import rebuild
from tools.audit.fold import FoldedStates
from tools.audit.grown import grown
from tools.audit.ranged import spans, stored_peaks
from tools.audit.run import audit
from tools.dev.bench.logs import append_booked, full_log
from tools.dev.bench.sample import REGISTRY, VIEWS, clock
from tools.dev.bench.sheet import SQLITE, Sheet, rate

TREES = "audit, the trees, one core"
WHOLE = "audit, everything, one core"
ALL_CORES = f"audit, everything, {os.cpu_count()} cores"
REBUILD = "rebuild the views"
TURNS = 3
BATCH = 5000
TABLES = {"events", "nodes", "claims", "tags", "states", "head"}


def measure(sheet: Sheet, place: Path, size: int) -> None:
    """Measure over a log of so many full events."""
    file = place / "audited.db"
    log = full_log(file)
    for start in range(0, size, BATCH):
        append_booked(log, start, min(BATCH, size - start))
    log.close()
    for _ in range(TURNS):
        sheet.add(TREES, "events/s", SQLITE, rate(size, lambda: _trees(file, size)))
        sheet.add(WHOLE, "events/s", SQLITE, rate(size, lambda: _audit(file, 1)))
    sheet.add(ALL_CORES, "events/s", SQLITE, rate(size, lambda: _audit(file, os.cpu_count() or 1)))
    log = open_log(file, VIEWS, clock, registry=REGISTRY)
    for _ in range(TURNS):
        sheet.add(REBUILD, "events/s", SQLITE, rate(size, lambda: rebuild(log.engine, REGISTRY, VIEWS)))
    log.close()


def _trees(file: Path, size: int) -> None:
    """Do what the audit does first: read events and nodes, and grow both trees from the events."""
    with open_raw(file) as raw:
        for span in spans(0, size, ()):
            base = stored_peaks(raw.strict, span.start)
            events = raw.strict.events(span.start, span.stop)
            nodes = raw.strict.nodes(mmr.size(span.start), mmr.size(span.stop))
            if base is None or grown(span.start, base, events, nodes, ()) is None:
                raise AssertionError("the benchmark's own log is damaged")


def _audit(file: Path, jobs: int) -> None:
    report = audit(file, REGISTRY, VIEWS, _nobody_signs, jobs=jobs)
    # Nobody opened this log, so an audit misses the first event's authority; but no row of it may be wrong.
    strange = [finding for finding in report.findings if finding.table in TABLES]
    if strange:
        raise AssertionError(f"the benchmark's own log is damaged: {strange[0]}")


def _nobody_signs(_states: FoldedStates, _event: Event) -> None:
    """The benchmark's events carry no signatures: what an audit of signed events takes besides is OpenSSL's."""
