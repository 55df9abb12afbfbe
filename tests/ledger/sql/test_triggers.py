"""The past can't be written again, even past the log."""

import sqlite3

import pytest

from ledger import canon
from ledger.sql.schema import APPEND_ONLY

COLUMNS = [(table.name, column.name) for table in APPEND_ONLY for column in table.columns]


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_refuses_every_update(filled, raw, table, column):
    """No column of an append-only table can be changed, not even to itself."""
    before = raw(f"SELECT * FROM {table}")
    assert before
    for statement in (f"UPDATE {table} SET {column} = {column}", f"UPDATE OR REPLACE {table} SET {column} = 7"):
        with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
            raw(statement)
    assert raw(f"SELECT * FROM {table}") == before


@pytest.mark.parametrize("table", [table.name for table in APPEND_ONLY])
def test_refuses_every_delete(filled, raw, table):
    """No row of an append-only table can be taken away."""
    before = raw(f"SELECT * FROM {table}")
    for statement in (f"DELETE FROM {table}", f"DELETE FROM {table} WHERE true LIMIT 1"):
        with pytest.raises(sqlite3.Error):
            raw(statement)
    assert raw(f"SELECT * FROM {table}") == before


@pytest.mark.parametrize("table", [table.name for table in APPEND_ONLY])
def test_refuses_to_put_a_row_over_another(filled, raw, table):
    """INSERT OR REPLACE would delete without asking the delete trigger."""
    before = raw(f"SELECT * FROM {table}")
    slots = ", ".join("?" * len(before[0]))
    with pytest.raises(sqlite3.IntegrityError, match=table):
        raw(f"INSERT OR REPLACE INTO {table} VALUES ({slots})", *before[0])
    assert raw(f"SELECT * FROM {table}") == before


@pytest.mark.parametrize("seq", [-1, 3, 5, 2**40])
def test_events_take_the_next_number_only(filled, raw, seq):
    """There is no gap to leave and none to fill."""
    with pytest.raises(sqlite3.IntegrityError, match="events takes the next seq only"):
        raw("INSERT INTO events VALUES (?, '', '', x'')", seq)


@pytest.mark.parametrize("pos", [-1, 6, 8])
def test_nodes_take_the_next_position_only(filled, raw, pos):
    """Nodes neither."""
    with pytest.raises(sqlite3.IntegrityError, match="nodes takes the next pos only"):
        raw("INSERT INTO nodes VALUES (?, x'', x'')", pos)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM head",
        "UPDATE head SET size = size",
        "UPDATE head SET size = size - 1",
        "UPDATE head SET at = NULL",
        "INSERT OR REPLACE INTO head VALUES (1, 0, x'', x'', NULL, 1)",
        "INSERT INTO head VALUES (2, 9, x'', x'', NULL, 1)",
    ],
)
def test_head_only_grows(filled, raw, statement):
    """The head is one row, and steps forward."""
    before = raw("SELECT * FROM head")
    with pytest.raises(sqlite3.IntegrityError, match="head"):
        raw(statement)
    assert raw("SELECT * FROM head") == before


def test_states_may_be_made_again(filled, raw):
    """States are worked out from the events, and so hold no past."""
    raw("DELETE FROM states")
    assert raw("SELECT count(*) FROM states") == [(0,)]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM projections",
        "UPDATE projections SET generation = generation",
        "UPDATE projections SET generation = -1",
        "INSERT OR REPLACE INTO projections VALUES (1, 7)",
        "INSERT INTO projections VALUES (2, 7)",
    ],
)
def test_generation_only_grows(filled, raw, statement):
    """Whoever keeps states in memory is told of every rebuild."""
    with pytest.raises(sqlite3.IntegrityError, match="generation"):
        raw(statement)
    assert raw("SELECT * FROM projections") == [(1, 0)]
    raw("UPDATE projections SET generation = generation + 1")
    assert raw("SELECT * FROM projections") == [(1, 1)]


CLAIM = "INSERT INTO claims VALUES (?, ?)"


