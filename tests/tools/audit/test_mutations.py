"""Whatever is changed in a covered column is found, and its table and key are named first."""

import random
import sqlite3
from datetime import UTC, datetime

import pytest

from ledger.cosignature import witness_id
from tests.tools.audit.conftest import WITNESS, token_for
from tools.audit.report import spell

KEYS = {
    "events": ("seq",),
    "nodes": ("pos",),
    "head": (),
    "claims": ("key",),
    "tags": ("tag", "seq"),
    "states": ("view", "key"),
    "checkpoints": ("size",),
    "cosignatures": ("size", "witness"),
    "disclosures": ("seq", "path"),
}
COLUMNS = {
    "events": ("seq", "at", "type", "bytes"),
    "nodes": ("pos", "blake3", "sha256"),
    "head": ("one", "size", "blake3_peaks", "sha256_peaks", "at", "incarnation"),
    "claims": ("key", "seq"),
    "tags": ("tag", "seq"),
    "states": ("view", "key", "seq", "state"),
    "checkpoints": ("size", "note"),
    "cosignatures": ("size", "witness", "line"),
    "disclosures": ("seq", "path", "salt", "value"),
}
COVERED = [(table, column) for table, columns in COLUMNS.items() for column in columns]
PREFIX = {"events": "seq ", "nodes": "pos ", "checkpoints": "size "}
MUTATIONS = 500


def key_of(table, row):
    """Spell how a finding should name a row."""
    values = dict(zip(COLUMNS[table], row, strict=True))
    return PREFIX.get(table, "") + " ".join(spell(values[name]) for name in KEYS[table])


def other_value(value, draw):
    """Change one byte."""
    if isinstance(value, int):
        return value ^ draw.randrange(1, 256) << 8 * draw.choice([0, 0, 0, 1, 4])
    data = bytearray(value.encode() if isinstance(value, str) else value)
    data[draw.randrange(len(data))] ^= draw.randrange(1, 256)
    return bytes(data)


def put(connection, table, column, row, value):
    """Write a value into one column of one row, and give the row as it stands then."""
    names = COLUMNS[table]
    keys = KEYS[table] or ("one",)
    slot = "CAST(? AS TEXT)" if isinstance(row[names.index(column)], str) else "?"
    where = " AND ".join(f"{name} = ?" for name in keys)
    connection.execute(
        f"UPDATE {table} SET {column} = {slot} WHERE {where}", (value, *(row[names.index(name)] for name in keys))
    )
    changed = list(row)
    changed[names.index(column)] = (
        value.decode("utf-8", "surrogateescape") if isinstance(row[names.index(column)], str) else value
    )
    return changed


def test_every_changed_byte_is_found_and_named(ledger):
    """500 random changes, each of one byte of one column of one row."""
    draw = random.Random(20261130)
    rows = {table: ledger.rows(table) for table in COLUMNS}
    seen = set()
    done = 0
    while done < MUTATIONS:
        table, column = COVERED[done % len(COVERED)]
        row = draw.choice(rows[table])
        value = other_value(row[COLUMNS[table].index(column)], draw)
        ledger.fresh()
        try:
            with ledger.raw() as connection:
                changed = put(connection, table, column, row, value)
        except sqlite3.IntegrityError:
            continue  # the new key is another row's
        report = ledger.audit()
        assert report.findings, (table, column, row, value)
        first = report.findings[0]
        assert first.table == table, (table, column, row, value, report.findings)
        assert first.key in {key_of(table, row), key_of(table, changed)}, (column, row, value, report.findings)
        assert str(first).isprintable()
        seen.add((table, column))
        done += 1
    assert seen == set(COVERED)


