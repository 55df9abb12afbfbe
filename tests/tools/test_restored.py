"""A copy from a backup can be read, and takes nothing more: what was spent since stands unspent in it."""

import json
import shutil
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from tests.tools.restoring import ROW, behind, put_back, spent_once
from verify.cli import run as verify


def test_copy_behind_the_mark_decides_nothing(desk):
    backup = spent_once(desk)
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, backup)
    size = desk.size()
    again = desk.decide("r3", *ROW)
    assert (again.exit_code, again.object["outcome"], again.object["reason"]) == (1, "deny", "LEDGER_UNAVAILABLE")
    assert "came from a backup" in again.object["trouble"]
    assert desk.size() == size


def test_copy_behind_the_mark_takes_no_acts_and_can_be_read(desk):
    backup = spent_once(desk)
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, backup)
    refused = desk.sign("principal", "suspend", "agent:ops-7", "--reason", "x")
    assert (refused.exit_code, "came from a backup" in refused.error) == (1, True)
    for words in (("log", "show", "0"), ("grant", "list"), ("trust", "show")):
        assert desk.run(*words).exit_code == 0, words


def test_audit_tells_an_earlier_copy_from_the_log(desk):
    """Such a copy agrees with itself in every row."""
    backup = spent_once(desk)
    assert desk.run("audit").exit_code == 0
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, backup)
    done = desk.run("audit", "--json")
    assert (done.exit_code, [one["table"] for one in done.object["findings"]]) == (3, ["high-water"])
    assert "put a newer copy there, or let this one go on as another log: tally log restored" in done.stdout


def test_audit_without_the_mark_says_that_it_was_not_looked_at(desk):
    (desk.ledger / "high-water").unlink()
    done = desk.run("audit", "--json")
    assert (done.exit_code, done.object["lines"][-1]["outcome"]) == (0, "skipped")


def test_ledger_without_its_mark_decides_nothing(desk):
    mark = desk.ledger / "high-water"
    kept = mark.read_bytes()
    mark.unlink()
    assert desk.decide("r1", *ROW).object["reason"] == "LEDGER_UNAVAILABLE"
    mark.write_bytes(kept)
    assert desk.decide("r2", *ROW).object["outcome"] == "hold"


@pytest.mark.parametrize("signed", [True, False])
def test_ledger_whose_mark_was_emptied_decides_nothing(desk, signed):
    """Nothing tells then that it came from a backup, also where that holds no checkpoint."""
    first = desk.folder / "first.db"
    shutil.copy(desk.ledger / "ledger.db", first)
    if not signed:
        with closing(sqlite3.connect(first)) as database, database:
            triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:
                database.execute(f"DROP TRIGGER {name}")
            database.execute("DELETE FROM checkpoints")
    assert desk.decide("r0", *ROW).exit_code == 5
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, first)
    (desk.ledger / "high-water").write_bytes(b"")
    size = desk.size()
    again = desk.decide("r1", *ROW)
    assert (again.exit_code, again.object["outcome"], again.object["reason"]) == (1, "deny", "LEDGER_UNAVAILABLE")
    assert "high-water is damaged: restore it from where it is kept" in again.object["trouble"]
    for words in (("principal", "suspend", "agent:ops-7", "--reason", "x"), ("log", "restored")):
        refused = desk.sign(*words)
        assert (refused.exit_code, "it is empty" in refused.error) == (1, True), words
    assert desk.run("checkpoint").exit_code == 1
    assert desk.run("doctor").exit_code == 1
    assert desk.size() == size


def test_ledger_has_a_mark_from_its_first_moment(desk):
    """So that an empty one is never right."""
    assert (desk.ledger / "high-water").read_bytes()


# -- it goes on as another log --


@pytest.fixture
def trusted(desk, tmp_path):
    """What an auditor took on trust before anything was lost: the policy and the signers of the first log."""
    for name in ("policy", "signers"):
        shutil.copy(desk.ledger / name, tmp_path / f"auditor-{name}")
    return tmp_path / "auditor-policy", tmp_path / "auditor-signers"


@pytest.fixture
def restored(trusted, desk):
    """A desk that went on as another log, and what was said of it."""
    done = behind(desk).sign("log", "restored", "--origin", "example.com/second", "--json")
    assert done.exit_code == 0, done.stderr
    return desk, done.object


