"""Policy case D01: whatever asks at the same time, a consent of one use allows once."""

import multiprocessing
import os
from pathlib import Path

import pytest

from decisions.appending import append_act
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants import acts
from ledger.instant import later
from tools.demo.stage import ADA, OPS, Stage
from tools.home import Home
from tools.ledger import open_ledger

PROCESSES = 16
GRANTS = 300
DAY = 24 * 3600 * 1_000_000


def operation(row: int) -> Operation:
    return Operation("typed", {"verb": "delete", "target": f"db://prod/users/{row}"})


def ask_for_all(folder: str, worker: int, rows: int) -> list[tuple[int, str, str, int | None]]:
    """Ask once for each row, starting at a place of one's own, so that the workers keep meeting."""
    ledger = open_ledger(Home(Path(folder) / "ledger"))
    try:
        point = DecisionPoint(ledger.log, ledger.registry)
        answers = []
        for step in range(rows):
            row = (step + worker) % rows
            answer = point.decide(Request(operation(row), os.getuid(), OPS, f"w{worker}-{row}"))
            while answer.decision is None:  # sixteen writers on a slow disk may wait longer than one is patient
                answer = point.decide(Request(operation(row), os.getuid(), OPS, f"w{worker}-{row}"))
            answers.append((row, answer.outcome, answer.reason, answer.decision))
        return answers
    finally:
        ledger.close()


def foreseen(stage: Stage, rows: int) -> None:
    """Give one consent of one use for each row, in one transaction."""
    from grants.consent import Terms, Wanted

    ledger = stage.ledger
    expires = later(ledger.now(), 30 * DAY)
    signer = stage.signer(ADA)

    def prepare(snapshot, row):
        target = f"db://prod/users/{row}"
        return acts.grant_terms(
            snapshot,
            by=ADA,
            terms=Terms(ledger.origin, (OPS,), "", operation(row).content),
            wanted=(Wanted("data", "delete", target, 1),),
            reason="race",
            expires=expires,
        )

    drafts = ledger.log.read(lambda snapshot: [prepare(snapshot, row).sign(signer) for row in range(rows)])
    ledger.log.transact(lambda tx: [append_act(tx, ledger.registry, draft) for draft in drafts])


@pytest.mark.slow
def test_16_processes_and_300_grants_give_300_consumptions(desk):
    stage = Stage(desk.folder)
    foreseen(stage, GRANTS)
    stage.close()
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        work = [(str(desk.folder), worker, GRANTS) for worker in range(PROCESSES)]
        found = [answer for answers in pool.starmap(ask_for_all, work, chunksize=1) for answer in answers]
    allowed = [row for row, outcome, _, _ in found if outcome == "allow"]
    assert sorted(allowed) == list(range(GRANTS))
    refused = {reason for _, outcome, reason, _ in found if outcome != "allow"}
    assert refused == {"CONSENT_CONSUMED"}
    assert len({decision for *_, decision in found}) == PROCESSES * GRANTS
    consumptions = desk.run("log", "show", "--type", "consent.consumed", "--limit", "1000", "--json").objects
    assert len(consumptions) == GRANTS


def test_threads_of_one_process_that_race_for_one_grant(desk):
    from concurrent.futures import ThreadPoolExecutor

    stage = Stage(desk.folder)
    foreseen(stage, 1)
    point = DecisionPoint(stage.ledger.log, stage.ledger.registry)
    with ThreadPoolExecutor(8) as pool:
        asked = [Request(operation(0), os.getuid(), OPS, f"t{number}") for number in range(8)]
        outcomes = sorted(answer.outcome for answer in pool.map(point.decide, asked))
    stage.close()
    assert outcomes == ["allow", *["hold"] * 7]
