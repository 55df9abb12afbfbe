"""Whatever goes wrong with the database is one of our errors, on one line, and says what to do."""

import sqlite3
import threading
from contextlib import closing

import pytest
import sqlalchemy as sa

from ledger.errors import ClaimTakenError, CorruptError, StoreBusyError, StoreError, StoreMissingError
from ledger.sql import group
from ledger.sql import log as sql_log
from ledger.sql.driver import Driver
from ledger.sql.failure import in_our_words
from ledger.sql.migrate import run
from ledger.sql.place import create_log, open_log
from ledger.sql.snapshot import SqlSnapshot
from tests.ledger.contract.sample import START, VIEWS, append, everything, moved


def opened(path, **more):
    return open_log(path, VIEWS, lambda: START, **more)


@pytest.fixture
def within_each_transaction(monkeypatch):
    """Have a statement run as each transaction of the writer begins."""
    begin = Driver.begin

    def make(statement):
        def beginning(driver):
            begin(driver)
            driver.change(statement, ())

        monkeypatch.setattr(Driver, "begin", beginning)

    return make


def test_missing_file(path):
    """Opening makes nothing."""
    with pytest.raises(StoreMissingError, match="no ledger here: check the path, or run `tally init`"):
        opened(path)
    assert not path.exists()


def test_missing_folder(path):
    """A folder that is not there can hold no log."""
    with pytest.raises(StoreError, match="can't be"):
        create_log(path / "deeper.db", VIEWS, lambda: START)


def test_a_log_is_made_once(filled, path):
    """A second creation leaves the first as it is, and nothing beside it."""
    before = everything(filled)
    with pytest.raises(StoreError, match="a log is made once"):
        create_log(path, VIEWS, lambda: START)
    assert everything(filled) == before
    assert list(path.parent.glob(".*")) == []


def test_of_two_creations_at_once_one_wins(path, monkeypatch):
    """Whoever comes second finds the first one's log, and leaves it."""

    def overtaken(connection):
        run(connection)
        path.write_bytes(b"the first one's")

    monkeypatch.setattr("ledger.sql.migrate.run", overtaken)
    with pytest.raises(StoreError, match="a log is made once"):
        create_log(path, VIEWS, lambda: START)
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == b"the first one's"


def test_creation_that_fails_leaves_nothing(path, monkeypatch):
    """No half of a log, no file beside it."""

    def fail(_connection):
        raise StoreError("the disk is full")

    monkeypatch.setattr("ledger.sql.migrate.run", fail)
    with pytest.raises(StoreError, match="the disk is full"):
        create_log(path, VIEWS, lambda: START)
    assert list(path.parent.iterdir()) == []


def test_a_place_that_takes_no_links(path, monkeypatch):
    """Where the finished log can't be put in its place, it is not made."""

    def refuse(_self, _target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(type(path), "hardlink_to", refuse)
    with pytest.raises(StoreError, match="can't be made: Operation not permitted"):
        create_log(path, VIEWS, lambda: START)
    assert list(path.parent.iterdir()) == []


def test_a_file_that_is_no_database(path):
    """Text is no ledger."""
    path.write_text("this is no database, and long enough to be told from an empty one\n" * 20)
    with pytest.raises(StoreError, match="this file is no ledger: check the path"):
        opened(path)


def test_a_database_without_our_tables(path):
    """Another program's database is no ledger."""
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE other (x)")
    with pytest.raises(StoreError, match="no tables of a log stand here: check the path, or run `tally init`"):
        opened(path)


def test_a_writer_that_waits_too_long(filled, path):
    """Another process's writer is waited for, not for ever; readers never wait."""
    log = opened(path, busy_seconds=0.1)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="another process is writing and did not finish in time: try again"):
            append(log, moved())
        with pytest.raises(StoreBusyError):
            log.store_checkpoint(1, b"")
        assert log.read(lambda look: look.head.size) == 4
        other.rollback()
    assert append(log, moved())[0].seq == 4
    log.close()


def test_a_thread_that_waits_too_long(log, monkeypatch):
    """Threads of one process queue, and not for ever."""
    monkeypatch.setattr(group, "BUSY_SECONDS", 0.1)
    holding, release = threading.Event(), threading.Event()

    def hold(tx):
        holding.set()
        release.wait(10)

    thread = threading.Thread(target=log.transact, args=(hold,))
    thread.start()
    holding.wait(10)
    with pytest.raises(StoreBusyError, match="another thread is writing"):
        append(log, moved())
    release.set()
    thread.join()
    append(log, moved())


def test_a_full_disk(filled, path, within_each_transaction):
    """What does not fit is not written, and nothing of it stays."""
    before = everything(filled)
    pages = _pages(path)
    within_each_transaction(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="the disk is full: make room"):
        append(filled, *(moved(f"account {n}", labels=("l" * 1000,)) for n in range(100)))
    assert everything(filled) == before