@pytest.mark.parametrize("table", [table for table in COLUMNS if table != "disclosures"])
def test_every_deleted_row_is_found_and_named(ledger, table):
    """A row that is gone is named by its key; only openings may go, and are counted."""
    keys = KEYS[table] or ("one",)
    for row in ledger.rows(table)[:: 5 if table in {"tags", "claims", "nodes"} else 2]:
        if table == "cosignatures":
            continue
        values = dict(zip(COLUMNS[table], row, strict=True))
        ledger.fresh()
        with ledger.raw() as connection:
            where = " AND ".join(f"{name} = ?" for name in keys)
            connection.execute(f"DELETE FROM {table} WHERE {where}", [values[name] for name in keys])
        found = ledger.audit().findings
        if table == "checkpoints":
            # A checkpoint that is gone leaves its cosignature, and else no trace in the database.
            assert found[0].table == "cosignatures"
        else:
            assert (found[0].table, found[0].key) == (table, key_of(table, row))


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("INSERT INTO events SELECT 1000, at, type, bytes FROM events WHERE seq = 3", "events seq 1000"),
        ("INSERT INTO events SELECT -1, at, type, bytes FROM events WHERE seq = 3", "events seq -1"),
        ("INSERT INTO nodes VALUES (5000, zeroblob(32), zeroblob(32))", "nodes pos 5000"),
        ("INSERT INTO nodes VALUES (-7, zeroblob(32), zeroblob(32))", "nodes pos -7"),
        ("INSERT INTO head SELECT 2, size, blake3_peaks, sha256_peaks, at, 1 FROM head", "head"),
        ("INSERT INTO claims VALUES ('consumed:ghost:0:1', 3)", "claims consumed:ghost:0:1"),
        ("INSERT INTO claims VALUES ('consumed:ghost:0:1', 9999)", "claims consumed:ghost:0:1"),
        ("INSERT INTO claims VALUES ('k', 'no number')", "claims k"),
        ("INSERT INTO claims VALUES ('k', 2.5)", "claims k"),
        ("INSERT INTO tags VALUES ('grant:ghost', 3)", "tags grant:ghost 3"),
        ("INSERT INTO states VALUES ('trust', 'a|b|c', 3, x'7b7d')", "states trust a|b|c"),
        ("INSERT INTO states VALUES ('ghost', 'k', 3, x'7b7d')", "states ghost k"),
        ("INSERT INTO states VALUES (x'ff', 'k', 3, x'7b7d')", "states x'ff' k"),
        ("INSERT INTO disclosures VALUES (3, '/kind', zeroblob(32), x'31')", "disclosures 3 /kind"),
        ("INSERT INTO disclosures VALUES (-3, '/kind', zeroblob(32), x'31')", "disclosures -3 /kind"),
        ("INSERT INTO checkpoints SELECT 3, note FROM checkpoints WHERE size = 8", "checkpoints size 3"),
        ("INSERT INTO checkpoints SELECT 100000, note FROM checkpoints WHERE size = 8", "checkpoints size 100000"),
        ("INSERT INTO checkpoints VALUES (-1, NULL)", "checkpoints size -1"),
        ("INSERT INTO checkpoints VALUES (3, 'text')", "checkpoints size 3"),
        (
            "INSERT INTO cosignatures SELECT 3, witness, line FROM cosignatures WHERE size = 8",
            f"cosignatures 3 {witness_id(WITNESS)}",
        ),
        ("INSERT INTO cosignatures SELECT 8, 'other', line FROM cosignatures WHERE size = 8", "cosignatures 8 other"),
        ("INSERT INTO cosignatures VALUES (8, 'other', x'00')", "cosignatures 8 other"),
        ("INSERT INTO timestamps VALUES (3, 'stamps.example', x'00')", "timestamps 3 stamps.example"),
        ("INSERT INTO timestamps VALUES (8, 'other', 'text')", "timestamps 8 other"),
        ("INSERT INTO timestamps VALUES (8, 'other', x'3003020100')", "timestamps 8 other"),
        ("INSERT INTO timestamps SELECT 8, 'other', token FROM timestamps WHERE size = 21", "timestamps 8 other"),
        ("UPDATE timestamps SET token = substr(token, 1, 100) WHERE size = 21", "timestamps 21 stamps.example"),
        ("INSERT INTO projections VALUES (2, 0)", "projections"),
        ("DELETE FROM projections", "projections"),
        ("UPDATE projections SET generation = -1", "projections"),
    ],
)
def test_every_added_row_is_found_and_named(ledger, statement, where):
    """A row that no event demands is named."""
    if "NULL)" in statement:
        statement = statement.replace("NULL", "x''")
    assert ledger.first(statement) == where


def swap(table, column, key, one, other):
    """Exchange one column of two rows."""
    pair = f"({one}, {other})"
    return (
        f"CREATE TEMP TABLE t AS SELECT {key} AS k, {column} AS v FROM {table} WHERE {key} IN {pair}",
        f"UPDATE {table} SET {column} = (SELECT v FROM t WHERE k <> {table}.{key}) WHERE {key} IN {pair}",
    )


