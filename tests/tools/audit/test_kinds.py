"""What a finding tells of, and between which sizes of the log the damage lies."""

import sqlite3
from contextlib import closing

import pytest

from ledger import mmr


def kinds(ledger, *statements):
    """Change a fresh copy, and give the kinds of what is found."""
    ledger.change(*statements)
    return ledger.audit().kinds


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM states WHERE view = 'resource'",
        "DELETE FROM tags WHERE seq = 5",
        "DELETE FROM claims WHERE seq = 5",
        "UPDATE states SET seq = 0 WHERE seq > 20",
    ],
)
def test_what_the_events_give_again_is_a_missing_view(ledger, statement):
    """Nothing was forged: rows are gone, or older than the events."""
    assert set(kinds(ledger, statement)) == {"view"}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET bytes = replace(bytes, 'ada', 'eve') WHERE seq = 0",
        "UPDATE nodes SET blake3 = randomblob(32) WHERE pos = 7",
        "UPDATE states SET state = x'7b7d' WHERE view = 'trust'",
        "INSERT INTO claims VALUES ('consumed:ghost:0:1', 3)",
        "INSERT INTO tags VALUES ('grant:ghost', 3)",
        "INSERT INTO events SELECT 1000, at, type, bytes FROM events WHERE seq = 3",
        "UPDATE checkpoints SET note = replace(note, 'A', 'B')",
        "UPDATE disclosures SET value = x'31' WHERE seq = 1",
        "UPDATE head SET incarnation = 2",
    ],
)
def test_what_no_write_of_the_log_makes_is_tampering(ledger, statement):
    """Another value than the events give, or a row too many."""
    assert "tampering" in kinds(ledger, statement)
    assert "torn" not in ledger.audit().kinds


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET bytes = zeroblob(length(bytes)) WHERE seq = 6",
        "UPDATE events SET bytes = CAST(substr(bytes, 1, 40) || zeroblob(600) AS BLOB) WHERE seq = 6",
        "UPDATE nodes SET blake3 = zeroblob(32), sha256 = zeroblob(32) WHERE pos = 9",
        "UPDATE states SET state = zeroblob(40) WHERE view = 'trust'",
        "UPDATE disclosures SET salt = zeroblob(32) WHERE seq = 1",
    ],
)
def test_pieces_of_a_page_that_was_never_written_are_a_torn_write(ledger, statement):
    """Zero bytes where something stood."""
    assert set(kinds(ledger, statement)) == {"torn"}


def test_events_behind_the_head_are_a_write_that_was_not_finished(ledger):
    """The events came to the disk, and nothing else did."""
    size = len(ledger.rows("events"))
    ledger.change(f"INSERT INTO events SELECT {size}, at, type, bytes FROM events WHERE seq = 3")
    report = ledger.audit()
    assert [(one.table, one.key, one.kind) for one in report.findings] == [("events", f"seq {size}", "torn")]


def test_head_of_an_earlier_size_is_a_write_that_was_not_finished(ledger):
    """Everything came to the disk but the head."""
    size = len(ledger.rows("events")) - 2
    nodes = {pos: (own, twin) for pos, own, twin in ledger.rows("nodes")}
    peaks = [nodes[pos] for pos in mmr.peak_positions(size)]
    ledger.fresh()
    with ledger.raw() as connection:
        at = connection.execute("SELECT at FROM events WHERE seq = ?", (size - 1,)).fetchone()[0]
        joined = [b"".join(pair[column] for pair in peaks) for column in (0, 1)]
        connection.execute("UPDATE head SET size = ?, blake3_peaks = ?, sha256_peaks = ?, at = ?", (size, *joined, at))
    report = ledger.audit()
    assert [(one.table, one.kind, one.events) for one in report.findings] == [("head", "torn", (size, size + 2))]
    assert "the last write was not finished" in str(report.findings[0])


def test_head_with_other_peaks_is_tampering(ledger):
    """A head that is of no size at all was not written by the log."""
    assert set(kinds(ledger, "UPDATE head SET size = size - 2")) == {"tampering"}


