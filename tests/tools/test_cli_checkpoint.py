"""`tally checkpoint`, and the mark beside the key that it never passes twice."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from ledger.checkpoint import Checkpoint, open_checkpoint
from ledger.note import VerifierKey
from tools import checkpointing
from tools.errors import EvidenceError, HomeError
from tools.home import Home
from tools.ledger import open_ledger


def grow(tally, name):
    assert tally("principal", "add", f"human:{name}", "--yes").exit_code == 0


def test_signs_what_the_log_commits_to(tally, ledger):
    grow(tally, "bo")
    made = tally("checkpoint", "--json").object
    key = VerifierKey.parse((ledger / "policy").read_text().split()[1])
    checkpoint = open_checkpoint(made["note"].encode(), key)
    assert checkpoint.size == made["size"] == 4
    assert Checkpoint.parse((ledger / "high-water").read_text()) == checkpoint
    assert tally("checkpoint", "show").stdout == made["note"]
    assert tally("checkpoint", "make").stdout == made["note"]


def test_the_mark_is_down_before_a_signature_exists(tally, ledger, monkeypatch):
    grow(tally, "bo")

    def refuse(*_words):
        raise HomeError("the pen broke: take another")

    monkeypatch.setattr(checkpointing, "sign_checkpoint", refuse)
    assert tally("checkpoint").exit_code == 1
    monkeypatch.undo()
    assert Checkpoint.parse((ledger / "high-water").read_text()).size == 4
    assert tally("checkpoint", "show", "--ledger", ledger, "--json").object["size"] == 3


def test_a_restored_backup_does_not_continue(tally, ledger, tmp_path, monkeypatch):
    shutil.copy(ledger / "ledger.db", tmp_path / "backup.db")
    grow(tally, "bo")
    assert tally("checkpoint").exit_code == 0
    for name in ("ledger.db-wal", "ledger.db-shm"):
        (ledger / name).unlink(missing_ok=True)
    shutil.copy(tmp_path / "backup.db", ledger / "ledger.db")
    shorter = tally("checkpoint")
    assert (shorter.exit_code, "a restored backup can't continue" in shorter.error) == (3, True)
    assert "put a newer copy there, or let this one go on as another log: tally log restored" in shorter.error
    assert tally("doctor", "--json").exit_code == 3
    assert "put a newer copy there, or let this one go on" in tally("doctor").stdout
    # Such a copy takes nothing more; one that did, by a version without that check, still can't sign.
    monkeypatch.setattr("tools.ledger.not_behind", lambda home, origin: None)
    grow(tally, "eve")
    same_size = tally("checkpoint")
    assert (same_size.exit_code, "run tally audit" in same_size.error) == (3, True)
    grow(tally, "mal")
    longer = tally("checkpoint")
    assert (longer.exit_code, "does not continue the checkpoint of size 4" in longer.error) == (3, True)
    assert "does not continue" in tally("doctor").stdout


def test_another_key_does_not_sign(tally, ledger):
    from tools.keys import new_key

    (ledger / "log.key").unlink()
    new_key(ledger / "log.key")
    done = tally("checkpoint")
    assert (done.exit_code, "is not the key that the log names" in done.error) == (1, True)


@pytest.mark.parametrize(
    ("name", "change", "said", "doctor"),
    [
        # A ledger may decide on a machine that the key never comes to: that is worth a warning, and no more.
        ("log.key", lambda path: path.unlink(), "can't be read", 0),
        ("log.key", lambda path: path.chmod(0o640), "chmod 600", 1),
        ("log.key", lambda path: path.write_text("nonsense"), "no key that can be read", 1),
        ("high-water", lambda path: path.unlink(), "sign nothing before", 1),
        ("high-water", lambda path: path.write_text("nonsense\n"), "is damaged", 1),
        (
            "high-water",
            lambda path: path.write_text(""),
            "it is empty, and no ledger is without a signed",
            1,
        ),
    ],
)
def test_without_key_or_mark_nothing_is_signed(tally, ledger, name, change, said, doctor):
    grow(tally, "bo")
    change(ledger / name)
    done = tally("checkpoint")
    assert (done.exit_code, said in done.error) == (1, True)
    assert tally("checkpoint", "show", "--json").object["size"] == 3
    assert tally("doctor").exit_code == doctor


def test_threads_agree_on_one_note_for_one_size(tally, ledger):
    opened = open_ledger(Home(ledger))
    try:
        with ThreadPoolExecutor(4) as pool:
            notes = {signed.note for signed in pool.map(lambda _: checkpointing.make(opened), range(8))}
    finally:
        opened.close()
    assert len(notes) == 1


def test_a_changed_node_stops_the_log_from_signing(tally, ledger):
    import sqlite3

    for name in ("bo", "cy", "di"):
        grow(tally, name)
    with sqlite3.connect(ledger / "ledger.db") as database:
        (trigger,) = database.execute(
            "SELECT name FROM sqlite_master WHERE tbl_name = 'nodes' AND sql LIKE '%UPDATE%'"
        ).fetchone()
        database.execute(f"DROP TRIGGER {trigger}")
        database.execute("UPDATE nodes SET blake3 = zeroblob(32) WHERE pos = 2")
    database.close()
    opened = open_ledger(Home(ledger))
    try:
        with pytest.raises(EvidenceError):
            checkpointing.make(opened)
    finally:
        opened.close()
