"""A backup that is older than a new key: no key is lost; and what such a copy says can be done next, can be done."""

import json
import shlex
import shutil

import pytest

from ledger.checkpoint import open_checkpoint
from ledger.errors import ReadOnlyError
from ledger.note import VerifierKey
from tests.tools.restoring import ROW, behind, put_back, spent_once
from tools import restoring, succession
from tools.erasing import unfinished
from tools.home import Home
from tools.keys import read_key
from tools.mark import not_behind
from verify.cli import run as verify

BASIS = ("--basis", "gdpr-art-17-1-a")


@pytest.fixture
def rotated(desk):
    """The copy names key A; key B came into force afterwards and signed last: (desk, A, B, the mark)."""
    backup = spent_once(desk)
    old = desk.run("key", "show", "--json").object["log_key"]
    assert desk.sign("key", "rotate").exit_code == 0
    new = desk.run("key", "show", "--json").object["log_key"]
    assert desk.decide("r3", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, backup)
    return desk, VerifierKey.parse(old), VerifierKey.parse(new), (desk.ledger / "high-water").read_bytes()


def beside(desk, name, key):
    return desk.ledger / f"{name}.{key.key_id.hex()}"


def public(path):
    return read_key(path).public_key().public_bytes_raw()


def check_everything_is_kept(desk, old, new, mark):
    third = VerifierKey.parse(desk.run("log", "head", "--json").object["log_key"])
    assert public(beside(desk, "log.key", old)) == old.public_key
    assert public(beside(desk, "log.key", new)) == new.public_key
    assert public(desk.ledger / "log.key") == third.public_key
    assert beside(desk, "log.key", new).stat().st_mode & 0o777 == 0o600
    assert beside(desk, "high-water", new).read_bytes() == mark
    assert not beside(desk, "high-water", old).exists()


def test_key_that_the_copy_does_not_know_is_kept_under_its_own_id(rotated):
    desk, old, new, mark = rotated
    done = desk.sign("log", "restored", "--json")
    assert done.exit_code == 0, done.stderr
    check_everything_is_kept(desk, old, new, mark)
    assert desk.run("audit").exit_code == 0


def test_event_is_signed_by_the_key_that_the_copy_names(rotated):
    """From the copy nobody could follow another; the text is the one that was signed last."""
    desk, old, _, mark = rotated
    done = desk.sign("log", "restored", "--json")
    body = json.loads(desk.run("log", "show", done.object["event"], "--json").object["text"])["body"]
    assert body["former_key"] == old.text()
    assert open_checkpoint(body["checkpoint"].encode(), old).text() == mark.decode()


def test_auditor_with_the_policy_from_before_the_loss_follows(rotated, tmp_path):
    """It names both keys, as the rotation left it."""
    desk, *_ = rotated
    policy, signers = (shutil.copy(desk.ledger / name, tmp_path / name) for name in ("policy", "signers"))
    assert desk.sign("log", "restored").exit_code == 0
    (desk.folder / "ours.toml").write_text(desk.run("constitution", "show", "--text").stdout)
    assert desk.sign("constitution", "adopt", desk.folder / "ours.toml").exit_code == 0
    answer = desk.decide("r4", *ROW).object
    bundle = desk.folder / "r4.bundle"
    assert desk.run("prove", answer["decision"], "--output", bundle).exit_code == 0
    assert verify(["bundle", str(bundle), "--policy", str(policy), "--signers", str(signers)]) == 0


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (restoring, "exchange"),
        (succession.os, "link"),
        (restoring, "trust"),
        (restoring, "write_mark"),
    ],
)
def test_restore_that_broke_off_over_a_rotation_loses_no_key(rotated, monkeypatch, module, step):
    desk, old, new, mark = rotated

    def stop(*_words):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, step, stop)
        assert desk.sign("log", "restored").exit_code == 130
    assert new.public_key in {public(path) for path in desk.ledger.glob("log.key*")}
    done = desk.sign("log", "restored")
    assert done.exit_code == 0, done.stderr
    check_everything_is_kept(desk, old, new, mark)