@pytest.mark.parametrize(
    ("statement", "start", "stop"),
    [
        ("UPDATE events SET bytes = x'7b7d' WHERE seq = 5", 5, 6),
        ("UPDATE events SET bytes = x'7b7d' WHERE seq IN (5, 11)", 5, 12),
        ("DELETE FROM events WHERE seq = 9", 9, 10),
        # The node above events 0 to 3 is written with event 3.
        ("UPDATE nodes SET sha256 = randomblob(32) WHERE pos = 6", 3, 4),
        ("DELETE FROM tags WHERE seq IN (4, 6)", 4, 7),
        ("UPDATE disclosures SET value = x'31' WHERE seq = 1", 1, 2),
    ],
)
def test_damage_lies_between_two_sizes(ledger, statement, start, stop):
    """The smallest interval that holds all of it, and the checkpoints around it."""
    ledger.change(statement)
    damage = ledger.audit().damage
    assert damage is not None
    assert (damage.start, damage.stop) == (start, stop)
    sizes = [size for size, _ in ledger.rows("checkpoints")]
    assert damage.checkpoint_before == max((size for size in sizes if size <= start), default=None)
    assert damage.checkpoint_after == min((size for size in sizes if size >= stop), default=None)


def test_undamaged_log_has_no_interval(ledger):
    """And nothing of any kind."""
    report = ledger.audit()
    assert (report.damage, report.kinds) == (None, {})


def test_rewritten_history_lies_between_two_checkpoints(ledger):
    """An event made anew with all nodes above it and the head: only checkpoints tell, and between which it lies."""
    from ledger.growth import Growth
    from ledger.log import EMPTY_HEAD

    events = [data for _, _, _, data in ledger.rows("events")]
    events[12] = events[12].replace(b'"v":1', b'"v":2')
    growth = Growth(EMPTY_HEAD)
    growth.extend(events)
    ledger.fresh()
    with ledger.raw() as connection:
        connection.execute("UPDATE events SET bytes = ? WHERE seq = 12", (events[12],))
        connection.executemany(
            "UPDATE nodes SET blake3 = ?, sha256 = ? WHERE pos = ?",
            [(own, twin, pos) for pos, own, twin in growth.nodes],
        )
        connection.execute(
            "UPDATE head SET blake3_peaks = ?, sha256_peaks = ?", [b"".join(one) for one in growth.peaks]
        )
    report = ledger.audit()
    wrong = [one for one in report.findings if one.table == "checkpoints"]
    assert next(one.events for one in wrong) == (8, 21)
    assert report.damage is not None
    assert report.damage.checkpoint_before == 8


def test_pages_that_can_not_be_read_are_named_by_their_rows(ledger):
    """SQLite refuses a page: the events on it are named, those on the others are checked."""
    whole = bytearray(ledger.template.read_bytes())
    size = int.from_bytes(whole[16:18], "big")
    with closing(sqlite3.connect(ledger.template)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    # The root of a table of this size is an interior page: its first child is a leaf with the first rows.
    offset = (root - 1) * size
    assert whole[offset] == 5
    cell = int.from_bytes(whole[offset + 12 : offset + 14], "big")
    leaf = int.from_bytes(whole[offset + cell : offset + cell + 4], "big")
    whole[(leaf - 1) * size] = 0xEE
    ledger.fresh()
    ledger.path.write_bytes(whole)
    report = ledger.audit()
    first = report.findings[0]
    assert (first.table, first.key, first.kind) == ("events", "seq 0", "torn")
    assert "can't read" in first.message
    named = sum(one.table == "events" for one in report.findings)
    assert 0 < named < report.size
    assert any(one.table == "file" for one in report.findings)


def test_a_file_that_is_cut_short_is_no_traceback(ledger):
    """Whole pages missing from the end."""
    whole = ledger.template.read_bytes()
    ledger.fresh()
    ledger.path.write_bytes(whole[: len(whole) // 2 // 4096 * 4096])
    report = ledger.audit()
    assert not report.ok
    assert "torn" in report.kinds


def test_a_torn_tail_of_the_write_ahead_log_is_no_damage(ledger):
    """What was never committed never was: the log is the one before it."""
    ledger.fresh()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO checkpoints SELECT 5, note FROM checkpoints WHERE size = 8")
        connection.execute("COMMIT")
        wal = ledger.path.with_name(f"{ledger.path.name}-wal")
        torn = wal.read_bytes()[:-2000]
        database = ledger.path.read_bytes()
    for name in (wal, ledger.path.with_name(f"{ledger.path.name}-shm")):
        name.unlink(missing_ok=True)
    ledger.path.write_bytes(database)
    wal.write_bytes(torn)
    assert ledger.audit().ok
