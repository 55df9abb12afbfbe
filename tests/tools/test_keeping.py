"""`tally checkpoint keep`: signs when something is new and due, outlives a busy database, and ends as it is told."""

import json
import signal
import subprocess
import threading

import pytest

from ledger.errors import CorruptError, StoreBusyError
from tools import checkpointing
from tools.errors import EvidenceError
from tools.home import Home
from tools.keeping import Keeper
from tools.ledger import open_ledger
from tools.settings import Cadence


class Watch:
    """A clock that is moved by hand."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def opened(ledger):
    found = open_ledger(Home(ledger))
    yield found
    found.close()


@pytest.fixture
def kept(opened):
    """A keeper with what it said."""
    signed, troubles, watch = [], [], Watch()
    keeper = Keeper(opened, Cadence(60, 3), lambda one: signed.append(one.checkpoint.size), troubles.append, watch)
    return keeper, signed, troubles, watch


def grow(tally, *names):
    for name in names:
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0


def test_nothing_new_is_never_signed(kept):
    keeper, signed, _, watch = kept
    for _ in range(5):
        keeper.look()
        watch.seconds += 1000
    keeper.look(last=True)
    assert signed == []


def test_first_look_signs_what_lay_there(tally, kept):
    grow(tally, "bo")
    kept[0].look()
    assert kept[1] == [4]


def test_time_makes_one_due(tally, kept):
    keeper, signed, _, watch = kept
    grow(tally, "bo")
    keeper.look()
    grow(tally, "cy")
    watch.seconds += 59
    keeper.look()
    assert signed == [4]
    watch.seconds += 1
    keeper.look()
    assert signed == [4, 5]


def test_events_make_one_due(tally, kept):
    keeper, signed, _, _ = kept
    grow(tally, "bo")
    keeper.look()
    grow(tally, "cy", "di")
    keeper.look()
    assert signed == [4]
    grow(tally, "ed")
    keeper.look()
    assert signed == [4, 7]


def test_one_that_somebody_else_signed_is_not_signed_again(tally, kept):
    grow(tally, "bo")
    assert tally("checkpoint").exit_code == 0
    kept[0].look()
    assert kept[1] == []


def test_last_look_leaves_nothing_unsigned(tally, kept):
    keeper, signed, _, _ = kept
    grow(tally, "bo")
    keeper.look()
    grow(tally, "cy")
    keeper.look(last=True)
    assert signed == [4, 5]


def test_busy_database_is_told_once_and_tried_again(tally, kept, monkeypatch):
    keeper, signed, troubles, _ = kept
    grow(tally, "bo")

    def busy(_ledger):
        raise StoreBusyError("another process is writing")

    with monkeypatch.context() as patched:
        patched.setattr(checkpointing, "make", busy)
        keeper.look()
        keeper.look()
    assert (signed, troubles) == ([], ["another process is writing"])
    keeper.look()
    assert signed == [4]


@pytest.mark.parametrize("error", [CorruptError("x"), EvidenceError("x")])
def test_evidence_ends_it(tally, kept, monkeypatch, error):
    grow(tally, "bo")

    def refuse(_ledger):
        raise error

    monkeypatch.setattr(checkpointing, "make", refuse)
    with pytest.raises(type(error)):
        kept[0].run(threading.Event())


def test_sigterm_ends_it_well_with_a_last_signature(tally, ledger, tally_program):
    """The whole command in a process of its own, as a supervisor runs it."""
    grow(tally, "bo")
    (ledger / "settings.toml").write_text("[checkpoint]\nseconds = 86400\n")
    words = [*tally_program, "--ledger", ledger, "checkpoint", "keep", "--events", "100", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        first = json.loads(process.stdout.readline())
        grow(tally, "cy")
        process.send_signal(signal.SIGTERM)
        rest, talk = process.communicate(timeout=60)
    assert (first["size"], [json.loads(line)["size"] for line in rest.splitlines()]) == (4, [5])
    assert process.returncode == 0
    assert "every 86400 s or 100 events" in talk
    assert talk.endswith("Stopped.\n")


def test_wrong_settings_keep_nothing(tally, ledger):
    (ledger / "settings.toml").write_text("[checkpoint]\nevery = 5\n")
    done = tally("checkpoint", "keep")
    assert (done.exit_code, "every" in done.error) == (1, True)
