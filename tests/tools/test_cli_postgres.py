"""`tally` over a ledger whose log is kept in PostgreSQL."""

import shutil
import tempfile
from pathlib import Path

import pytest

from ledger.sql.address import parse_url


@pytest.fixture
def address(postgres):
    return postgres.address()


@pytest.fixture
def kept(tally, place, key, address):
    """A ledger that was begun in a schema of its own."""
    done = tally("init", "--ledger", address, "--new-key", key, "--name", "Ada L.", "--yes", "--json")
    assert done.exit_code == 0, done.stderr
    assert done.object["database"] == str(address)
    return place


def schemas(postgres):
    return {name for (name,) in postgres.run("SELECT nspname FROM pg_namespace")}


def test_the_directory_keeps_the_key_and_names_the_database(kept, address):
    assert sorted(file.name for file in kept.iterdir()) == ["database", "high-water", "log.key", "policy", "signers"]
    assert (kept / "database").read_text() == f"{address}\n"


def test_every_command_finds_the_log_through_its_directory(tally, kept, address):
    status = tally("db", "status", "--json").object
    assert (status["database"], status["kind"], status["current"], status["size"]) == (
        str(address),
        "postgresql",
        True,
        3,
    )
    assert tally("doctor", "--json").exit_code == 0
    assert {one["status"] for one in tally("doctor", "--json").objects} == {"ok"}
    for words in (("checkpoint",), ("audit",), ("rebuild",), ("db", "check"), ("log", "tail"), ("db", "upgrade")):
        done = tally(*words, "--json")
        assert done.exit_code == 0, (words, done.stdout)


def test_what_was_changed_is_found(tally, kept, postgres, address):
    postgres.run(f"ALTER TABLE {address.schema}.events DISABLE TRIGGER events_no_update")
    checked = tally("db", "check", "--json")
    assert (checked.exit_code, [fault["name"] for fault in checked.object["faults"]]) == (3, ["events_no_update"])
    postgres.run(f"UPDATE {address.schema}.events SET bytes = 'x' WHERE seq = 1")
    audited = tally("audit")
    assert (audited.exit_code, "First bad row: events seq 1" in audited.stdout) == (3, True)


def test_a_dump_that_is_brought_back_is_the_log_to_the_audit(tally, kept, postgres, address, tmp_path):
    """As the guide has it: dumped and restored elsewhere, tried there, then put into use."""
    assert tally("checkpoint").exit_code == 0
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "records.sql"
        postgres.program("pg_dump", "--schema", address.schema, "--file", dump, "postgres")
        postgres.run("CREATE DATABASE another ENCODING 'UTF8' TEMPLATE template0")
        try:
            postgres.program("psql", "-v", "ON_ERROR_STOP=1", "--quiet", "--file", dump, "another")
            other = str(address).replace("/postgres?", "/another?")
            trial = tmp_path / "trial"
            trial.mkdir()
            for name in ("policy", "signers"):
                shutil.copy(kept / name, trial / name)
            (trial / "database").write_text(f"{other}\n")
            for words in (("db", "check"), ("audit",)):
                done = tally("--ledger", trial, *words)
                assert done.exit_code == 0, done.stdout + done.stderr
            assert tally("db", "use", other).exit_code == 0
            assert {one["status"] for one in tally("doctor", "--json").objects} == {"ok"}
            assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
            assert tally("audit").exit_code == 0
        finally:
            postgres.run("DROP DATABASE another WITH (FORCE)")


def test_a_schema_that_is_there_is_left_as_it_is(tally, kept, key, address, tmp_path):
    done = tally("--ledger", tmp_path / "second", "init", "--database", address, "--yes")
    assert (done.exit_code, "is there already" in done.error) == (1, True)
    assert not (tmp_path / "second").exists()
    assert tally("audit").exit_code == 0


def test_an_init_that_fails_leaves_no_schema(tally, postgres, address, place, key, monkeypatch):
    from tools import checkpointing

    def fail(_ledger):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpointing, "make_first", fail)
    before = schemas(postgres)
    done = tally("init", "--ledger", address, "--new-key", key, "--yes")
    assert (done.exit_code, "nothing of it is left" in done.error) == (1, True)
    assert not place.exists()
    assert address.schema not in schemas(postgres)
    assert schemas(postgres) >= before - {address.schema}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("init", "--ledger", "postgresql://a:secret@db/x", "--yes"), "a password stands in the database's URL"),
        (("init", "--database", "mysql://db/x", "--yes"), "no database that a log is kept in"),
        (("init", "--ledger", "postgresql://db/x", "--database", "postgresql://db/y", "--yes"), "two databases"),
        (("log", "head", "--ledger", "postgresql://db/x"), "only tally init and tally import take a URL"),
        (("init", "--ledger", "postgresql://db/x?schema=A-B", "--yes"), "the schema of a log is one name"),
    ],
)
def test_an_address_that_can_not_be_is_one_line(tally, place, words, told):
    done = tally(*words)
    assert (done.exit_code, told in done.error, "secret" in done.stderr) == (1, True, False)
    assert not place.exists()


