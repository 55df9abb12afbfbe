"""On PostgreSQL: after an erasure and a scrub, no file of the openings' table holds a byte of what was erased."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ledger.errors import StoreBusyError, StoreError
from ledger.sql.address import PostgresAddress, parse_url
from ledger.sql.engine import open_engine
from ledger.sql.log import SqlLog
from ledger.sql.place import create_log
from ledger.sql.scrub import scrub
from tests.ledger.contract.sample import REGISTRY, VIEWS, append, erased, everything, moved
from tests.postgres import Server


@pytest.fixture
def address(postgres: Server) -> PostgresAddress:
    return postgres.address()


@pytest.fixture
def secret(address: PostgresAddress) -> str:
    """A text of this test's own: the server is shared."""
    return f"plaintext-of-{address.schema}"


@pytest.fixture
def opened(secret: str, address: PostgresAddress, clock) -> Iterator[SqlLog]:
    """Openings, short ones and ones that PostgreSQL keeps beside the table."""
    log = create_log(address, VIEWS, clock, registry=REGISTRY)
    append(log, *(moved(note=f"{secret}-{n:03}" + "".join(map(str, range(n * 200)))) for n in range(40)))
    yield log
    log.close()


def files_with(postgres, needle):
    """Name the files of tables that hold these bytes; the write-ahead log is the server's and kept for its own time."""
    postgres.run("CHECKPOINT")
    ((folder,),) = postgres.run("SHOW data_directory")
    return [one.name for one in (Path(folder) / "base").rglob("*") if one.is_file() and needle.encode() in _read(one)]


def _read(file):
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def test_erased_bytes_are_in_no_table(opened, secret, postgres):
    """What was not erased is there, and the log is what it was."""
    assert files_with(postgres, f"{secret}-003")
    append(opened, erased((3, "/note"), (30, "/note")))
    before = everything(opened)
    scrub(opened.engine)
    assert files_with(postgres, f"{secret}-003") == files_with(postgres, f"{secret}-030") == []
    assert files_with(postgres, f"{secret}-004")
    assert everything(opened) == before


def test_an_older_look_is_told_of(opened, secret, postgres):
    """As long as somebody may still see the row, it is kept: who waits in vain is told what to do."""
    with postgres.connect(autocommit=False) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        append(opened, erased((5, "/note")))
        with pytest.raises(StoreBusyError, match="tally erase --scrub"):
            scrub(opened.engine, patience=0.0)
        assert files_with(postgres, f"{secret}-005")
    scrub(opened.engine)
    assert files_with(postgres, f"{secret}-005") == []


def test_a_role_that_may_not_is_told_of(opened, postgres, address):
    """VACUUM merely warns, and would leave the bytes where they are."""
    role = f"app_{address.schema}"
    postgres.run(f"CREATE ROLE {role} LOGIN")
    try:
        postgres.run(f"GRANT USAGE ON SCHEMA {address.schema} TO {role}")
        postgres.run(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {address.schema} TO {role}")
        engine = open_engine(parse_url(f"{postgres.url}&schema={address.schema}".replace("postgres@", f"{role}@")))
        with pytest.raises(StoreError, match="this role may not write the table anew"):
            scrub(engine)
        engine.dispose()
    finally:
        postgres.run(f"DROP OWNED BY {role}")
        postgres.run(f"DROP ROLE {role}")


def test_the_planner_keeps_no_samples(opened, postgres, address):
    """Statistics would hold values of the columns."""
    postgres.run(f"ANALYZE {address.schema}.disclosures")
    sampled = postgres.run(
        "SELECT attname FROM pg_stats WHERE schemaname = %s AND tablename = %s", address.schema, "disclosures"
    )
    assert {name for (name,) in sampled} <= {"seq", "path"}


def test_what_is_erased_stays_erased(opened, address, postgres):
    """Whoever holds the connection: without the claim nothing goes, with it nothing comes back."""
    ((seq, path, salt, value),) = postgres.run(f"SELECT * FROM {address.schema}.disclosures WHERE seq = 7")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="append-only"):
        postgres.run(f"DELETE FROM {address.schema}.disclosures WHERE seq = 7")
    append(opened, erased((7, "/note")))
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="stays erased"):
        postgres.run(f"INSERT INTO {address.schema}.disclosures VALUES (%s, %s, %s, %s)", seq, path, salt, value)
