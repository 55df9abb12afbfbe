"""A directory for what could not be recorded: whole files, oldest first, gone when it is recorded."""

import json
import stat

import pytest

from decisions.operation import Operation
from decisions.pep import Kept
from tools.spool import FileSpool

SAID = Kept("said", claimed="agent:a", operation=Operation("conversation", {"class": "referral", "person": "p-7"}))
OUTCOMES = [Kept("outcome", decision=number) for number in range(5)]


@pytest.fixture
def spool(tmp_path):
    return FileSpool(tmp_path / "spool")


def test_nothing_is_made_before_there_is_something_to_keep(spool):
    assert spool.pending() == []
    spool.settle(SAID)
    assert not spool.folder.exists()


def test_what_is_kept_comes_back_in_its_order_with_its_time(spool):
    for kept in OUTCOMES:
        spool.keep(kept)
    found = spool.pending()
    assert [kept.decision for kept in found] == [0, 1, 2, 3, 4]
    assert all(kept.at.endswith("Z") for kept in found)


def test_what_is_recorded_is_gone_and_the_rest_stays(spool):
    for kept in OUTCOMES:
        spool.keep(kept)
    spool.settle(OUTCOMES[2])
    assert [kept.decision for kept in FileSpool(spool.folder).pending()] == [0, 1, 3, 4]


def test_what_is_kept_twice_is_kept_once(spool):
    for _ in range(2):
        spool.keep(SAID)
    (found,) = spool.pending()
    assert (found.id, found.operation) == (SAID.id, SAID.operation)


def test_nobody_else_reads_it(spool):
    spool.keep(SAID)
    assert stat.S_IMODE(spool.folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in spool.folder.iterdir()] == [0o600]


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"\xff", b'{"v":2}', b'{"v":1,"what":"allow"}'])
def test_what_cannot_be_read_is_left_alone(spool, data):
    spool.keep(SAID)
    strange = spool.folder / "00000000000000000001-strange.json"
    strange.write_bytes(data)
    assert len(spool.pending()) == 1
    assert strange.read_bytes() == data


def test_a_half_written_file_is_not_there(spool, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tools.spool.write_new", full)
    with pytest.raises(OSError, match="No space"):
        spool.keep(SAID)
    assert list(spool.folder.iterdir()) == []


def test_it_is_one_json_object_a_file(spool):
    spool.keep(OUTCOMES[1])
    (file,) = spool.folder.iterdir()
    assert json.loads(file.read_text())["decision"] == 1
