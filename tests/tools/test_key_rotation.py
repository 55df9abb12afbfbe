"""`tally key rotate`: another key signs from the event on, both sign the first checkpoint, and auditors can follow."""

import json
import shutil

import pytest

from grants.signer import read_public
from ledger.checkpoint import open_checkpoint
from ledger.note import VerifierKey, parse_note
from tests.tools.restoring import ROW
from tools import succession
from tools.keys import read_key
from verify.bundle import parse_bundle
from verify.cli import run as verify

NEW_KEY = "the log may have a new key: a file of links leads from the old one"


@pytest.fixture
def trusted(desk, tmp_path):
    """What an auditor took on trust before the key was replaced."""
    for name in ("policy", "signers"):
        shutil.copy(desk.ledger / name, tmp_path / f"auditor-{name}")
    return tmp_path / "auditor-policy", tmp_path / "auditor-signers"


def old_key(policy):
    return VerifierKey.parse(policy.read_text().split()[1])


def rotate(desk):
    done = desk.sign("key", "rotate", "--json")
    assert done.exit_code == 0, done.stderr
    return done.object


def proven(desk, request):
    """Decide, sign a checkpoint, and give the bundle."""
    answer = desk.decide(request, *ROW).object
    file = desk.folder / f"{request}.bundle"
    done = desk.run("prove", answer["decision"], "--output", file)
    assert done.exit_code == 0, done.stderr
    return file


def checked(file, policy, signers, capsys, *words):
    capsys.readouterr()
    code = verify(["bundle", str(file), "--policy", str(policy), "--signers", str(signers), "--json", *words])
    report = json.loads(capsys.readouterr().out)
    return code, next(line for line in report["checks"] if line["check"] == "checkpoint")


def test_another_key_is_in_force_and_the_old_one_stands_aside(desk, trusted):
    old = old_key(trusted[0])
    said = rotate(desk)
    new = VerifierKey.parse(said["log_key"])
    assert (new.name, new.key_id == old.key_id) == (old.name, False)
    aside = desk.ledger / f"log.key.{old.key_id.hex()}"
    assert aside.stat().st_mode & 0o777 == (desk.ledger / "log.key").stat().st_mode & 0o777 == 0o600
    assert read_key(aside).public_key().public_bytes_raw() == old.public_key
    assert read_key(desk.ledger / "log.key").public_key().public_bytes_raw() == new.public_key
    shown = desk.run("key", "show", "--json").object
    former = [{"origin": old.name, "log_key": old.text(), "until": said["event"]}]
    assert (shown["log_key"], shown["former"]) == (new.text(), former)


def test_first_checkpoint_is_signed_by_both_and_the_next_by_the_new_one(desk, trusted):
    old = old_key(trusted[0])
    new = VerifierKey.parse(rotate(desk)["log_key"])
    first = desk.run("checkpoint", "show", "--json").object["note"].encode()
    assert open_checkpoint(first, old) == open_checkpoint(first, new)
    assert desk.decide("r1", *ROW).exit_code == 5
    second = desk.run("checkpoint", "--json").object["note"].encode()
    assert [line.key_id for line in parse_note(second)[1]] == [new.key_id]


def test_auditor_with_the_old_policy_follows(desk, trusted, capsys):
    before = proven(desk, "r1")
    said = rotate(desk)
    after = proven(desk, "r2")
    assert [link.event for link in parse_bundle(after.read_bytes()).links] == [said["event"]]
    assert checked(before, *trusted, capsys)[0] == 0
    code, line = checked(after, *trusted, capsys)
    assert (code, line["status"]) == (0, "PASS"), line
    assert f"event {said['event']}, signed by human:ada, replaced the log's key" in line["why"]


def test_bundle_under_the_checkpoint_of_both_needs_no_link(desk, trusted, capsys):
    decision = desk.decide("r1", *ROW).object["decision"]
    rotate(desk)
    file = desk.folder / "both.bundle"
    assert desk.run("prove", decision, "--output", file).exit_code == 0
    assert parse_bundle(file.read_bytes()).links == ()
    for policy in (trusted[0], desk.ledger / "policy"):
        code, line = checked(file, policy, trusted[1], capsys)
        assert (code, line["status"]) == (0, "PASS"), line


