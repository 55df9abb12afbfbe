"""PostgreSQL: the past can't be written again, even past the log, and even by its owner without changing the tables."""

import psycopg
import pytest

from ledger import canon
from ledger.sql.place import create_log
from ledger.sql.schema import APPEND_ONLY
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, closed, everything, moved

COLUMNS = [(table.name, column.name) for table in APPEND_ONLY for column in table.columns]
REFUSED = psycopg.errors.IntegrityError


@pytest.fixture(scope="module")
def log(postgres):
    """A log with something in every table, which no test here can change."""
    log = create_log(postgres.address(), VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 3, once="k", labels=("x", "y"), note="first"), moved("b", 4))
    append(log, moved("a", -1, once="l", note="second", by="agent:two"), closed("b"))
    log.store_checkpoint(3, b"note of three")
    log.store_cosignature(3, "witness.example+0000000a", "a line\n")
    log.store_timestamp(3, "authority.example", b"0")
    yield log
    log.close()


@pytest.fixture
def raw(postgres, log):
    """Give a way to run one statement past the log, as the owner, and undo whatever it did."""

    def run(*statements):
        with postgres.connect(autocommit=False) as connection:
            connection.execute(f"SET search_path = {log.engine.url.query['schema']}")
            try:
                for statement in statements:
                    cursor = connection.execute(statement)
                return cursor.fetchall() if cursor.description else []
            finally:
                connection.rollback()

    return run


@pytest.fixture(autouse=True)
def unchanged(log):
    before = everything(log)
    yield
    assert everything(log) == before


@pytest.mark.parametrize("role", ["origin", "replica", "local"])
@pytest.mark.parametrize("table", [table.name for table in APPEND_ONLY])
def test_refuses_every_change_and_fires_in_every_replication_role(raw, table, role):
    """UPDATE, DELETE and TRUNCATE, with rows or without."""
    column = next(iter(dict(COLUMNS)[name] for name, _ in COLUMNS if name == table))
    for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
        with pytest.raises(REFUSED, match="append-only"):
            raw(f"SET LOCAL session_replication_role = {role}", statement)


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_refuses_an_update_of_any_column(raw, table, column):
    """Not even of no row, and not by way of a conflict."""
    key = next(item.primary_key for item in APPEND_ONLY if item.name == table)
    over = f"ON CONFLICT ({', '.join(one.name for one in key)}) DO UPDATE SET {column} = excluded.{column}"
    for statement in (
        f"UPDATE {table} SET {column} = {column} WHERE false",
        f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1 {over}",
    ):
        with pytest.raises(REFUSED, match=f"{table} is append-only"):
            raw(statement)


@pytest.mark.parametrize("table", [table.name for table in APPEND_ONLY])
def test_refuses_a_row_that_stands(raw, table):
    """The primary key does."""
    with pytest.raises(REFUSED, match=r"duplicate key|takes the next"):
        raw(f"INSERT INTO {table} SELECT * FROM {table} LIMIT 1")


@pytest.mark.parametrize("seqs", [(-1,), (3,), (5,), (2**40,), (4, 6), (5, 4, 7), (-1, 4), (2**62, 4)])
def test_events_take_the_next_numbers_only(raw, seqs):
    """One row or many: there is no gap to leave and none to fill."""
    rows = ", ".join(f"({seq}, '', '', '')" for seq in seqs)
    with pytest.raises(REFUSED, match=r"events takes the next seq only|duplicate key"):
        raw(f"INSERT INTO events VALUES {rows}")


@pytest.mark.parametrize("positions", [(-1,), (6,), (8,), (7, 9)])
def test_nodes_take_the_next_positions_only(raw, positions):
    """Nodes neither."""
    rows = ", ".join(f"({pos}, '', '')" for pos in positions)
    with pytest.raises(REFUSED, match=r"nodes takes the next pos only|duplicate key"):
        raw(f"INSERT INTO nodes VALUES {rows}")


