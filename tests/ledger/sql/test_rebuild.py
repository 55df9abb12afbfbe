"""The states can be worked out again from the events."""

import pytest

from ledger.errors import CorruptError, EventError
from ledger.event import Registry
from ledger.sql.raw import open_raw
from ledger.sql.rebuild import rebuild
from ledger.sql.scratch import ScratchStates
from ledger.view import StateRow, sorted_states_digest, states_digest
from tests.ledger.contract.sample import REGISTRY, VIEWS, Moved, append, everything, moved
from tests.ledger.sql.both import BOTH


@BOTH
def test_rebuild_reaches_the_same_digest(filled):
    """On an undamaged log nothing changes."""
    before = everything(filled)
    told = []
    done = rebuild(filled.engine, REGISTRY, VIEWS, lambda *progress: told.append(progress))
    assert done.before == done.after == before["digest"]
    assert (done.events, done.states, done.mended, done.same) == (4, len(before["states"]), (), True)
    assert told == [(1, 4), (4, 4)]
    assert everything(filled) == before


@BOTH
def test_rebuild_moves_the_generation(filled, raw):
    """Whoever keeps states in memory is told, each time."""
    for generation in (1, 2):
        rebuild(filled.engine, REGISTRY, VIEWS)
        assert raw("SELECT * FROM projections") == [(1, generation)]


def test_rebuild_without_a_generation_changes_nothing(filled, raw):
    """Nobody could be told of it."""
    raw("DROP TRIGGER projections_stay")
    raw("DELETE FROM projections")
    raw("UPDATE states SET seq = 0")
    before = raw("SELECT * FROM states")
    with pytest.raises(CorruptError, match="the generation of the states is missing"):
        rebuild(filled.engine, REGISTRY, VIEWS)
    assert raw("SELECT * FROM states") == before


@BOTH
def test_rebuild_of_an_empty_log(log):
    """No events, no states."""
    done = rebuild(log.engine, REGISTRY, VIEWS)
    assert (done.events, done.states) == (0, 0)
    assert done.before == done.after


@BOTH
@pytest.mark.parametrize(
    ("damage", "values"),
    [
        ("UPDATE states SET state = ? WHERE key = 'a'", (b"{}",)),
        ("UPDATE states SET seq = 0", ()),
        ("DELETE FROM states WHERE key = 'a'", ()),
        ("INSERT INTO states VALUES ('balance', 'ghost', 0, ?)", (b"{}",)),
    ],
)
def test_rebuild_mends_damaged_states(filled, raw, damage, values):
    """Whatever stands in the states, the events win, and the digests tell."""
    before = everything(filled)
    raw(damage, *values)
    done = rebuild(filled.engine, REGISTRY, VIEWS)
    assert done.after == before["digest"] != done.before
    assert everything(filled) == before


def test_rebuild_mends_states_that_can_not_be_read(filled, raw):
    """A value of another type has no digest."""
    raw("UPDATE states SET state = 'text'")
    done = rebuild(filled.engine, REGISTRY, VIEWS)
    assert done.before is None
    assert done.after == everything(filled)["digest"]


@BOTH
def test_rebuild_that_fails_leaves_the_states(filled):
    """An event that can't be read stops it before anything is emptied."""
    before = everything(filled)
    with pytest.raises(EventError, match=r"unknown event type test\.closed"):
        rebuild(filled.engine, Registry(Moved), VIEWS)
    assert everything(filled) == before
    append(filled, moved("c"))


def test_events_that_the_trees_do_not_commit_to_are_not_folded(filled, raw):
    """Whoever changed an event would have it made into a state."""
    before = everything(filled)
    raw("DROP TRIGGER events_no_update")
    changed = "replace(CAST(bytes AS TEXT), '\"amount\":4', '\"amount\":9')"
    raw(f"UPDATE events SET bytes = CAST({changed} AS BLOB) WHERE seq = 1")
    with pytest.raises(CorruptError, match="not those that the log's head commits to: run `tally audit`"):
        rebuild(filled.engine, REGISTRY, VIEWS)
    assert filled.read(lambda look: [row for view in VIEWS for row in look.states(view.name)]) == before["states"]