def adopt(desk):
    text = desk.run("constitution", "show", "--default", "--text").stdout
    (desk.folder / "ours.toml").write_text(text)
    done = desk.sign("constitution", "adopt", desk.folder / "ours.toml")
    assert done.exit_code == 0, done.stderr


def confirm(desk, *principals):
    for principal in principals:
        done = desk.sign("principal", "confirm", principal)
        assert done.exit_code == 0, done.stderr


def reopened(desk):
    """Everything that a human has to say again before an agent is listened to."""
    adopt(desk)
    confirm(desk, "service:gateway", "agent:ops-7")


def prove(desk, request, *words):
    answer = desk.decide(request, *words).object
    file = desk.folder / f"{request}.bundle"
    done = desk.run("prove", answer["decision"], "--output", file)
    assert done.exit_code == 0, done.stderr
    return file


def checked(file, policy, signers, capsys):
    import json

    code = verify(["bundle", str(file), "--policy", str(policy), "--signers", str(signers), "--json"])
    report = json.loads(capsys.readouterr().out)
    return code, next(line for line in report["checks"] if line["check"] == "checkpoint")


def test_says_what_it_comes_from_and_what_is_lost(restored):
    desk, said = restored
    head = desk.run("log", "head", "--json").object
    assert (head["origin"], head["incarnation"]) == ("example.com/second", 2) == (said["origin"], 2)
    assert head["log_key"] == said["log_key"]
    assert said["former_origin"] == "demo.tally.example/night-shift"
    assert (said["event"], said["checkpoint"], head["unsigned"]) == (head["size"] - 1, head["size"], 0)
    assert said["former_size"] > said["event"]
    body = desk.run("log", "show", said["event"], "--json").object
    assert body["type"] == "ledger.restored"


def test_nothing_is_allowed_before_a_constitution_is_adopted_again(restored):
    desk, _ = restored
    confirm(desk, "service:gateway", "agent:ops-7")
    answer = desk.decide("r4", *ROW)
    assert (answer.object["outcome"], answer.object["reason"]) == ("deny", "POLICY_ERROR")
    adopt(desk)
    assert desk.decide("r5", *ROW).object["outcome"] == "hold"


def test_consent_that_was_given_before_is_not_used_again(restored):
    """It was spent in what was lost, and stands unspent in the copy."""
    desk, _ = restored
    reopened(desk)
    answer = desk.decide("r4", *ROW).object
    assert (answer["outcome"], answer["reason"]) == ("hold", "CONSENT_BINDING")
    assert {one["life"] for one in desk.run("grant", "list", "--all", "--json").objects} == {"lapsed"}
    assert desk.run("grant", "list", "--json").objects == []


def test_consent_that_is_given_now_is_used(restored):
    desk, _ = restored
    reopened(desk)
    held = desk.decide("r4", *ROW).object
    assert desk.sign("grant", "issue", held["request"], "--for", "2h", "--reason", "asked again").exit_code == 0
    assert desk.decide("r5", *ROW).object["outcome"] == "allow"
    assert desk.decide("r6", *ROW).object["outcome"] == "hold"


def test_request_from_before_is_answered_no_more(desk, trusted):
    held = desk.decide("r0", *ROW)
    behind(desk)
    assert desk.sign("log", "restored").exit_code == 0
    refused = desk.sign("grant", "issue", held.object["request"], "--for", "2h", "--reason", "late")
    assert (refused.exit_code, "let it be asked again" in refused.error) == (1, True)


def test_standing_grant_from_before_counts_no_more(desk, trusted):
    """It may have been revoked in what was lost."""
    delete = ("--verb", "delete", "--target", "file:///srv/app/notes.txt")
    words = ("--subject", "agent:ops-7", "--kind", "file", "--verb", "delete", "--targets", "file:///srv/app/**")
    condition = ("--when", 'asset == "source" and environment == "dev"', "--reason", "its own work")
    before = desk.decide("r-1", *delete).object["outcome"]
    done = desk.sign("grant", "ratify", *words, *condition)
    assert done.exit_code == 0, done.stderr
    assert (before, desk.decide("r0", *delete).object["outcome"]) == ("deny", "allow")
    behind(desk)
    assert desk.sign("log", "restored").exit_code == 0
    reopened(desk)
    assert desk.decide("r3", *delete).object["outcome"] == "deny"
    assert desk.sign("grant", "ratify", *words, *condition).exit_code == 0
    assert desk.decide("r4", *delete).object["outcome"] == "allow"