def test_a_file_that_can_not_be_written(filled, within_each_transaction):
    """A read-only database is said to be read-only."""
    before = everything(filled)
    within_each_transaction("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="the file can't be written: check its owner and mode"):
        append(filled, moved())
    assert everything(filled) == before


def test_a_damaged_file(filled, path):
    """A page that holds no page is damage."""
    filled.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(CorruptError, match="restore a backup, then run `tally audit`"):
        opened(path)


def test_primary_key_refuses_what_the_check_let_pass(filled, monkeypatch):
    """Should the look at the claims ever be wrong, the primary key still is not."""
    before = everything(filled)
    honest = SqlSnapshot.claimed
    lies = iter([None])
    monkeypatch.setattr(SqlSnapshot, "claimed", lambda self, key: next(lies, honest(self, key)))
    with pytest.raises(ClaimTakenError, match="once:k is already taken by event 0"):
        append(filled, moved("c", once="k"))
    monkeypatch.undo()
    assert everything(filled) == before


def test_events_beyond_the_head_are_damage(filled, raw):
    """A row that the head does not know stops the log."""
    raw("INSERT INTO events VALUES (4, '', '', x'')")
    with pytest.raises(CorruptError, match="run `tally audit`"):
        append(filled, moved(once="a key that nobody holds"))


def test_head_that_moves_under_the_writer_is_damage(filled, monkeypatch):
    """The head is moved only where it is the one that was read."""

    def behind(driver, old, *rest):
        driver.connection.execute(sa.text("UPDATE head SET size = size + 1"))
        write(driver, old, *rest)

    write = sql_log.write
    monkeypatch.setattr(sql_log, "write", behind)
    with pytest.raises(CorruptError, match="refuses what the log's head asks for: run `tally audit`"):
        append(filled, moved())
    assert filled.read(lambda look: look.head.size) == 4


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("DELETE FROM head", "the head is missing"),
        ("UPDATE head SET blake3_peaks = x'00'", "the head contradicts itself"),
        ("UPDATE head SET sha256_peaks = x''", "the head contradicts itself"),
        ("UPDATE head SET at = NULL", "the head contradicts itself"),
        ("UPDATE head SET at = x'00'", "a column of str holds bytes"),
        ("UPDATE head SET at = CAST(x'ff' AS TEXT)", "what is stored contradicts itself"),
        ("UPDATE states SET state = 'text'", "a column of bytes holds str"),
        ("UPDATE disclosures SET value = x'7b'", "an opening can't be read"),
        ("UPDATE tags SET seq = 'x' WHERE tag = 'label:x'", "a column of int holds str"),
    ],
)
def test_what_no_log_writes_is_damage(filled, path, damage, message):
    """A value that the log never writes is refused when it is read."""
    with closing(sqlite3.connect(path)) as raw, raw:
        for (trigger,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {trigger}")
        raw.execute(damage)
    with pytest.raises(CorruptError, match=message):
        everything(filled)


def test_an_iterator_ends_with_its_look(filled):
    """What streams from a look can't outlive it."""
    events = filled.read(lambda look: look.events())
    with pytest.raises(StoreError, match="this look at the log has ended; read within it"):
        list(events)


def test_every_message_is_one_line():
    """Errors of the library have many lines; ours have one."""
    for error in (
        sa.exc.TimeoutError("a\nb"),
        sa.exc.ResourceClosedError("a\nb"),
        sa.exc.ArgumentError("a\nb"),
        sa.exc.OperationalError("SELECT\n1", {}, sqlite3.OperationalError("no such table: x\nb")),
        sa.exc.IntegrityError("SELECT\n1", {}, sqlite3.IntegrityError("a\nb")),
    ):
        assert "\n" not in str(in_our_words(error, "place"))


def test_a_file_that_was_replaced_takes_nothing_more(filled, path, tmp_path):
    """A backup is put in its place while the log is open: nothing is acknowledged that the new file does not hold."""
    with closing(sqlite3.connect(path)) as source:
        source.execute("VACUUM INTO ?", (str(tmp_path / "backup.db"),))
    append(filled, moved())
    (tmp_path / "backup.db").replace(path)
    for left in ("-wal", "-shm"):
        path.with_name(path.name + left).unlink(missing_ok=True)
    for _ in range(2):
        with pytest.raises(StoreError, match="the file was replaced while it was open"):
            append(filled, moved())
        with pytest.raises(StoreError, match="the file was replaced while it was open"):
            filled.read(lambda look: look.head)
    log = opened(path)
    assert append(log, moved())[0].seq == 4
    log.close()


def _pages(path):
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute("PRAGMA page_count").fetchone()[0]


def test_an_error_of_the_disk_says_that_it_may_be_full():
    """SQLite does not always know: where no page of the log beside it can be written, it reports input and output."""
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    told = str(in_our_words(sa.exc.OperationalError("INSERT", {}, cause), "/srv/ledger.db"))
    assert told.startswith("/srv/ledger.db: the disk is full or broken: make room")
