"""An export of a log whose key was replaced, or that went on after a restore, is checked with the policy of before."""

import json
import shutil

import pytest

from tests.tools.restoring import ROW, behind
from verify.cli import run as verify


@pytest.fixture
def trusted(desk, tmp_path):
    """What an auditor took on trust at the beginning."""
    for name in ("policy", "signers"):
        shutil.copy(desk.ledger / name, tmp_path / f"auditor-{name}")
    return tmp_path / "auditor-policy", tmp_path / "auditor-signers"


def checked(desk, capsys, policy, signers=None):
    folder = desk.folder / "export"
    done = desk.run("export", folder)
    assert done.exit_code == 0, done.stderr
    words = ["log", str(folder), "--policy", str(policy), "--json"]
    capsys.readouterr()
    code = verify([*words, "--signers", str(signers)] if signers else words)
    report = json.loads(capsys.readouterr().out)
    return code, next(line for line in report["checks"] if line["check"] == "checkpoints")


def test_old_policy_follows_a_rotation(desk, trusted, capsys):
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.sign("key", "rotate").exit_code == 0
    assert desk.decide("r2", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    code, line = checked(desk, capsys, *trusted)
    assert (code, line["status"]) == (0, "PASS"), line


def test_old_policy_follows_a_restore(desk, trusted, capsys):
    behind(desk)
    assert desk.sign("log", "restored").exit_code == 0
    assert desk.sign("principal", "confirm", "agent:ops-7").exit_code == 0
    assert desk.run("checkpoint").exit_code == 0
    code, line = checked(desk, capsys, *trusted)
    assert (code, line["status"]) == (0, "PASS"), line


def test_nobody_follows_without_a_pinned_human(desk, trusted, capsys):
    assert desk.sign("key", "rotate").exit_code == 0
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    code, line = checked(desk, capsys, trusted[0])
    assert (code, line["status"]) == (3, "FAIL")


def test_new_policy_needs_nobody_pinned(desk, trusted, capsys):
    assert desk.sign("key", "rotate").exit_code == 0
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    code, line = checked(desk, capsys, desk.ledger / "policy")
    assert (code, line["status"]) == (0, "PASS"), line
