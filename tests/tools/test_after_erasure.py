"""What an erasure leaves: nothing in any file, every proof, and answers that say what can't be known any more."""

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import Final

import click.testing
import pytest

from decisions.constitution import DEFAULT_TEXT
from tools.cli import replay as module
from verify.cli import cli

MARK = "MARKED-3f9a"
ROW = ("--sql", f"DELETE FROM users WHERE id = 42 /* {MARK}-operation */", "--database", "prod")
BASIS = ("--basis", "gdpr-art-17-1-d")


@pytest.fixture
def lived(desk):
    """A ledger in which everything disclosable bears a mark, and the decision that a consent allowed."""
    held = desk.decide("r-1", *ROW).object
    assert held["outcome"] == "hold"
    desk.decide("r-2", *ROW)
    desk.sign("grant", "issue", held["request"], "--for", "2h", "--reason", f"{MARK}-consent")
    allowed = desk.decide("r-3", *ROW).object
    assert allowed["outcome"] == "allow", allowed
    desk.decide("r-4", "--tool-call", "-", stdin=json.dumps({MARK: 1}))
    desk.decide("r-5", "--shell", f"rm 'tests/fixtures/a.json' # {MARK}-comment", "--cwd", "/srv/app")
    work = ("--subject", "agent:ops-7", "--kind", "data", "--verb", "update", "--targets", "db://shop/orders/**")
    standing = desk.sign(
        *("grant", "ratify", *work, "--when", 'environment == "test"', "--reason", f"{MARK}-standing", "--json")
    )
    assert standing.exit_code == 0, standing.stderr
    desk.sign("grant", "revoke", standing.object["grant"], "--reason", f"{MARK}-revoked")
    desk.sign("principal", "add", "agent:z9", "--name", f"{MARK}-name", "--owner", "human:ada")
    desk.sign("principal", "suspend", "agent:z9", "--reason", f"{MARK}-suspended")
    hold = desk.sign("hold", "place", "--over", "event:1", "--reason", f"{MARK}-hold", "--json").object["hold"]
    desk.sign("hold", "release", hold, "--reason", f"{MARK}-released")
    desk.sign("retention", "set", "--rule", "*:*=..3650", "--reason", f"{MARK}-retention")
    return allowed["decision"]


def files_with(desk, text):
    return sorted(one.name for one in desk.ledger.rglob("*") if one.is_file() and text.encode() in one.read_bytes())


def erase_everything(desk):
    events = [str(one["seq"]) for one in desk.run("log", "show", "--json").objects]
    seqs = [seq for seq in events if desk.run("log", "show", seq, "--json").object["opened"]]
    done = desk.sign("erase", *(word for seq in seqs for word in ("--event", seq)), *BASIS, "--json")
    assert done.exit_code == 0, done.stderr
    return done.object


def offline(line):
    program, *words = shlex.split(line)
    assert program == "tally-verify"
    ran = click.testing.CliRunner().invoke(cli, [*words, "--json"], standalone_mode=False)
    return json.loads(ran.stdout)


def status(report, check):
    return next(line["status"] for line in report["checks"] if line["check"] == check)


def test_no_file_holds_a_byte_of_what_was_erased(desk, lived):
    """Database, write-ahead log, index, marks and keys: of the whole directory, after everything was erased."""
    assert files_with(desk, MARK)
    erased = erase_everything(desk)
    assert len(erased["fields"]) > 15
    assert files_with(desk, MARK) == []
    assert desk.run("audit").exit_code == 0
    assert "none is unfinished" in desk.run("doctor").stdout


def test_nothing_but_openings_holds_an_opened_value(desk, lived, tmp_path):
    """Before any erasure: the mark stands in one table alone, so that deleting there is enough."""
    with closing(sqlite3.connect(desk.ledger / "ledger.db")) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        holding = [
            table
            for table in tables
            if any(MARK in _spelled(row) for row in connection.execute(f"SELECT * FROM {table}"))
        ]
    assert holding == ["disclosures"]


def _spelled(row):
    return " ".join(one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in row)


def test_what_is_not_erased_is_still_there(desk, lived):
    """Erasing one value leaves the others, in the log and in the file."""
    desk.sign("erase", "--event", lived, "--path", "/args", *BASIS)
    assert files_with(desk, f"{MARK}-operation") == []
    assert files_with(desk, f"{MARK}-consent") == ["ledger.db"]


