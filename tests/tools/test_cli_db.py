"""`tally db`: the tables, their revision, and the way to the newest."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.sql.schema import REVISION

OLD_LOG = Path(__file__).parents[1] / "ledger" / "sql" / "log_of_0001.sql"


def change(ledger, *statements):
    with closing(sqlite3.connect(ledger / "ledger.db")) as database, database:
        for statement in statements:
            database.execute(statement)


@pytest.fixture
def old(place):
    """A directory whose database the version before wrote."""
    place.mkdir()
    with closing(sqlite3.connect(place / "ledger.db")) as database:
        database.executescript(OLD_LOG.read_text("utf-8"))
    return place


def test_status_says_where_the_log_stands(tally, ledger):
    done = tally("db", "status", "--json")
    assert done.exit_code == 0
    assert done.object == {
        "database": str(ledger / "ledger.db"),
        "kind": "sqlite",
        "revision": REVISION,
        "expected": REVISION,
        "current": True,
        "size": 3,
        "at": done.object["at"],
    }
    assert "ledger.db" in tally("db", "status").stdout


def test_check_finds_nothing_in_a_new_ledger(tally, ledger):
    done = tally("db", "check", "--json")
    assert (done.exit_code, done.object) == (0, {"ok": True, "faults": []})


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("DROP TRIGGER events_no_update", "events_no_update"),
        ("CREATE TABLE extra (x)", "extra"),
        ("CREATE INDEX extra ON tags (seq)", "extra"),
    ],
)
def test_check_names_what_was_changed(tally, ledger, statement, name):
    change(ledger, statement)
    done = tally("db", "check", "--json")
    assert (done.exit_code, [fault["name"] for fault in done.object["faults"]]) == (3, [name])
    assert name in tally("db", "check").stdout


def test_an_old_log_that_lacks_a_trigger_is_not_upgraded_and_told_what_to_do(tally, old):
    """What had taken it away may have changed rows too: an upgrade would put it back over them."""
    change(old, "DROP TRIGGER events_next")
    done = tally("db", "upgrade")
    assert (done.exit_code, "no such trigger: events_next" in done.error) == (1, True)
    assert f"{old / 'ledger.db'}: a trigger that guards the rows is missing: run `tally audit`" in done.error
    assert "0001" in tally("db", "status").stdout
    audit = tally("audit")
    assert (audit.exit_code, "events_next" in audit.stdout) == (3, True)


@pytest.mark.parametrize(
    ("statement", "count"),
    [("DELETE FROM alembic_version", 0), ("INSERT INTO alembic_version VALUES ('0001')", 2)],
)
@pytest.mark.parametrize("words", [("db", "upgrade"), ("db", "status"), ("log", "head")], ids=" ".join)
def test_tables_of_no_one_revision_are_named_with_their_place(tally, ledger, statement, count, words):
    change(ledger, statement)
    done = tally(*words)
    assert done.exit_code == 1
    assert f"{ledger / 'ledger.db'}: its tables name {count} revisions, and should name one" in done.error


def test_upgrade_says_what_it_did(tally, old):
    told = tally("db", "status")
    assert "tally db upgrade" in told.stderr
    refused = tally("db", "check")
    assert (refused.exit_code, "back it up, then run `tally db upgrade`" in refused.error) == (1, True)
    for words in (("log", "head"), ("audit",), ("audit", "--since", "1")):
        behind = tally(*words)
        assert (behind.exit_code, "back it up, then run `tally db upgrade`" in behind.error) == (1, True), words
    done = tally("db", "upgrade", "--json")
    assert (done.exit_code, done.object) == (0, {"before": "0001", "after": REVISION, "ok": True, "faults": []})
    assert tally("db", "status", "--json").object["current"] is True
    assert f"revision {REVISION} already" in tally("db", "upgrade").stdout


def test_upgrade_of_changed_tables_says_so(tally, old):
    change(old, "DROP TRIGGER tags_no_update")
    done = tally("db", "upgrade")
    assert (done.exit_code, "tags_no_update: it is missing" in done.stdout) == (3, True)


def test_upgrade_of_something_else_is_refused(tally, place):
    place.mkdir()
    change(place, "CREATE TABLE other (x)")
    for verb in ("upgrade", "check"):
        done = tally("db", verb)
        assert (done.exit_code, "no tables of a log stand here" in done.error) == (1, True)
    assert tally("db", "status", "--json").object["revision"] is None


def test_a_newer_revision_is_left_alone(tally, ledger):
    change(ledger, "UPDATE alembic_version SET version_num = '0999'")
    done = tally("db", "upgrade")
    assert (done.exit_code, "does not know" in done.error) == (1, True)
    assert "use the version that wrote it" in tally("db", "check").error


@pytest.mark.parametrize("verb", ["status", "check", "upgrade"])
def test_without_a_ledger_nothing_is_made(tally, place, verb):
    done = tally("db", verb)
    assert (done.exit_code, "no ledger here" in done.error) == (1, True)
    assert not place.exists()
