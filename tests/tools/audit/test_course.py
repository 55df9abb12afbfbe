"""How an audit runs: in parts, by several processes, and interrupted and continued."""

import functools
import sqlite3
from contextlib import closing

import pytest

from ledger.sql.place import create_log
from ledger.sql.scratch import ScratchStates
from tests.ledger.contract.sample import REGISTRY, START, append, moved
from tests.ledger.contract.sample import VIEWS as SAMPLE_VIEWS
from tools.audit import audit, keys, run
from tools.audit.report import Progress
from tools.errors import ToolError

DAMAGE = (
    (),
    ("UPDATE events SET bytes = x'7b7d' WHERE seq = 5",),
    ("UPDATE nodes SET blake3 = randomblob(32) WHERE pos = 14", "DELETE FROM tags WHERE seq = 17"),
    ("DELETE FROM events WHERE seq IN (3, 20)", "INSERT INTO claims VALUES ('consumed:ghost:0:1', 9)"),
    ("UPDATE events SET type = 'other' WHERE seq = 8", "UPDATE states SET state = x'7b7d' WHERE seq = 11"),
    ("DELETE FROM nodes WHERE pos IN (7, 30)", "UPDATE disclosures SET value = x'31' WHERE seq = 1"),
)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8, 16])
@pytest.mark.parametrize("damage", DAMAGE)
def test_ranges_of_any_length_give_one_report(ledger, bucket, damage, size):
    """Where the log is divided shows nowhere."""
    ledger.change(*damage)
    whole = ledger.audit()
    bucket(size)
    divided = ledger.audit()
    assert divided.findings == whole.findings
    assert divided == whole


@pytest.mark.parametrize("damage", DAMAGE[:2])
def test_several_processes_give_the_report_of_one(ledger, damage):
    """Each worker opens the file itself."""
    ledger.change(*damage)
    assert ledger.audit(jobs=2) == ledger.audit(jobs=1)


def test_several_processes_take_many_ranges_in_order(tmp_path):
    """More ranges than are asked for ahead."""
    path = tmp_path / "log.db"
    log = create_log(path, SAMPLE_VIEWS, lambda: START, registry=REGISTRY)
    total = 9 * keys.BUCKET + 5
    for start in range(0, total, keys.BUCKET):
        append(log, *(moved("a", 1, once=str(n)) for n in range(start, min(total, start + keys.BUCKET))))
    log.close()
    told = []
    one = audit(path, REGISTRY, SAMPLE_VIEWS, unsigned, status=told.append)
    assert (one.ok, one.size) == (True, total)
    done = [progress.done for progress in told if progress.stage == "events"]
    assert done == [*range(keys.BUCKET, total, keys.BUCKET), total]
    assert audit(path, REGISTRY, SAMPLE_VIEWS, unsigned, jobs=2) == one
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, column, key in (("events", "bytes", "seq"), ("nodes", "sha256", "pos")):
            connection.execute(f"DROP TRIGGER {table}_no_update")
            connection.execute(f"UPDATE {table} SET {column} = x'00' WHERE {key} = 3000")
    two = audit(path, REGISTRY, SAMPLE_VIEWS, unsigned, jobs=2)
    assert [(finding.table, finding.key) for finding in two.findings[:2]] == [
        ("events", "seq 3000"),
        ("nodes", "pos 3000"),
    ]
    assert two == audit(path, REGISTRY, SAMPLE_VIEWS, unsigned)


def unsigned(reader, event):
    """These events bear no signature."""


# -- interrupted and continued --


class InterruptedHereError(Exception):
    """What a person does at the terminal."""


def interrupted(ledger, progress, after):
    """Run an audit up to some event."""

    def status(told):
        if told.stage == "events" and told.done >= after:
            raise InterruptedHereError

    with pytest.raises(InterruptedHereError):
        ledger.audit(progress=progress, status=status)


