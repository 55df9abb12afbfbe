"""A connection that is lost at any step: what was acknowledged stands once, and nothing stands twice or half."""

import secrets
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from ledger.errors import StoreError
from ledger.sql import loss
from ledger.sql.address import parse_url
from ledger.sql.driver import Driver
from ledger.sql.place import create_log, open_log
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, everything, moved
from tests.postgres import RUN, server


@pytest.fixture
def log(postgres, monkeypatch):
    monkeypatch.setattr(loss, "PAUSES", (0.0,) * 3)
    log = create_log(postgres.address(), VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 3, once="first"))
    yield log
    log.close()


class Cut:
    """Cuts a connection at one of its round trips: before it, or after it, when the answer is on its way."""

    def __init__(self, server, monkeypatch):
        self.server = server
        self.steps = 0
        self.disarm()
        self._wait = psycopg.Connection.wait
        # A function, which binds the connection as a method of this class would not.
        monkeypatch.setattr(psycopg.Connection, "wait", lambda *words, **more: self.wait(*words, **more))  # noqa: PLW0108

    def arm(self, at, *, after, always=False):
        """Cut the connection that makes this round trip, counted from now; or all that make one from there on."""
        self.at, self.after, self.always, self.steps, self.armed = at, after, always, 0, True

    def disarm(self):
        self.armed = False

    def wait(self, connection, *words, **more):
        if not self.armed:
            return self._wait(connection, *words, **more)
        self.steps += 1
        if self.steps < self.at or (self.steps > self.at and not self.always):
            return self._wait(connection, *words, **more)
        self.disarm()
        try:
            if self.after:
                self._wait(connection, *words, **more)
                connection.pgconn.finish()
                raise psycopg.OperationalError("the answer was lost")
            self.server.run("SELECT pg_terminate_backend(%s, 5000)", connection.info.backend_pid)
            return self._wait(connection, *words, **more)
        finally:
            # From here on counted, and cut again where all are to be.
            self.armed = True


@pytest.fixture
def cut(postgres, monkeypatch):
    return Cut(postgres, monkeypatch)


@pytest.mark.parametrize("after", [False, True])
def test_a_connection_lost_at_any_step_of_an_append(log, cut, after):
    """Each append is there once, whichever of its round trips was the last of its connection."""
    step = 0
    while True:
        step += 1
        cut.arm(step, after=after)
        first, second = append(log, moved("a", 1, once=f"k{step}", labels=("x",), note="n"), moved("b", 1))
        assert (first.seq, second.seq) == (2 * step - 1, 2 * step)
        if cut.steps < step:
            break
    # From BEGIN to COMMIT, each table on the way.
    assert step > 8
    cut.disarm()
    found = everything(log)
    assert found["head"].size == len(found["events"]) == 2 * step + 1
    assert {key: seq for key, seq in found["claims"].items() if key.startswith("once:k")} == {
        f"once:k{n}": 2 * n - 1 for n in range(1, step + 1)
    }
    states = {(row.view, row.key): row.state for row in found["states"]}
    assert (states["balance", "a"]["sum"], states["balance", "b"]["sum"]) == (3 + step, step)


@pytest.mark.parametrize("after", [False, True])
def test_a_closure_that_reads_may_lose_its_connection(log, cut, after):
    """What it read through a broken connection counts for nothing: it is run again."""
    runs = []

    def work(tx):
        runs.append(None)
        cut.arm(1, after=after) if len(runs) == 1 else None
        list(tx.tagged("account:a"))
        return tx.append(moved("a", 1)).seq

    assert log.transact(work) == 1
    assert len(runs) == 2
    cut.disarm()
    assert everything(log)["head"].size == 2


