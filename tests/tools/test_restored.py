"""A copy from a backup can be read, and takes nothing more: what was spent since stands unspent in it."""

import shutil

ROW = ("--verb", "delete", "--target", "db://prod/users/7")


def spent_once(desk):
    """Spend a consent after a backup was made; give the backup."""
    held = desk.decide("r1", *ROW)
    assert desk.sign("grant", "issue", held.object["request"], "--for", "2h", "--reason", "asked").exit_code == 0
    backup = desk.folder / "backup.db"
    shutil.copy(desk.ledger / "ledger.db", backup)
    assert desk.decide("r2", *ROW).exit_code == 0
    return backup


def restore(desk, backup):
    for name in ("ledger.db-wal", "ledger.db-shm"):
        (desk.ledger / name).unlink(missing_ok=True)
    shutil.copy(backup, desk.ledger / "ledger.db")


def test_copy_behind_the_mark_decides_nothing(desk):
    backup = spent_once(desk)
    assert desk.run("checkpoint").exit_code == 0
    restore(desk, backup)
    size = desk.size()
    again = desk.decide("r3", *ROW)
    assert (again.exit_code, again.object["outcome"], again.object["reason"]) == (1, "deny", "LEDGER_UNAVAILABLE")
    assert "came from a backup" in again.object["trouble"]
    assert desk.size() == size


def test_copy_behind_the_mark_takes_no_acts_and_can_be_read(desk):
    backup = spent_once(desk)
    assert desk.run("checkpoint").exit_code == 0
    restore(desk, backup)
    refused = desk.sign("principal", "suspend", "agent:ops-7", "--reason", "x")
    assert (refused.exit_code, "came from a backup" in refused.error) == (1, True)
    for words in (("log", "show", "0"), ("grant", "list"), ("trust", "show")):
        assert desk.run(*words).exit_code == 0, words


def test_audit_tells_an_earlier_copy_from_the_log(desk):
    """Such a copy agrees with itself in every row."""
    backup = spent_once(desk)
    assert desk.run("audit").exit_code == 0
    assert desk.run("checkpoint").exit_code == 0
    restore(desk, backup)
    done = desk.run("audit", "--json")
    assert (done.exit_code, [one["table"] for one in done.object["findings"]]) == (3, ["high-water"])


def test_audit_without_the_mark_says_that_it_was_not_looked_at(desk):
    (desk.ledger / "high-water").unlink()
    done = desk.run("audit", "--json")
    assert (done.exit_code, done.object["lines"][-1]["outcome"]) == (0, "skipped")


def test_ledger_without_its_mark_decides_nothing(desk):
    mark = desk.ledger / "high-water"
    kept = mark.read_bytes()
    mark.unlink()
    assert desk.decide("r1", *ROW).object["reason"] == "LEDGER_UNAVAILABLE"
    mark.write_bytes(kept)
    assert desk.decide("r2", *ROW).object["outcome"] == "hold"
