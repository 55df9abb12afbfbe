"""`tally outcome`: reported once, shown, and listed where it is missing."""

import pytest

from decisions.operation import Operation
from decisions.pep import Kept
from tools.spool import FileSpool

ROW = ("--sql", "DELETE FROM users WHERE id = 42", "--database", "prod")


@pytest.fixture
def allowed(desk):
    """A decision that used up a consent."""
    held = desk.decide("r1", *ROW).object["request"]
    assert desk.sign("grant", "issue", held, "--for", "1h", "--reason", "seen").exit_code == 0
    return desk.decide("r2", *ROW).object["decision"]


def test_what_nobody_told_is_listed_until_it_is_reported(desk, allowed):
    (listed,) = desk.run("outcome", "list", "--json").objects
    assert (listed["decision"], listed["by"], listed["via"]) == (allowed, "agent:ops-7", "service:gateway")
    assert listed["spent"] == [allowed + 1]
    assert str(allowed) in desk.run("outcome", "list").stdout
    done = desk.run("outcome", "report", allowed, "done", "--note", "1 row", "--json")
    assert (done.exit_code, done.object["outcome"], done.object["repeated"]) == (0, "done", False)
    assert desk.run("outcome", "list", "--json").objects == []
    assert "Every allowed decision" in desk.run("outcome", "list").stdout


def test_it_is_shown_with_its_note(desk, allowed):
    event = desk.run("outcome", "report", allowed, "failed", "--note", "1 row", "--json").object["event"]
    shown = desk.run("outcome", "show", allowed, "--json").object
    assert (shown["event"], shown["outcome"], shown["note"]) == (event, "failed", "1 row")
    assert shown["spent"] == [allowed + 1]
    assert "Note: 1 row" in desk.run("outcome", "show", allowed).stdout


def test_one_decision_has_one_outcome(desk, allowed):
    first = desk.run("outcome", "report", allowed, "unknown", "--json").object
    again = desk.run("outcome", "report", allowed, "unknown", "--json").object
    assert (again["event"], again["repeated"]) == (first["event"], True)
    other = desk.run("outcome", "report", allowed, "done")
    assert (other.exit_code, "was reported unknown" in other.error) == (1, True)


@pytest.mark.parametrize("words", [("report", 0, "done"), ("report", 10**9, "done"), ("show", 0), ("show", 10**9)])
def test_what_is_no_decision_has_none(desk, words):
    ran = desk.run("outcome", *words)
    assert ran.exit_code == 1
    assert ran.error


@pytest.mark.parametrize("words", ["report x done", "report -1 done", "report 5 perhaps", "show"])
def test_a_slip_of_the_keyboard_is_said(desk, words):
    assert desk.run("outcome", *words.split()).exit_code == 2


def test_it_rebuilds_audits_replays_and_is_proven(desk, allowed, tmp_path):
    event = desk.run("outcome", "report", allowed, "done", "--json").object["event"]
    assert desk.run("rebuild").exit_code == 0
    assert desk.run("audit").exit_code == 0
    assert desk.run("replay").exit_code == 0
    proven = desk.run("prove", event, "--output", tmp_path / "bundle")
    assert proven.exit_code == 0, proven.stderr
    assert b"outcome.reported" in (tmp_path / "bundle").read_bytes()


def test_what_was_kept_is_recorded_when_the_ledger_is_back(desk, allowed):
    spool = FileSpool(desk.ledger / "spool")
    spool.keep(Kept("outcome", claimed="agent:ops-7", decision=allowed, outcome="failed"))
    reply = Operation("conversation", {"class": "referral", "person": "reader-31"}, (), "library")
    spool.keep(Kept("said", claimed="agent:companion", operation=reply))
    assert desk.run("outcome", "recover", "--json").object == {"recorded": 2, "left": 0}
    assert desk.run("outcome", "recover", "--json").object == {"recorded": 0, "left": 0}
    assert desk.run("outcome", "show", allowed, "--json").object["outcome"] == "failed"
    said = desk.run("outcome", "show", desk.size() - 2, "--json").object
    assert (said["outcome"], said["by"]) == ("done", "agent:companion")
    assert said["note"].startswith("the fixed words were said without a verdict, at 2")


def test_what_another_user_kept_is_left_to_that_user(desk):
    spool = FileSpool(desk.ledger / "spool")
    spool.keep(Kept("outcome", decision=0))
    denied = desk.run("decide", "--as", "agent:nobody", "--shell", "ls", "--json").object["decision"]
    spool.keep(Kept("outcome", decision=denied))
    allowed = desk.decide("r1", "--shell", "rm tests/fixtures/a.json", "--cwd", "/srv/app").object["decision"]
    spool.keep(Kept("outcome", decision=allowed))
    assert desk.run("outcome", "recover", "--json").object == {"recorded": 1, "left": 2}
    assert desk.run("outcome", "show", allowed).exit_code == 0


def test_what_the_ledger_knows_better_is_forgotten(desk, allowed):
    spool = FileSpool(desk.ledger / "spool")
    spool.keep(Kept("outcome", decision=allowed, outcome="done"))
    desk.run("outcome", "report", allowed, "failed")
    assert desk.run("outcome", "recover", "--json").object == {"recorded": 1, "left": 0}
    assert desk.run("outcome", "show", allowed, "--json").object["outcome"] == "failed"
