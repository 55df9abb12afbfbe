"""The scene of a restore: a consent is spent after a backup was made, and the backup returns."""

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


def put_back(desk, backup):
    """Put the backup in the place of the database."""
    for name in ("ledger.db-wal", "ledger.db-shm"):
        (desk.ledger / name).unlink(missing_ok=True)
    shutil.copy(backup, desk.ledger / "ledger.db")


def behind(desk):
    """Bring the desk behind its mark."""
    backup = spent_once(desk)
    assert desk.run("checkpoint").exit_code == 0
    put_back(desk, backup)
    return desk
