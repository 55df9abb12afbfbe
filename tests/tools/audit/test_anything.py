"""Whatever stands in the tables or in the file, the audit ends with a report."""

import random

import pytest

from ledger.errors import StoreError
from tools.audit import audit
from tools.audit.report import MAX_FINDINGS
from verify.views import EVENTS, VIEWS

TABLES = (
    "events", "nodes", "head", "claims", "tags", "states", "checkpoints", "cosignatures", "timestamps", "disclosures",
    "projections",
)  # fmt: skip
FREE = {("timestamps", "authority"), ("timestamps", "token"), ("projections", "generation")}
"""Columns in which a value of the right type is as good as another to an audit."""

VALUES = (
    "NULL",
    "''",
    "'text'",
    "x''",
    "x'ff'",
    "CAST(x'fffe' AS TEXT)",
    "-1",
    "1.5",
    "9223372036854775807",
    "zeroblob(32)",
)


def loosened(connection):
    """Make every table again without keys and rules, as somebody would who wants to write anything."""
    for table in TABLES:
        connection.execute(f"CREATE TABLE loose AS SELECT * FROM {table}")
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE loose RENAME TO {table}")


@pytest.mark.parametrize("value", VALUES)
def test_any_value_in_any_column_is_a_finding(ledger, value):
    """Wrong types, nothing at all, bytes that are no UTF-8: each is found, in the table where it is."""
    for table in TABLES:
        for column in ledger.columns(table):
            ledger.fresh()
            with ledger.raw() as connection:
                loosened(connection)
                connection.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = 1")
            report = ledger.audit()
            if (table, column) not in FREE:
                assert report.findings[0].table == table, (table, column, report.findings[0])
            assert all(str(finding).isprintable() for finding in report.findings)


def test_a_table_in_which_everything_is_wrong_is_counted_not_listed(ledger):
    """Findings are kept up to a number, and counted beyond."""
    ledger.change("UPDATE tags SET tag = tag || '!'")
    report = ledger.audit()
    (line,) = [line for line in report.lines if line.dimension == "tags"]
    assert line.found == 2 * len(ledger.rows("tags")) > MAX_FINDINGS
    assert len(report.findings) == MAX_FINDINGS


@pytest.mark.parametrize("table", [*TABLES, "alembic_version"])
def test_a_missing_table_is_named(ledger, table):
    """Without a table there is a finding, and what it would have told is skipped."""
    ledger.past("PRAGMA legacy_alter_table = ON", f"ALTER TABLE {table} RENAME TO gone")
    report = ledger.audit()
    assert not report.ok
    assert any(table in str(finding) for finding in report.findings)


def test_all_rows_gone(ledger):
    """An emptied table is a finding for each other that still speaks of it."""
    for table in ("events", "nodes", "head", "claims", "tags", "states"):
        ledger.change(f"DELETE FROM {table}")
        assert ledger.audit().findings[0].table == table
    ledger.change(*(f"DELETE FROM {table}" for table in ("events", "nodes")))
    assert {finding.table for finding in ledger.audit().findings} >= {"head", "checkpoints"}


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("DROP TRIGGER events_no_update", "schema events_no_update"),
        ("CREATE TRIGGER extra AFTER INSERT ON events BEGIN SELECT 1; END", "schema extra"),
        ("CREATE TRIGGER alembic_version AFTER INSERT ON tags BEGIN SELECT 1; END", "schema alembic_version"),
        ("CREATE TRIGGER sqlite1 AFTER INSERT ON tags BEGIN SELECT 1; END", "schema sqlite1"),
        ("CREATE TRIGGER states AFTER INSERT ON tags BEGIN SELECT 1; END", "schema states"),
        ("CREATE INDEX extra ON tags (seq)", "schema extra"),
        ("CREATE VIEW extra AS SELECT 1", "schema extra"),
        ("UPDATE alembic_version SET version_num = '9999'", "schema alembic_version"),
    ],
)
def test_changed_schema_is_named(ledger, statement, where):
    """Triggers that are missing and things that do not belong are findings."""
    ledger.past(statement)
    first = ledger.audit().findings[0]
    assert f"{first.table} {first.key}" == where


@pytest.mark.parametrize("revision", ["0001", "0002"])
def test_tables_of_an_earlier_version_are_no_finding(ledger, revision):
    """They are as that version left them: after an upgrade of the program each would be a false alarm."""
    ledger.past(f"UPDATE alembic_version SET version_num = '{revision}'")
    with pytest.raises(StoreError, match="run `tally db upgrade`"):
        ledger.audit()


