"""`tally log`."""

import io
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ledger.canon import decode_object
from tools.cli.output import safe

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from tools.cli import main; main()"]


@pytest.fixture
def busy(tally, ledger):
    """A ledger in which a few things happened."""
    tally("principal", "add", "agent:ops-7", "--owner", "human:owner", "--yes")
    tally("principal", "suspend", "agent:ops-7", "--reason", "a \u202e\x1b[2J loop", "--yes")
    tally("resource", "add", "db://prod/users", "--set", "environment=prod", "--yes")
    return ledger


def seqs(ran):
    return [one["seq"] for one in ran.objects]


def test_text_is_the_exact_bytes(tally, busy):
    for seq in range(6):
        shown = tally("log", "show", seq, "--json").object
        assert decode_object(shown["text"].encode())["seq"] == seq
        assert tally("log", "show", seq, "--bytes").stdout == shown["text"]


def test_filters_by_type_actor_and_tag(tally, busy):
    assert seqs(tally("log", "show", "--json")) == [0, 1, 2, 3, 4, 5]
    assert seqs(tally("log", "show", "--type", "resource.registered", "--json")) == [2, 5]
    assert seqs(tally("log", "show", "--actor", "human:owner", "--from", 4, "--json")) == [4, 5]
    assert seqs(tally("log", "show", "--tag", "principal:agent:ops-7", "--json")) == [3, 4]
    both = ("--tag", "principal:agent:ops-7", "--actor", "human:owner", "--type", "principal.suspended")
    assert seqs(tally("log", "show", *both, "--json")) == [4]
    assert seqs(tally("log", "show", "--actor", "agent:nobody", "--json")) == []


def test_says_that_there_are_more(tally, busy):
    done = tally("log", "show", "--limit", 2, "--json")
    assert seqs(done) == [0, 1]
    assert "--from 2" in done.stderr


def test_tail_shows_the_newest(tally, busy):
    assert seqs(tally("log", "tail", "-n", 2, "--json")) == [4, 5]
    assert seqs(tally("log", "tail", "-n", 0, "--json")) == []
    assert seqs(tally("log", "tail", "--type", "ledger.opened", "--json")) == [0]
    assert tally("log", "tail", "-n", 1).stdout.splitlines()[1].startswith("5    ")


def test_head_tells_size_roots_and_the_last_checkpoint(tally, busy):
    head = tally("log", "head", "--json").object
    assert (head["size"], head["checkpoint"]) == (6, 3)
    note = tally("checkpoint", "--json").object
    head = tally("log", "head", "--json").object
    assert head["checkpoint"] == note["size"] == 6
    assert (head["blake3_root"], head["sha256_root"]) == (note["blake3_root"], note["sha256_root"])


def test_what_is_recorded_can_not_move_the_cursor(tally, busy):
    shown = tally("log", "show", 4)
    assert safe(shown.stdout, keep="\n") == shown.stdout
    assert '/reason  "a \\u202e\\u001b[2J loop"' in shown.stdout
    assert tally("log", "show", 4, "--json").object["opened"] == {"/reason": "a \u202e\x1b[2J loop"}


def test_ssh_keygen_verifies_what_is_printed(tally, busy, tmp_path):
    program = shutil.which("ssh-keygen")
    if program is None:
        pytest.skip("needs ssh-keygen")
    (tmp_path / "s.sig").write_text(tally("log", "show", 5, "--signature").stdout)
    statement = tally("log", "show", 5, "--statement").stdout
    words = ["-Y", "verify", "-f", busy / "signers", "-I", "human:owner", "-n", "tallystick-resource@v1", "-s"]
    for text, code in ((statement, 0), (statement.replace("prod", "test"), 255)):
        done = subprocess.run(
            [program, *words, tmp_path / "s.sig"], input=text.encode(), capture_output=True, check=False
        )
        assert done.returncode == code


def test_an_event_that_is_not_there_and_options_that_do_not_fit(tally, busy):
    missing = tally("log", "show", 99)
    assert (missing.exit_code, "the log has 6 events" in missing.error) == (1, True)
    assert tally("log", "show", "--statement").exit_code == 2
    assert tally("log", "show", "--", "-1").exit_code == 2


def test_no_ledger_is_one_line(tally, place):
    done = tally("log", "tail", "--json")
    assert done.exit_code == 1
    assert "tally init" in done.error
    assert done.object["error"]["code"] == "STORE_MISSING"
    assert not place.exists()


def test_follows_until_interrupted(tally, busy, key):
    environment = {**os.environ, "TALLY_LEDGER": str(busy)}
    with subprocess.Popen(
        [*COMMAND, "log", "tail", "-n", "1", "-f", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
        # A shell's background job ignores the signal, and what it starts does too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  (no thread runs here)
    ) as process:
        assert process.stdout is not None
        assert '"seq":5' in process.stdout.readline()
        assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
        assert '"seq":6' in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, talk = process.communicate(timeout=30)
    assert (process.returncode, rest, talk) == (130, "", "\n")


def test_a_reader_that_goes_away_is_no_error(busy):
    environment = {**os.environ, "TALLY_LEDGER": str(busy)}
    with subprocess.Popen(
        [*COMMAND, "log", "tail", "-f", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        time.sleep(0.1)
        subprocess.run(
            [*COMMAND, "principal", "add", "human:bo", "--yes", "--key", busy.parent / "key"],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env=environment,
        )
        assert process.wait(timeout=30) == 1
        assert process.stderr.read() == ""


def test_an_opening_that_does_not_fit_is_evidence(tally, busy):
    with sqlite3.connect(busy / "ledger.db") as database:
        for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'disclosures'"
        ).fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("""UPDATE disclosures SET value = CAST('"Eve"' AS BLOB) WHERE seq = 0""")
    database.close()
    done = tally("log", "show", 0)
    assert (done.exit_code, "run tally audit" in done.error) == (3, True)


def test_the_ledgers_own_acts_have_no_statement(tally, busy, monkeypatch):
    from tools.cli import log

    monkeypatch.setattr(log, "SignedBody", int)
    done = tally("log", "show", 0, "--statement")
    assert (done.exit_code, "which nobody signs" in done.error) == (1, True)


def test_exact_text_is_made_visible_at_a_terminal(monkeypatch, capsys):
    from tools.cli import log

    log._exact("a\u202e\n".encode())
    assert capsys.readouterr().out == "a\u202e\n"
    monkeypatch.setattr(log.sys, "stdout", Terminal())
    log._exact("a\u202e\n".encode())
    assert log.sys.stdout.getvalue() == "a\\u202e\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True
