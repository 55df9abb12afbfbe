"""Deciding: reading a shell line, a whole recorded decision on a ledger on disk, and a command from its cold start."""

import os
import statistics
import subprocess
import sys
import threading
from itertools import count
from pathlib import Path
from time import perf_counter, perf_counter_ns

from decisions.appending import append_act
from decisions.constitution import DEFAULT_TEXT
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from decisions.reducers import reduce_operation
from grants import acts
from grants.issue import Prepared
from grants.signer import FileSigner, generate
from ledger.log import Snapshot
from tools.dev.bench.sheet import SQLITE, Sheet, rate
from tools.founding import Founding, found
from tools.home import Home
from tools.ledger import OpenLedger, open_ledger

LINE = "cd /srv/app && git status && rm -rf build/*.tmp && pytest -q tests | tee out.txt"
SHELL = {"command": LINE, "cwd": "/srv"}
EVERYDAY = (
    "ls -la", "git status", "rm -rf build", "cat README.md", "grep -rn foo src", "pytest -q tests", "cp a b",
    "mkdir -p x/y", "git commit -m 'x y'", "find . -name '*.py' -delete", "curl -o x https://example.org/a",
    "kubectl get pods", "pip install requests", "echo hi > out.txt", "sed -i s/a/b/ notes.txt", "tar -xf a.tar",
)  # fmt: skip
HUMAN = "human:bench"
FIXTURES = "file:///srv/app/tests/**"
FACTS: dict[str, str | bool | int | None] = {
    "environment": "test",
    "asset": "test_fixture",
    "sensitivity": "internal",
    "reversibility": "recoverable",
    "about_people": False,
}


REDUCE = "shell line of four commands reduced"
COMMANDS = "shell commands of every day reduced, each, median"
SLOWEST = "shell command of every day that takes longest reduced"
DECIDE = "operation decided and recorded, durable"
THREADS = 16
TOGETHER = f"operation decided and recorded, durable, {THREADS} threads"
TOGETHER_SHELL = f"operation decided and recorded, durable, {THREADS} threads, each a shell line"
COLD = "cold start: tally decide, the whole process"
TURNS = 5
EACH = 50


def measure(sheet: Sheet, place: Path) -> None:
    """Measure the reducer alone, whole decisions, and a command."""
    ledger = _ledger(place)
    point = DecisionPoint(ledger.log, ledger.registry)
    numbers = count()

    def shell() -> Request:
        return _asked("shell", {"command": f"rm -rf /srv/app/tests/out{next(numbers)}", "cwd": "/srv/app"})

    def typed() -> Request:
        return _asked("typed", {"verb": "read", "target": f"file:///srv/app/tests/out{next(numbers)}"})

    for ask in (shell, typed):
        answer = point.decide(ask())
        if answer.outcome != "allow":
            raise SystemExit(f"the benchmark's operation is not allowed: {answer.reason} {answer.trouble}")
    for _ in range(TURNS):
        reduced = rate(300, lambda: [reduce_operation("shell", SHELL, home="/home/x") for _ in range(300)])
        sheet.add(REDUCE, "lines/s", SQLITE, reduced)
        _everyday(sheet)
        sheet.add(DECIDE, "decisions/s", SQLITE, rate(100, lambda: [point.decide(shell()) for _ in range(100)]))
        for row, ask in ((TOGETHER, typed), (TOGETHER_SHELL, shell)):
            sheet.add(row, "decisions/s", SQLITE, _together(point, [ask() for _ in range(THREADS * EACH)]))
    ledger.close()
    _cold(place / "ledger")
    for _ in range(TURNS):
        sheet.add(COLD, "ms", SQLITE, _cold(place / "ledger"))


def _asked(form: str, payload: dict[str, str]) -> Request:
    return Request(Operation(form, dict(payload)), os.getuid(), None)


def _everyday(sheet: Sheet) -> None:
    taken = {}
    for number, command in enumerate(EVERYDAY):
        each = []
        for turn in range(60):
            # Another directory each time, so that no path was read before.
            payload = {"command": command, "cwd": f"/srv/app{number}/{turn}"}
            begun = perf_counter_ns()
            reduce_operation("shell", payload, home="/home/x")
            each.append((perf_counter_ns() - begun) / 1000)
        taken[command] = statistics.median(each)
    sheet.add(COMMANDS, "us", SQLITE, statistics.median(taken.values()))
    sheet.add(SLOWEST, "us", SQLITE, max(taken.values()))


def _together(point: DecisionPoint, requests: list[Request]) -> float:
    """Decide them all, each thread its share, and give how many a second."""
    wrong: list[str] = []

    def work(mine: list[Request]) -> None:
        wrong.extend(answer.reason for one in mine if (answer := point.decide(one)).outcome != "allow")

    threads = [threading.Thread(target=work, args=(requests[at::THREADS],)) for at in range(THREADS)]
    begun = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = perf_counter() - begun
    if wrong:
        raise SystemExit(f"the benchmark's operations are not allowed: {wrong[0]}")
    return len(requests) / taken


def _cold(ledger: Path) -> float:
    """Give the milliseconds that a command takes from start to end; its bytecode is on disk, as after a first run."""
    words = ["-c", "from tools.cli import main; main()", "--ledger", str(ledger), "decide", "--shell", "ls -la"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun = perf_counter()
    subprocess.run([sys.executable, *words], check=False, capture_output=True, env=environment)
    return (perf_counter() - begun) * 1000


def made(place: Path) -> tuple[OpenLedger, FileSigner]:
    """Make a ledger with its first human, and give who signs for that human."""
    key = place / "key"
    public = generate(key, "bench")
    signer = FileSigner.load(key, lambda: b"")
    founding = Founding("bench.example/log", HUMAN, public, "Bench", os.getuid(), DEFAULT_TEXT)
    found(Home(place / "ledger"), founding, lambda prepared: prepared.sign(signer))
    return open_ledger(Home(place / "ledger")), signer


def _ledger(place: Path) -> OpenLedger:
    ledger, signer = made(place)

    def register(snapshot: Snapshot) -> Prepared:
        return acts.register_resource(snapshot, by=HUMAN, resource=FIXTURES, attributes=FACTS)

    draft = ledger.log.read(register).sign(signer)
    ledger.log.transact(lambda tx: append_act(tx, ledger.registry, draft))
    return ledger
