"""The migrations come to the schema that the code reads."""

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from ledger.errors import StoreError
from ledger.sql import triggers
from ledger.sql.engine import sqlite_engine
from ledger.sql.migrate import configuration, upgrade
from ledger.sql.place import open_log
from ledger.sql.schema import REVISION, metadata
from tests.ledger.contract.sample import START, VIEWS

OBJECTS = sa.text("SELECT type, name, sql FROM sqlite_master WHERE name <> 'alembic_version' AND sql IS NOT NULL")


def objects(connection):
    """Give every table and trigger as the database keeps it, but for white space."""
    return {(kind, name): " ".join(text.split()) for kind, name, text in connection.execute(OBJECTS)}


@pytest.fixture
def migrated(path):
    engine = sqlite_engine(path, create=True)
    upgrade(engine)
    yield engine
    engine.dispose()


def test_upgrade_from_nothing_equals_the_schema(migrated):
    """Tables, keys, checks and triggers are the same both ways."""
    fresh = sa.create_engine("sqlite://")
    with migrated.connect() as one, fresh.connect() as other:
        metadata.create_all(other)
        triggers.create(other)
        assert objects(one) == objects(other)
        assert compare_metadata(MigrationContext.configure(one), metadata) == []
    fresh.dispose()


def test_upgrade_twice_changes_nothing(migrated):
    """A second upgrade has nothing to do."""
    with migrated.connect() as connection:
        before = objects(connection)
    upgrade(migrated)
    with migrated.connect() as connection:
        assert objects(connection) == before


def test_code_reads_the_newest_revision():
    """What `open_log` compares with is what the scripts lead to, and they lead to one."""
    assert ScriptDirectory.from_config(configuration()).get_heads() == [REVISION]


def test_scripts_run_only_with_a_connection():
    """Nobody migrates by accident through Alembic's own command line."""
    with pytest.raises(RuntimeError, match=r"ledger\.sql\.migrate"):
        command.upgrade(configuration(), "head")


@pytest.mark.parametrize("revision", ["0000", "0002"])
def test_opening_refuses_another_revision_and_does_not_migrate(migrated, path, raw, revision):
    """Older or newer tables are left as they are."""
    raw("UPDATE alembic_version SET version_num = ?", revision)
    with pytest.raises(StoreError, match=f"revision {revision}, this version reads {REVISION}: run `tally doctor`"):
        open_log(path, VIEWS, lambda: START)
    assert raw("SELECT version_num FROM alembic_version") == [(revision,)]