def test_principal_is_nobody_until_it_is_confirmed(restored):
    """It may have been suspended in what was lost; the one who signed the restore stands."""
    desk, _ = restored
    adopt(desk)
    assert desk.decide("r4", *ROW).object["outcome"] == "deny"
    confirm(desk, "agent:ops-7")
    assert desk.decide("r5", *ROW).object["outcome"] == "deny"  # the service that speaks for it was not confirmed
    confirm(desk, "service:gateway")
    assert desk.decide("r6", *ROW).object["outcome"] == "hold"
    status = {one[0]: one[1] for one in statuses(desk)}
    assert status["agent:ops-7"] == status["human:ada"] == "active"
    assert status["agent:companion"].startswith("not confirmed since event")


def statuses(desk):
    lines = desk.run("principal", "list").stdout.splitlines()[1:]
    return [(line.split()[0], line.rpartition("  ")[2]) for line in lines]


def test_key_that_was_not_confirmed_signs_nothing(desk, trusted, other_key):
    """A key may have been stolen, and revoked in what was lost."""
    assert desk.sign("principal", "key-add", "human:ada", f"{other_key}.pub").exit_code == 0
    behind(desk)
    assert desk.sign("log", "restored").exit_code == 0
    words = ("principal", "add", "human:bo", "--by", "human:ada", "--yes")
    refused = desk.tally(*words, TALLY_LEDGER=str(desk.ledger), TALLY_KEY=str(other_key))
    assert (refused.exit_code, "no key of human:ada" in refused.error) == (1, True)
    confirm(desk, "human:ada")
    assert desk.tally(*words, TALLY_LEDGER=str(desk.ledger), TALLY_KEY=str(other_key)).exit_code == 0


def test_key_can_be_left_out_of_a_confirmation(desk, trusted, other_key):
    from grants.signer import read_public

    assert desk.sign("principal", "add", "human:bo", "--public-key", f"{other_key}.pub").exit_code == 0
    behind(desk)
    assert desk.sign("log", "restored").exit_code == 0
    fingerprint = read_public(other_key.with_name("other.pub")).fingerprint
    assert desk.sign("principal", "confirm", "human:bo", "--without", fingerprint).exit_code == 0
    words = ("principal", "add", "human:cy", "--by", "human:bo", "--yes")
    refused = desk.tally(*words, TALLY_LEDGER=str(desk.ledger), TALLY_KEY=str(other_key))
    assert (refused.exit_code, "no key of human:bo" in refused.error) == (1, True)


def test_reading_of_trust_from_before_counts_as_none(desk, trusted):
    """A worse one may have been taken in what was lost."""
    seen = ("--system", "agent:companion", "--counterpart", "person:reader-31")
    words = ("trust", "observe", "--as", "sensor:reading-room", "--key", desk.key("sensor-reading-room"), *seen)
    words = (*words, "--domain", "library", "--qualifying", "--c-inst", "0.88")
    assert desk.run(*words, "--interaction", "i1").exit_code == 0
    behind(desk)
    assert desk.sign("log", "restored").exit_code == 0
    adopt(desk)
    assert [one["c_inst"] for one in desk.run("trust", "show", *seen, "--json").objects] == [0]
    assert desk.run(*words, "--interaction", "i2").exit_code == 1
    confirm(desk, "sensor:reading-room", "agent:companion")
    assert desk.run(*words, "--interaction", "i2").exit_code == 0
    assert [one["c_inst"] for one in desk.run("trust", "show", *seen, "--json").objects] == [880_000_000_000_000]


def test_audit_of_a_log_that_went_on_finds_nothing(restored):
    desk, _ = restored
    reopened(desk)
    assert desk.run("checkpoint").exit_code == 0
    done = desk.run("audit", "--json")
    assert (done.exit_code, done.object["findings"]) == (0, [])
    assert desk.run("rebuild").exit_code == 0
    assert desk.run("replay").exit_code == 0


def test_audit_holds_a_restore_to_the_roots_that_it_names(desk, trusted, monkeypatch):
    """Whoever signs for another copy than the one that goes on is found."""
    from grants import life

    behind(desk)
    with monkeypatch.context() as patched:
        patched.setattr(life, "rfc6962", SimpleNamespace(root=lambda peaks: bytes(32)))
        assert desk.sign("log", "restored").exit_code == 0
    done = desk.run("audit", "--json")
    assert done.exit_code == 3
    assert "do not come to the roots" in " ".join(one["message"] for one in done.object["findings"])


