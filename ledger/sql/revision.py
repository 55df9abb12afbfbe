"""Which migration the tables of a database are the result of, and whether this version reads them.

Needs no Alembic: opening a log asks this each time.
"""

import re
from collections.abc import Sequence

import sqlalchemy as sa

from ledger.errors import StoreError, StoreMissingError
from ledger.sql.engine import place
from ledger.sql.failure import translated
from ledger.sql.schema import REVISION

UPGRADED = frozenset(
    {(name, "it is defined otherwise") for name in ("disclosures_no_delete", "events_next", "nodes_next")}
    | {
        (name, "it is missing")
        for name in (
            "claims_erased",
            "disclosures_stay_erased",
            "projections",
            "projections_are_one",
            "projections_grow",
            "projections_stay",
            "timestamps",
            "timestamps_no_delete",
            "timestamps_no_replace",
            "timestamps_no_update",
        )
    }
)
"""What an upgrade adds to the SQLite tables of an earlier version, or replaces, as the faults that it is told by."""

_NUMBER = re.compile(r"0[0-9]{3}")
_TABLE = "alembic_version"
_REVISION = sa.text(f"SELECT version_num FROM {_TABLE}")  # noqa: S608  (the name above)


def found_revision(connection: sa.Connection) -> str | None:
    """Give the revision of the tables, or None where no migration ever ran.

    Raises:
        StoreError: it can't be told: several are named, or none.
    """
    if not sa.inspect(connection).has_table(_TABLE):
        return None
    found = connection.execute(_REVISION).scalars().all()
    if len(found) != 1:
        raise StoreError(
            f"{place(connection.engine)}: its tables name {len(found)} revisions, and should name one: restore a backup"
        )
    return str(found[0])


def check_revision(engine: sa.Engine) -> None:
    """Refuse tables of another version.

    Raises:
        StoreMissingError: there are none.
        StoreError: they are older or newer.
    """
    name = place(engine)
    with translated(name), engine.connect() as connection:
        found = found_revision(connection)
    if found is None:
        raise StoreMissingError(f"{name}: {mismatch(found)}")
    if found != REVISION:
        raise StoreError(f"{name}: {mismatch(found)}")


def is_older(found: Sequence[object]) -> bool:
    """Tell whether what stands as the revision is that of an earlier version, whose tables are upgraded."""
    return (
        len(found) == 1
        and isinstance(found[0], str)
        and bool(_NUMBER.fullmatch(found[0]))
        and "0000" < found[0] < REVISION
    )


def mismatch(found: str | None) -> str:
    """Say what to do about tables of another revision than this version reads."""
    if not found:
        return "no tables of a log stand here: check the path, or run `tally init`"
    advice = "back it up, then run `tally db upgrade`" if found < REVISION else "use the version that wrote it"
    return f"tables of revision {found}, this version reads {REVISION}: {advice}"
