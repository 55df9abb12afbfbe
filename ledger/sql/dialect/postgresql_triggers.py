"""PostgreSQL's triggers, which keep the past as it was written, whoever holds the database connection.

Of every append-only table, UPDATE, DELETE and TRUNCATE are refused before a row is looked for. Events and nodes take
the next numbers only, which is looked at once for each statement. The head only grows, and so does the generation of
the states. A row can't be put over another: the primary keys see to that. An opening may go where the claim
``erased:<seq>:<path>`` stands, and does not come back then; only an event of type ``fields.erased`` that names that
very field takes this claim.

Every trigger is ENABLE ALWAYS, so that ``session_replication_role`` does not pass it by. The functions look into
``pg_catalog`` alone, so that nobody's search path, and no temporary table, changes what they mean.

What stands here is written as ``pg_get_functiondef`` and ``pg_get_triggerdef`` give it back, but for white space.

Source: DESIGN section 6 (tables); docs/spec/store.md.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ledger.event import ERASING
from ledger.sql import schema as tables
from ledger.sql.schema import APPEND_ONLY, NUMBERED

_REFUSE: Final = "BEGIN RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = '23000'; END;"


def functions(schema: str) -> Mapping[str, str]:
    """Give every trigger function by name."""
    erasing = f"""
DECLARE
  erasure jsonb;
BEGIN
  SELECT convert_from(bytes, 'UTF8')::jsonb INTO erasure
    FROM {schema}.events WHERE seq = NEW.seq AND type = '{ERASING}';
  IF EXISTS (
    SELECT FROM jsonb_array_elements(erasure -> 'body' -> 'fields') AS field
      WHERE NEW.key = 'erased:' || (field ->> 'event') || ':' || (field ->> 'path')
  ) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'only the event that erases a field claims that' USING ERRCODE = '23000';
END;"""  # noqa: S608  (a name that was checked)
    kept = f"""
BEGIN
  IF EXISTS (
    SELECT FROM {schema}.claims JOIN {schema}.events ON events.seq = claims.seq
      WHERE claims.key = 'erased:' || OLD.seq || ':' || OLD.path AND events.type = '{ERASING}'
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'disclosures is append-only' USING ERRCODE = '23000';
END;"""
    erased = f"""
BEGIN
  IF EXISTS (SELECT FROM {schema}.claims WHERE key = 'erased:' || NEW.seq || ':' || NEW.path) THEN
    RAISE EXCEPTION 'what is erased stays erased' USING ERRCODE = '23000';
  END IF;
  RETURN NEW;
END;"""
    bodies = {
        "refuse": _REFUSE,
        **{f"{table}_follow": _follow(schema, table, number) for table, number in NUMBERED.items()},
        "claims_erasing": erasing,
        "disclosures_kept": kept,
        "disclosures_erased": erased,
    }
    return {
        name: (
            f"CREATE OR REPLACE FUNCTION {schema}.{name}()\n RETURNS trigger\n LANGUAGE plpgsql\n"
            f" SET search_path TO 'pg_catalog', 'pg_temp'\nAS $function${body}$function$"
        )
        for name, body in bodies.items()
    }


def triggers(schema: str) -> Mapping[str, str]:
    """Give every trigger by name."""
    return {name: f"CREATE TRIGGER {name} {rest}" for name, rest in _triggers(schema)}


def table_of(trigger: str) -> str:
    """Name the table of a trigger, with which its own name begins."""
    return trigger.partition("_")[0]


def _triggers(schema: str) -> Iterator[tuple[str, str]]:
    for table in APPEND_ONLY:
        own, refusal = table.name, f"{table.name} is append-only"
        yield f"{own}_no_update", _refusing(schema, f"BEFORE UPDATE ON {schema}.{own}", refusal)
        yield f"{own}_no_truncate", _refusing(schema, f"BEFORE TRUNCATE ON {schema}.{own}", refusal)
        if table is not tables.disclosures:
            yield f"{own}_no_delete", _refusing(schema, f"BEFORE DELETE ON {schema}.{own}", refusal)
    for own in NUMBERED:
        added = f"AFTER INSERT ON {schema}.{own} REFERENCING NEW TABLE AS added"
        yield f"{own}_next", f"{added} FOR EACH STATEMENT EXECUTE FUNCTION {schema}.{own}_follow()"
    when = f"BEFORE INSERT ON {schema}.claims FOR EACH ROW WHEN (starts_with(new.key, 'erased:'::text))"
    yield "claims_erased", f"{when} EXECUTE FUNCTION {schema}.claims_erasing()"
    for name, moment, function in (
        ("disclosures_no_delete", "DELETE", "disclosures_kept"),
        ("disclosures_stay_erased", "INSERT", "disclosures_erased"),
    ):
        yield name, f"BEFORE {moment} ON {schema}.disclosures FOR EACH ROW EXECUTE FUNCTION {schema}.{function}()"
    yield "head_grows", _growing(schema, "head", "size", "the head only grows")
    yield "head_stays", _refusing(schema, f"BEFORE DELETE ON {schema}.head", "the head stays")
    yield "head_no_truncate", _refusing(schema, f"BEFORE TRUNCATE ON {schema}.head", "the head stays")
    own = f"{schema}.projections"
    yield "projections_grow", _growing(schema, "projections", "generation", "the generation only grows")
    yield "projections_stay", _refusing(schema, f"BEFORE DELETE ON {own}", "the generation stays")
    yield "projections_no_truncate", _refusing(schema, f"BEFORE TRUNCATE ON {own}", "the generation stays")


def _growing(schema: str, table: str, column: str, message: str) -> str:
    return (
        f"BEFORE UPDATE ON {schema}.{table} FOR EACH ROW WHEN ((new.{column} <= old.{column})) "
        f"EXECUTE FUNCTION {schema}.refuse('{message}')"
    )


def _refusing(schema: str, when: str, message: str) -> str:
    return f"{when} FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse('{message}')"


def _follow(schema: str, table: str, number: str) -> str:
    return f"""
DECLARE
  first bigint;
  last bigint;
  rows bigint;
BEGIN
  SELECT min({number}), max({number}), count(*) INTO first, last, rows FROM added;
  IF rows > 0 AND (
    last - first + 1 <> rows
    OR first <> coalesce((SELECT max({number}) FROM {schema}.{table} WHERE {number} < first), -1) + 1
    OR EXISTS (SELECT FROM {schema}.{table} WHERE {number} > last)
  ) THEN
    RAISE EXCEPTION '{table} takes the next {number} only' USING ERRCODE = '23000';
  END IF;
  RETURN NULL;
END;"""  # noqa: S608  (names from our own schema, and one that was checked)
