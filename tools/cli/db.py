"""``tally db``: the database under the log, and the migrations that its tables come from."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
import sqlalchemy as sa

from ledger.errors import StoreError
from ledger.sql import dialect, schema
from ledger.sql.address import parse_url
from ledger.sql.engine import open_engine, place
from ledger.sql.failure import translated
from ledger.sql.migrate import upgrade as migrate
from ledger.sql.raw import open_raw
from ledger.sql.revision import found_revision, mismatch
from ledger.sql.schema import REVISION
from tools.cli.command import group
from tools.cli.failure import DONE, EVIDENCE
from tools.cli.output import emit, fields, say
from tools.cli.session import home
from tools.moving import move

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
            # These columns are of every revision.
            head = connection.execute(sa.select(schema.head.c.size, schema.head.c.at)).first() if found else None
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


@command.command("grant-sql", example="tally db grant-sql tally_app | psql -d records")
@click.argument("role")
@click.option("--read-only", is_flag=True, help="For an auditor: let the role read, and nothing else.")
def grant_sql(role: str, *, read_only: bool) -> None:
    """Print what the owner of a PostgreSQL database runs so that a role may decide, and can't change the past.

    The role may read, append, and move the head and the views. It may not update, delete or truncate what is
    append-only, change a table, or switch a trigger off. Whatever the role was granted before is taken back first.
    """
    address = home().database
    statements = dialect.at(address).grants(address, role, read_only=read_only)
    emit({"role": role, "read_only": read_only, "statements": statements}, "\n".join(f"{one};" for one in statements))


@command.command("use", example="tally db use 'postgresql+psycopg://tally@db.example/records?schema=tallystick'")
@click.argument("url")
def use(url: str) -> None:
    """Take another database for this ledger's, to which tally copy has brought the same log.

    The new one must continue the old one, in both trees; stop what writes meanwhile. The old database stays as it is,
    for you to put away.
    """
    address, before = parse_url(url), str(home().database)
    size = move(home(), address)
    emit(
        {"before": before, "database": str(address), "size": size}, f"{address} holds the log now, {size} events of it"
    )
    say(f"Put {before} away where nobody takes it for the log.")


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