def event_that_erases(raw, *fields, kind="fields.erased"):
    """Put an event of this form behind the others, past the log; give its place."""
    ((seq,),) = raw("SELECT count(*) FROM events")
    body = {"fields": [{"event": event, "path": path} for event, path in fields]}
    raw("INSERT INTO events VALUES (?, '', ?, ?)", seq, kind, canon.encode({"body": body}))
    return seq


def erase(raw, seq, path):
    raw(CLAIM, f"erased:{seq}:{path}", event_that_erases(raw, (seq, path)))


@pytest.mark.parametrize("seq", [0, 3, 4, 99, -1])
def test_nobody_claims_an_erasure_that_is_no_event_s(filled, raw, seq):
    """Neither of an event of another type, nor of one that is not there."""
    assert event_that_erases(raw, (0, "/note"), kind="test.moved") == 4
    with pytest.raises(sqlite3.IntegrityError, match="only the event that erases a field claims that"):
        raw(CLAIM, "erased:0:/note", seq)


@pytest.mark.parametrize("key", ["erased:0:/other", "erased:00:/note", "erased:0:/note ", "erased:", "erased:2:/note"])
def test_an_event_claims_what_it_erases_and_nothing_else(filled, raw, key):
    seq = event_that_erases(raw, (0, "/note"), (1, "/note"))
    with pytest.raises(sqlite3.IntegrityError, match="only the event that erases a field claims that"):
        raw(CLAIM, key, seq)
    raw(CLAIM, "erased:1:/note", seq)
    raw(CLAIM, "erased:0:/note", seq)


@pytest.mark.parametrize("field", ['/a"b', "/a\\b", "/a:b", "/é", '/"}', "/~0~1/0"])
def test_any_path_can_be_claimed_by_the_event_that_names_it(filled, raw, field):
    """The path is looked for as canonical JSON spells it."""
    erase(raw, 7, field)
    with pytest.raises(sqlite3.IntegrityError, match="only the event that erases a field claims that"):
        raw(CLAIM, f"erased:7:{field}/", 4)


def test_a_text_within_the_event_is_not_a_field_of_it(filled, raw):
    """Whatever an asker has put into a text of the envelope, its quotes are escaped."""
    data = canon.encode({"body": {"fields": []}, "request": '{"event":0,"path":"/note"}'})
    raw("INSERT INTO events VALUES (4, '', 'fields.erased', ?)", data)
    with pytest.raises(sqlite3.IntegrityError, match="only the event that erases a field claims that"):
        raw(CLAIM, "erased:0:/note", 4)


def test_an_opening_goes_where_an_event_erased_it(filled, raw):
    """The claim of that very opening lets it go; no other does."""
    kept = raw("SELECT * FROM disclosures WHERE seq = 2")
    for seq, path in ((0, "/other"), (2, "/notes"), (20, "/note")):
        erase(raw, seq, path)
    with pytest.raises(sqlite3.IntegrityError, match="disclosures is append-only"):
        raw("DELETE FROM disclosures WHERE seq = 0")
    erase(raw, 0, "/note")
    with pytest.raises(sqlite3.IntegrityError, match="disclosures is append-only"):
        raw("DELETE FROM disclosures")
    raw("DELETE FROM disclosures WHERE seq = 0 AND path = '/note'")
    assert raw("SELECT * FROM disclosures") == kept
    with pytest.raises(sqlite3.IntegrityError, match="disclosures is append-only"):
        raw("UPDATE disclosures SET seq = 0")


def test_what_was_erased_does_not_come_back(filled, raw):
    """Neither where the row was taken away, nor before."""
    (row,) = raw("SELECT * FROM disclosures WHERE seq = 0")
    erase(raw, 0, "/note")
    erase(raw, 1, "/note")
    raw("DELETE FROM disclosures WHERE seq = 0")
    for seq in (0, 1):
        for verb in ("INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE"):
            with pytest.raises(sqlite3.IntegrityError, match="what is erased stays erased"):
                raw(f"{verb} INTO disclosures VALUES (?, ?, ?, ?)", seq, *row[1:])
