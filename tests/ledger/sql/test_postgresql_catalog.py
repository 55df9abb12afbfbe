"""PostgreSQL: whatever was changed in a log's schema is named."""

import pytest

from ledger.sql.engine import migrator, open_engine
from ledger.sql.place import create_log
from ledger.sql.raw import RawTables
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, moved

BY_NOBODY = "nothing of this name belongs here"
OTHERWISE = "it is defined otherwise"


@pytest.fixture(params=["plain", "reserved"])
def address(postgres, request):
    """A schema of any name, and one that is a word of SQL's own."""
    schema = None if request.param == "plain" else "select"
    address = postgres.address(schema)
    postgres.run(f'DROP SCHEMA IF EXISTS "{address.schema}" CASCADE')
    log = create_log(address, VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 1, note="n"))
    log.close()
    return address


CHANGES = [
    ("DROP TRIGGER events_no_update ON events", "events_no_update", "it is missing"),
    ("ALTER TABLE events DISABLE TRIGGER events_next", "events_next", OTHERWISE),
    ("ALTER TABLE head ENABLE TRIGGER head_grows", "head_grows", OTHERWISE),
    ("ALTER TABLE head ENABLE REPLICA TRIGGER head_grows", "head_grows", OTHERWISE),
    ("CREATE TRIGGER more BEFORE INSERT ON tags EXECUTE FUNCTION refuse('x')", "more on tags", BY_NOBODY),
    (
        "CREATE TRIGGER events_no_update BEFORE INSERT ON tags EXECUTE FUNCTION refuse('x')",
        "events_no_update on tags",
        BY_NOBODY,
    ),
    (
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "refuse",
        OTHERWISE,
    ),
    ("ALTER FUNCTION refuse() SECURITY DEFINER", "refuse", OTHERWISE),
    ("ALTER FUNCTION events_follow() RESET search_path", "events_follow", OTHERWISE),
    ("ALTER FUNCTION events_follow() SET search_path = public", "events_follow", OTHERWISE),
    ("DROP FUNCTION disclosures_kept() CASCADE", "disclosures_kept", "it is missing"),
    ("CREATE FUNCTION helper() RETURNS int LANGUAGE sql AS 'SELECT 1'", "helper", BY_NOBODY),
    ("CREATE AGGREGATE total(int) (sfunc = int4pl, stype = int)", "total", BY_NOBODY),
    ("CREATE TABLE extra (x int)", "extra", BY_NOBODY),
    ("CREATE VIEW extra AS SELECT 1", "extra", BY_NOBODY),
    ("CREATE MATERIALIZED VIEW extra AS SELECT 1", "extra", BY_NOBODY),
    ("CREATE SEQUENCE extra", "extra", BY_NOBODY),
    ("CREATE TYPE extra AS ENUM ('a')", "extra", BY_NOBODY),
    ("CREATE TYPE extra AS (x int)", "extra", BY_NOBODY),
    ("CREATE DOMAIN extra AS int", "extra", BY_NOBODY),
    ("CREATE INDEX extra ON tags (seq)", "extra", BY_NOBODY),
    ("CREATE UNIQUE INDEX extra ON tags (seq, tag)", "extra", BY_NOBODY),
    ("CREATE RULE extra AS ON INSERT TO tags DO INSTEAD NOTHING", "extra on tags", BY_NOBODY),
    ("CREATE POLICY extra ON events USING (seq > 3)", "extra on events", BY_NOBODY),
    ("CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)", "===", BY_NOBODY),
    ("ALTER TABLE events ENABLE ROW LEVEL SECURITY", "events", OTHERWISE),
    ("ALTER TABLE timestamps SET UNLOGGED", "timestamps", OTHERWISE),
    ("ALTER TABLE states ALTER COLUMN seq TYPE numeric", "states", OTHERWISE),
    ('ALTER TABLE tags ALTER COLUMN tag TYPE text COLLATE "default"', "tags", OTHERWISE),
    ("ALTER TABLE events ALTER COLUMN at DROP NOT NULL", "events", OTHERWISE),
    ("ALTER TABLE states ALTER COLUMN seq SET DEFAULT 7", "states", OTHERWISE),
    ("ALTER TABLE states ADD COLUMN more int", "states", OTHERWISE),
    ("ALTER TABLE claims DROP CONSTRAINT pk_claims", "claims", OTHERWISE),
    ("ALTER TABLE head DROP CONSTRAINT ck_head_one", "head", OTHERWISE),
    ("ALTER TABLE disclosures DROP CONSTRAINT fk_disclosures_events", "disclosures", OTHERWISE),
    ("ALTER TABLE claims ADD CONSTRAINT short CHECK (length(key) < 9999)", "claims", OTHERWISE),
    ("ALTER TABLE cosignatures DISABLE TRIGGER ALL", "cosignatures", "its foreign keys are switched off"),
    ("DROP TABLE timestamps", "timestamps", "it is missing"),
    (
        "UPDATE alembic_version SET version_num = '9999'",
        "alembic_version",
        "it names ['9999'], and 0003 is what is read",
    ),
]


@pytest.fixture
def changed(address):
    """Give a way to change the schema, look for faults, and undo the change."""
    engine = open_engine(address)

    def faults(*statements):
        with migrator(engine).connect() as connection, connection.begin() as transaction:
            for statement in statements:
                connection.exec_driver_sql(statement)
            found = list(RawTables(connection).schema_faults())
            transaction.rollback()
            return found

    yield faults
    engine.dispose()


def test_a_new_schema_has_no_fault(changed):
    """Whatever it is called."""
    assert changed() == []


def test_every_change_is_named(changed):
    """One after another."""
    for statement, name, message in CHANGES:
        assert (name, message) in changed(statement), statement
    assert changed() == []
