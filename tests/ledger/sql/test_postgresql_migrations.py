"""PostgreSQL: the migrations come to the schema that the code reads."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from ledger.errors import StoreError
from ledger.sql import schema
from ledger.sql.dialect.postgresql import PostgreSQL
from ledger.sql.engine import migrator, open_engine
from ledger.sql.migrate import run, upgrade
from ledger.sql.place import create_log, open_log
from ledger.sql.raw import RawTables
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, erased, everything, moved


@pytest.fixture
def address(postgres):
    return postgres.address()


def test_the_schema_equals_the_migrations(address):
    """Tables, keys, checks, functions and triggers are the same both ways."""
    create_log(address, VIEWS, Clock()).close()
    engine = open_engine(address)
    with engine.begin() as connection:
        assert list(RawTables(connection).schema_faults()) == []
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
    engine.dispose()


def test_the_schema_can_be_made_without_the_migrations(address, postgres):
    """What the code says of tables and triggers is whole by itself."""
    postgres.run(f"CREATE SCHEMA {address.schema}")
    engine = open_engine(address)
    with migrator(engine).begin() as connection:
        schema.metadata.create_all(connection)
        PostgreSQL().create_triggers(connection)
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
        connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{schema.REVISION}')")
    with engine.begin() as connection:
        assert list(RawTables(connection).schema_faults()) == []
    engine.dispose()


@pytest.fixture
def old(address, postgres):
    """Tables of the revision before, with a log's rows in them."""
    log = create_log(postgres.address(), VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 3, once="k", labels=("x",), note="first"), moved("\u00e9", 4))
    log.store_checkpoint(1, b"note")
    log.close()
    source = log.engine.url.query["schema"]
    engine = open_engine(address)
    with migrator(engine).begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {address.schema}")
        run(connection, "0001")
        connection.exec_driver_sql("DELETE FROM head")
        for table in ("events", "nodes", "head", "claims", "tags", "states", "checkpoints", "disclosures"):
            connection.exec_driver_sql(f"INSERT INTO {table} SELECT * FROM {source}.{table}")
    yield engine
    engine.dispose()


def test_upgrade_keeps_every_row_and_the_log_goes_on(old, address):
    """Tables and triggers are added, nothing that stood is touched."""
    with pytest.raises(StoreError, match=r"tables of revision 0001.*back it up, then run `tally db upgrade`"):
        open_log(address, VIEWS, Clock())
    assert upgrade(old) == ("0001", schema.REVISION)
    assert upgrade(old) == (schema.REVISION, schema.REVISION)
    with old.begin() as connection:
        assert list(RawTables(connection).schema_faults()) == []
        assert [tuple(row) for row in RawTables(connection).projections()] == [(1, 0)]
    log = open_log(address, VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 5))
    found = everything(log)
    assert (found["head"].size, found["openings"][0][0].value) == (3, "first")
    log.close()


@pytest.mark.parametrize("revision", ["0001", "0002"])
def test_an_audit_of_tables_of_an_earlier_version_says_to_upgrade(old, revision):
    """They are as that version left them, so that nothing of them is a finding."""
    upgrade(old, revision)
    with old.begin() as connection, pytest.raises(StoreError, match="back it up, then run `tally db upgrade`"):
        RawTables(connection).check_not_older()


def test_upgrade_from_the_revision_before(old, address):
    """A function is replaced, one and its trigger are added, and no row is touched."""
    assert upgrade(old, "0002") == ("0001", "0002")
    with pytest.raises(StoreError, match=r"tables of revision 0002.*back it up, then run `tally db upgrade`"):
        open_log(address, VIEWS, Clock())
    assert upgrade(old) == ("0002", schema.REVISION)
    with old.begin() as connection:
        assert list(RawTables(connection).schema_faults()) == []
    log = open_log(address, VIEWS, Clock(), registry=REGISTRY)
    append(log, erased((0, "/note")))
    assert everything(log)["openings"][0] == []
    log.close()


def test_of_two_upgrades_at_once_one_does_it(old, address):
    """The other waits, and finds nothing to do."""
    engines = [open_engine(address) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        done = sorted(pool.map(upgrade, engines))
    assert done == [("0001", schema.REVISION), *[(schema.REVISION, schema.REVISION)] * 2]
    for engine in engines:
        engine.dispose()


def test_upgrade_waits_for_the_writer_and_not_for_ever(old, address):
    """Nothing is migrated under a transaction that writes."""
    impatient = PostgreSQL().engine(address, busy_seconds=0.1)
    with migrator(old).begin(), pytest.raises(StoreError, match="another process is writing"):
        upgrade(impatient)
    impatient.dispose()
    assert upgrade(old) == ("0001", schema.REVISION)
