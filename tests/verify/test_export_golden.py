"""The published export: the maker makes the same bytes, it verifies, and nothing but files is needed for it."""

import json
import subprocess
import sys

import pytest

from tests.verify.exported import BUNDLES, Exported
from tests.verify.test_bundle_golden import BLOCKED
from tools.dev import golden_export
from verify.cli import run
from verify.export import CHECKS

POLICY = ("--policy", str(BUNDLES / "witnessed.policy"))
SIGNERS = ("--signers", str(BUNDLES / "human.signers"))
GOLDEN = str(golden_export.FOLDER)


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_maker_makes_the_published_bytes(tmp_path):
    golden_export.make(tmp_path / "made")
    assert files(tmp_path / "made") == files(golden_export.FOLDER)


def test_published_export_verifies_in_every_line(tmp_path):
    report = Exported(golden_export.FOLDER).check()
    assert [line.check for line in report.lines] == list(CHECKS)
    assert {line.status for line in report.lines} == {"PASS"}
    assert (report.origin, report.size) == (golden_export.Stage.origin, 36)


def test_export_without_openings_verifies_and_says_so(tmp_path):
    golden_export.make(tmp_path / "made", openings=False)
    report = Exported(tmp_path / "made").check()
    assert report.failed == ()
    assert report.unchecked == ("disclosures",)
    assert not (tmp_path / "made" / "openings").exists()


def test_export_is_checked_with_database_and_terminal_packages_absent():
    """Run the command in a fresh interpreter in which the packages that it must not need can't be imported."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, "log", GOLDEN, *POLICY, *SIGNERS, "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=golden_export.FOLDER.parents[3],
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verified"] is True


def test_command_gives_a_line_for_each_check_and_exit_0(capsys):
    assert run(["log", GOLDEN, *POLICY, *SIGNERS]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("Checked the export of 36 events of tally.example/golden\n")
    assert "PASS         tree BLAKE3        70/70 nodes of the BLAKE3 tree of 36 events" in out
    assert "VERIFIED: 12/12 checks made and passed." in out
    assert out.splitlines()[-1].startswith("Not proven: ")


def test_json_is_one_object_with_a_stable_code(capsys):
    assert run(["log", GOLDEN, *POLICY, *SIGNERS, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["code"], told["verified"], told["size"]) == ("verified", True, 36)
    assert told["checks"][2]["total"] == 36


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([*POLICY, *SIGNERS], 0),
        (POLICY, 6),
        (["--policy", str(BUNDLES / "log.policy"), *SIGNERS], 6),
    ],
)
def test_strict_exits_6_where_fuller_files_would_allow_more(arguments, code, capsys):
    assert run(["log", GOLDEN, *arguments]) == 0
    assert run(["log", GOLDEN, *arguments, "--strict"]) == code


def test_failed_export_exits_3_and_says_what_failed(tmp_path, capsys):
    exported = Exported.copied(tmp_path / "export")
    exported.put("events", 1, exported.lines("events", 1)[:-1])
    assert run(["log", str(exported.folder), *POLICY, *SIGNERS]) == 3
    out = capsys.readouterr().out
    assert "FAIL         files" in out
    assert "FAILED: files, events" in out


@pytest.mark.parametrize("made", ["nothing", "file", "empty", "json", "half"])
def test_what_is_no_export_exits_1_with_one_line(tmp_path, capsys, made):
    place = tmp_path / "export"
    if made == "file":
        place.write_text("Dear auditor\n")
    elif made != "nothing":
        place.mkdir()
        if made != "empty":
            (place / "index.json").write_bytes(b"{}\n" if made == "json" else b'{"chunk":16')
    assert run(["log", str(place), *POLICY]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tally-verify: ")
    assert err.count("\n") == 1
    assert run(["log", str(place), *POLICY, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["code"] == "not-done"
