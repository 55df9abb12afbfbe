"""Deciding alone: an action is described, and the verdict is wanted; nothing is read or recorded.

Every engine has the same rules and the same requests, each in its own words and ready in its own form. Their answers
are compared before anything is measured. The engines take turns.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter_ns

from decisions import pdp
from decisions.constitution.model import Constitution
from decisions.verdict import Account, Case, Verdict
from tools.dev.bench import peers, policies
from tools.dev.bench.policies import PlainRule
from tools.dev.bench.sheet import CEDARPY, PYCASBIN, REGORUS, SQLITE, Sheet

TURNS = 5
ENGINES: dict[str, Callable[[list[PlainRule]], object]] = {
    CEDARPY: policies.cedar,
    REGORUS: policies.rego,
    PYCASBIN: lambda policy: {"model": policies.CASBIN, "rows": policies.casbin(policy)},
}


def verdict(size: int, which: str = "median") -> str:
    """Name the row of verdicts under so many rules."""
    return f"verdict under {size} rules, {which}"


def account(size: int) -> str:
    """Name the row of what a verdict rests on."""
    return f"verdict under {size} rules and all that it rests on, median"


def measure(sheet: Sheet, place: Path) -> None:
    """Measure the decision point beside its peers."""
    python = peers.prepare()
    asked = policies.requests()
    for size in policies.SIZES:
        policy = policies.rules(size)
        answers = [policies.expected(policy, request) for request in asked]
        law, cases = policies.constitution(policy), [policies.case(request) for request in asked]
        if [pdp.decide(law, [case], ()).outcome == "allow" for case in cases] != answers:
            raise SystemExit("our own answers are other ones")
        files = {}
        for engine, spell in ENGINES.items():
            files[engine] = place / f"{engine}-{size}.json"
            files[engine].write_text(json.dumps({"policy": spell(policy), "requests": asked, "answers": answers}))
        failed: set[str] = set()
        for _ in range(TURNS):
            _ours(sheet, size, law, cases)
            for engine in ENGINES.keys() - failed:
                if not _theirs(sheet, size, python, engine, files[engine]):
                    failed.add(engine)


def _ours(sheet: Sheet, size: int, law: Constitution, cases: Sequence[Case]) -> None:
    taken = _taken(lambda case: pdp.decide(law, [case], ()), cases)
    sheet.add(verdict(size), "us", SQLITE, taken[len(taken) // 2])
    sheet.add(verdict(size, "99th percentile"), "us", SQLITE, taken[len(taken) * 99 // 100])
    told = _taken(lambda case: _told(pdp.decide(law, [case], ())), cases)
    sheet.add(account(size), "us", SQLITE, told[len(told) // 2])


def _taken(work: Callable[[Case], object], cases: Sequence[Case]) -> list[float]:
    """Give the microseconds that each case takes, sorted, after a turn that warms the caches as every peer has one."""
    for case in cases:
        work(case)
    taken = []
    for case in cases:
        start = perf_counter_ns()
        work(case)
        taken.append((perf_counter_ns() - start) / 1000)
    return sorted(taken)


def _told(found: Verdict) -> Account:
    """Have everything told that a verdict rests on, down to each atom."""
    for spoken in found.account.spoken:
        _ = spoken.atoms
    return found.account


def _theirs(sheet: Sheet, size: int, python: Path, engine: str, file: Path) -> bool:
    script = peers.HERE / "policy_peer.py"
    words: list[str | Path] = [python, "-W", "error", script, engine, file]
    try:
        done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120, env=peers.environment())
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        said = str(error.stderr or error).strip().splitlines()
        sheet.notes.append(f"{engine}, {size} rules: NOT-RUN to its end: {said[-1] if said else error}")
        print(f"  {engine}: {error}", file=sys.stderr)
        return False
    found = json.loads(done.stdout)
    sheet.add(verdict(size), "us", engine, found["median"])
    sheet.add(verdict(size, "99th percentile"), "us", engine, found["p99"])
    return True
