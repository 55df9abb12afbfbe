"""`tally init`: whole, or not at all."""

import os
import resource
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from decisions.constitution import DEFAULT_TEXT
from grants import allowed_signers, sshsig
from grants.signer import read_public
from ledger.policy import parse_policy

COMMAND = [sys.executable, "-c", "from tools.cli import main; main()"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_begins_a_ledger_with_everything_that_an_auditor_needs(tally, place, key):
    done = tally("init", "--new-key", key, "--origin", "tally.example/log", "--yes", "--json")
    assert done.exit_code == 0
    assert done.object["origin"] == "tally.example/log"
    assert done.object["protected"] == [f"file://{place}/**"]
    assert done.object["fingerprint"] == read_public(key.with_name("key.pub")).fingerprint
    assert names(place) == ["high-water", "ledger.db", "log.key", "policy", "signers"]
    assert stat.S_IMODE((place / "log.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    policy = parse_policy((place / "policy").read_bytes())
    assert [log.key.text() for log in policy.logs] == [done.object["log_key"]]
    note = tally("checkpoint", "show").stdout.encode()
    assert policy.open(note).checkpoint.size == 3


def test_signers_file_verifies_the_first_event(tally, ledger):
    signers = allowed_signers.parse((ledger / "signers").read_bytes())
    statement = tally("log", "show", 0, "--statement").stdout.encode()
    armour = tally("log", "show", 0, "--signature").stdout
    (line,) = signers.lines
    assert line.principals == "human:owner"
    sshsig.verify(armour, statement, "tallystick-ledger@v1", line.key)


def test_maps_the_system_user_to_the_human_unless_told_not_to(tally, ledger, tmp_path):
    assert tally("principal", "show", "human:owner", "--json").object["uid"] == os.getuid()
    other = tmp_path / "second"
    done = tally("--ledger", other, "init", "--no-uid", "--yes", "--json")
    assert done.object["uid"] is None
    refused = tally("--ledger", other, "principal", "suspend", "human:owner", "--reason", "x", "--yes")
    assert refused.exit_code == 1
    assert "--by" in refused.error


def test_display_name_is_not_in_the_event(tally, ledger):
    shown = tally("log", "show", 0, "--json").object
    assert shown["opened"] == {"/name": "Ada L."}
    assert "Ada" not in shown["text"]


def test_registers_where_the_links_of_its_directory_lead(tally, tmp_path, key):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    done = tally("--ledger", tmp_path / "link" / "t", "init", "--new-key", key, "--yes", "--json")
    assert done.object["protected"] == [f"file://{tmp_path}/link/t/**", f"file://{tmp_path}/real/t/**"]


def test_second_init_on_the_same_place_changes_nothing(tally, ledger, key):
    before = {path: path.read_bytes() for path in ledger.iterdir()}
    done = tally("init", "--yes")
    assert done.exit_code == 1
    assert "is there already" in done.error
    assert {path: path.read_bytes() for path in ledger.iterdir()} == before


def test_asks_nobody_without_a_terminal(tally, place, key):
    done = tally("init", "--new-key", key)
    assert done.exit_code == 1
    assert "--yes" in done.error
    assert not place.exists()
    assert not key.exists()


def test_shows_every_statement_that_it_signs(tally, place, key):
    talk = tally("init", "--new-key", key, "--name", "Ada\u202e L.", "--yes").stderr
    for title in ("ledger.opened v1", "constitution.adopted v1", "resource.registered v2"):
        assert f"  | tallystick {title}" in talk
    assert '/name is "Ada\\u202e L."' in talk


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--human", "agent:x"], "the first principal is a human"),
        (["--human", "human:Ada"], "lower-case"),
        (["--origin", "two words"], "key name"),
        (["--constitution", "none.toml"], "can't be read"),
        (["--key", "/none/key"], "is not there"),
    ],
)
def test_refuses_bad_options_and_leaves_nothing(tally, place, tmp_path, options, said, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spare = [] if "--key" in options else ["--new-key", tmp_path / "spare"]
    done = tally("init", *options, *spare, "--yes")
    assert done.exit_code == 1
    assert said in done.error
    assert names(tmp_path) == []


def test_refuses_a_broken_constitution_and_leaves_nothing(tally, place, tmp_path, key):
    broken = tmp_path / "broken.toml"
    broken.write_text("[constitution\n")
    done = tally("init", "--new-key", key, "--constitution", broken, "--yes")
    assert done.exit_code == 1
    assert "not TOML" in done.error
    assert names(tmp_path) == ["broken.toml"]


def test_a_place_that_can_not_be_made_is_one_line(tally, tmp_path, key):
    file = tmp_path / "file"
    file.write_text("")
    done = tally("--ledger", file / "ledger", "init", "--new-key", key, "--yes")
    assert done.exit_code == 1
    assert "can't be made" in done.error
    assert names(tmp_path) == ["file"]


def test_a_read_only_place_is_one_line(tally, key, tmp_path):
    done = tally("--ledger", "/proc/tally", "init", "--new-key", key, "--yes")
    assert done.exit_code == 1
    assert "can't be made" in done.error
    assert names(tmp_path) == []


@pytest.mark.parametrize("most", [100, 20_000, 60_000])
def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, most):
    """The limit on the size of a file stands in for the disk: it stops a write in the middle."""
    done = subprocess.run(
        [*COMMAND, "--ledger", tmp_path / "ledger", "init", "--new-key", tmp_path / "key", "--yes", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("tally: error: ")
    assert "Traceback" not in done.stderr
    assert '{"error":{"code":' in done.stdout
    assert names(tmp_path) == []


def test_another_process_that_was_faster_wins(tally, place, key, monkeypatch):
    """Between the first look and the rename somebody else has made the place."""
    from tools import founding

    def faster(*_words):
        place.mkdir()
        (place / "something").write_text("theirs")
        return b""

    monkeypatch.setattr(founding.Policy, "text", lambda _self: faster().decode())
    done = tally("init", "--new-key", key, "--yes")
    assert done.exit_code == 1
    assert names(place) == ["something"]
    assert names(place.parent) == ["ledger"]


def test_a_constitution_without_the_word_leaves_the_directory_to_the_human(tally, place, tmp_path, key):
    other = DEFAULT_TEXT.replace("control_plane", "steering")
    (tmp_path / "ours.toml").write_text(other)
    done = tally("init", "--new-key", key, "--constitution", tmp_path / "ours.toml", "--yes", "--json")
    assert done.exit_code == 0
    assert (done.object["protected"], done.object["size"]) == ([], 2)
    assert f"register {place} yourself" in done.stderr


def _init_at_a_terminal(words, answers):
    """Run at a terminal that answers each question in turn; give the exit code and everything that was said."""
    import pty

    ours, theirs = pty.openpty()
    left = list(answers)
    with subprocess.Popen(
        [*COMMAND, *words], stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, cwd=Path(__file__).parents[2]
    ) as process:
        os.close(theirs)
        talk, seen = b"", 0
        while True:
            try:
                talk += os.read(ours, 1024)
            except OSError:
                break
            if talk.count(b"]: ") > seen and left:
                seen += 1
                os.write(ours, left.pop(0))
    os.close(ours)
    return process.returncode, talk.decode()


def test_each_statement_is_shown_before_it_is_asked_for(place, key):
    code, talk = _init_at_a_terminal(["--ledger", place, "init", "--new-key", key], [b"y\n"] * 3)
    assert code == 0
    questions = talk.split("Sign? [y/N]: ")
    assert len(questions) == 4
    titles = ("ledger.opened v1", "constitution.adopted v1", "resource.registered v2")
    for before, title in zip(questions, titles, strict=False):
        assert f"| tallystick {title}" in before
    assert "| tallystick" not in questions[3]


def test_a_no_to_a_later_statement_leaves_nothing(place, key):
    code, talk = _init_at_a_terminal(["--ledger", place, "init", "--new-key", key], [b"y\n", b"n\n"])
    assert (code, "not signed" in talk) == (1, True)
    assert names(place.parent) == []


def test_what_comes_next_can_be_typed_as_it_stands(tally, place, key):
    """A resource that is registered so has no unknown property."""
    talk = tally("init", "--new-key", key, "--yes").stderr.replace("\\\n", " ")
    lines = [line.split("tally ", 1)[1] for line in talk.splitlines() if "tally resource add" in line]
    assert [tally(*shlex.split(line), "--yes").exit_code for line in lines] == [0, 0]
    secret = tally("decide", "--verb", "read", "--target", f"file://{key}", "--request", "k", "--json").object
    assert (secret["outcome"], "V.secrets" in secret["rules"]) == ("deny", True)
    answer = tally("decide", "--shell", "rm a.py", "--cwd", "/srv/app", "--request", "r", "--json").object
    assert "ATTR_UNKNOWN" not in answer["reasons"]
    assert "UNCLASSIFIED" not in answer["reasons"]
