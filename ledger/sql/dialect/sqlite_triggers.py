"""SQLite's triggers, which keep the past as it was written, whoever holds the database connection.

Of every append-only table, UPDATE and DELETE are refused. So is INSERT over a row that stands, since SQLite's INSERT
OR REPLACE deletes without firing delete triggers; events and nodes only take the next number. The head only grows, and
so does the generation of the states. ``states`` has none: it can be made again from the events.

One thing may go: an opening that an event of the log erased. The claim ``erased:<seq>:<path>``, which stands for ever,
lets its row be deleted, and keeps it from coming back.

Source: DESIGN section 6 (tables); docs/spec/store.md.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ledger.sql import schema
from ledger.sql.schema import APPEND_ONLY, NUMBERED


def _trigger(name: str, when: str, message: str) -> tuple[str, str]:
    return name, f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _triggers() -> Iterator[tuple[str, str]]:
    for table in APPEND_ONLY:
        own, refusal = table.name, f"{table.name} is append-only"
        yield _trigger(f"{own}_no_update", f"BEFORE UPDATE ON {own}", refusal)
        kept = f" WHEN NOT {_erased('OLD')}" if table is schema.disclosures else ""
        yield _trigger(f"{own}_no_delete", f"BEFORE DELETE ON {own}{kept}", refusal)
        if own not in NUMBERED:
            same = " AND ".join(f"{column.name} = NEW.{column.name}" for column in table.primary_key)
            standing = f"EXISTS (SELECT 1 FROM {own} WHERE {same})"  # noqa: S608  (names from our own schema)
            yield _trigger(f"{own}_no_replace", f"BEFORE INSERT ON {own} WHEN {standing}", refusal)
    for own, number in NUMBERED.items():
        # The last row is looked up so, and not as a maximum, which costs each row of a batch a tenth more.
        last = f"(SELECT {number} FROM {own} ORDER BY {number} DESC LIMIT 1)"  # noqa: S608  (names from our own schema)
        following = f"coalesce({last}, -1) + 1"
        when = f"BEFORE INSERT ON {own} WHEN NEW.{number} <> {following}"
        yield _trigger(f"{own}_next", when, f"{own} takes the next {number} only")
    yield _trigger("head_grows", "BEFORE UPDATE ON head WHEN NEW.size <= OLD.size", "the head only grows")
    yield _trigger("head_stays", "BEFORE DELETE ON head", "the head stays")
    yield _trigger("head_is_one", "BEFORE INSERT ON head WHEN EXISTS (SELECT 1 FROM head)", "there is one head")
    back = f"BEFORE INSERT ON disclosures WHEN {_erased('NEW')}"
    yield _trigger("disclosures_stay_erased", back, "what is erased stays erased")
    generation = "BEFORE UPDATE ON projections WHEN NEW.generation <= OLD.generation"
    yield _trigger("projections_grow", generation, "the generation only grows")
    yield _trigger("projections_stay", "BEFORE DELETE ON projections", "the generation stays")
    second = "BEFORE INSERT ON projections WHEN EXISTS (SELECT 1 FROM projections)"
    yield _trigger("projections_are_one", second, "there is one generation")


def _erased(row: str) -> str:
    """Say that an event has erased the opening in this row."""
    return f"EXISTS (SELECT 1 FROM claims WHERE key = 'erased:' || {row}.seq || ':' || {row}.path)"  # noqa: S608  (ours)


TRIGGERS: Final[Mapping[str, str]] = dict(_triggers())
"""Every trigger by name, as the database keeps its text."""
