"""What the audit says of openings that were erased, that are missing, and that came back."""

import sqlite3
from contextlib import closing

import pytest

from grants import erasing, holding
from grants.authority import check_event
from ledger import canon
from ledger.sql.place import open_log
from tests.conftest import START, Clock, Office
from tools.audit import audit
from verify.views import EVENTS, VIEWS

REASONS = "SELECT seq, path FROM disclosures WHERE path = '/reason' ORDER BY seq"


def check(reader, event):
    check_event(reader, event)
    erasing.check_erased(reader, EVENTS, event)


@pytest.fixture
def erased(ledger):
    """The ledger after three reasons were erased: their fields, the event that did it, and one row as it was."""
    office = Office(open_log(ledger.path, VIEWS, Clock(START + 10**12)), Clock(START + 10**12), EVENTS)
    with closing(sqlite3.connect(ledger.path)) as connection:
        fields = connection.execute(REASONS).fetchall()[:3]
        row = connection.execute("SELECT * FROM disclosures WHERE seq = ? AND path = ?", fields[0]).fetchone()
    event = _erase(office, fields)
    office.log.close()
    ledger.template.write_bytes(ledger.path.read_bytes())
    return fields, event, row


def _erase(office, fields):
    (prepared,) = office.log.read(
        lambda look: erasing.erase(
            look, EVENTS, by="human:ada", fields=fields, basis="court-order", at=office.clock.after(0)
        )
    )
    draft = prepared.sign(office.signer("human:ada"))
    return office.log.transact(lambda tx: erasing.append_erasure(tx, EVENTS, [draft]))[0]


def disclosures(report):
    (line,) = [line for line in report.lines if line.dimension == "disclosures"]
    return line


def test_what_was_erased_is_counted_and_no_fault(ledger, erased):
    """All that is not there was erased by an event, and the event was allowed."""
    report = ledger.audit()
    assert report.findings == ()
    assert (disclosures(report).outcome, disclosures(report).detail) == ("ok", "3 erased")


def test_what_came_back_is_found(ledger, erased):
    """The very row, put back by whoever holds the file: the log says erased, and the plaintext stands."""
    fields, event, row = erased
    values = ", ".join(f"x'{one.hex()}'" if isinstance(one, bytes) else repr(one) for one in row)
    ledger.change(f"INSERT INTO disclosures VALUES ({values})")
    report = ledger.audit()
    assert [str(one) for one in report.findings] == [
        f"disclosures {fields[0][0]} /reason: event {event.seq} erased it, and its opening stands here"
    ]


def test_another_value_in_its_place_is_found(ledger, erased):
    """Whatever it holds, it may not stand there."""
    seq = erased[0][1][0]
    value = canon.encode("made up").hex()
    ledger.change(f"INSERT INTO disclosures VALUES ({seq}, '/reason', zeroblob(32), x'{value}')")
    findings = [str(one) for one in ledger.audit().findings]
    assert any("does not fit" in one for one in findings)
    assert any("its opening stands here" in one for one in findings)


def test_what_is_missing_is_told_apart_from_what_was_erased(ledger, erased):
    """A row that nobody erased and that is gone: named, and the line is not ok."""
    seq = ledger.rows("disclosures")[0][0]
    ledger.change(f"DELETE FROM disclosures WHERE seq = {seq}")
    report = ledger.audit()
    assert report.ok
    line = disclosures(report)
    assert line.outcome == "skipped"
    assert line.detail.startswith("3 erased; ")
    assert f"no event erased them: /name of event {seq}" in line.detail


def test_a_claim_made_up_for_what_is_missing_is_found(ledger, erased):
    """Who deletes an opening can't pass it off as an erasure: no event says so."""
    event = erased[1]
    seq = ledger.rows("disclosures")[0][0]
    ledger.change(
        f"DELETE FROM disclosures WHERE seq = {seq}",
        f"INSERT INTO claims VALUES ('erased:{seq}:/name', {event.seq})",
    )
    assert [f"{one.table} {one.key}" for one in ledger.audit().findings] == [f"claims erased:{seq}:/name"]


def test_an_erasure_against_a_hold_is_found(ledger):
    """A writer that does not ask: the record shows it, whoever appended it."""
    clock = Clock(START + 10**12)
    office = Office(open_log(ledger.path, VIEWS, clock), clock, EVENTS)
    with closing(sqlite3.connect(ledger.path)) as connection:
        fields = connection.execute(REASONS).fetchall()[:1]
    (prepared,) = office.log.read(
        lambda look: erasing.erase(look, EVENTS, by="human:ada", fields=fields, basis="court-order", at=clock.after(0))
    )
    office.act(holding.place_hold, over=["all"], reason="a claim", by="human:ada")
    draft = prepared.sign(office.signer("human:ada"))
    event = office.log.transact(lambda tx: tx.append(draft))
    office.log.close()
    findings = [str(one) for one in _audited(ledger).findings]
    assert len(findings) == 1
    assert findings[0].startswith(f"events seq {event.seq}: it was not allowed: event {fields[0][0]} is under")


def _audited(ledger):
    return audit(ledger.path, EVENTS, VIEWS, check)