def test_key_that_can_not_be_kept_is_not_replaced(rotated):
    """Under its id lies another key: nothing is written, and both are left as they are."""
    desk, old, new, _ = rotated
    shutil.copy(beside(desk, "log.key", old), beside(desk, "log.key", new))
    size, names = desk.size(), {path.name for path in desk.ledger.glob("[!l]*")}
    refused = desk.sign("log", "restored")
    assert (refused.exit_code, "holds another key than its name says" in refused.error) == (1, True)
    assert (desk.size(), {path.name for path in desk.ledger.glob("[!l]*")}) == (size, names)
    assert public(desk.ledger / "log.key") == new.public_key
    assert public(beside(desk, "log.key", new)) == old.public_key


def test_rotation_after_one_that_broke_off_loses_no_key(desk, monkeypatch):
    """The key of before lies in log.key still, and the one in force beside it."""
    first = VerifierKey.parse(desk.run("key", "show", "--json").object["log_key"])

    def stop(*_words):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(succession, "exchange", stop)
        assert desk.sign("key", "rotate").exit_code == 130
    second = VerifierKey.parse(desk.run("key", "show", "--json").object["log_key"])
    assert desk.sign("key", "rotate").exit_code == 0
    assert public(beside(desk, "log.key", first)) == first.public_key
    assert public(beside(desk, "log.key", second)) == second.public_key


def test_printed_next_step_adopts_the_last_constitution_again(desk):
    before = desk.run("constitution", "show", "--text").stdout
    said = behind(desk).sign("log", "restored")
    (line,) = [line.strip() for line in said.stderr.splitlines() if "constitution show" in line]
    show, adopt = line.split("; ")
    words, _, file = show.partition(" > ")
    shown = desk.run(*shlex.split(words)[1:])
    assert (shown.exit_code, shown.stdout) == (0, before)
    assert "This is not in force" in shown.stderr
    (desk.folder / file).write_text(shown.stdout)
    *command, name = shlex.split(adopt)[1:]
    done = desk.sign(*command, desk.folder / name)
    assert done.exit_code == 0, done.stderr
    again = desk.run("constitution", "show", "--text")
    assert (again.stdout, again.stderr) == (before, "")


def test_constitution_that_lapsed_is_shown_as_text_alone(desk):
    assert behind(desk).sign("log", "restored").exit_code == 0
    refused = desk.run("constitution", "show")
    assert (refused.exit_code, "no constitution was adopted since" in refused.error) == (1, True)
    assert desk.run("constitution", "show", "--text", "--json").object["in_force"] is False


def test_copy_behind_the_mark_erases_nothing_and_shows_nothing(desk):
    held = desk.decide("r0", *ROW).object["decision"]
    behind(desk)
    done = desk.sign("erase", "--event", held, *BASIS)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "tally log restored" in done.error
    assert "This will be signed" not in done.stderr
    assert not unfinished(Home(desk.ledger))
    assert desk.run("erase", "--event", held, *BASIS, "--dry-run").exit_code == 0


def test_erasure_that_the_mark_refuses_at_last_leaves_no_marker(desk, monkeypatch):
    """The mark moved between the look and the commit."""
    held = desk.decide("r0", *ROW).object["decision"]
    behind(desk)
    monkeypatch.setattr("ledger.sql.log.SqlLog.check_writable", lambda log: None)
    done = desk.sign("erase", "--event", held, *BASIS)
    assert (done.exit_code, "tally log restored" in done.error) == (1, True)
    assert not unfinished(Home(desk.ledger))
    assert "none is unfinished" in desk.run("doctor").stdout


def test_guard_says_that_nothing_more_is_taken(desk):
    behind(desk)
    home = Home(desk.ledger)
    (desk.ledger / "high-water").unlink()
    with pytest.raises(ReadOnlyError):
        not_behind(home, "any")(None)
