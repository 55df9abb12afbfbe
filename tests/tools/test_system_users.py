"""Who asks is known by the operating system: a process that runs as another user is another principal."""

import multiprocessing
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from decisions.appending import append_act
from decisions.operation import Operation
from decisions.record import DecisionPoint, Request
from grants import acts
from tools.demo.stage import ADA, Stage
from tools.home import Home
from tools.ledger import open_ledger

KEEPER, AGENT, STRANGER = 41_001, 41_002, 41_003

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can become other users")


@pytest.fixture
def kept(desk):
    """A ledger that belongs to a user of its own, in which a service and an agent are system users."""
    folder = Path(tempfile.mkdtemp(prefix="tally-users-"))
    folder.chmod(0o755)
    shutil.copytree(desk.ledger, folder / "ledger")
    ledger, signer = open_ledger(Home(folder / "ledger")), Stage(desk.folder).signer(ADA)

    def register(principal, uid, **more):
        draft = ledger.log.read(
            lambda s: acts.register_principal(s, by=ADA, principal=principal, name="x", owner=ADA, uid=uid, **more)
        ).sign(signer)
        ledger.log.transact(lambda tx: append_act(tx, ledger.registry, draft))

    register("service:hook", KEEPER)
    register("agent:own", AGENT)
    register("agent:late", None, through=["service:hook"])
    ledger.close()
    for path in (folder / "ledger", *(folder / "ledger").iterdir()):
        os.chown(path, KEEPER, KEEPER)
    yield folder / "ledger"
    shutil.rmtree(folder)


def judge(place, uid, claimed, answers):
    """Become another user, ask, and tell the answer."""
    os.setgid(uid)
    os.setuid(uid)
    try:
        ledger = open_ledger(Home(place))
        operation = Operation("typed", {"verb": "read", "target": "file:///srv/app/README"})
        answer = DecisionPoint(ledger.log, ledger.registry).decide(Request(operation, os.getuid(), claimed, "r-1"))
        answers.put((answer.outcome, answer.body.subject[0], answer.reason))
    except Exception as error:  # noqa: BLE001  (told to the test)
        answers.put(("error", type(error).__name__, str(error)))


def ask(place, uid, claimed=None):
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=judge, args=(place, uid, claimed, answers))
    process.start()
    told = answers.get(timeout=60)
    process.join(30)
    return told


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_service_that_keeps_the_ledger_speaks_for_the_agents_that_name_it(kept):
    assert ask(kept, KEEPER, "agent:late") == ("allow", "agent:late", "ALLOWED")
    outcome, subject, _ = ask(kept, KEEPER, "agent:own")
    assert (outcome, subject) == ("deny", "agent:own")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_other_users_can_not_even_open_the_ledger(kept):
    for uid in (AGENT, STRANGER):
        outcome, error, _ = ask(kept, uid, "agent:late")
        assert (outcome, error) == ("error", "StoreError")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_agent_with_a_system_user_of_its_own_is_known_by_it_where_it_may_write(kept):
    for path in (kept, *kept.iterdir()):
        path.chmod(0o777 if path.is_dir() else 0o666)
    assert ask(kept, AGENT) == ("allow", "agent:own", "ALLOWED")
    outcome, subject, _ = ask(kept, STRANGER, "agent:own")
    assert (outcome, subject) == ("deny", "agent:own")
