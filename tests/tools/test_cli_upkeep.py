"""`tally rebuild`, `tally audit` and `tally doctor`."""

import functools
import shutil
import sqlite3

import pytest

from tools import doctor
from tools.home import Home
from tools.ledger import create_empty


def damage(ledger, table, statement):
    """Change a row behind the log's back, as who owns the file can."""
    with sqlite3.connect(ledger / "ledger.db") as database:
        for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", [table]
        ).fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute(statement)
    database.close()


def test_rebuild_reaches_the_same_states(tally, ledger):
    done = tally("rebuild", "--json")
    assert done.exit_code == 0
    assert done.object["same"] is True
    assert done.object["events"] == 3


def test_rebuild_mends_a_changed_view_and_says_so(tally, ledger):
    damage(
        ledger, "states", "UPDATE states SET state = replace(state, 'control_plane', 'scratch') WHERE view = 'resource'"
    )
    done = tally("rebuild")
    assert (done.exit_code, "NOT the same" in done.stdout) == (3, True)
    assert tally("rebuild").exit_code == 0


def test_audit_of_an_undamaged_log(tally, ledger):
    done = tally("audit", "--json")
    assert done.exit_code == 0
    assert done.object["ok"] is True
    assert {line["outcome"] for line in done.object["lines"]} == {"ok"}
    assert "is what it says it is" in tally("audit").stdout


def test_audit_names_the_first_bad_row(tally, ledger):
    damage(
        ledger,
        "events",
        "UPDATE events SET bytes = replace(bytes, 'tallystick default', 'tallystick dEfault') WHERE seq = 1",
    )
    done = tally("audit")
    assert done.exit_code == 3
    assert "First bad row: events seq 1" in done.stdout
    machine = tally("audit", "--json")
    assert (machine.exit_code, machine.object["findings"][0]["key"]) == (3, "seq 1")


def test_audit_without_a_ledger_is_one_line(tally):
    done = tally("audit")
    assert (done.exit_code, "tally init" in done.error) == (1, True)


def test_a_file_that_is_no_database_is_one_line(tally, ledger):
    (ledger / "ledger.db").write_bytes(b"something else" * 1000)
    for words in (("log", "head"), ("principal", "list"), ("rebuild",), ("checkpoint",)):
        done = tally(*words)
        assert (done.exit_code, "no ledger" in done.error) == (1, True)
    assert tally("doctor").exit_code == 1