@pytest.mark.parametrize(
    ("table", "columns", "one", "other", "found"),
    [
        ("events", ("bytes",), 3, 4, "events seq 3"),
        ("events", ("at", "type", "bytes"), 2, 9, "events seq 2"),
        ("events", ("type",), 0, 1, "events seq 0"),
        ("nodes", ("blake3",), 0, 1, "nodes pos 0"),
        ("nodes", ("blake3", "sha256"), 0, 1, "nodes pos 0"),
        ("nodes", ("blake3", "sha256"), 3, 8, "nodes pos 3"),
        ("nodes", ("blake3", "sha256"), 2, 6, "nodes pos 2"),
        ("checkpoints", ("note",), 8, 21, "checkpoints size 8"),
    ],
)
def test_swapped_rows_are_found_and_named(ledger, table, columns, one, other, found):
    """Two rows that changed places are not where they belong, although each is whole."""
    key = {"events": "seq", "nodes": "pos", "checkpoints": "size"}[table]
    statements = []
    for column in columns:
        statements += [*swap(table, column, key, one, other), "DROP TABLE t"]
    assert ledger.first(*statements) == found


def test_last_leaf_without_a_parent_is_told_from_its_event(ledger):
    """The head says whether the event or its node was changed."""
    last = ledger.rows("events")[-1][0]
    top = max(pos for pos, _, _ in ledger.rows("nodes"))
    assert ledger.first(f"UPDATE nodes SET blake3 = zeroblob(32), sha256 = zeroblob(32) WHERE pos = {top}") == (
        f"nodes pos {top}"
    )
    assert ledger.first(f"UPDATE events SET bytes = x'7b7d' WHERE seq = {last}") == f"events seq {last}"


def test_one_change_in_the_trees_is_one_finding(ledger):
    """What is computed from a changed row is not called wrong as well."""
    for pos in (0, 2, 6, 14, 3):
        ledger.change(f"UPDATE nodes SET blake3 = zeroblob(32), sha256 = zeroblob(32) WHERE pos = {pos}")
        report = ledger.audit()
        assert [(finding.table, finding.key) for finding in report.findings] == [("nodes", f"pos {pos}")]


def test_changed_event_is_one_finding_and_the_rest_is_said_to_be_unknown(ledger):
    """What hangs on an event that can't be believed is skipped, not accused."""
    ledger.change("UPDATE events SET bytes = x'7b7d' WHERE seq = 5")
    report = ledger.audit()
    assert [str(finding) for finding in report.findings] == [
        "events seq 5: its bytes are not those that both trees hold"
    ]
    outcomes = {line.dimension: line.outcome for line in report.lines}
    assert outcomes["events"] == "failed"
    assert {name for name, outcome in outcomes.items() if outcome == "skipped"} == {
        "head", "claims", "tags", "states", "disclosures", "signatures",
    }  # fmt: skip


def test_rewritten_history_is_found_by_the_checkpoint(ledger):
    """Both trees and the head made anew around a shorter log agree with each other, not with what was signed."""
    size = ledger.rows("events")[-1][0]
    short = 21
    ledger.fresh()
    with ledger.raw() as connection:
        for table, column, bound in (
            ("events", "seq", short), ("nodes", "pos", 2 * short - short.bit_count()),
            ("claims", "seq", short), ("tags", "seq", short), ("states", "seq", short), ("disclosures", "seq", short),
        ):  # fmt: skip
            connection.execute(f"DELETE FROM {table} WHERE {column} >= ?", (bound,))
        peaks = connection.execute("SELECT blake3, sha256 FROM nodes WHERE pos IN (30, 37, 38)").fetchall()
        joined = [b"".join(row[column] for row in peaks) for column in (0, 1)]
        at = connection.execute("SELECT at FROM events WHERE seq = ?", (short - 1,)).fetchone()[0]
        connection.execute("UPDATE head SET size = ?, blake3_peaks = ?, sha256_peaks = ?, at = ?", (short, *joined, at))
    found = [(finding.table, finding.key) for finding in ledger.audit().findings if finding.table != "states"]
    assert found == [("checkpoints", f"size {size + 1}")]


def test_a_stamp_older_than_the_newest_event_under_its_checkpoint_is_found(ledger):
    """With honest clocks that can't be; nobody's certificates are needed to see it."""
    (note,) = [note for size, note in ledger.rows("checkpoints") if size == 21]
    early = token_for(note, datetime(2026, 1, 1, tzinfo=UTC)).hex()
    ledger.change(f"INSERT INTO timestamps VALUES (21, 'early.example', x'{early}')")
    (finding,) = ledger.audit().findings
    assert (finding.table, finding.key) == ("timestamps", "21 early.example")
    assert "the log's clock or the authority's was wrong" in finding.message
