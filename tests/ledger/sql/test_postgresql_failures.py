"""PostgreSQL: whatever goes wrong is one of our errors, on one line, and says what to do."""

import random
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import sqlalchemy as sa

from ledger.errors import CorruptError, StoreBusyError, StoreError, StoreMissingError
from ledger.sql.address import PostgresAddress, parse_url
from ledger.sql.failure import in_our_words
from ledger.sql.place import create_log, discard_log, open_log
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, append, everything, moved
from tests.ledger.sql.test_group import together

# Without a pattern, so that it can't be made smaller.
RANDOM = "".join(map(chr, random.Random(7).choices(range(0x4E00, 0x9FFF), k=2000)))


@pytest.fixture
def address(postgres):
    return postgres.address()


@pytest.fixture
def log(address):
    log = create_log(address, VIEWS, Clock(), registry=REGISTRY)
    append(log, moved("a", 1))
    yield log
    log.close()


@pytest.fixture
def role(postgres, address):
    """Give a way to make a role for which something is set, and the address as that role."""
    made = []

    def make(setting):
        name = f"set_{secrets.token_hex(4)}"
        made.append(name)
        postgres.run(f"CREATE ROLE {name} LOGIN SUPERUSER")
        postgres.run(f"ALTER ROLE {name} SET {setting}")
        return PostgresAddress(address.url.set(username=name), address.schema)

    yield make
    for name in made:
        postgres.run(f"DROP ROLE {name}")


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as pool:
        yield pool


def opened(address, **more):
    return open_log(address, VIEWS, Clock(), registry=REGISTRY, **more)


def test_a_schema_that_is_not_there(address):
    """Opening makes nothing."""
    with pytest.raises(StoreMissingError, match="no tables of a log stand here: check the path, or run `tally init`"):
        opened(address)


def test_a_log_is_made_once(log, address):
    """Whoever comes second is refused; of two at once one wins."""
    before = everything(log)
    with pytest.raises(StoreError, match="a log is made once"):
        create_log(address, VIEWS, Clock())
    assert everything(log) == before


def test_of_two_creations_at_once_one_wins(address, pool):
    """The other finds the schema, and leaves it."""

    def make(_number):
        try:
            create_log(address, VIEWS, Clock(), registry=REGISTRY).close()
        except StoreError as error:
            return str(error)
        return "made"

    told = sorted(pool.map(make, range(4)))
    assert told.count("made") == 1
    assert sum("a log is made once" in text for text in told) == 3
    log = opened(address)
    append(log, moved("a", 1))
    log.close()


def test_creation_that_fails_leaves_nothing(address, postgres, monkeypatch):
    """All of it is one transaction."""

    def fail(connection):
        run(connection)
        raise StoreError("interrupted")

    from ledger.sql.migrate import run

    monkeypatch.setattr("ledger.sql.migrate.run", fail)
    with pytest.raises(StoreError, match="interrupted"):
        create_log(address, VIEWS, Clock())
    assert postgres.run("SELECT 1 FROM pg_namespace WHERE nspname = %s", address.schema) == []


def test_a_log_can_be_taken_away_again(log, address):
    """What was made a moment ago, and nothing where there is none."""
    log.close()
    discard_log(address)
    with pytest.raises(StoreMissingError):
        opened(address)
    discard_log(address)


def test_a_writer_that_waits_too_long(log, address, postgres):
    """Another process's writer is waited for, not for ever; readers never wait."""
    impatient = opened(address, busy_seconds=0.1)
    with postgres.connect(autocommit=False) as other:
        other.execute(f"SELECT FROM {address.schema}.head FOR UPDATE")
        with pytest.raises(StoreBusyError, match="another process is writing and did not finish in time: try again"):
            append(impatient, moved())
        with pytest.raises(StoreBusyError):
            impatient.store_checkpoint(1, b"")
        assert impatient.read(lambda look: look.head.size) == 1
    assert append(impatient, moved())[0].seq == 1
    impatient.close()


def test_a_reader_sees_one_state_while_others_write(log, address):
    """Until its look ends, whatever is committed meanwhile."""
    other = opened(address)

    def look(snapshot):
        before = snapshot.head.size
        append(other, moved("a", 1))
        return before, snapshot.head.size, len(list(snapshot.events())), snapshot.state("balance", "a").seq

    assert log.read(look) == (1, 1, 1, 0)
    assert log.read(lambda snapshot: snapshot.state("balance", "a").seq) == 1
    other.close()


def test_a_reader_writes_nothing(log):
    """Its transaction is READ ONLY."""
    with log.engine.begin() as connection, pytest.raises(sa.exc.InternalError, match="read-only transaction"):
        connection.exec_driver_sql("UPDATE states SET seq = 0")