def test_two_rotations_are_followed_one_after_the_other(desk, trusted, capsys):
    rotate(desk)
    assert desk.decide("r1", *ROW).exit_code == 5
    middle = VerifierKey.parse(rotate(desk)["log_key"])
    file = proven(desk, "r2")
    assert len(parse_bundle(file.read_bytes()).links) == 2
    code, line = checked(file, *trusted, capsys)
    assert (code, line["status"]) == (0, "PASS"), line
    policy = desk.folder / "middle.policy"
    policy.write_text(f"log {middle.text()}\nquorum none\n")
    assert checked(file, policy, trusted[1], capsys)[0] == 0


def test_nobody_follows_who_has_not_pinned_the_signer(desk, trusted, capsys, other_key):
    rotate(desk)
    file = proven(desk, "r1")
    trusted[1].write_text(f"human:ada {read_public(other_key.with_name('other.pub')).line()}\n")
    code, line = checked(file, *trusted, capsys)
    assert (code, line["status"]) == (3, "FAIL")
    assert verify(["bundle", str(file), "--policy", str(trusted[0])]) == 3
    assert "give --signers FILE" in capsys.readouterr().out


def test_key_that_was_replaced_does_not_speak_for_the_log_alone(desk, trusted, capsys):
    """Whoever has stolen the old key signs what the log would sign: the bundle itself names the new key."""
    from ledger.checkpoint import Checkpoint, sign_checkpoint
    from ledger.note import NoteSigner

    old = old_key(trusted[0])
    rotate(desk)
    file = proven(desk, "r1")
    bundle = parse_bundle(file.read_bytes())
    thief = NoteSigner(old.name, read_key(desk.ledger / f"log.key.{old.key_id.hex()}"))
    forged = sign_checkpoint(Checkpoint.parse(parse_note(bundle.checkpoint)[0]), thief)
    from dataclasses import replace

    file.write_bytes(replace(bundle, checkpoint=forged).to_bytes())
    code, line = checked(file, *trusted, capsys)
    assert (code, line["status"]) == (3, "FAIL")
    assert "names the log" in line["why"]


def test_audit_knows_every_key(desk, trusted):
    rotate(desk)
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    rotate(desk)
    done = desk.run("audit", "--json")
    assert (done.exit_code, done.object["findings"]) == (0, [])
    assert desk.run("rebuild").exit_code == 0
    found = {one["check"]: one["status"] for one in desk.run("doctor", "--json").objects}
    assert (found["log key"], found["checkpoint"], found["policy"]) == ("ok", "ok", "ok")


