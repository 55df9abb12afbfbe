"""``tally copy``: the same rows on the other side, whatever interrupts it, and nothing over what is another log."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.errors import StoreBusyError
from ledger.sql import load as loading
from tools.copying import copying
from tools.copying.places import Place, is_same
from tools.ledger import open_ledger

KILLED = """
import os, signal, sys
from ledger.sql import load
load.BATCH_EVENTS = 1
from tools.copying import copying
from tools.copying.places import Place
source, target, after = sys.argv[1:]
def progress(stage, done, total):
    if stage == "copying" and done == int(after):
        os.kill(os.getpid(), signal.SIGKILL)
copying.copy(Place.named(source).open(), Place.named(target).open_or_create(Place.named(source)), None, progress)
"""


def rows(database: Path) -> dict[str, list]:
    """Give every row of every table of a SQLite file, past everything of ours."""
    connection = sqlite3.connect(database)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in names}
    finally:
        connection.close()


@pytest.fixture
def busy(desk):
    """A desk at which things were decided."""
    for number in range(3):
        desk.decide(f"r-{number}", "--shell", "rm -rf build")
    desk.run("checkpoint")
    return desk


def test_copy_has_every_row_and_what_auditors_are_given_and_no_key(busy, tmp_path):
    done = busy.run("copy", busy.ledger, tmp_path / "copy", "--json")
    assert done.exit_code == 0, done.stderr
    assert (done.object["size"], done.object["stood"]) == (busy.size(), 0)
    assert rows(tmp_path / "copy" / "ledger.db") == rows(busy.ledger / "ledger.db")
    assert {path.name for path in (tmp_path / "copy").iterdir()} == {"ledger.db", "policy", "signers"}
    assert "bring log.key and high-water" in done.stderr
    assert busy.tally("--ledger", tmp_path / "copy", "audit").exit_code == 0


def test_copy_can_not_decide_or_sign_before_key_and_mark_are_brought(busy, tmp_path):
    busy.run("copy", busy.ledger, tmp_path / "copy")
    there = ("--ledger", tmp_path / "copy")
    denied = busy.tally(*there, "decide", "--as", "agent:ops-7", "--shell", "ls", "--json")
    assert denied.exit_code == 1
    assert busy.tally(*there, "checkpoint").exit_code == 1
    assert busy.tally(*there, "prove", "17", "-o", tmp_path / "b").exit_code in {0, 1}
    for name in ("log.key", "high-water"):
        shutil.copy(busy.ledger / name, tmp_path / "copy" / name)
    assert busy.tally(*there, "decide", "--as", "agent:ops-7", "--shell", "ls", "--json").exit_code in {0, 4, 5}
    assert busy.tally(*there, "checkpoint").exit_code == 0
    assert busy.tally(*there, "audit").exit_code == 0


def test_copy_is_brought_up_to_date(busy, tmp_path):
    busy.run("copy", busy.ledger, tmp_path / "copy")
    stood = busy.size()
    busy.decide("r-more", "--shell", "rm -rf build")
    done = busy.run("copy", busy.ledger, tmp_path / "copy", "--json")
    assert done.object["stood"] == stood
    assert done.object["copied"] == busy.size() - stood > 0
    again = busy.run("copy", busy.ledger, tmp_path / "copy", "--json")
    assert again.object["copied"] == 0
    assert rows(tmp_path / "copy" / "ledger.db") == rows(busy.ledger / "ledger.db")


def test_what_auditors_are_given_is_brought_up_to_date_in_a_copy_without_a_key(busy, tmp_path):
    target = tmp_path / "copy"
    first = busy.run("copy", busy.ledger, target, "--json")
    assert (first.object["renewed"], first.object["differing"]) == ([], [])
    with (busy.ledger / "policy").open("a") as policy:
        policy.write("# a line that is new\n")
    (target / "signers").unlink()
    done = busy.run("copy", busy.ledger, target, "--json")
    assert (done.object["renewed"], done.object["differing"]) == (["policy", "signers"], [])
    assert "Brought up to date" in done.stderr
    for name in ("policy", "signers"):
        assert (target / name).read_bytes() == (busy.ledger / name).read_bytes()


def test_what_auditors_are_given_is_left_where_there_is_a_key_and_a_difference_is_told(busy, tmp_path):
    target = tmp_path / "copy"
    busy.run("copy", busy.ledger, target)
    for name in ("log.key", "high-water"):
        shutil.copy(busy.ledger / name, target / name)
    held = (target / "policy").read_bytes()
    with (busy.ledger / "policy").open("a") as policy:
        policy.write("# a line that is new\n")
    done = busy.run("copy", busy.ledger, target, "--json")
    assert done.exit_code == 0
    assert (done.object["renewed"], done.object["differing"]) == ([], ["policy"])
    assert "has another version" in done.stderr
    assert (target / "policy").read_bytes() == held


def test_copy_from_file_to_file_needs_no_directory(busy, tmp_path):
    done = busy.run("copy", busy.ledger / "ledger.db", tmp_path / "other.db")
    assert done.exit_code == 0, done.stderr
    assert rows(tmp_path / "other.db") == rows(busy.ledger / "ledger.db")
    assert "bring log.key" not in done.stderr


def test_copy_to_postgresql_and_back_has_the_same_rows(busy, tmp_path, postgres):
    there = str(postgres.address())
    first = busy.run("copy", busy.ledger, there, "--json")
    assert first.exit_code == 0, first.stderr
    second = busy.run("copy", there, tmp_path / "back.db", "--json")
    assert second.object["digests"] == first.object["digests"]
    assert rows(tmp_path / "back.db") == rows(busy.ledger / "ledger.db")
    busy.decide("r-more", "--shell", "rm -rf build")
    again = busy.run("copy", busy.ledger, there, "--json")
    assert (again.exit_code, again.object["stood"]) == (0, first.object["size"])


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_copy_that_was_killed_goes_on(busy, tmp_path, request, kind):
    """Killed after each of some events: what stands is a log, and the next run completes it."""
    target = tmp_path / "copy" if kind == "sqlite" else str(request.getfixturevalue("postgres").address())
    size = busy.size()
    for after in (1, 2, size // 2, size - 1):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(busy.ledger), str(target), str(after)],
            check=False,
            cwd=Path(copying.__file__).parents[2],
            env={**os.environ, "PYTHONPATH": str(Path(copying.__file__).parents[2])},
        )
        assert done.returncode == -signal.SIGKILL
        log = Place.named(str(target)).open()
        assert log.read(lambda look: look.head.size) == after
        log.close()
    finished = busy.run("copy", busy.ledger, target, "--json")
    assert (finished.exit_code, finished.object["stood"]) == (0, size - 1)


def test_copy_of_a_log_that_is_written_to_is_its_beginning(busy, tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "BATCH_EVENTS", 1)
    source, target = Place.named(str(busy.ledger)), Place.named(str(tmp_path / "copy"))
    log, other = source.open(), target.open_or_create(source)
    size, written = busy.size(), []

    def progress(stage, done, total):
        if stage == "copying" and done == size // 2:
            written.append(busy.decide("r-meanwhile", "--shell", "rm -rf build").exit_code)

    try:
        copied = copying.copy(log, other, target.home, progress)
        assert written
        assert copied.size == size < busy.size()
        assert copying.copy(log, other, target.home, lambda *_: None).size == busy.size()
    finally:
        log.close()
        other.close()
    assert rows(tmp_path / "copy" / "ledger.db") == rows(busy.ledger / "ledger.db")


def test_another_log_is_left_as_it_is(busy, ledger, tmp_path):
    before = rows(ledger / "ledger.db")
    done = busy.run("copy", busy.ledger, ledger)
    assert done.exit_code == 3
    assert "are not those that the source begins with" in done.error
    assert rows(ledger / "ledger.db") == before


def test_log_that_is_ahead_is_left_as_it_is(busy, tmp_path):
    shutil.copytree(busy.ledger, tmp_path / "early")
    busy.decide("r-more", "--shell", "rm -rf build")
    before = rows(busy.ledger / "ledger.db")
    done = busy.run("copy", tmp_path / "early", busy.ledger)
    assert done.exit_code == 3
    assert "it is no earlier copy of it" in done.error
    assert rows(busy.ledger / "ledger.db") == before


def changed(database, *statements):
    connection = sqlite3.connect(database)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("UPDATE states SET state = CAST('{}' AS BLOB) WHERE view = 'principal'", "states"),
        ("DELETE FROM tags WHERE seq = 3", "tags"),
        ("DELETE FROM claims WHERE seq = 3", "claims"),
        ("UPDATE nodes SET blake3 = zeroblob(32) WHERE pos = 5", "nodes"),
        ("UPDATE head SET incarnation = 7", "head"),
    ],
)
def test_source_that_was_changed_is_found_by_the_comparison(busy, tmp_path, statement, table):
    changed(busy.ledger / "ledger.db", statement)
    done = busy.run("copy", busy.ledger, tmp_path / "copy")
    assert done.exit_code == 3
    assert f"differs from the source in {table}" in done.error


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE events SET bytes = CAST('{}' AS BLOB) WHERE seq = 4", "event 4 of what is read can't be"),
        ("UPDATE disclosures SET value = CAST('\"x\"' AS BLOB) WHERE seq = 3", "does not fit its commitment"),
        ("DELETE FROM events WHERE seq = 4", "does not stand where event 4 belongs"),
    ],
)
def test_source_that_is_no_log_is_found_while_it_is_read(busy, tmp_path, statement, said):
    changed(busy.ledger / "ledger.db", statement)
    done = busy.run("copy", busy.ledger, tmp_path / "copy")
    assert done.exit_code == 3
    assert said in done.error


def test_beginning_of_which_an_event_was_changed_is_not_gone_on_with(busy, tmp_path):
    busy.run("copy", busy.ledger, tmp_path / "copy.db")
    last = busy.size() - 1
    changed(tmp_path / "copy.db", f"UPDATE events SET bytes = CAST('{{}}' AS BLOB) WHERE seq = {last}")
    busy.decide("r-more", "--shell", "rm -rf build")
    assert busy.run("copy", busy.ledger, tmp_path / "copy.db").exit_code == 3


def test_a_log_is_not_copied_onto_itself(busy):
    assert busy.run("copy", busy.ledger, busy.ledger / "ledger.db").exit_code == 2


def test_what_is_not_there_can_not_be_copied(busy, tmp_path):
    done = busy.run("copy", tmp_path / "nowhere", tmp_path / "copy")
    assert done.exit_code == 1
    assert "no ledger here" in done.error
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("address", ["mysql://x/y", "postgresql://a:b@c/d", "postgresql://a@b/c?schema=1"])
def test_address_that_can_not_be_is_refused(busy, address):
    done = busy.run("copy", busy.ledger, address)
    assert done.exit_code == 1
    assert "a:b" not in done.stderr


def test_places_are_told_apart(tmp_path, postgres):
    (tmp_path / "dir").mkdir()
    (tmp_path / "file").touch()
    for name, is_home in (("dir", True), ("file", False), ("new", True), ("new.db", False)):
        assert (Place.named(str(tmp_path / name)).home is not None) is is_home
    address = postgres.address()
    assert is_same(Place.named(str(address)), Place(None, address))
    assert not is_same(Place.named(str(tmp_path / "new.db")), Place(None, address))


def test_older_copy_with_key_and_mark_is_brought_up_to_date(busy, tmp_path):
    """What came from a backup can't be written to, until the copy has brought it what it lacks."""
    shutil.copytree(busy.ledger, tmp_path / "old")
    busy.decide("r-more", "--shell", "rm -rf build")
    busy.run("checkpoint")
    shutil.copy(busy.ledger / "high-water", tmp_path / "old" / "high-water")
    from tools.home import Home

    stale = open_ledger(Home(tmp_path / "old"))
    stale.close()
    assert busy.tally("--ledger", tmp_path / "old", "checkpoint").exit_code != 0
    assert busy.run("copy", busy.ledger, tmp_path / "old").exit_code == 0
    assert busy.tally("--ledger", tmp_path / "old", "checkpoint").exit_code == 0