def test_the_next_numbers_may_come_in_any_order_of_one_statement(raw):
    """What counts is what stands after it."""
    raw("INSERT INTO events VALUES (6, '', '', ''), (4, '', '', ''), (5, '', '', '')")
    raw("INSERT INTO nodes VALUES (7, '', '')", "INSERT INTO nodes VALUES (8, '', '')")
    raw("INSERT INTO events SELECT 9, '', '', '' WHERE false")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM head",
        "TRUNCATE head",
        "UPDATE head SET size = size",
        "UPDATE head SET size = size - 1",
        "UPDATE head SET at = NULL",
        "INSERT INTO head VALUES (1, 0, '', '', NULL, 1)",
        "INSERT INTO head VALUES (2, 9, '', '', NULL, 1)",
        "UPDATE head SET one = 2, size = 9",
    ],
)
def test_head_only_grows(raw, statement):
    """The head is one row, and steps forward."""
    with pytest.raises(REFUSED, match="head"):
        raw(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM projections",
        "TRUNCATE projections",
        "UPDATE projections SET generation = generation",
        "UPDATE projections SET generation = -1",
        "INSERT INTO projections VALUES (1, 7)",
        "INSERT INTO projections VALUES (2, 7)",
    ],
)
def test_generation_only_grows(raw, statement):
    """Whoever keeps states in memory is told of every rebuild."""
    with pytest.raises(REFUSED, match=r"generation|projections"):
        raw(statement)
    assert raw("UPDATE projections SET generation = 1 RETURNING one, generation") == [(1, 1)]


BYTES = canon.encode({"body": {"fields": [{"event": 0, "path": "/note"}, {"event": 1, "path": "/note"}]}}).decode()


def event_that_erases(*, kind="fields.erased", body=BYTES):
    """Put an event behind the others, past the log."""
    return f"INSERT INTO events SELECT count(*), '', '{kind}', convert_to('{body}', 'UTF8') FROM events"


def erased(*claims):
    return [event_that_erases(), *(f"INSERT INTO claims VALUES ('erased:{claim}', 4)" for claim in claims)]


@pytest.mark.parametrize("seq", [0, 3, 4, 99, -1])
def test_nobody_claims_an_erasure_that_is_no_event_s(raw, seq):
    """Neither of an event of another type, nor of one that is not there."""
    with pytest.raises(REFUSED, match="only the event that erases a field claims that"):
        raw(event_that_erases(kind="test.moved"), f"INSERT INTO claims VALUES ('erased:0:/note', {seq})")


@pytest.mark.parametrize("key", ["0:/other", "00:/note", "0:/note ", "", "2:/note"])
def test_an_event_claims_what_it_erases_and_nothing_else(raw, key):
    with pytest.raises(REFUSED, match="only the event that erases a field claims that"):
        raw(*erased(key))
    raw(*erased("1:/note", "0:/note"))


def test_an_erasure_claimed_before_the_upgrade_lets_nothing_go_by_itself(raw):
    """The claim stands, as the revision before let anybody put it there; the event it names erases nothing."""
    forged = (
        "ALTER TABLE claims DISABLE TRIGGER claims_erased",
        "INSERT INTO claims VALUES ('erased:0:/note', 3)",
        "ALTER TABLE claims ENABLE ALWAYS TRIGGER claims_erased",
    )
    with pytest.raises(REFUSED, match="disclosures is append-only"):
        raw(*forged, "DELETE FROM disclosures WHERE seq = 0")


def test_an_opening_goes_where_an_event_erased_it_and_does_not_come_back(raw):
    """The claim of that very opening lets it go, no other does."""
    with pytest.raises(REFUSED, match="disclosures is append-only"):
        raw(*erased("1:/note"), "DELETE FROM disclosures WHERE seq = 0")
    with pytest.raises(REFUSED, match="disclosures is append-only"):
        raw(*erased("0:/note"), "DELETE FROM disclosures")
    assert raw(*erased("0:/note"), "DELETE FROM disclosures WHERE seq = 0 RETURNING path") == [("/note",)]
    for gone in ("DELETE FROM disclosures WHERE seq = 0", "SELECT 1"):
        with pytest.raises(REFUSED, match="what is erased stays erased"):
            raw(*erased("0:/note"), gone, "INSERT INTO disclosures VALUES (0, '/note', '', '')")
    with pytest.raises(REFUSED, match="disclosures is append-only"):
        raw(*erased("0:/note"), "UPDATE disclosures SET value = '' WHERE seq = 0")


def test_no_table_of_a_session_stands_in_for_the_logs(raw):
    """A temporary table of the same name, looked at first, changes nothing of what a trigger sees."""
    with pytest.raises(REFUSED, match="disclosures is append-only"):
        raw(
            "CREATE TEMP TABLE claims (key text, seq bigint)",
            "INSERT INTO pg_temp.claims VALUES ('erased:0:/note', 3)",
            "SET LOCAL search_path = pg_temp, public",
            f"DELETE FROM {raw('SELECT current_schema()')[0][0]}.disclosures WHERE seq = 0",
        )


def test_states_may_be_made_again(raw):
    """States are worked out from the events, and so hold no past."""
    raw("DELETE FROM states", "UPDATE states SET seq = 0")
