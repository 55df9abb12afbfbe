"""Roles of PostgreSQL: what they are granted is enough to append and decide, and not enough to change the past."""

import secrets

import psycopg
import pytest

from ledger.errors import StoreError
from ledger.sql import dialect
from ledger.sql.address import PostgresAddress, parse_url
from ledger.sql.place import create_log, open_log
from ledger.sql.raw import open_raw
from ledger.sql.rebuild import rebuild
from ledger.sql.schema import APPEND_ONLY, metadata
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, closed, everything, moved


@pytest.fixture
def address(postgres):
    address = postgres.address()
    log = create_log(address, VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 3, once="k", labels=("x",), note="first"))
    log.store_checkpoint(1, b"note")
    log.close()
    return address


@pytest.fixture
def role(postgres, address):
    """Give a way to make a role that was granted what `tally db grant-sql` prints, and the address as that role."""
    made = []

    def make(*, read_only: bool) -> PostgresAddress:
        name = f'app "{secrets.token_hex(4)}"'
        quoted = '"' + name.replace('"', '""') + '"'
        made.append(quoted)
        postgres.run(f"CREATE ROLE {quoted} LOGIN")
        for statement in dialect.at(address).grants(address, name, read_only=read_only):
            postgres.run(statement)
        return PostgresAddress(address.url.set(username=name), address.schema)

    yield make
    for quoted in made:
        postgres.run(f"DROP OWNED BY {quoted}")
        postgres.run(f"DROP ROLE {quoted}")


FORBIDDEN = (
    *(f"UPDATE {table.name} SET {next(iter(table.columns)).name} = DEFAULT" for table in APPEND_ONLY),
    *(f"DELETE FROM {table.name}" for table in APPEND_ONLY if table.name != "disclosures"),
    *(f"TRUNCATE {name} CASCADE" for name in metadata.tables),
    *(f"ALTER TABLE {table.name} DISABLE TRIGGER ALL" for table in APPEND_ONLY),
    "DELETE FROM head",
    "UPDATE head SET one = 1",
    "DELETE FROM projections",
    "UPDATE projections SET one = 1",
    "UPDATE alembic_version SET version_num = '9'",
    "SET session_replication_role = replica",
    "DROP TABLE tags",
    "DROP TRIGGER events_no_update ON events",
    "CREATE TABLE mine (x int)",
    "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
)


def past_the_log(address, statement):
    with psycopg.connect(
        host=address.url.query["host"], user=address.url.username, dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(f"SET search_path = {address.schema}, pg_temp")
        connection.execute(statement)


def test_an_application_appends_and_rebuilds_and_can_not_change_the_past(role):
    """All that the log does works, and everything else is refused for want of a right."""
    own = role(read_only=False)
    log = open_log(own, VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 1, once="l", labels=("y",), note="second"), closed("b"))
    log.store_checkpoint(3, b"another note")
    log.store_cosignature(3, "w+00000000", "line\n")
    log.store_timestamp(3, "authority", b"token")
    before = everything(log)
    assert before["head"].size == 3
    assert rebuild(log.engine, REGISTRY, VIEWS).after == before["digest"]
    with open_raw(own) as raw:
        assert list(raw.schema_faults()) == []
    for statement in FORBIDDEN:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            past_the_log(own, statement)
    # The right to delete is there for what an event erases; the trigger judges.
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="disclosures is append-only"):
        past_the_log(own, "DELETE FROM disclosures")
    assert everything(log) == before
    log.close()


def test_an_auditor_reads_and_writes_nothing(role):
    """An append is refused in our words, with what to do."""
    own = role(read_only=True)
    log = open_log(own, VIEWS, Clock(), registry=REGISTRY)
    before = everything(log)
    with pytest.raises(StoreError, match=r"this role may not: .*`tally db grant-sql` prints"):
        append(log, moved("a", 1))
    for statement in (*FORBIDDEN, "DELETE FROM disclosures", "UPDATE states SET seq = 0", "UPDATE head SET size = 9"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            past_the_log(own, statement)
    assert everything(log) == before
    log.close()


def test_a_role_without_grants_is_told_so(postgres, address):
    """Not a word of a missing ledger."""
    name = f"stranger_{secrets.token_hex(4)}"
    postgres.run(f"CREATE ROLE {name} LOGIN")
    try:
        with pytest.raises(StoreError, match=r"this role may not|no tables of a log"):
            open_log(PostgresAddress(address.url.set(username=name), address.schema), VIEWS, Clock())
    finally:
        postgres.run(f"DROP ROLE {name}")


@pytest.mark.parametrize("name", ["", "a" * 64, "a\nb", "a\x00"])
def test_what_is_no_name_of_a_role_is_refused(name):
    """Nothing that would have to be guessed at."""
    address = parse_url("postgresql://db/records")
    with pytest.raises(StoreError, match="a role's name"):
        dialect.at(address).grants(address, name, read_only=True)


def test_a_file_has_no_roles(tmp_path):
    """SQLite says so."""
    with pytest.raises(StoreError, match="SQLite has no roles"):
        dialect.at(tmp_path).grants(tmp_path, "app", read_only=True)