def test_audit_finds_a_first_checkpoint_that_the_old_key_did_not_sign(desk, trusted):
    import sqlite3

    rotate(desk)
    with sqlite3.connect(desk.ledger / "ledger.db") as database:
        triggers = "SELECT name FROM sqlite_master WHERE tbl_name = 'checkpoints' AND type = 'trigger'"
        for (name,) in database.execute(triggers).fetchall():
            database.execute(f"DROP TRIGGER {name}")
        size, note = database.execute("SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
        alone = b"\n".join(note.splitlines()[:-1]) + b"\n"
        database.execute("UPDATE checkpoints SET note = ? WHERE size = ?", (alone, size))
    database.close()
    done = desk.run("audit", "--json")
    assert done.exit_code == 3
    assert "checkpoints" in {one["table"] for one in done.object["findings"]}


def test_watcher_with_the_old_policy_is_told_to_renew_it(desk, trusted):
    """A rotation is lawful: it is not what a fork is."""
    from tests.tools.test_cli_receipt import offline

    state = desk.folder / "seen"

    def watch(policy, *words):
        return desk.run("watch", desk.ledger, "--policy", policy, "--state", state, "--json", *words)

    assert desk.run("checkpoint").exit_code == 0
    assert watch(trusted[0], "--once").exit_code == 0
    rotate(desk)
    assert watch(trusted[0], "--once").object["seen"] == "grown"  # both keys have signed
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    seen = state.read_bytes()
    for words in (("--once",), ()):
        done = watch(trusted[0], *words)
        assert (done.exit_code, done.object["error"]["code"]) == (1, "NOT_FOLLOWED"), done
        assert "add the new key to the policy" in done.error
    assert (state.read_bytes(), list(desk.folder.glob("equivocation-*"))) == (seen, [])
    assert watch(desk.ledger / "policy", "--once").object["seen"] == "grown"

    for form in ("tlog-proof", "cose"):
        receipt, event = desk.folder / form, desk.folder / "event"
        event.write_text(desk.run("log", "show", 1, "--bytes").stdout)
        assert desk.run("receipt", 1, "--form", form, "-o", receipt).exit_code == 0
        code, said = offline(receipt, "--event", event, "--policy", trusted[0])
        assert (code, NEW_KEY in said) == (3, True), said
        assert offline(receipt, "--event", event, "--policy", desk.ledger / "policy")[0] == 0


def test_proof_file_under_the_new_key_says_where_the_old_policy_leads(desk, trusted, capsys):
    rotate(desk)
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    file = desk.folder / "one.proof"
    assert desk.run("log", "prove", 1, "-o", file).exit_code == 0
    assert verify(["proof", str(file), "--policy", str(trusted[0])]) == 3
    assert NEW_KEY in capsys.readouterr().out
    assert verify(["proof", str(file), "--policy", str(desk.ledger / "policy")]) == 0


def test_declined_rotation_leaves_nothing(desk):
    names = {path.name for path in desk.ledger.iterdir()}
    size = desk.size()
    assert desk.run("key", "rotate", "--by", "human:ada").exit_code == 1  # nobody is there to say yes
    assert {path.name for path in desk.ledger.iterdir()} - names <= {"ledger.db-wal", "ledger.db-shm"}
    assert desk.size() == size


def test_only_a_human_replaces_the_key(desk):
    sensor = ("--by", "sensor:reading-room", "--key", desk.key("sensor-reading-room"))
    refused = desk.run("key", "rotate", "--yes", *sensor)
    assert (refused.exit_code, "signed by a human" in refused.error) == (1, True)


@pytest.mark.parametrize("step", ["exchange", "trust"])
def test_rotation_that_broke_off_loses_no_key(desk, trusted, monkeypatch, capsys, step):
    """Whatever was done of it, the next checkpoint is signed by both."""
    old = old_key(trusted[0])

    def stop(*_words):
        raise SystemExit(9)

    with monkeypatch.context() as patched:
        patched.setattr(succession, step, stop)
        assert desk.sign("key", "rotate").exit_code == 9
    note = desk.run("checkpoint", "--json").object["note"].encode()
    new = VerifierKey.parse(desk.run("key", "show", "--json").object["log_key"])
    assert open_checkpoint(note, old) == open_checkpoint(note, new)
    assert checked(proven(desk, "r1"), *trusted, capsys)[0] == 0
    rotate(desk)
    assert desk.run("audit").exit_code == 0


def test_without_the_old_key_nothing_is_replaced(desk):
    (desk.ledger / "log.key").unlink()
    size = desk.size()
    done = desk.sign("key", "rotate")
    assert (done.exit_code, desk.size()) == (1, size)


def test_new_key_has_the_passphrase_of_the_old_one(desk, tmp_path):
    phrase = tmp_path / "phrase"
    phrase.write_text("correct horse")
    phrase.chmod(0o600)
    assert desk.run("key", "passphrase", "--new-passphrase-file", phrase).exit_code == 0
    done = desk.sign("key", "rotate", "--passphrase-file", phrase)
    assert done.exit_code == 0, done.stderr
    assert desk.run("key", "show", "--json").object["sealed"] is True
    assert desk.decide("r1", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 1
    assert desk.run("checkpoint", "--passphrase-file", phrase).exit_code == 0


def test_two_who_rotate_at_once_leave_one_key_in_force(desk):
    """The second event names a key that is no longer in force, and is refused."""
    from tools.errors import DeclinedError
    from tools.home import Home
    from tools.ledger import open_ledger

    opened = open_ledger(Home(desk.ledger))

    def late(act):
        prepared = opened.log.read(lambda snapshot: act(snapshot, "human:ada"))
        rotate(desk)
        from decisions.appending import append_act
        from grants.signer import FileSigner

        draft = prepared.sign(FileSigner.load(desk.key("human-ada"), lambda: b""))
        return opened.log.transact(lambda tx: append_act(tx, opened.registry, draft))

    from ledger.errors import ViewError

    try:
        with pytest.raises((ViewError, DeclinedError), match="the key in force is"):
            succession.rotate(opened, late)
    finally:
        opened.close()
    assert desk.run("checkpoint").exit_code == 0
    assert len(list(desk.ledger.glob("log.key.*"))) == 1
