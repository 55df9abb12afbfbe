"""The migrations come to the schema that the code reads."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from ledger import digest
from ledger.errors import StoreError
from ledger.sql.dialect.sqlite import SQLite
from ledger.sql.engine import open_engine
from ledger.sql.migrate import configuration, upgrade
from ledger.sql.place import open_log
from ledger.sql.raw import open_raw
from ledger.sql.revision import UPGRADED
from ledger.sql.schema import REVISION, metadata
from tests.ledger.contract.sample import START, VIEWS, append, everything, moved

OLD_LOG = Path(__file__).with_name("log_of_0001.sql")
OBJECTS = sa.text("SELECT type, name, sql FROM sqlite_master WHERE name <> 'alembic_version' AND sql IS NOT NULL")


def objects(connection):
    """Give every table and trigger as the database keeps it, but for white space."""
    return {(kind, name): " ".join(text.split()) for kind, name, text in connection.execute(OBJECTS)}


@pytest.fixture
def migrated(path):
    engine = SQLite().engine(path, create=True)
    upgrade(engine)
    yield engine
    engine.dispose()


def test_upgrade_from_nothing_equals_the_schema(migrated):
    """Tables, keys, checks and triggers are the same both ways."""
    fresh = sa.create_engine("sqlite://")
    with migrated.connect() as one, fresh.connect() as other:
        metadata.create_all(other)
        SQLite().create_triggers(other)
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


def test_what_upgrades_add_is_what_audits_expect_to_lack(tmp_path):
    """No revision lacks anything else of today's tables and triggers, and nothing is excused that none lacks."""
    scripts = ScriptDirectory.from_config(configuration())
    lacking = set()
    for script in scripts.walk_revisions():
        engine = SQLite().engine(tmp_path / f"{script.revision}.db", create=True)
        upgrade(engine, script.revision)
        with engine.connect() as connection:
            lacking.update(SQLite().schema_faults(connection))
        engine.dispose()
    assert lacking == UPGRADED


def test_scripts_run_only_with_a_connection():
    """Nobody migrates by accident through Alembic's own command line."""
    with pytest.raises(RuntimeError, match=r"ledger\.sql\.migrate"):
        command.upgrade(configuration(), "head")


@pytest.mark.parametrize(
    ("revision", "advice"),
    [("0002", "back it up, then run `tally db upgrade`"), ("0004", "use the version that wrote it")],
)
def test_opening_refuses_another_revision_and_does_not_migrate(migrated, path, raw, revision, advice):
    """Older or newer tables are left as they are."""
    raw("UPDATE alembic_version SET version_num = ?", revision)
    with pytest.raises(StoreError, match=f"revision {revision}, this version reads {REVISION}: {advice}"):
        open_log(path, VIEWS, lambda: START)
    assert raw("SELECT version_num FROM alembic_version") == [(revision,)]


def test_upgrade_of_an_unknown_revision_changes_nothing(migrated, raw):
    """Tables of a newer version are left to it."""
    raw("UPDATE alembic_version SET version_num = '0999'")
    with pytest.raises(StoreError, match="revision 0999, which this version does not know"):
        upgrade(migrated)
    assert raw("SELECT version_num FROM alembic_version") == [("0999",)]


def test_tables_that_name_no_revision_are_refused(migrated, raw):
    """Without a revision nobody knows what an upgrade would do."""
    raw("DELETE FROM alembic_version")
    with pytest.raises(StoreError, match="name 0 revisions, and should name one"):
        upgrade(migrated)


@pytest.fixture
def old(path):
    """A log that was written by the version before, as its database kept it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD_LOG.read_text("utf-8"))
    return path


def contents(path):
    """Give every row of every table."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall()
            for name in tables
            if name != "alembic_version"
        }


def test_upgrade_keeps_every_row_of_a_log_that_the_version_before_wrote(old):
    """Tables are added, nothing that stood is touched, and the log goes on."""
    before = contents(old)
    engine = open_engine(old)
    assert upgrade(engine) == ("0001", REVISION)
    engine.dispose()
    assert contents(old) == {**before, "timestamps": [], "projections": [(1, 0)]}
    with open_raw(old) as raw:
        assert list(raw.schema_faults()) == []
    log = open_log(old, VIEWS, lambda: START)
    append(log, moved("a", 5))
    found = everything(log)
    log.close()
    assert found["events"][:4] == [data for *_, data in before["events"]]
    assert found["head"].size == 5
    assert found["root"] == digest.root(5, found["head"].blake3_peaks)
    assert found["openings"][0][0].value == "first"


def test_upgrade_from_the_revision_before_closes_the_way_to_erase_without_an_event(old):
    """Whatever claims were put there before: an opening goes only where an event of that type stands."""
    engine = open_engine(old)
    assert upgrade(engine, "0002") == ("0001", "0002")
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("INSERT INTO claims VALUES ('erased:0:/note', 3)")
    before = contents(old)
    assert upgrade(engine) == ("0002", REVISION)
    engine.dispose()
    assert contents(old) == before
    with open_raw(old) as raw:
        assert list(raw.schema_faults()) == []
    with closing(sqlite3.connect(old)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="disclosures is append-only"):
            connection.execute("DELETE FROM disclosures WHERE seq = 0")
        with pytest.raises(sqlite3.IntegrityError, match="only the event that erases a field claims that"):
            connection.execute("INSERT INTO claims VALUES ('erased:2:/note', 3)")


def test_upgrade_that_fails_leaves_the_tables_as_they_were(old):
    """All of it is one transaction."""
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DROP TRIGGER disclosures_no_delete")
        before = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()
    engine = open_engine(old)
    with pytest.raises(StoreError, match="no such trigger"):
        upgrade(engine)
    engine.dispose()
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall() == before
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
