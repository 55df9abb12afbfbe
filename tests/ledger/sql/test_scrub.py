"""After an erasure and a scrub, no file of the database holds a byte of what was erased."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ledger.errors import StoreBusyError
from ledger.sql.engine import open_engine
from ledger.sql.scrub import scrub
from tests.ledger.contract.sample import append, erased, everything, moved

SECRET = "plaintext-of-a-person-0123456789"


def files_with(path, needle):
    """Name the files beside the database that hold these bytes."""
    return sorted(one.name for one in path.parent.iterdir() if needle in one.read_bytes())


@pytest.fixture
def opened(log):
    """Three hundred openings, long and short, every tenth of which is to be erased."""
    for start in range(0, 300, 50):
        append(log, *(moved(note=_note(n)) for n in range(start, start + 50)))
    return log


def _note(number):
    return f"{SECRET}-{number:03}" + "x" * (number * 37 % 5000)


def test_erased_bytes_are_in_no_file(opened, path):
    """Neither value nor salt, in the database, its write-ahead log and its index; what was not erased is there."""
    salts = {seq: opened.read(lambda look, n=seq: look.openings(n)[0].salt) for seq in range(300)}
    fields = [(seq, "/note") for seq in range(0, 300, 10)]
    assert files_with(path, f"{SECRET}-010".encode())
    append(opened, erased(*fields))
    before = everything(opened)
    scrub(opened.engine)
    for seq in range(300):
        gone = seq % 10 == 0
        assert (not files_with(path, f"{SECRET}-{seq:03}".encode())) is gone, seq
        assert (not files_with(path, salts[seq])) is gone, seq
    assert everything(opened) == before


def test_without_the_scrub_the_bytes_may_still_be_there(opened, path):
    """What this is for: the deletion alone leaves older pages in the write-ahead log."""
    append(opened, erased((10, "/note")))
    assert files_with(path, f"{SECRET}-010".encode())


def test_the_log_goes_on_after_a_scrub(opened, path):
    """Other connections, and other logs on the file, read and write as before."""
    scrub(opened.engine)
    append(opened, moved(note="later"), erased((3, "/note")))
    scrub(opened.engine)
    assert opened.read(lambda look: look.head.size) == 302
    assert not files_with(path, f"{SECRET}-003".encode())
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA journal_mode").fetchall() == [("wal",)]


def test_a_reader_of_the_old_state_is_told_of(opened, path):
    """The bytes can't go while somebody reads them; who waits in vain is told what to do."""
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM disclosures").fetchall()
        append(opened, erased((10, "/note")))
        with pytest.raises(StoreBusyError, match="tally erase --scrub"):
            scrub(_impatient(opened.engine), patience=0.0)
        assert files_with(path, f"{SECRET}-010".encode())
    scrub(opened.engine)
    assert not files_with(path, f"{SECRET}-010".encode())


def test_waits_for_a_reader_that_ends(opened, path):
    """A reader is waited for."""
    reader = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM disclosures").fetchall()
    append(opened, erased((10, "/note")))
    timer = threading.Timer(0.3, reader.close)
    timer.start()
    scrub(opened.engine)
    timer.join()
    assert not files_with(path, f"{SECRET}-010".encode())


def test_a_writer_that_stays_is_told_of(opened, path):
    """Nobody is waited for without end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            scrub(_impatient(opened.engine))


def _impatient(engine):
    """Give the same database by connections that wait for nobody."""
    return open_engine(Path(engine.url.database), busy_seconds=0.0)