KEYS = {"claims": "SELECT key, seq FROM claims ORDER BY key", "tags": "SELECT tag, seq FROM tags ORDER BY tag, seq"}


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("claims", "DELETE FROM claims WHERE key = 'once:k'"),
        ("claims", "DELETE FROM claims"),
        ("claims", "UPDATE claims SET seq = 1 WHERE key = 'once:k'"),
        ("claims", "UPDATE claims SET key = 'once:forged' WHERE key = 'once:k'"),
        ("claims", "INSERT INTO claims VALUES ('once:ghost', 2)"),
        ("claims", "INSERT INTO claims VALUES ('once:ghost', 'no number')"),
        ("claims", "UPDATE claims SET key = CAST(x'fffe' AS TEXT) WHERE key = 'once:k'"),
        ("tags", "DELETE FROM tags WHERE seq = 0"),
        ("tags", "DELETE FROM tags"),
        ("tags", "UPDATE tags SET seq = 3 WHERE tag = 'label:x'"),
        ("tags", "INSERT INTO tags VALUES ('label:ghost', 2)"),
        ("tags", "INSERT INTO tags VALUES ('label:ghost', 1000000)"),
        ("tags", "INSERT INTO tags VALUES (x'ff', 2)"),
    ],
)
def test_rebuild_mends_claims_and_tags(filled, raw, path, table, damage):
    """What is missing comes back and what no event demands goes; the past is as well guarded as before."""
    rows, before = raw(KEYS[table]), everything(filled)
    guards = dict(raw("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    kept = raw("SELECT * FROM events"), raw("SELECT * FROM nodes"), raw("SELECT * FROM head")
    for name in guards:
        raw(f"DROP TRIGGER {name}")
    raw(damage)
    for text in guards.values():
        raw(text)
    done = rebuild(filled.engine, REGISTRY, VIEWS)
    assert (done.mended, done.same, done.before) == ((table,), False, done.after)
    assert raw(KEYS[table]) == rows
    assert everything(filled) == before
    assert dict(raw("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")) == guards
    assert (raw("SELECT * FROM events"), raw("SELECT * FROM nodes"), raw("SELECT * FROM head")) == kept
    assert rebuild(filled.engine, REGISTRY, VIEWS).same


@pytest.mark.parametrize("address", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("claims", "DELETE FROM claims WHERE key = 'once:k'"),
        ("claims", "UPDATE claims SET key = 'once:forged' WHERE key = 'once:k'"),
        ("claims", "INSERT INTO claims VALUES ('once:ghost', 2)"),
        ("tags", "DELETE FROM tags"),
        ("tags", "UPDATE tags SET seq = 3 WHERE tag = 'label:x'"),
        ("tags", "INSERT INTO tags VALUES ('label:ghost', 1000000)"),
    ],
)
def test_rebuild_mends_claims_and_tags_in_postgresql(filled, raw, address, table, damage):
    """As on SQLite; the triggers fire again afterwards."""
    rows, before = raw(KEYS[table]), everything(filled)
    guards = [name for (name,) in raw("SELECT tgname FROM pg_trigger WHERE tgrelid = ?::regclass", table)]
    raw(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
    raw(damage)
    for name in guards:
        raw(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")
    done = rebuild(filled.engine, REGISTRY, VIEWS)
    assert (done.mended, done.same, done.before) == ((table,), False, done.after)
    assert raw(KEYS[table]) == rows
    assert everything(filled) == before
    with open_raw(address) as tables:
        assert list(tables.schema_faults()) == []
    assert rebuild(filled.engine, REGISTRY, VIEWS).same


def test_rebuild_that_fails_leaves_claims_and_tags(filled, raw):
    """All of it, or nothing."""
    raw("DROP TRIGGER tags_no_delete")
    raw("DELETE FROM tags")
    raw("DROP TRIGGER events_no_update")
    raw("UPDATE events SET bytes = x'7b7d' WHERE seq = 3")
    with pytest.raises(EventError):
        rebuild(filled.engine, REGISTRY, VIEWS)
    assert raw("SELECT * FROM tags") == []


def test_states_are_folded_in_little_memory():
    """However few states are held in memory, all come out, sorted, and the last one of each key."""
    with ScratchStates(held=3) as scratch:
        for seq in range(50):
            key = f"k{seq * 7 % 10}"
            before = scratch.get("view", key)
            assert before is None or before.seq < seq
            scratch.put(StateRow("view", key, seq, b"%d" % (seq if before is None else seq + before.seq)))
            assert len(scratch._rows) <= 3
        assert scratch.get("view", "absent") is None
        rows = list(scratch.rows())
    assert [row.key for row in rows] == [f"k{n}" for n in range(10)]
    assert sorted(row.seq for row in rows) == list(range(40, 50))


def test_digest_of_sorted_rows_is_that_of_any_order():
    """One digest, whether all rows are in memory or none."""
    rows = [StateRow(view, key, 3, b"{}") for view in ("b", "a") for key in ("z", "\u00e9", "")]
    in_order = sorted(rows, key=lambda row: (row.view.encode(), row.key.encode()))
    assert states_digest(rows) == sorted_states_digest(iter(in_order))