def test_a_bundle_from_before_still_verifies(desk, lived, tmp_path):
    """It holds what it was given: it is not ours to call back, and nothing that it proves has changed."""
    before = desk.run("prove", lived, "-o", tmp_path / "before", "--disclose-all", "--json").object
    erase_everything(desk)
    report = offline(before["verify"])
    assert report["verified"]
    assert status(report, "reduction") == "PASS"


def test_a_bundle_from_after_shows_the_field_as_withheld(desk, lived, tmp_path):
    """It verifies, and what needs the operation is NOT-CHECKED."""
    erase_everything(desk)
    after = desk.run("prove", lived, "-o", tmp_path / "after", "--disclose-all", "--json")
    assert after.exit_code == 0, after.stderr
    assert "reduction" in after.object["not_checked"]
    report = offline(after.object["verify"])
    assert report["verified"]
    assert status(report, "reduction") == "NOT-CHECKED"
    assert status(report, "decision") == "PASS"
    assert json.loads((tmp_path / "after").read_text())["disclosures"] == []


def test_who_asks_for_an_erased_field_is_told_by_which_event_it_went(desk, lived, tmp_path):
    """And what there is instead."""
    event = desk.sign("erase", "--event", lived, "--path", "/args", *BASIS, "--json").object["events"][0]
    done = desk.run("prove", lived, "-o", tmp_path / "b", "--disclose", f"{lived}:/args")
    assert done.exit_code == 1
    assert f"{lived}:/args (erased by event {event})" in done.error
    assert not (tmp_path / "b").exists()


def test_hidden_fields_are_closed_wherever_their_value_stands(desk, lived, tmp_path):
    """All but the operation is opened; the request and the consent hold it too."""
    done = desk.run("prove", lived, "-o", tmp_path / "b", "--disclose-all", "--hide", f"{lived}:/args", "--json")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / "b").read_text()
    assert f"{MARK}-operation" not in text
    assert f"{MARK}-consent" in text
    assert "reduction" in done.object["not_checked"]


@pytest.mark.parametrize("path", ["/nope", "0:/args", "/operands/*/content"])
def test_what_can_not_be_hidden_is_named_with_what_there_is(desk, lived, tmp_path, path):
    """Whoever hides relies on it: a name of nothing is refused."""
    done = desk.run("prove", lived, "-o", tmp_path / "b", "--hide", path)
    assert done.exit_code == 1
    assert f"no field {path} that could be hidden" in done.error
    assert f"{lived}:/args" in done.error
    assert desk.run("prove", lived, "-o", tmp_path / "b", "--hide", "nope").exit_code == 2


def test_a_field_that_is_shown_and_hidden_is_refused(desk, lived, tmp_path):
    """It says that it is hidden."""
    done = desk.run("prove", lived, "-o", tmp_path / "b", "--disclose", "/args", "--hide", "/args")
    assert done.exit_code == 1
    assert f"{lived}:/args (hidden)" in done.error


def test_replay_counts_what_can_not_be_decided_again(desk, monkeypatch):
    """Exit code 0, and with --strict 6."""
    line = module.ReplayLine(
        7, "not replayable", ("allow", "ALLOWED"), ("deny", "TRUST_FLOOR"), "the reading is erased"
    )
    monkeypatch.setattr(module, "replay", lambda *_args: iter([line]))
    assert desk.run("replay", "--json").object["not_replayable"] == 1
    assert [desk.run("replay").exit_code, desk.run("replay", "--strict").exit_code] == [0, 6]


def test_replay_of_an_erased_log_says_that_no_operation_was_reduced_again(desk, lived):
    """The verdicts follow from the recorded actions; that these were asked for can't be shown any more."""
    before = desk.run("replay", "--strict", "--json")
    assert (before.exit_code, before.object["reduction_not_repeated"], before.object["lines"]) == (0, 0, [])
    erase_everything(desk)
    done = desk.run("replay", "--json").object
    assert done["same"] == done["decisions"] == done["reduction_not_repeated"] == 5
    assert all("was erased" in line["unreduced"] for line in done["lines"])
    strict = desk.run("replay", "--strict")
    assert (desk.run("replay").exit_code, strict.exit_code) == (0, 6)
    assert "reduction not repeated: 5" in strict.stdout


