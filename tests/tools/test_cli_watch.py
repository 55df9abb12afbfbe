"""`tally watch` on a ledger's directory: a fork is found, whatever else fails, and it follows until it is stopped."""

import json
import shutil
import signal
import subprocess
import sys

import pytest

from verify.cli import run as verify


def test_a_log_that_was_put_back_is_found_out_by_whoever_watches(tally, ledger, tmp_path):
    policy = tmp_path / "policy"
    shutil.copy(ledger / "policy", policy)
    words = ("watch", ledger, "--policy", policy, "--state", tmp_path / "seen", "--evidence", tmp_path, "--once")
    shutil.copytree(ledger, tmp_path / "backup")
    for name in ("bo", "cy"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    assert tally(*words).exit_code == 0
    shutil.rmtree(ledger)
    shutil.copytree(tmp_path / "backup", ledger)
    back = tally(*words)
    assert (back.exit_code, "CLAIMED: size 3 was shown after size 5" in back.error) == (3, True)
    for name in ("dan", "eve", "fay"):
        assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0
    assert tally("checkpoint").exit_code == 0
    unkept = tally(*words[:-2], policy, "--once")
    assert (unkept.exit_code, "PROVEN" in unkept.error, "could not be kept" in unkept.error) == (3, True, True)
    forked = tally(*words)
    assert (forked.exit_code, "PROVEN" in forked.error) == (3, True)
    files = sorted(tmp_path.glob("equivocation-*.json"))
    assert sorted(verify(["equivocation", str(file), "--policy", str(policy)]) for file in files) == [0, 6]


def test_it_follows_until_it_is_told_to_stop(ledger, tmp_path):
    words = ["watch", ledger, "--policy", ledger / "policy", "--state", tmp_path / "seen", "--every", "1", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from tools.cli import main; main()", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    looks = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert ([look["seen"] for look in looks], process.returncode) == (["first", "same"], 0)
    assert "Stopped." in err


@pytest.mark.parametrize("damage", ["policy", "source", "state"])
def test_what_can_not_be_watched_is_said(tally, ledger, tmp_path, damage):
    (tmp_path / "nonsense").write_text("nonsense\n")
    named = {"policy": ledger / "policy", "source": ledger, "state": tmp_path / "seen"}
    named[damage] = tmp_path / "nonsense"
    done = tally("watch", named["source"], "--policy", named["policy"], "--state", named["state"], "--once")
    assert done.exit_code == 1
    assert done.error
