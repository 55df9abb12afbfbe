"""SQLite's triggers, which keep the past as it was written, whoever holds the database connection.

Of every append-only table, UPDATE and DELETE are refused. So is INSERT over a row that stands, since SQLite's INSERT
OR REPLACE deletes without firing delete triggers; events and nodes only take the next number. The head only grows, and
so does the generation of the states. ``states`` has none: it can be made again from the events.

One thing may go: an opening that an event of the log erased. The claim ``erased:<seq>:<path>``, which stands for ever,
lets its row be deleted, and keeps it from coming back. It is taken only by an event of type ``fields.erased`` that
names that very field.

Source: DESIGN section 6 (tables); docs/spec/store.md.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ledger.event import ERASING
from ledger.sql import schema
from ledger.sql.schema import APPEND_ONLY, NUMBERED

# Canonical JSON has one spelling of a field; a quote within a text of it is escaped. The database's own functions of
# JSON are none that a trigger may use where the schema is not trusted, as it is not here.
_REST: Final = "substr(NEW.key, 8)"
_EVENT: Final = f"substr({_REST}, 1, instr({_REST}, ':') - 1)"
_PATH: Final = f"substr({_REST}, instr({_REST}, ':') + 1)"
_ESCAPED: Final = f"replace(replace({_PATH}, char(92), char(92, 92)), char(34), char(92, 34))"
_FIELD: Final = f"""CAST('{{"event":' || {_EVENT} || ',"path":"' || {_ESCAPED} || '"}}' AS BLOB)"""
_NAMED: Final = f"SELECT 1 FROM events WHERE seq = NEW.seq AND type = '{ERASING}' AND instr(bytes, {_FIELD}) > 0"  # noqa: S608
# The event is read no further here, for that was done when the claim was taken.
_OF_EVENT: Final = f"JOIN events ON events.seq = claims.seq AND events.type = '{ERASING}'"
_ERASED: Final = f"SELECT 1 FROM claims {_OF_EVENT} WHERE claims.key = 'erased:' || OLD.seq || ':' || OLD.path"  # noqa: S608


def _trigger(name: str, when: str, message: str) -> tuple[str, str]:
    return name, f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _triggers() -> Iterator[tuple[str, str]]:
    for table in APPEND_ONLY:
        own, refusal = table.name, f"{table.name} is append-only"
        yield _trigger(f"{own}_no_update", f"BEFORE UPDATE ON {own}", refusal)
        kept = f" WHEN NOT EXISTS ({_ERASED})" if table is schema.disclosures else ""
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
    claimed = f"BEFORE INSERT ON claims WHEN substr(NEW.key, 1, 7) = 'erased:' AND NOT EXISTS ({_NAMED})"
    yield _trigger("claims_erased", claimed, "only the event that erases a field claims that")
    standing = "EXISTS (SELECT 1 FROM claims WHERE key = 'erased:' || NEW.seq || ':' || NEW.path)"
    back = f"BEFORE INSERT ON disclosures WHEN {standing}"
    yield _trigger("disclosures_stay_erased", back, "what is erased stays erased")
    generation = "BEFORE UPDATE ON projections WHEN NEW.generation <= OLD.generation"
    yield _trigger("projections_grow", generation, "the generation only grows")
    yield _trigger("projections_stay", "BEFORE DELETE ON projections", "the generation stays")
    second = "BEFORE INSERT ON projections WHEN EXISTS (SELECT 1 FROM projections)"
    yield _trigger("projections_are_one", second, "there is one generation")


TRIGGERS: Final[Mapping[str, str]] = dict(_triggers())
"""Every trigger by name, as the database keeps its text."""