def test_a_locked_database_is_one_line(tally, ledger, monkeypatch):
    from tools import ledger as opening

    monkeypatch.setattr(opening, "open_log", functools.partial(opening.open_log, busy_seconds=0.1))
    other = sqlite3.connect(ledger / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        done = tally("principal", "add", "human:bo", "--yes")
    finally:
        other.close()
    assert (done.exit_code, "try again" in done.error) == (1, True)


def test_doctor_finds_nothing_wrong_with_a_new_ledger(tally, fresh):
    done = tally("doctor", "--json")
    assert done.exit_code == 0
    assert {one["check"]: one["status"] for one in done.objects if one["status"] != "ok"} == {}


def test_doctor_without_a_ledger_says_where_it_looked(tally, place):
    done = tally("doctor")
    assert done.exit_code == 1
    assert f"{place} holds none" in done.stdout


@pytest.mark.parametrize(
    ("change", "check", "status"),
    [
        (lambda path: (path / "ledger.db").chmod(0o666), "modes", "problem"),
        (lambda path: path.chmod(0o777), "modes", "problem"),
        (lambda path: (path / "policy").unlink(), "policy", "problem"),
        (lambda path: (path / "log.key").chmod(0o644), "log key", "problem"),
        (lambda path: damage(path, "checkpoints", "DELETE FROM checkpoints"), "checkpoint", "warning"),
        (
            lambda path: damage(path, "states", "DELETE FROM states WHERE view = 'constitution'"),
            "constitution",
            "problem",
        ),
        (lambda path: damage(path, "states", "DELETE FROM states WHERE view = 'resource'"), "protection", "warning"),
        (lambda path: damage(path, "x", "UPDATE alembic_version SET version_num = '9999'"), "ledger", "problem"),
    ],
)
def test_doctor_names_what_is_wrong(tally, fresh, change, check, status):
    change(fresh)
    done = tally("doctor", "--json")
    found = {one["check"]: one for one in done.objects}
    assert found[check]["status"] == status
    assert done.exit_code == (0 if status == "warning" else 1)


def test_doctor_finds_another_distribution_with_our_names(tally, monkeypatch):
    monkeypatch.setattr(
        doctor.importlib.metadata, "packages_distributions", lambda: {"tools": ["tallystick", "toolbox"], "grants": []}
    )
    line = next(one for one in tally("doctor", "--json").objects if one["check"] == "names")
    assert line["status"] == "problem"
    assert "tools (also of toolbox)" in line["detail"]


def test_doctor_finds_a_missing_dependency_and_a_missing_ssh_keygen(tally, monkeypatch):
    monkeypatch.setattr(doctor, "DEPENDENCIES", ("no-such-distribution",))
    monkeypatch.setattr(doctor.shutil, "which", lambda _name: None)
    found = {one["check"]: one["status"] for one in tally("doctor", "--json").objects}
    assert (found["dependencies"], found["ssh-keygen"]) == ("problem", "warning")


def test_doctor_finds_a_clock_that_stepped_back(tally, fresh, monkeypatch):
    from tools import ledger as opening

    monkeypatch.setattr(opening.time, "time_ns", lambda: 0)
    found = {one["check"]: one["status"] for one in tally("doctor", "--json").objects}
    assert found["clock"] == "problem"


def test_doctor_finds_a_directory_that_nobody_protects(tally, ledger):
    found = {one["check"]: one for one in tally("doctor", "--json").objects}
    assert found["protection"]["status"] == "warning"
    where = found["protection"]["detail"].partition("add '")[2].partition("'")[0]
    assert tally("resource", "add", where, "--set", "asset=control_plane", "--yes").exit_code == 0
    assert {one["status"] for one in tally("doctor", "--json").objects} == {"ok"}


def test_doctor_finds_another_logs_policy(tally, ledger, tmp_path):
    assert tally("--ledger", tmp_path / "second", "init", "--yes").exit_code == 0
    shutil.copy(tmp_path / "second" / "policy", ledger / "policy")
    found = {one["check"]: one for one in tally("doctor", "--json").objects}
    assert (found["policy"]["status"], "another log" in found["policy"]["detail"]) == ("problem", True)


def test_a_log_that_nobody_opened_is_one_line(tally, place):
    place.mkdir()
    create_empty(Home(place)).close()
    done = tally("log", "head")
    assert (done.exit_code, "nobody opened" in done.error) == (1, True)


def test_without_a_constitution_nothing_can_be_registered(tally, ledger):
    damage(ledger, "states", "DELETE FROM states WHERE view = 'constitution'")
    done = tally("resource", "add", "db://prod/users", "--set", "environment=prod", "--yes")
    assert (done.exit_code, "no constitution is in force" in done.error) == (1, True)


def test_audit_since_a_checkpoint(tally, ledger, tmp_path):
    assert tally("checkpoint").exit_code == 0
    note = tmp_path / "note"
    note.write_bytes(sqlite3.connect(ledger / "ledger.db").execute("SELECT note FROM checkpoints").fetchone()[0])
    for since in ("3", str(note)):
        done = tally("audit", "--since", since, "--json")
        assert (done.exit_code, done.object["since"], done.object["ok"]) == (0, 3, True)
    assert "what is before it was not looked at" in tally("audit", "--since", "3").stdout
    for wrong, told in (
        ("2", "no checkpoint of 2 events"),
        (tmp_path / "nothing", "can't be read"),
        (ledger / "policy", "no checkpoint"),
    ):
        done = tally("audit", "--since", str(wrong))
        assert (done.exit_code, told in done.error) == (1, True), done.error


def test_audit_tells_what_it_found_and_where(tally, ledger):
    damage(ledger, "tags", "DELETE FROM tags WHERE seq = 1")
    done = tally("audit")
    assert done.exit_code == 3
    told = " ".join(done.stdout.split())
    assert "It lies in event 1: the log is sound up to size 1, and from event 2 on." in told
    assert "follow from the events: 3. Run tally rebuild" in told
    machine = tally("audit", "--json").object
    # Whoever deleted them had to take the triggers away first.
    assert machine["kinds"] == {"view": 3, "tampering": 3}
    assert machine["damage"] == {"from": 1, "to": 2, "checkpoint_before": None, "checkpoint_after": 3}
    assert tally("rebuild", "--json").object["mended"] == ["tags"]
    # The triggers are all that is left to be found.
    assert [finding["table"] for finding in tally("audit", "--json").object["findings"]] == ["schema"] * 3


def test_audit_by_two_processes_and_with_a_progress_file(tally, ledger):
    alone = tally("audit", "--json").object
    (ledger / "audit-progress").write_bytes(b"left over")
    assert tally("audit", "--jobs", "2", "--json").object == alone
    (ledger / "audit-progress").write_bytes(b"left over")
    assert tally("audit", "--resume", "--json").object == alone


def test_audit_of_a_file_that_is_cut_short_is_evidence(tally, ledger):
    with sqlite3.connect(ledger / "ledger.db") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    whole = (ledger / "ledger.db").read_bytes()
    (ledger / "ledger.db").write_bytes(whole[: len(whole) // 8192 * 4096])
    done = tally("audit", "--json")
    assert (done.exit_code, set(done.object["kinds"]) >= {"torn"}) == (3, True)


def test_a_strict_audit_tells_what_was_left_unchecked_from_what_is_wrong(tally, ledger):
    assert tally("audit", "--strict").exit_code == 0
    (ledger / "high-water").write_bytes(b"unreadable")
    lenient, strict = tally("audit", "--json"), tally("audit", "--strict", "--json")
    assert (lenient.exit_code, strict.exit_code, lenient.object) == (0, 6, strict.object)
    assert [line["dimension"] for line in strict.object["lines"] if line["outcome"] == "skipped"] == ["high-water"]
    damage(ledger, "states", "DELETE FROM states WHERE view = 'resource'")
    assert tally("audit", "--strict").exit_code == 3


def test_a_strict_audit_misses_an_opening_that_no_event_erased(tally, ledger):
    with sqlite3.connect(ledger / "ledger.db") as database:
        ((trigger,),) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'disclosures_no_delete'")
        database.execute("DROP TRIGGER disclosures_no_delete")
        database.execute("DELETE FROM disclosures")
        database.execute(trigger)
    database.close()
    assert [tally("audit").exit_code, tally("audit", "--strict").exit_code] == [0, 6]
    assert "SKIPPED disclosures" in tally("audit", "--strict").stdout
