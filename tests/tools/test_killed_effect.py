"""Policy case D03: whoever is killed between the reservation and the end of the effect has spent the consent."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = ("--verb", "delete", "--target", "db://prod/users/42")
WORKER = """
import os, signal, sys
from pathlib import Path
from decisions.operation import Operation
from decisions.pep import EnforcementPoint
from tools.deciding import decision_point
from tools.home import Home
from tools.ledger import open_ledger

where, ledger = sys.argv[1], open_ledger(Home(Path(sys.argv[2])))
asked = decision_point(ledger.log, ledger.registry, os.getuid())
point = EnforcementPoint(asked, uid=os.getuid(), claimed="agent:ops-7")
killed = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
operation = Operation("typed", {"verb": "delete", "target": "db://prod/users/42"})
permit = point.ask(operation, request="r-2")
if where == "before the effect":
    killed()
with permit:
    if where == "in the effect":
        killed()
    point._report = permit._report = killed
"""


@pytest.mark.parametrize("where", ["before the effect", "in the effect", "before it is reported"])
def test_a_consent_is_spent_and_the_decision_stays_open_until_it_is_unknown(desk, where):
    held = desk.decide("r-1", *ROW).object["request"]
    assert desk.sign("grant", "issue", held, "--for", "1h", "--reason", "seen").exit_code == 0
    words = [sys.executable, "-c", WORKER, where, str(desk.ledger)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    assert done.returncode == -9, done.stderr
    (left,) = desk.run("outcome", "list", "--json").objects
    assert (left["request"], len(left["spent"])) == ("r-2", 1)
    again = desk.decide("r-3", *ROW).object
    assert (again["outcome"], again["reason"]) == ("hold", "CONSENT_CONSUMED")
    assert desk.run("outcome", "report", left["decision"], "unknown").exit_code == 0
    assert desk.run("outcome", "list", "--json").objects == []
    assert desk.decide("r-4", *ROW).object["outcome"] == "hold"
