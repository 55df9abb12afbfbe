"""``tally db``: the database under the log, and the migrations that its tables come from."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa

from ledger.errors import StoreError
from ledger.sql.engine import open_engine, place
from ledger.sql.failure import translated
from ledger.sql.migrate import upgrade as migrate
from ledger.sql.raw import open_raw
from ledger.sql.revision import found_revision, mismatch
from ledger.sql.schema import REVISION
from ledger.sql.snapshot import SqlSnapshot
from tools.cli.command import group
from tools.cli.failure import DONE, EVIDENCE
from tools.cli.output import emit, fields, say
from tools.cli.session import home

_EXAMPLE: Final = """\
tally db status
tally db upgrade"""


@group("db", example=_EXAMPLE)
def command() -> None:
    """Look after the database: which version its tables are of, and whether they are whole.

    No other command changes tables: a ledger of another version is refused when it is opened.
    """


@command.command("status", example="tally db status --json")
def status() -> None:
    """Say where the database is, which revision its tables are of, and where the log stands."""
    with _engine() as engine:
        name = place(engine)
        with translated(name), engine.begin() as connection:
            found = found_revision(connection)
            head = SqlSnapshot(connection).head if found is not None else None
        kind = engine.dialect.name
    data = {
        "database": name,
        "kind": kind,
        "revision": found,
        "expected": REVISION,
        "current": found == REVISION,
        "size": None if head is None else head.size,
        "at": None if head is None else head.at,
    }
    emit(data, fields([(label, value) for label, value in data.items() if label != "current"]))
    if found != REVISION:
        say(mismatch(found))


@command.command("check", example="tally db check")
def check() -> int:
    """Hold every table and trigger against what the migrations leave.

    Exit code 0 if all is as it was made, 3 if something was changed, is missing or does not belong. What stands in the
    tables is for tally audit.
    """
    _require_current()
    return _report(None)


@command.command("upgrade", example="tally db upgrade")
def upgrade() -> int:
    """Bring the tables to the revision that this version reads, in one transaction, and check them.

    Back the database up first. No event is changed, and nothing is done where the tables are of this version already.
    """
    with _engine() as engine:
        with translated(place(engine)), engine.connect() as connection:
            found = found_revision(connection)
        if found is None:
            raise StoreError(f"{place(engine)}: {mismatch(found)}")
        if found != REVISION:
            say("Upgrading in one transaction: should it be interrupted, the tables stay as they are.")
        before, after = migrate(engine)
    return _report((str(before), after))


def _report(moved: tuple[str, str] | None) -> int:
    with open_raw(home().database) as raw:
        faults = list(raw.schema_faults())
    data: dict[str, object] = {} if moved is None else {"before": moved[0], "after": moved[1]}
    data |= {"ok": not faults, "faults": [{"name": name, "message": message} for name, message in faults]}
    told = []
    if moved is not None:
        before, after = moved
        told.append(f"revision {after} already" if before == after else f"from revision {before} to {after}")
    told += [f"{name}: {message}" for name, message in faults] or ["every table and trigger is as it was made"]
    emit(data, "\n".join(told))
    return EVIDENCE if faults else DONE


def _require_current() -> None:
    with _engine() as engine, translated(place(engine)), engine.connect() as connection:
        found = found_revision(connection)
        name = place(engine)
    if found != REVISION:
        raise StoreError(f"{name}: {mismatch(found)}")


@contextmanager
def _engine() -> Iterator[sa.Engine]:
    engine = open_engine(home().database)
    try:
        yield engine
    finally:
        engine.dispose()