def test_an_earlier_version_excuses_no_trigger_that_it_had(ledger):
    """Else the upgrade, which refuses such tables, and the audit would send to each other."""
    ledger.past("UPDATE alembic_version SET version_num = '0001'", "DROP TRIGGER events_no_update")
    assert "schema events_no_update" in {f"{one.table} {one.key}" for one in ledger.audit().findings}


@pytest.mark.parametrize("revision", ["", "0", "0000", "000x", "00021", "x"])
def test_a_revision_that_no_version_has_is_a_finding(ledger, revision):
    """Nothing but an earlier version's number gets an audit put off."""
    ledger.past(f"UPDATE alembic_version SET version_num = '{revision}'")
    assert "schema alembic_version" in {f"{one.table} {one.key}" for one in ledger.audit().findings}


def test_a_file_damaged_anywhere_gives_a_report_or_one_of_our_errors(ledger):
    """Bytes flipped in the file itself: the rows tell, or SQLite does, or it can't be opened at all."""
    draw = random.Random(7)
    whole = ledger.template.read_bytes()
    outcomes = set()
    for _ in range(60):
        data = bytearray(whole)
        start = draw.randrange(len(data))
        data[start : start + 64] = draw.randbytes(len(data[start : start + 64]))
        ledger.fresh()
        ledger.path.write_bytes(data)
        try:
            outcomes.add(audit(ledger.path, EVENTS, VIEWS, lambda reader, event: None).ok)
        except StoreError:
            outcomes.add("error")
    # Most pages of so small a file hold rows; free space within a page may change unseen.
    assert False in outcomes


def test_no_ledger_is_an_error(tmp_path):
    """Where there is nothing to audit, that is said."""
    with pytest.raises(StoreError, match="no ledger here"):
        audit(tmp_path / "none.db", EVENTS, VIEWS, lambda reader, event: None)
    (tmp_path / "text.db").write_text("no database at all, but long enough to have a header of its own " * 9)
    with pytest.raises(StoreError, match="this file is no ledger"):
        audit(tmp_path / "text.db", EVENTS, VIEWS, lambda reader, event: None)


def test_event_and_node_both_gone(ledger):
    """Where nothing is left to compute from, the parent's row is what is known, and all else is still checked."""
    ledger.change(
        "DELETE FROM events WHERE seq = 4", "DELETE FROM nodes WHERE pos = 7", "DELETE FROM nodes WHERE pos = 20"
    )
    found = [(finding.table, finding.key) for finding in ledger.audit().findings]
    assert found == [("events", "seq 4"), ("nodes", "pos 7"), ("nodes", "pos 20")]


def test_everything_up_to_a_peak_gone(ledger):
    """The last event with its leaf: the peaks can't be known, and that is said."""
    last = ledger.rows("events")[-1][0]
    top = max(pos for pos, _, _ in ledger.rows("nodes"))
    # The head and a stray row keep the size.
    ledger.change(
        f"UPDATE events SET seq = {last + 1}, bytes = NULL WHERE seq = {last}".replace("NULL", "'text'"),
        f"UPDATE nodes SET blake3 = x'' WHERE pos = {top}",
    )
    report = ledger.audit()
    assert [(finding.table, finding.key) for finding in report.findings] == [
        ("events", f"seq {last}"),
        ("events", f"seq {last + 1}"),
        ("nodes", f"pos {top}"),
    ]
    details = {line.dimension: line.detail for line in report.lines}
    assert "the peaks can't be known" in details["head"]
    assert f"the roots at size {last + 1} can't be known" in details["checkpoints"]


def test_forged_numbers_do_not_make_an_audit_endless(ledger):
    """However large a number is written, the work stays bound to the rows that are there."""
    huge = 2**62
    ledger.change(
        f"UPDATE head SET size = {huge}",
        f"UPDATE events SET seq = {huge - 1} WHERE seq = 20",
        f"UPDATE nodes SET pos = {2 * huge - 2} WHERE pos = 3",
        f"UPDATE checkpoints SET size = {huge} WHERE size = 8",
    )
    report = ledger.audit()
    assert report.size == len(ledger.rows("events"))
    assert {finding.table for finding in report.findings} >= {"events", "nodes", "head", "checkpoints"}