def test_doctor_finds_it_in_order(restored):
    desk, _ = restored
    adopt(desk)
    done = desk.run("doctor", "--json")
    assert {one["check"]: one["detail"] for one in done.objects if one["status"] in {"problem", "evidence"}} == {}


def test_auditor_follows_from_the_first_log_to_the_second(restored, trusted, capsys):
    desk, said = restored
    reopened(desk)
    code, line = checked(prove(desk, "r4", *ROW), *trusted, capsys)
    assert (code, line["status"]) == (0, "PASS"), line
    lost = f"events {said['event']} to {said['former_size'] - 1} of demo.tally.example/night-shift"
    assert "went on as example.com/second" in line["why"]
    assert lost in line["why"]
    assert "signed by human:ada" in line["why"]


def test_decision_from_before_is_still_proven(restored, trusted, capsys):
    desk, _ = restored
    first = next(one for one in desk.run("log", "show", "--type", "decision.made", "--json").objects)
    file = desk.folder / "first.bundle"
    assert desk.run("prove", first["seq"], "--output", file).exit_code == 0
    code, line = checked(file, *trusted, capsys)
    assert (code, line["status"]) == (0, "PASS"), line


def test_nobody_follows_who_has_not_pinned_the_signer(restored, trusted, capsys, other_key):
    desk, _ = restored
    reopened(desk)
    file = prove(desk, "r4", *ROW)
    policy, signers = trusted
    signers.write_text(f"human:ada {other_key.with_name('other.pub').read_text()}")
    code, line = checked(file, policy, signers, capsys)
    assert (code, line["status"]) == (3, "FAIL")
    assert verify(["bundle", str(file), "--policy", str(policy)]) == 3
    assert "give --signers FILE" in capsys.readouterr().out


def test_policy_of_the_new_log_needs_no_step_back(restored, trusted, capsys):
    desk, said = restored
    reopened(desk)
    policy = desk.folder / "new.policy"
    policy.write_text(f"log {said['log_key']}\nquorum none\n")
    code, line = checked(prove(desk, "r4", *ROW), policy, trusted[1], capsys)
    assert (code, line["status"]) == (0, "PASS")
    assert "are lost" in line["why"]


def test_what_was_signed_before_stands_aside(restored):
    desk, said = restored
    names = {path.name for path in desk.ledger.iterdir()}
    former = (desk.ledger / "policy").read_text().splitlines()[1].split()[1].split("+")[1]
    assert {f"log.key.{former}", f"high-water.{former}", "log.key", "high-water"} <= names
    assert (desk.ledger / "high-water").read_text().splitlines()[:2] == ["example.com/second", str(said["checkpoint"])]


def test_watcher_is_told_that_the_old_log_is_not_continued(trusted, desk):
    state = desk.folder / "seen"

    def watch(policy, state):
        return desk.run("watch", desk.ledger, "--policy", policy, "--state", state, "--once", "--json")

    assert desk.run("checkpoint").exit_code == 0
    assert watch(trusted[0], state).exit_code == 0
    seen = state.read_bytes()
    assert behind(desk).sign("log", "restored", "--origin", "example.com/second").exit_code == 0
    for policy in (trusted[0], desk.ledger / "policy"):
        done = watch(policy, state)
        assert (done.exit_code, done.object["error"]["code"]) == (1, "NOT_FOLLOWED"), done
        assert "another --state" in done.error
    assert state.read_bytes() == seen
    first = watch(desk.ledger / "policy", desk.folder / "new").object
    assert (first["seen"], first["origin"]) == ("first", "example.com/second")
    assert first["not_continued"] == ["demo.tally.example/night-shift"]
    again = watch(desk.ledger / "policy", desk.folder / "new").object
    assert (again["seen"], again["not_continued"]) == ("same", [])
    said = desk.run("watch", desk.ledger, "--policy", desk.ledger / "policy", "--state", desk.folder / "n2", "--once")
    assert "it does not continue demo.tally.example/night-shift" in said.stdout


