"""`tally log prove` and `tally-verify proof`, end to end."""

import json
import sqlite3

import click.testing
import pytest

from verify.cli import cli

CHANGE_EVENTS = "UPDATE events SET bytes = CAST(replace(bytes, ':1', ':2') AS BLOB)"


def offline(*words, stdin=None):
    done = click.testing.CliRunner().invoke(cli, ["proof", *map(str, words)], standalone_mode=False, input=stdin)
    return done.return_value, done.stdout


@pytest.mark.parametrize(
    ("words", "kind", "events"),
    [((1,), "inclusion", 1), ((2, 0), "set", 2), (("--range", 0, 2), "range", 3), (("--since", 2), "consistency", 0)],
)
def test_a_proof_verifies_with_the_policy_alone(tally, ledger, tmp_path, words, kind, events):
    done = tally("log", "prove", *words, "-o", tmp_path / "p", "--json")
    assert (done.exit_code, done.object["kind"], done.object["events"]) == (0, kind, events), done.stderr
    code, said = offline(tmp_path / "p", "--policy", ledger / "policy")
    assert (code, "FAIL" in said) == (0, False)
    assert said.endswith("VERIFIED.\n")
    assert offline(tmp_path / "p", "--policy", ledger / "policy", "--strict")[0] == 6


def test_without_a_file_the_proof_is_printed(tally, ledger):
    done = tally("log", "prove", 1, 2)
    head, *events = done.objects
    assert (head["format"], head["kind"]) == ("tallystick-proof", "set")
    assert [event["seq"] for event in events] == [1, 2]
    code, said = offline("-", "--policy", ledger / "policy", "--json", stdin=done.stdout)
    assert (code, json.loads(said)["code"]) == (0, "verified")


def test_a_past_size_is_proven_under_the_newest_checkpoint(tally, ledger, tmp_path):
    before = tally("checkpoint").stdout
    size = int(before.splitlines()[1])
    done = tally("log", "prove", 1, "--size", 2, "-o", tmp_path / "p", "--json")
    assert (done.exit_code, done.object["size"], done.object["checkpoint_size"]) == (0, 2, size)
    assert offline(tmp_path / "p", "--policy", ledger / "policy")[0] == 0


def test_growth_is_held_against_the_older_checkpoint(tally, ledger, tmp_path):
    from ledger.checkpoint import open_checkpoint
    from ledger.note import VerifierKey

    (tmp_path / "old").write_text(tally("checkpoint").stdout)
    key = VerifierKey.parse((ledger / "policy").read_text().split()[1])
    size = open_checkpoint((tmp_path / "old").read_bytes(), key).size
    tally("log", "prove", "--since", size, "-o", tmp_path / "p")
    code, said = offline(tmp_path / "p", "--policy", ledger / "policy", "--older", tmp_path / "old")
    assert (code, "PASS         older checkpoint" in said) == (0, True)
    (tmp_path / "q").write_text(tally("log", "prove", "--since", size - 1).stdout)
    assert offline(tmp_path / "q", "--policy", ledger / "policy", "--older", tmp_path / "old")[0] == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        ((1, "--range", 0, 1), 2),
        (("--since", 2, "--range", 0, 1), 2),
        (("--since", 0), 2),
        ((99,), 1),
        ((1, 10**30), 2),
        (("--range", 2, 1), 1),
        (("--range", 0, 99), 1),
        (("--since", 99), 1),
        ((0, "--size", 99), 1),
        ((2, "--size", 2), 1),
        (range(1025), 1),
    ],
)
def test_what_the_log_does_not_have_is_refused(tally, ledger, tmp_path, words, code):
    done = tally("log", "prove", *words, "-o", tmp_path / "p")
    assert (done.exit_code, (tmp_path / "p").exists()) == (code, False)
    assert "Traceback" not in done.stderr


def test_never_writes_over_a_file_and_leaves_none_behind(tally, ledger, tmp_path):
    (tmp_path / "p").write_text("mine")
    before = sorted(tmp_path.iterdir())
    done = tally("log", "prove", 1, "-o", tmp_path / "p")
    assert (done.exit_code, (tmp_path / "p").read_text()) == (1, "mine")
    assert "already" in done.error
    assert tally("log", "prove", 1, "-o", tmp_path / "no" / "p").exit_code == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        *[
            ("UPDATE nodes SET sha256 = randomblob(32)", words)
            for words in ((1,), (0, 1), ("--range", 1, 2), ("--since", 1))
        ],
        *[(CHANGE_EVENTS, words) for words in ((1,), (0, 1), ("--range", 1, 2))],
        ("DELETE FROM nodes WHERE pos < 3", ("--since", 1)),
    ],
)
def test_nothing_is_handed_out_that_the_database_does_not_bear_out(tally, ledger, tmp_path, change, words):
    tally("checkpoint")
    with sqlite3.connect(ledger / "ledger.db") as other:
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f"DROP TRIGGER {name}")
        other.execute(change)
    done = tally("log", "prove", *words, "-o", tmp_path / "p")
    assert (done.exit_code, (tmp_path / "p").exists()) == (3, False)
    assert "run tally audit" in done.error
    assert tally("log", "prove", *words).stdout == ""


def test_what_is_no_proof_file_is_not_done(ledger, tmp_path):
    from verify.cli import run

    (tmp_path / "x").write_text("{}")
    assert run(["proof", str(tmp_path / "x"), "--policy", str(ledger / "policy")]) == 1
    assert run(["proof", str(tmp_path / "nothing"), "--policy", str(ledger / "policy")]) == 1