def holds(folder, secret):
    return any(secret in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def told(desk):
    """A desk at which somebody was registered under a name that is to go, in event `told`."""
    done = desk.sign("principal", "add", "agent:a9", "--name", "Grete Marker", "--owner", "human:ada")
    assert done.exit_code == 0, done.stderr
    return desk.size() - 1


def erase(desk, seq):
    done = desk.sign("erase", "--event", seq, "--path", "/name", "--basis", "gdpr-art-17-1-a")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("alone", [True, False])
def test_what_was_erased_since_is_gone_from_the_copy_to_the_last_byte(desk, told, tmp_path, alone):
    target = tmp_path / "copy" / "ledger.db" if alone else tmp_path / "copy"
    (tmp_path / "copy").mkdir() if alone else None
    assert desk.run("copy", desk.ledger, target).exit_code == 0
    assert holds(tmp_path / "copy", b"Grete Marker")
    erase(desk, told)
    assert desk.run("copy", desk.ledger, target).exit_code == 0
    assert not holds(tmp_path / "copy", b"Grete Marker")
    assert rows(tmp_path / "copy" / "ledger.db") == rows(desk.ledger / "ledger.db")


def test_what_was_erased_before_never_comes_into_a_copy(desk, told, tmp_path):
    erase(desk, told)
    assert desk.run("copy", desk.ledger, tmp_path / "copy").exit_code == 0
    assert desk.run("export", tmp_path / "export").exit_code == 0
    assert desk.tally("--ledger", tmp_path / "again", "import", tmp_path / "export").exit_code == 0
    assert not any(holds(tmp_path / name, b"Grete Marker") for name in ("copy", "export", "again"))
    assert rows(tmp_path / "again" / "ledger.db") == rows(desk.ledger / "ledger.db")
    assert desk.tally("--ledger", tmp_path / "again", "audit").exit_code == 0


def test_copy_that_was_interrupted_before_the_bytes_were_gone_is_finished_by_the_next(
    desk, told, tmp_path, monkeypatch
):
    desk.run("copy", desk.ledger, tmp_path / "copy")
    erase(desk, told)
    with monkeypatch.context() as patch:
        patch.setattr(copying, "scrub", lambda engine: (_ for _ in ()).throw(StoreBusyError("somebody reads")))
        assert desk.run("copy", desk.ledger, tmp_path / "copy").exit_code == 1
    for name in ("log.key", "high-water"):
        shutil.copy(desk.ledger / name, tmp_path / "copy" / name)
    assert "what was erased may still lie" in desk.tally("--ledger", tmp_path / "copy", "doctor").stdout
    assert desk.run("copy", desk.ledger, tmp_path / "copy").exit_code == 0
    assert not holds(tmp_path / "copy", b"Grete Marker")
    assert not copying.unfinished(Place.named(str(tmp_path / "copy")).home)


def test_doctor_knows_a_copy_for_what_it_is(busy, tmp_path):
    """Nothing that it lacks is a problem of it."""
    busy.run("copy", busy.ledger, tmp_path / "copy")
    done = busy.tally("--ledger", tmp_path / "copy", "doctor", "--json")
    found = {one["check"]: (one["status"], one["detail"]) for one in done.objects}
    assert [check for check, (status, _) in found.items() if status in {"problem", "evidence"}] == []
    assert (found["log key"][0], "a copy to read from" in found["log key"][1]) == ("warning", True)
    (tmp_path / "copy" / "high-water").write_bytes((busy.ledger / "high-water").read_bytes())
    deciding = busy.tally("--ledger", tmp_path / "copy", "doctor", "--json").objects
    found = {one["check"]: (one["status"], one["detail"]) for one in deciding}
    assert [check for check, (status, _) in found.items() if status in {"problem", "evidence"}] == []
    assert "another signs checkpoints" in found["log key"][1]
    (tmp_path / "copy" / "high-water").unlink()
    shutil.copy(busy.ledger / "log.key", tmp_path / "copy" / "log.key")
    unmarked = busy.tally("--ledger", tmp_path / "copy", "doctor", "--json").objects
    assert "problem" in {one["status"] for one in unmarked if one["check"] == "high-water"}
