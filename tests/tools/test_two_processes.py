"""What one process takes back, another does not see any more; what two report at once counts once."""

import multiprocessing
import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from decisions.appending import append_act
from decisions.law import law_in_force
from decisions.observe import Seen, observe, prepare_observation
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants import acts
from grants.errors import IssueError
from grants.standing import StandingTerms
from ledger.errors import ClaimTakenError
from ledger.instant import later
from tests.assurance import WHOLE
from tools.demo.stage import ADA, OPS, SENSOR, Stage
from tools.home import Home
from tools.ledger import open_ledger

TARGET = "db://prod/users/7"
WORK = "db://shop/orders/**"
ROUNDS = 1000 if WHOLE else 12


def judge(folder: str, orders, verb: str = "delete", target: str = TARGET) -> None:
    """Decide the operation again for every order, as a process with a ledger of its own open, until told to end."""
    ledger = open_ledger(Home(Path(folder) / "ledger"))
    point = DecisionPoint(ledger.log, ledger.registry)
    operation = Operation("typed", {"verb": verb, "target": target})
    while (request := orders.recv()) is not None:
        answer = point.decide(Request(operation, os.getuid(), OPS, request))
        orders.send((answer.outcome, answer.reason, answer.request, answer.decision))
    ledger.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request, desk):
    """The desk, with its log in a database of each kind."""
    if request.param == "postgresql":
        address = request.getfixturevalue("postgres").address()
        for words in (("copy", desk.ledger, address), ("db", "use", address)):
            done = desk.run(*words)
            assert done.exit_code == 0, done.stderr
        (desk.ledger / "ledger.db").unlink(missing_ok=True)
    return desk


@contextmanager
def two(desk, *operation):
    """Give this process's ledger, a way to act on it by signature, and a way to ask the other process."""
    ledger, signer = open_ledger(Home(desk.ledger)), Stage(desk.folder).signer(ADA)
    ours, theirs = multiprocessing.Pipe()
    arguments = (str(desk.folder), theirs, *operation)
    other = multiprocessing.get_context("spawn").Process(target=judge, args=arguments)
    other.start()

    def ask(request):
        ours.send(request)
        return ours.recv()

    def act(prepare):
        draft = ledger.log.read(prepare).sign(signer)
        return ledger.log.transact(lambda tx: append_act(tx, ledger.registry, draft))

    try:
        yield ledger, act, ask
        ours.send(None)
        other.join(30)
    finally:
        other.kill()
        ledger.close()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_revocation_in_one_process_is_seen_by_the_next_decision_of_another(shared):
    """Case C11."""
    with two(shared) as (ledger, act, ask):
        for turn in range(ROUNDS):
            outcome, _, request, _ = ask(f"ask-{turn}")
            assert outcome == "hold"
            expires = later(ledger.now(), 3600 * 1_000_000)
            grant = act(
                lambda s, request=request, expires=expires: acts.grant_request(
                    s, ledger.registry, by=ADA, request=request, expires=expires, reason="round"
                )
            ).body.grant
            act(lambda s, grant=grant: acts.revoke_consent(s, ledger.registry, by=ADA, grant=grant, reason="no"))
            outcome, reason, _, decision = ask(f"try-{turn}")
            assert (outcome, reason) == ("hold", "CONSENT_REVOKED")
            assert decision >= ledger.log.read(lambda s: s.tagged(f"grant:{grant}")[-1])  # noqa: B023  (run at once)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_what_a_process_has_just_decided_by_is_not_believed_after_its_revocation(shared):
    """The other process holds the standing grant's state in memory, and drops it with the head that moved."""
    facts = {"environment": "staging", "reversibility": "recoverable", "about_people": False}
    facts |= {"sensitivity": "internal", "asset": "business_record"}
    terms = StandingTerms(OPS, ("data",), ("update",), WORK, 'environment == "staging"')
    with two(shared, "update", "db://shop/orders/7") as (ledger, act, ask):
        act(lambda s: acts.register_resource(s, by=ADA, resource=WORK, attributes=facts))
        law = ledger.log.read(lambda s: law_in_force(s, ledger.registry))
        for turn in range(ROUNDS):
            grant = act(lambda s: acts.ratify_grant(s, law.vocabulary, by=ADA, terms=terms, reason="daily")).body.grant
            assert ask(f"before-{turn}")[0] == "allow"
            act(lambda s, grant=grant: acts.revoke_grant(s, by=ADA, grant=grant, reason="over"))
            assert ask(f"after-{turn}")[0] != "allow"


def report(folder: str, worker: int) -> str:
    """Report the same interaction as everybody else, and tell what came of it."""
    ledger = open_ledger(Home(Path(folder) / "ledger"))
    signer = Stage(Path(folder)).signer(SENSOR)
    seen = Seen(OPS, ADA, "library", "the-same", True, 10**15 - worker, ledger.now())
    try:
        draft = ledger.log.read(lambda s: prepare_observation(s, by=SENSOR, seen=seen)).sign(signer)
        found = ledger.log.transact(lambda tx: observe(tx, ledger.registry, draft))
    except (ClaimTakenError, IssueError) as error:
        return "taken" if "interaction" in str(error) else str(error)
    finally:
        ledger.close()
    return "repeated" if found.repeated else "counted"


@pytest.mark.slow
def test_interaction_that_four_processes_report_at_once_counts_once(shared):
    """Case I05."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        told = pool.starmap(report, [(str(shared.folder), worker) for worker in range(4)], chunksize=1)
    assert sorted(set(told) - {"repeated", "taken"}) == ["counted"]
    assert told.count("counted") == 1
    (row,) = [one for one in shared.run("trust", "show", "--json").objects if one["domain"] == "library"]
    assert row["n"] == 1