def test_watcher_who_has_pinned_the_human_is_led_to_the_new_log(trusted, desk):
    words = ("--policy", trusted[0], "--signers", trusted[1], "--state", desk.folder / "seen", "--once", "--json")
    assert desk.run("checkpoint").exit_code == 0
    assert desk.run("watch", desk.ledger, *words).object["seen"] == "first"
    behind(desk)
    done = desk.sign("log", "restored", "--origin", "example.com/second")
    assert done.exit_code == 0
    led = desk.run("watch", desk.ledger, *words)
    assert (led.exit_code, led.object["seen"], led.object["origin"]) == (0, "restored", "example.com/second"), led
    assert "went on as example.com/second" in led.object["followed"]
    assert desk.run("watch", desk.ledger, *words).object["seen"] == "same"


def test_decision_before_a_constitution_is_adopted_again_is_proven(trusted, desk, capsys):
    """Nothing is tampered with: none is in force, and the decision says so."""
    assert behind(desk).sign("log", "restored", "--origin", "example.com/second").exit_code == 0
    made = desk.decide("r9", *ROW).object
    file = desk.folder / "r9.bundle"
    assert desk.run("prove", made["decision"], "--output", file).exit_code == 0
    capsys.readouterr()
    words = ["bundle", str(file), "--policy", str(trusted[0]), "--signers", str(trusted[1]), "--json"]
    code = verify(words)
    report = json.loads(capsys.readouterr().out)
    line = next(one for one in report["checks"] if one["check"] == "constitution")
    assert (code, line["status"], report["failed"]) == (0, "NOT-CHECKED", [])
    assert "lapsed with the restore" in line["why"]
    assert (made["outcome"], made["reason"], verify([*words, "--strict"])) == ("deny", "POLICY_ERROR", 6)


def test_log_that_is_not_behind_is_not_restored(desk):
    assert desk.run("checkpoint").exit_code == 0
    done = desk.sign("log", "restored")
    assert (done.exit_code, "is not behind" in done.error) == (1, True)


def test_declined_restore_leaves_nothing(desk, trusted):
    behind(desk)
    names = {path.name for path in desk.ledger.iterdir()}
    assert desk.run("log", "restored", "--by", "human:ada").exit_code == 1  # nobody is there to say yes
    assert {path.name for path in desk.ledger.iterdir()} - names <= {"ledger.db-wal", "ledger.db-shm"}
    assert desk.sign("log", "restored").exit_code == 0


@pytest.mark.parametrize("step", ["exchange", "write_mark", "trust"])
def test_restore_that_broke_off_is_finished_by_doing_it_again(desk, trusted, monkeypatch, step):
    from tools import restoring

    behind(desk)

    def stop(*_words):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(restoring, step, stop)
        assert desk.sign("log", "restored", "--origin", "example.com/second").exit_code == 130
    size = desk.size()
    assert desk.decide("r4", *ROW).object["reason"] == "LEDGER_UNAVAILABLE"
    assert desk.run("checkpoint").exit_code == 1
    done = desk.sign("log", "restored", "--origin", "example.com/third", "--json")
    assert (done.exit_code, done.object["origin"], desk.size()) == (0, "example.com/second", size)
    assert desk.run("doctor").exit_code in {0, 1}
    reopened(desk)
    assert desk.decide("r5", *ROW).object["outcome"] == "hold"


def test_older_backup_after_a_restore_is_another_restore(restored):
    """The copy of the first log comes back once more, beside the mark of the second."""
    desk, _ = restored
    put_back(desk, desk.folder / "backup.db")
    refused = desk.sign("principal", "suspend", "agent:ops-7", "--reason", "x")
    assert (refused.exit_code, "the database holds demo.tally.example" in refused.error) == (1, True)
    assert desk.run("checkpoint").exit_code == 1
    assert desk.sign("log", "restored").exit_code == 1


def test_second_restore_names_a_third_log(restored):
    desk, _ = restored
    reopened(desk)
    backup = desk.folder / "again.db"
    shutil.copy(desk.ledger / "ledger.db", backup)
    assert desk.decide("r4", *ROW).object["outcome"] == "hold"
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, backup)
    done = desk.sign("log", "restored", "--json")
    assert done.exit_code == 0, done.stderr
    assert desk.run("log", "head", "--json").object["incarnation"] == 3
    assert desk.decide("r5", *ROW).object["outcome"] == "deny"
    reopened(desk)
    assert desk.decide("r6", *ROW).object["outcome"] == "hold"
    assert desk.run("audit").exit_code == 0
