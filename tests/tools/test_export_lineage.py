"""An export of a log whose key was replaced, or that went on after a restore: an auditor of years ago can follow it."""

import json
import shutil

import pytest

from ledger.note import VerifierKey
from tests.tools.restoring import ROW, behind
from tests.verify.exported import Exported
from verify.cli import run as tally_verify
from verify.export.lines import CheckpointLine


@pytest.fixture
def trusted(desk, tmp_path):
    """What an auditor took on trust before anything changed."""
    for name in ("policy", "signers"):
        shutil.copy(desk.ledger / name, tmp_path / f"auditor-{name}")
    return tmp_path / "auditor-policy", tmp_path / "auditor-signers"


@pytest.fixture
def check(trusted, capsys):
    """Check an export by an auditor's files, those of old unless others are named."""

    def checked(folder, policy=trusted[0], signers=trusted[1]):
        pinned = () if signers is None else ("--signers", str(signers))
        capsys.readouterr()
        code = tally_verify(["log", str(folder), "--policy", str(policy), *pinned, "--json"])
        report = json.loads(capsys.readouterr().out)
        assert code == (0 if report["verified"] else 3)
        return report["failed"], next(line["why"] for line in report["checks"] if line["check"] == "checkpoints")

    return checked


def export(desk, name, *words):
    done = desk.run("export", desk.folder / name, *words)
    assert done.exit_code == 0, done.stderr
    return desk.folder / name


@pytest.fixture
def rotated(desk, trusted):
    """An export of a ledger whose key was replaced between checkpoints."""
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    done = desk.sign("key", "rotate", "--json")
    assert done.exit_code == 0, done.stderr
    assert desk.decide("r2", *ROW).exit_code == 5
    return export(desk, "export"), done.object


def test_auditor_with_the_old_policy_follows_to_the_new_key(rotated, check, desk):
    folder, said = rotated
    failed, why = check(folder)
    assert failed == []
    assert f"event {said['event']}, signed by human:ada, replaced the log's key" in why


def test_auditor_with_the_new_policy_needs_nothing_more(rotated, check, desk, tmp_path):
    folder, said = rotated
    (tmp_path / "new").write_text(f"log {said['log_key']}\nquorum none\n")
    assert check(folder, tmp_path / "new", None)[0] == []
    assert check(folder, desk.ledger / "policy")[0] == []


def test_nobody_follows_without_the_human_pinned(rotated, check, tmp_path):
    folder, _ = rotated
    failed, why = check(folder, signers=None)
    assert failed == ["checkpoints"]
    assert "to follow it the human who signed it must be pinned: give --signers FILE" in why
    (tmp_path / "nobody").write_text("")
    assert "checkpoints" in check(folder, signers=tmp_path / "nobody")[0]


def test_nobody_follows_where_the_old_key_did_not_sign_for_the_change(rotated, check, trusted):
    """Without its line under a checkpoint that covers the event, whoever has the new key could have made it all up."""
    folder, said = rotated
    exported, old = Exported(folder), VerifierKey.parse(trusted[0].read_text().split()[1])
    lines = [CheckpointLine.parse(line[:-1]) for line in exported.lines("checkpoints", 0)]
    kept = [one for one in lines if one.size <= said["event"] or old.key_id not in key_ids(one)]
    assert len(kept) == len(lines) - 1
    exported.put("checkpoints", 0, [one.to_bytes() for one in kept])
    failed, why = check(exported.reindex().folder)
    assert failed == ["checkpoints"]
    assert "no checkpoint under it covers that event" in why


def key_ids(line):
    from ledger.note import parse_note

    return {one.key_id for one in parse_note(line.note)[1]}


def test_export_from_before_the_change_is_under_the_old_key_alone(rotated, check, desk):
    _, said = rotated
    notes = [CheckpointLine.parse(line[:-1]) for line in Exported(desk.folder / "export").lines("checkpoints", 0)]
    before = max(one.size for one in notes if one.size <= said["event"])
    failed, why = check(export(desk, "early", "--at", before))
    assert (failed, "replaced" in why) == ([], False)


def test_checkpoint_of_the_old_key_alone_after_the_change_is_refused(rotated, check, desk, trusted):
    """A thief of the old key signs what stands."""
    from ledger.checkpoint import Checkpoint, sign_checkpoint
    from ledger.note import NoteSigner, parse_note
    from tools.keys import read_key

    folder, _ = rotated
    exported, old = Exported(folder), VerifierKey.parse(trusted[0].read_text().split()[1])
    lines = [CheckpointLine.parse(line[:-1]) for line in exported.lines("checkpoints", 0)]
    thief = NoteSigner(old.name, read_key(desk.ledger / f"log.key.{old.key_id.hex()}"))
    note = sign_checkpoint(Checkpoint.parse(parse_note(lines[-1].note)[0]), thief)
    exported.put(
        "checkpoints", 0, [*(one.to_bytes() for one in lines[:-1]), CheckpointLine(lines[-1].size, note).to_bytes()]
    )
    assert check(exported.reindex().folder)[0] == ["checkpoints"]


@pytest.fixture
def restored(desk, trusted):
    """An export of a ledger that went on under another name after a restore."""
    desk.run("checkpoint")
    done = behind(desk).sign("log", "restored", "--origin", "example.com/second", "--json")
    assert done.exit_code == 0, done.stderr
    return export(desk, "export"), done.object


def test_auditor_with_the_old_policy_follows_to_the_new_name(restored, check):
    folder, said = restored
    failed, why = check(folder)
    assert failed == []
    assert f"went on as example.com/second with event {said['event']}, signed by human:ada" in why
    assert "are lost" in why
    assert json.loads((folder / "index.json").read_bytes())["origin"] == "example.com/second"


def test_nobody_follows_to_a_restored_log_that_the_former_key_never_signed(restored, check):
    folder, said = restored
    exported = Exported(folder)
    lines = [CheckpointLine.parse(line[:-1]) for line in exported.lines("checkpoints", 0)]
    exported.put("checkpoints", 0, [one.to_bytes() for one in lines if one.size > said["event"]])
    failed, why = check(exported.reindex().folder)
    assert failed == ["checkpoints"]
    assert "no checkpoint under it is of the restored copy" in why


def test_import_and_copy_keep_the_names_and_keys(restored, desk, tmp_path):
    folder, _ = restored
    assert desk.tally("--ledger", tmp_path / "again", "import", folder).exit_code == 0
    assert desk.run("copy", desk.ledger, tmp_path / "copy").exit_code == 0
    heads = [
        desk.tally("--ledger", place, "log", "head", "--json").object
        for place in (desk.ledger, tmp_path / "again", tmp_path / "copy")
    ]
    assert {head["incarnation"] for head in heads} == {2}
    assert len({head["origin"] for head in heads}) == 1
    assert desk.tally("--ledger", tmp_path / "again", "audit").exit_code == 0
