"""Deciding: reading a shell line, and a whole recorded decision on a ledger on disk."""

import os
from pathlib import Path

from decisions.constitution import DEFAULT_TEXT
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from decisions.reducers import reduce_operation
from grants import acts
from grants.issue import Prepared, append_signed
from grants.signer import FileSigner, generate
from ledger.log import Snapshot
from tools.dev.bench.sheet import SQLITE, Sheet, rate
from tools.founding import Founding, found
from tools.home import Home
from tools.ledger import OpenLedger, open_ledger

LINE = "cd /srv/app && git status && rm -rf build/*.tmp && pytest -q tests | tee out.txt"
SHELL = {"command": LINE, "cwd": "/srv"}
FIXTURES = "file:///srv/app/tests/**"
FACTS: dict[str, str | bool | int | None] = {
    "environment": "test",
    "asset": "test_fixture",
    "sensitivity": "internal",
    "reversibility": "recoverable",
    "about_people": False,
}


REDUCE = "shell line of four commands reduced"
DECIDE = "operation decided and recorded, durable"
TURNS = 5


def measure(sheet: Sheet, place: Path) -> None:
    """Measure the reducer alone, and a whole decision."""
    ledger = _ledger(place)
    point = DecisionPoint(ledger.log, ledger.registry)
    operation = Operation("shell", {"command": "rm -rf /srv/app/tests/out", "cwd": "/srv/app"})
    request = Request(operation, os.getuid(), None)
    for _ in range(TURNS):
        reduced = rate(300, lambda: [reduce_operation("shell", SHELL, home="/home/x") for _ in range(300)])
        sheet.add(REDUCE, "lines/s", SQLITE, reduced)
        sheet.add(DECIDE, "decisions/s", SQLITE, rate(100, lambda: [point.decide(request) for _ in range(100)]))
    answer = point.decide(request)
    if answer.outcome != "allow":
        raise SystemExit(f"the benchmark's operation is not allowed: {answer.reason}")
    ledger.close()


def _ledger(place: Path) -> OpenLedger:
    key = place / "key"
    public = generate(key, "bench")
    signer = FileSigner.load(key, lambda: b"")
    founding = Founding("bench.example/log", "human:bench", public, "Bench", os.getuid(), DEFAULT_TEXT)
    found(Home(place / "ledger"), founding, lambda prepared: prepared.sign(signer))
    ledger = open_ledger(Home(place / "ledger"))

    def register(snapshot: Snapshot) -> Prepared:
        return acts.register_resource(snapshot, by="human:bench", resource=FIXTURES, attributes=FACTS)

    draft = ledger.log.read(register).sign(signer)
    ledger.log.transact(lambda tx: append_signed(tx, draft))
    return ledger