@pytest.mark.parametrize("after", [False, True])
def test_a_connection_lost_as_a_checkpoint_is_kept(log, cut, after):
    """It stands once, and the same again is no error."""
    step = 0
    while True:
        step += 1
        append(log, moved("a", 1))
        cut.arm(step, after=after)
        log.store_checkpoint(step + 1, b"note")
        log.store_cosignature(step + 1, "w+00000000", "line\n")
        if cut.steps < step:
            break
    assert step > 8
    cut.disarm()
    assert [size for size, _ in everything(log)["checkpoints"]] == list(range(2, step + 2))


@pytest.mark.parametrize("after", [False, True])
def test_a_connection_lost_as_a_log_is_loaded(log, postgres, cut, after):
    """Events that have their bytes already come in once."""
    for n in range(12):
        append(log, moved("a", 1, once=f"n{n}"))
    events = [REGISTRY.parse(data) for data in everything(log)["events"]]
    for step in (2, 4, 6, 8, 10):
        copy = create_log(postgres.address(), VIEWS, Clock(), registry=REGISTRY)
        cut.arm(step, after=after)
        assert copy.extend(events, {}).size == len(events)
        cut.disarm()
        assert everything(copy)["events"] == everything(log)["events"]
        copy.close()


def test_a_server_that_stays_away_is_one_error(log, cut):
    """The tries are bounded, and nothing was written."""
    cut.arm(1, after=False, always=True)
    with pytest.raises(StoreError, match="server"):
        append(log, moved("a", 1))
    cut.disarm()
    assert everything(log)["head"].size == 1


def test_a_commit_of_which_nobody_can_ask_is_said_to_be_in_doubt(log, cut, monkeypatch):
    """The answer to COMMIT was lost, and the server with it: whoever asked is told to look, or to ask again."""
    commit = Driver.commit

    def cut_off(driver):
        cut.arm(1, after=True, always=True)
        commit(driver)

    monkeypatch.setattr(Driver, "commit", cut_off)
    with pytest.raises(StoreError, match="look when it is back, or ask again with the same request id"):
        append(log, moved("a", 1, once="doubt"))
    monkeypatch.setattr(Driver, "commit", commit)
    cut.disarm()
    assert everything(log)["claims"]["once:doubt"] == 1


def test_idle_connections_that_the_server_closed_are_replaced(postgres):
    """Readers and the writer go on after every backend of theirs was ended; other tests' backends live on."""
    name = f"ended-{secrets.token_hex(6)}"
    address = parse_url(f"{postgres.url}&application_name={name}&schema=log_{secrets.token_hex(6)}")
    ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s"
    log = create_log(address, VIEWS, Clock(), registry=REGISTRY)
    try:
        append(log, moved("a", 3))
        log.read(lambda look: look.head)
        assert postgres.run(ended, name)
        assert log.read(lambda look: look.head.size) == 1
        assert postgres.run(ended, name)
        assert append(log, moved("a", 1))[0].seq == 1
    finally:
        log.close()


@pytest.mark.slow
def test_a_server_that_crashes_and_comes_back():
    """Between two appends and within one: what was acknowledged is there, and the log goes on."""
    with server(f"{RUN}-own") as own:
        log = create_log(own.address(), VIEWS, Clock(), registry=REGISTRY)
        append(log, moved("a", 1, once="before"))
        own.kill()
        own.start()
        append(log, moved("a", 1, once="between"))
        own.kill()
        with ThreadPoolExecutor(1) as pool:
            # A reader and a writer that come while it is away wait for it.
            back = pool.submit(own.start)
            assert log.read(lambda look: look.head.size) == 2
            back.result()

        runs = []

        def work(tx):
            runs.append(None)
            if len(runs) == 1:
                own.kill()
                own.start()
            return tx.append(moved("a", 1, once="within"))

        assert log.transact(work).seq == 2
        assert len(runs) == 2
        address = own.address()
        assert everything(log)["claims"] == {"once:before": 0, "once:between": 1, "once:within": 2}
        log.close()
        own.kill()
        with pytest.raises(StoreError, match="can't be reached: look whether it runs"):
            open_log(address, VIEWS, Clock())