@pytest.mark.parametrize("damage", DAMAGE)
def test_continued_audit_gives_the_report_of_an_undisturbed_one(ledger, bucket, tmp_path, damage):
    """And takes over what was judged, but never a range in which something is wrong."""
    bucket(4)
    ledger.change(*damage)
    undisturbed = ledger.audit()
    progress = tmp_path / "progress"
    interrupted(ledger, progress, 24)
    assert progress.stat().st_mode & 0o777 == 0o600
    continued = ledger.audit(progress=progress)
    assert continued == undisturbed
    assert 0 < continued.taken_over <= 24
    assert not progress.exists()


@pytest.mark.parametrize("damage", DAMAGE[1:])
def test_damage_after_the_interruption_is_found(ledger, bucket, tmp_path, damage):
    """What was judged once is believed of the same rows only."""
    bucket(4)
    progress = tmp_path / "progress"
    interrupted(ledger, progress, 28)
    kept = progress.read_bytes()
    ledger.change(*damage)
    undisturbed = ledger.audit()
    progress.write_bytes(kept)
    progress.chmod(0o600)
    assert ledger.audit(progress=progress) == undisturbed
    assert undisturbed.findings


def test_record_of_a_progress_file_is_held_against_the_columns_beside_the_bytes(ledger, bucket, tmp_path):
    """The trees commit to no column and no opening."""
    bucket(4)
    progress = tmp_path / "progress"
    interrupted(ledger, progress, 28)
    ledger.change("UPDATE events SET at = '2026-11-30T11:00:00.000000Z' WHERE seq = 2")
    first = ledger.audit(progress=progress).findings[0]
    assert (first.table, first.key) == ("events", "seq 2")


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-9],
        lambda data: flip(data, 40),
        lambda data: flip(data, len(data) // 2),
        lambda data: b"\\xff" * 500,
        lambda data: data.replace(b'"form":3', b'"form":2'),
        lambda data: data + b"{}\\n",
    ],
)
def test_damaged_progress_file_is_as_good_as_none(ledger, bucket, tmp_path, spoil):
    """It is begun anew."""
    bucket(4)
    progress = tmp_path / "progress"
    interrupted(ledger, progress, 24)
    progress.write_bytes(spoil(progress.read_bytes()))
    report = ledger.audit(progress=progress)
    assert (report.ok, report.taken_over) == (True, 0)


def test_progress_file_that_others_may_read_is_not_believed(ledger, bucket, tmp_path):
    """Who knows what the sums are made under could make others."""
    bucket(4)
    progress = tmp_path / "progress"
    interrupted(ledger, progress, 24)
    progress.chmod(0o644)
    assert ledger.audit(progress=progress).taken_over == 0


def test_fresh_audit_takes_nothing_over(ledger, bucket, tmp_path):
    """As one may wish."""
    bucket(4)
    progress = tmp_path / "progress"
    interrupted(ledger, progress, 24)
    assert ledger.audit(progress=progress, fresh=True).taken_over == 0


def test_audit_where_nothing_may_be_written_goes_without_a_progress_file(ledger, tmp_path):
    """It can't be continued then, and that is all."""
    assert ledger.audit(progress=tmp_path / "nowhere" / "progress").ok


def test_two_audits_at_once_do_not_share_a_progress_file(ledger, bucket, tmp_path):
    """The second goes without."""
    bucket(4)
    progress = tmp_path / "progress"
    reports = []

    def status(told):
        if told == Progress("events", 8, told.total):
            reports.append(ledger.audit(progress=progress))

    reports.append(ledger.audit(progress=progress, status=status))
    assert [report.ok for report in reports] == [True, True]
    assert not progress.exists()


# -- memory --


def test_states_beyond_what_is_held_are_compared_all_the_same(ledger, monkeypatch):
    """With next to nothing held in memory."""
    monkeypatch.setattr(run, "ScratchStates", functools.partial(ScratchStates, held=2))
    assert ledger.audit().ok
    ledger.change("UPDATE states SET state = x'7b7d' WHERE view = 'trust'")
    assert ledger.audit().findings[0].table == "states"


def test_worker_that_is_killed_is_one_of_our_errors(ledger, monkeypatch):
    """And the advice is to use fewer."""
    from tools.audit import crew

    monkeypatch.setattr(crew, "_quick", killed)
    with pytest.raises(ToolError, match="--jobs 1"):
        ledger.audit(jobs=2)


def killed(span):
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)