def test_an_erased_operation_is_not_reduced_again_wherever_it_was_asked(desk, lived):
    """Three decisions hold its one commitment; the two others are reduced again, under another constitution too."""
    desk.sign("erase", "--event", lived, "--path", "/args", *BASIS)
    text = desk.ledger.parent / "constitution.toml"
    text.write_text(DEFAULT_TEXT)
    for more in ((), ("--constitution", text)):
        done = desk.run("replay", "--strict", "--json", *more)
        assert done.exit_code == 6
        assert (done.object["reduction_not_repeated"], done.object["decisions"]) == (3, 5)
        assert [line["decision"] for line in done.object["lines"]][-1] == lived


def shown(path):
    runner = click.testing.CliRunner()
    text = runner.invoke(cli, ["show", str(path)], standalone_mode=False).stdout
    told = json.loads(runner.invoke(cli, ["show", str(path), "--json"], standalone_mode=False).stdout)
    return text, {(field["type"], field["path"]): field for field in told["fields"]}


def withheld(fields):
    return {name for name, field in fields.items() if not field["open"]}


def test_show_names_what_is_withheld_before_and_after_an_erasure(desk, lived, tmp_path):
    """Every field of the decision and the consent stands there, by its value or as withheld; the report counts them."""
    before = desk.run("prove", lived, "-o", tmp_path / "before", "--disclose-all", "--json").object
    text, fields = shown(tmp_path / "before")
    assert "(withheld)" not in text
    assert {("decision.made", "/args"), ("consent.granted", "/args"), ("consent.granted", "/reason")} <= set(fields)
    assert withheld(fields) == set()
    assert f"{MARK}-operation" in json.dumps(fields["decision.made", "/args"]["value"])
    opened = len(json.loads((tmp_path / "before").read_text())["disclosures"])
    assert f"fields open: {opened}, withheld: 0" in why(offline(before["verify"]), "disclosures")
    erase_everything(desk)
    after = desk.run("prove", lived, "-o", tmp_path / "after", "--disclose-all", "--json").object
    text, erased = shown(tmp_path / "after")
    assert text.count("(withheld)") == len(fields)
    assert withheld(erased) == set(fields)
    assert not any("value" in field for field in erased.values())
    assert f"fields open: 0, withheld: {opened}" in why(offline(after["verify"]), "disclosures")


def test_show_names_what_is_hidden(desk, lived, tmp_path):
    """Hidden and erased look alike to whoever has the bundle alone."""
    done = desk.run("prove", lived, "-o", tmp_path / "b", "--disclose-all", "--hide", f"{lived}:/args", "--json").object
    text, fields = shown(tmp_path / "b")
    assert withheld(fields) == {name for name in fields if name[1] == "/args"} != set()
    assert f"{MARK}-consent" in text
    assert f"withheld: {text.count('(withheld)')}" in why(offline(done["verify"]), "disclosures")


def why(report, check):
    return next(line["why"] for line in report["checks"] if line["check"] == check)


def test_show_of_a_held_decision_names_the_fields_of_its_request(desk, lived, tmp_path):
    """What a human was asked stands behind the decision."""
    held = next(one["seq"] for one in desk.run("log", "show", "--json").objects if one["type"] == "decision.made")
    desk.run("prove", held, "-o", tmp_path / "b")
    text, fields = shown(tmp_path / "b")
    assert withheld(fields) >= {("decision.made", "/args"), ("consent.requested", "/args")}
    assert text.partition("consent.requested")[2].count("(withheld)") >= 1


_KILLED: Final = """
import os, signal
import tools.cli.erase
tools.cli.erase.finish = lambda ledger: os.kill(os.getpid(), signal.SIGKILL)
from tools.cli import main
main()
"""


def test_a_process_that_is_killed_before_the_bytes_are_gone_is_remembered(desk, lived):
    """Committed and not scrubbed: the bytes lie there, doctor says so, and --scrub removes them."""
    words = ("--event", str(lived), "--path", "/args", *BASIS, "--by", "human:ada", "--yes")
    settings = {**os.environ, "TALLY_LEDGER": str(desk.ledger), "TALLY_KEY": str(desk.key("human-ada"))}
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, "erase", *words], env=settings, capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert files_with(desk, f"{MARK}-operation")
    assert "/args" in desk.run("log", "show", lived, "--json").object["closed"]
    assert "tally erase --scrub" in desk.run("doctor").stdout
    assert desk.run("erase", "--scrub", "--json").object == {"scrubbed": True, "pending": True}
    assert files_with(desk, f"{MARK}-operation") == []
    assert "none is unfinished" in desk.run("doctor").stdout