def test_a_server_that_is_not_there_is_one_line(tally, place, key, tmp_path):
    done = tally("init", "--ledger", f"postgresql://ada@/x?host={tmp_path}", "--new-key", key, "--yes")
    assert (done.exit_code, "the server can't be reached" in done.error) == (1, True)
    assert not place.exists()
    assert not key.exists()


def test_a_database_that_is_not_there_is_one_line(tally, place, key, postgres):
    done = tally("init", "--ledger", postgres.url.replace("@/postgres", "@/nowhere"), "--new-key", key, "--yes")
    assert (done.exit_code, "there is no such database" in done.error) == (1, True)


def test_a_pointer_that_was_damaged_is_one_line(tally, kept):
    for data, told in ((b"\xff", "is not UTF-8"), (b"nonsense", "can't be read"), (b"x" * 9000, "can't be read")):
        (kept / "database").write_bytes(data)
        done = tally("log", "head")
        assert (done.exit_code, told in done.error) == (1, True)
        assert tally("doctor").exit_code == 1


def test_without_the_driver_it_is_said_what_to_install(tally, kept, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "psycopg", None)
    done = tally("log", "head")
    assert (done.exit_code, "pip install 'tallystick[postgres]'" in done.error) == (1, True)


def test_a_server_that_could_lose_a_commit_is_refused(tally, kept, postgres, address):
    postgres.run("CREATE ROLE careless LOGIN SUPERUSER")
    postgres.run("ALTER ROLE careless SET synchronous_commit = off")
    (kept / "database").write_text(str(address).replace("postgres@", "careless@"))
    try:
        done = tally("log", "head")
        assert (done.exit_code, "synchronous_commit is off" in done.error) == (1, True)
        assert "PROBLEM" in tally("doctor").stdout
    finally:
        postgres.run("DROP ROLE careless")


def test_the_rights_of_a_role_are_printed(tally, kept, ledger_template, address, tmp_path):
    done = tally("db", "grant-sql", "app", "--json")
    assert done.object["statements"][0] == f'REVOKE ALL ON SCHEMA "{address.schema}" FROM PUBLIC, "app"'
    assert all(line.endswith(";") for line in tally("db", "grant-sql", "app").stdout.splitlines())
    reading = tally("db", "grant-sql", "app", "--read-only", "--json").object["statements"]
    assert not any(word in statement for word in ("INSERT", "UPDATE", "DELETE") for statement in reading)
    other = tally("--ledger", ledger_template / "ledger", "db", "grant-sql", "app")
    assert (other.exit_code, "SQLite has no roles" in other.error) == (1, True)


def test_a_ledger_moves_to_another_database(tally, ledger, address):
    """Copied, then named: the directory goes on with the same log, and the file stays behind."""
    before = tally("log", "head", "--json").object
    early = tally("db", "use", address)
    assert (early.exit_code, "no tables of a log stand here" in early.error) == (1, True)
    assert tally("copy", ledger, address).exit_code == 0
    assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
    behind = tally("db", "use", address)
    assert (behind.exit_code, "run tally copy again" in behind.error) == (1, True)
    assert tally("copy", ledger, address).exit_code == 0
    done = tally("db", "use", address, "--json")
    assert (done.exit_code, done.object["size"]) == (0, before["size"] + 1), done.stderr
    assert parse_url((ledger / "database").read_text().strip()) == address
    assert tally("db", "status", "--json").object["kind"] == "postgresql"
    assert tally("principal", "add", "human:cy", "--yes").exit_code == 0
    assert tally("audit").exit_code == 0
    again = tally("db", "use", address)
    assert (again.exit_code, "holds this ledger already" in again.error) == (1, True)


def test_a_dump_that_is_restored_elsewhere_goes_on(tally, kept, postgres, address, tmp_path):
    """As the guide takes its backups: tables, functions and triggers come back as they were."""
    own = address.schema
    backup = tmp_path / "records.sql"
    postgres.program("pg_dump", "--schema", own, "--file", backup, "postgres")
    postgres.run(f"CREATE DATABASE {own} TEMPLATE template0")
    try:
        postgres.program("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", backup, own)
        (kept / "database").write_text(str(address).replace("@/postgres", f"@/{own}"))
        assert tally("db", "check").exit_code == 0
        assert tally("principal", "add", "human:bo", "--yes").exit_code == 0
        assert tally("audit").exit_code == 0
        assert tally("db", "status", "--json").object["size"] == 4
    finally:
        postgres.run(f"DROP DATABASE {own} WITH (FORCE)")


def test_another_log_is_not_taken_for_this_one(tally, kept, ledger_template, address, tmp_path):
    done = tally("--ledger", ledger_template / "ledger", "db", "use", address)
    assert (done.exit_code, "it is not the log of this ledger" in done.error) == (3, True)
    assert not (ledger_template / "ledger" / "database").exists()
