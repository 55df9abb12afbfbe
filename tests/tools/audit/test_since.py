"""An audit since a checkpoint: what it looks at, what it proves of the events before, and what it leaves."""

import pytest

from decisions.observe import check_update
from grants.authority import check_event
from grants.erasing import check_erased
from tools.audit import audit
from tools.errors import InputError
from verify.views import EVENTS, VIEWS


def check_authority(reader, event):
    check_event(reader, event)
    check_update(reader, EVENTS, event)
    check_erased(reader, EVENTS, event)


def outcome(report, dimension):
    return next(line.outcome for line in report.lines if line.dimension == dimension)


@pytest.mark.parametrize("size", [1, 8, 21])
def test_undamaged_log_passes_from_each_checkpoint_on(ledger, bucket, size):
    """By its size, or as a note; and only what is new is counted."""
    bucket(4)
    ledger.fresh()
    note = dict(ledger.rows("checkpoints"))[size]
    for since in (size, note):
        report = audit(ledger.path, EVENTS, VIEWS, check_authority, since=since)
        assert (report.findings, report.since) == ((), size)
        checked = {line.dimension: line.checked for line in report.lines}
        assert checked["events"] == report.size - size
        assert checked["tags"] == sum(seq >= size for _, seq in ledger.rows("tags"))
        assert checked["claims"] == sum(seq >= size for _, seq in ledger.rows("claims"))
        assert checked["states"] == sum(seq >= size for _, _, seq, _ in ledger.rows("states"))
        details = {line.dimension: line.detail for line in report.lines}
        assert f"from event {size} on" in details["events"]
        assert outcome(report, "signatures") == "ok"
        assert f"the {size} events before say" in details["signatures"]


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("UPDATE events SET bytes = x'7b7d' WHERE seq = {}", "events"),
        ("UPDATE events SET at = '2026-11-30T11:00:00.000000Z' WHERE seq = {}", "events"),
        ("UPDATE nodes SET sha256 = randomblob(32) WHERE pos = 2 * {}", "nodes"),
        ("DELETE FROM tags WHERE seq = {}", "tags"),
        ("DELETE FROM claims WHERE seq = {}", "claims"),
        ("UPDATE disclosures SET value = x'31' WHERE seq = {}", "disclosures"),
    ],
)
def test_damage_after_the_checkpoint_is_found_and_before_it_in_the_events_bytes_alone(ledger, statement, table):
    """What is beside the bytes of what was audited then is not looked at."""
    with_openings = sorted({seq for seq, *_ in ledger.rows("disclosures")})
    after = next(seq for seq in with_openings if seq > 21) if table == "disclosures" else 26
    ledger.change(statement.format(after))
    first = ledger.audit(since=21).findings[0]
    assert first.table == table
    ledger.change(statement.format(3 if table != "disclosures" else with_openings[1]))
    report = ledger.audit(since=21)
    if "SET bytes" in statement:
        assert ("checkpoints", "size 21") in {(finding.table, finding.key) for finding in report.findings}
        assert {outcome(report, name) for name in ("states", "signatures")} == {"skipped"}
    elif table != "nodes":
        assert report.ok
    assert not ledger.audit().ok


@pytest.mark.parametrize("size", [8, 21])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET bytes = x'7b7d' WHERE seq = 2",
        "UPDATE events SET bytes = 'text' WHERE seq = 3",
        "UPDATE events SET bytes = CAST(replace(CAST(bytes AS TEXT), 'human:', 'human.') AS BLOB) WHERE seq = 1",
        "UPDATE events SET seq = -1 WHERE seq = 4",
        "DELETE FROM events WHERE seq = 5",
    ],
)
def test_an_earlier_event_that_is_not_the_checkpoints_is_found(ledger, statement, size):
    """What the new signatures are judged by is proven to be what was audited then."""
    ledger.fresh()
    assert outcome(ledger.audit(since=size), "signatures") == "ok"
    ledger.change(statement)
    report = ledger.audit(since=size)
    found = [finding for finding in report.findings if finding.key == f"size {size}"]
    assert [finding.events for finding in found] == [(0, size)]
    assert outcome(report, "signatures") == "skipped"


def test_what_an_earlier_event_is_its_bytes_say_and_no_column(ledger):
    """A revocation can't be passed over by another name beside it."""
    ledger.change("UPDATE events SET type = 'decision.made' WHERE seq BETWEEN 1 AND 20")
    assert ledger.audit(since=21).ok


def test_stored_nodes_that_are_not_the_checkpoints_are_found(ledger):
    """The peaks that a run since a checkpoint begins with are held against its roots."""
    ledger.change("UPDATE nodes SET blake3 = randomblob(32) WHERE pos = 14")
    report = ledger.audit(since=8)
    assert report.findings
    assert any(finding.key == "size 8" for finding in report.findings)


def test_peaks_that_are_gone_are_found(ledger):
    """A run since a checkpoint has nothing to begin with then."""
    ledger.change("DELETE FROM nodes WHERE pos = 14")
    assert any(finding.key == "size 8" for finding in ledger.audit(since=8).findings)


def test_state_that_is_older_than_the_new_events_is_found(ledger):
    """A key that they touch is compared, whatever its row says."""
    ledger.change("UPDATE states SET seq = 2 WHERE seq > 25 AND view = 'resource'")
    assert {finding.table for finding in ledger.audit(since=21).findings} == {"states"}


@pytest.mark.parametrize("since", [5, b"no note", b"other.example\\n1\\nAAAA\\n"])
def test_what_is_no_checkpoint_of_this_log_is_refused(ledger, since):
    """One line, and no report."""
    ledger.fresh()
    with pytest.raises(InputError):
        ledger.audit(since=since)


def test_log_that_is_smaller_than_the_checkpoint_is_found(ledger):
    """It was larger once."""
    note = ledger.rows("checkpoints")[-1][1]
    ledger.change("DELETE FROM checkpoints WHERE size > 21", "DELETE FROM cosignatures", "DELETE FROM timestamps")
    with ledger.raw() as connection:
        for table, column, bound in (("events", "seq", 21), ("nodes", "pos", 39)):
            connection.execute(f"DELETE FROM {table} WHERE {column} >= {bound}")
        connection.execute("UPDATE head SET size = 21")
    report = ledger.audit(since=note)
    assert any("was larger once" in finding.message for finding in report.findings)