def test_a_server_that_takes_no_writes(log, address, role):
    """A role that was set to read only, as all are of a standby."""
    reader = opened(role("default_transaction_read_only = on"))
    assert reader.read(lambda look: look.head.size) == 1
    reader.close()
    cause = psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT in a read-only transaction")
    told = in_our_words(sa.exc.InternalError("INSERT", {}, cause), "place")
    assert str(told).startswith("place: this server takes no writes: name the primary, not a standby")


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        (lambda: moved("a\x00b", 1), "a text holds a character that PostgreSQL can't keep; nothing was written"),
        (lambda: moved("a", 1, labels=(RANDOM,)), "a key is longer than PostgreSQL can index"),
        (lambda: moved("a", 1, once=RANDOM), "a key is longer than PostgreSQL can index"),
        (lambda: moved(RANDOM, 1), "a key is longer than PostgreSQL can index"),
    ],
)
def test_what_postgresql_can_not_keep_is_refused_and_harms_no_other(log, pool, draft, message):
    """The whole append is refused, and of a group only whose it is."""
    before = everything(log)
    with pytest.raises(StoreError, match=message):
        append(log, moved("b", 1), draft())
    assert everything(log) == before
    bad, good = together(log, pool, lambda tx: tx.append(draft()), lambda tx: tx.append(moved("good", 1, once="good")))
    with pytest.raises(StoreError, match=message):
        bad.result(10)
    assert good.result(10).body.account == "good"
    assert everything(log)["head"].size == before["head"].size + 1


def test_long_keys_that_fit_are_kept(log):
    """A reference of the greatest length in plain characters, and one that is long and plain."""
    long = "file:///" + "directory/" * 400
    append(log, moved(long[:4096], 1, once=long[:4096], labels=(long[:4096],)))
    assert log.read(lambda look: look.claimed(f"once:{long[:4096]}")) == 1
    assert list(log.read(lambda look: look.tagged(f"label:{long[:4096]}"))) == [1]


def test_a_column_of_another_type_is_damage(log, address, postgres):
    """The owner can change what a column holds; it is refused as it is read."""
    postgres.run(f"ALTER TABLE {address.schema}.states ALTER COLUMN seq TYPE numeric")
    with pytest.raises(CorruptError, match="a column of int holds Decimal"):
        everything(log)


def test_tables_of_another_program(postgres, address):
    """A schema without our tables is no ledger."""
    postgres.run(f"CREATE SCHEMA {address.schema}")
    postgres.run(f"CREATE TABLE {address.schema}.events (x int)")
    with pytest.raises(StoreMissingError, match="no tables of a log stand here"):
        opened(address)


def test_an_encoding_other_than_utf8(postgres):
    """It could not keep what the log writes."""
    postgres.run("CREATE DATABASE narrow ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        with pytest.raises(StoreError, match="the database's encoding is not UTF8"):
            opened(parse_url(postgres.url.replace("@/postgres", "@/narrow")))
    finally:
        postgres.run("DROP DATABASE narrow WITH (FORCE)")


@pytest.mark.parametrize("setting", ["off", "local", "remote_write"])
def test_a_commit_that_could_be_lost_is_refused(log, role, setting):
    """At the next connection, whoever has set it."""
    with pytest.raises(StoreError, match=f"synchronous_commit is {setting}, so that a commit may be lost"):
        opened(role(f"synchronous_commit = {setting}"))


def test_more_threads_than_connections_wait(log):
    """They wait for one, and are told to try again where that takes too long."""
    barrier = threading.Barrier(24)

    def look(_number):
        barrier.wait(10)
        return log.read(lambda snapshot: len(list(snapshot.events())))

    with ThreadPoolExecutor(24) as many:
        assert list(many.map(look, range(24))) == [1] * 24


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (psycopg.errors.DeadlockDetected, StoreBusyError, "try again"),
        (psycopg.errors.SerializationFailure, StoreBusyError, "try again"),
        (psycopg.errors.QueryCanceled, StoreBusyError, "statement_timeout"),
        (psycopg.errors.DiskFull, StoreError, "make room"),
        (psycopg.errors.TooManyConnections, StoreBusyError, "max_connections"),
        (psycopg.errors.OutOfMemory, StoreBusyError, "try again"),
        (psycopg.errors.DataCorrupted, CorruptError, "restore a backup"),
        (psycopg.errors.IndexCorrupted, CorruptError, "REINDEX"),
        (psycopg.errors.UndefinedTable, StoreError, "tally doctor"),
        (psycopg.errors.UndefinedColumn, StoreError, "tally doctor"),
        (psycopg.errors.AdminShutdown, StoreError, "look whether it runs"),
        (psycopg.errors.CannotConnectNow, StoreError, "look whether it runs"),
        (psycopg.errors.ConnectionFailure, StoreError, "look whether it runs"),
        (psycopg.errors.InvalidPassword, StoreError, "PGPASSWORD"),
        (psycopg.errors.UniqueViolation, CorruptError, "tally audit"),
        (psycopg.errors.IoError, StoreError, "look at its disk"),
        (psycopg.errors.SyntaxError, StoreError, "no advice here"),
    ],
)
def test_every_error_of_the_server_has_words_of_ours(error, kind, message):
    """On one line, whatever its own message is."""
    told = in_our_words(sa.exc.DBAPIError("SELECT\n1", {}, error("no advice here\nDETAIL: x")), "place")
    assert type(told) is kind
    assert message in str(told)
    assert "\n" not in str(told)


def test_an_error_of_the_driver_itself_has_words_of_ours():
    """Where the server never answered."""
    for cause, message in (
        (psycopg.OperationalError("connection refused"), "the server can't be reached"),
        (psycopg.OperationalError("fe_sendauth: no password supplied"), "PGPASSWORD"),
        (psycopg.OperationalError('FATAL:  database "x" does not exist'), "no such database"),
        (psycopg.ProgrammingError("x"), "place: x"),
    ):
        assert message in str(in_our_words(sa.exc.DBAPIError(None, None, cause), "place"))
