"""An undamaged ledger passes, and the report says what was checked."""

from grants.errors import AuthorityError
from ledger.sql.place import create_log
from tools.audit import Progress, audit
from verify.views import EVENTS, VIEWS


def test_undamaged_ledger_passes(ledger):
    """Every dimension is ok, and every row of it was looked at."""
    report = ledger.audit()
    assert report.findings == ()
    assert report.ok
    counts = {line.dimension: line.checked for line in report.lines}
    assert {line.outcome for line in report.lines} == {"ok"}
    assert report.size == len(ledger.rows("events")) > 30
    for table in ("events", "nodes", "head", "claims", "tags", "states", "disclosures", "checkpoints", "cosignatures"):
        assert counts[table] == len(ledger.rows(table)) > 0, table
    assert counts["signatures"] > 20


def test_empty_log_passes(tmp_path):
    """A log without events has nothing wrong."""
    create_log(tmp_path / "log.db", VIEWS, lambda: 0).close()
    report = audit(tmp_path / "log.db", EVENTS, VIEWS, lambda reader, event: None)
    assert (report.size, report.findings) == (0, ())


def test_cosignatures_without_the_witness_key_are_read_and_not_verified(ledger):
    """What was not verified is said."""
    report = ledger.audit(witnesses=())
    (line,) = [line for line in report.lines if line.dimension == "cosignatures"]
    assert (report.ok, line.outcome) == (True, "skipped")
    assert "not verified" in line.detail


def test_signature_that_does_not_hold_is_found(ledger):
    """The check of signatures is asked of each signed event, with the states before it."""
    asked, openings = [], {}

    def refuse(reader, event):
        asked.append((event.seq, reader.state("ledger", "genesis") is not None, reader.event_bytes(event.seq)))
        openings.update({seq: list(reader.openings(seq)) for seq in range(event.seq)})
        if event.seq == 3:
            raise AuthorityError("not by this key")

    report = audit(ledger.path, EVENTS, VIEWS, refuse)
    assert [str(finding) for finding in report.findings] == ["events seq 3: it has no valid signature: not by this key"]
    assert sum(map(len, openings.values())) > len(openings) / 2
    assert asked[0][:2] == (0, False)
    assert asked[1][:2] == (1, True)
    assert asked[3][2] == next(data for seq, _, _, data in ledger.rows("events") if seq == 3)


def test_status_is_told_of_progress(ledger):
    """Each stage tells how far it is, up to the end."""
    told = []
    report = ledger.audit(status=told.append)
    assert told == [Progress("events", report.size, report.size), Progress("claims", 1, 1), Progress("tags", 1, 1)]
