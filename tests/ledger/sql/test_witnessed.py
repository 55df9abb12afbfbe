"""The memory of a witness: it only grows, whoever writes to the file, and forgets nothing that was said."""

import sqlite3
from contextlib import closing

import pytest

from ledger.errors import CorruptError, StoreError, StoreMissingError
from ledger.sql.witnessed import Cosigned, WitnessStore

VKEY = "w.example+00000000+AAAA"


def head(size, root=b"r", at=1, origin="o"):
    return Cosigned(origin, size, root, at, b"note of %d" % size)


@pytest.fixture
def path(tmp_path):
    WitnessStore.create(tmp_path / "witness.db", VKEY)
    return tmp_path / "witness.db"


@pytest.fixture
def store(path):
    store = WitnessStore(path)
    yield store
    store.close()


def keep(store, following):
    return store.exchange(following.origin, lambda last: (following, last))


def test_begins_empty_and_belongs_to_a_key(store):
    assert (store.vkey, store.cosigned()) == (VKEY, [])
    assert store.exchange("o", lambda last: (None, last)) is None


def test_work_sees_what_was_kept_last(store):
    assert keep(store, head(3)) is None
    assert keep(store, head(5)) == head(3)
    assert keep(store, head(4, origin="p")) is None
    assert store.cosigned() == [head(5), head(4, origin="p")]


def test_work_that_keeps_nothing_or_raises_changes_nothing(store):
    keep(store, head(3))
    assert store.exchange("o", lambda last: (None, "result")) == "result"

    def work(_last):
        raise KeyError("stop")

    with pytest.raises(KeyError):
        store.exchange("o", work)
    assert store.cosigned() == [head(3)]


@pytest.mark.parametrize("following", [head(2), head(3, b"other"), head(4, at=0)], ids=["smaller", "root", "earlier"])
def test_no_head_goes_back(store, following):
    keep(store, head(3))
    with pytest.raises(StoreError):
        keep(store, following)
    assert store.cosigned() == [head(3)]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM heads",
        "UPDATE heads SET size = 1",
        "UPDATE heads SET root = x'00'",
        "UPDATE heads SET origin = 'p'",
        "INSERT OR REPLACE INTO heads VALUES ('o', 1, x'00', 9, x'00')",
        "UPDATE witness SET vkey = 'other'",
        "DELETE FROM witness",
    ],
)
def test_another_program_can_not_make_it_forget(store, path, statement):
    keep(store, head(3))
    with closing(sqlite3.connect(path)) as raw, raw, pytest.raises(sqlite3.IntegrityError, match="stands"):
        raw.execute(statement)
    assert store.cosigned() == [head(3)]


def test_is_made_once(path):
    with pytest.raises(StoreError, match="already"):
        WitnessStore.create(path, VKEY)


def test_that_is_gone_is_not_begun_again(path):
    path.unlink()
    with pytest.raises(StoreMissingError, match="second history"):
        WitnessStore(path)
    assert not path.exists()


def test_of_no_key_is_refused(tmp_path):
    WitnessStore.create(tmp_path / "w.db", VKEY)
    with closing(sqlite3.connect(tmp_path / "w.db")) as raw, raw:
        raw.execute("DROP TRIGGER witness_no_delete")
        raw.execute("DELETE FROM witness")
    with pytest.raises(CorruptError):
        WitnessStore(tmp_path / "w.db")


def test_another_file_is_no_memory(tmp_path):
    (tmp_path / "w.db").write_bytes(b"something else altogether" * 100)
    with pytest.raises(StoreError):
        WitnessStore(tmp_path / "w.db")
