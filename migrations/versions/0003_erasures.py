"""An opening goes only where an event erased it: what claims that must be an event that erases this very field.

Before, whoever may add claims could add one of the form ``erased:<seq>:<path>`` by itself, and the opening could go.

What stands here never changes: it is what logs were upgraded with.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for statement in {"sqlite": _sqlite, "postgresql": _postgresql}[op.get_context().dialect.name]():
        # As it is: neither a colon nor a percent sign in it stands for a value.
        op.get_bind().exec_driver_sql(statement)


# -- SQLite --


def _sqlite() -> list[str]:
    # Canonical JSON has one spelling of a field; a quote within a text of it is escaped. The database's own functions
    # of JSON are none that a trigger may use where the schema is not trusted.
    rest = "substr(NEW.key, 8)"
    event, path = f"substr({rest}, 1, instr({rest}, ':') - 1)", f"substr({rest}, instr({rest}, ':') + 1)"
    escaped = f"replace(replace({path}, char(92), char(92, 92)), char(34), char(92, 34))"
    field = f"""CAST('{{"event":' || {event} || ',"path":"' || {escaped} || '"}}' AS BLOB)"""
    named = f"SELECT 1 FROM events WHERE seq = NEW.seq AND type = 'fields.erased' AND instr(bytes, {field}) > 0"  # noqa: S608
    # The event is read no further here, for that was done when the claim was taken.
    erased = (
        "SELECT 1 FROM claims JOIN events ON events.seq = claims.seq AND events.type = 'fields.erased' "
        "WHERE claims.key = 'erased:' || OLD.seq || ':' || OLD.path"
    )
    return [
        _trigger(
            "claims_erased",
            f"BEFORE INSERT ON claims WHEN substr(NEW.key, 1, 7) = 'erased:' AND NOT EXISTS ({named})",
            "only the event that erases a field claims that",
        ),
        "DROP TRIGGER disclosures_no_delete",
        _trigger(
            "disclosures_no_delete",
            f"BEFORE DELETE ON disclosures WHEN NOT EXISTS ({erased})",
            "disclosures is append-only",
        ),
    ]


def _trigger(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


# -- PostgreSQL --


def _postgresql() -> list[str]:
    # The functions name the schema, so that no search path can lead them to other tables.
    own = str(op.get_bind().exec_driver_sql("SELECT quote_ident(current_schema())").scalar_one())
    when = f"BEFORE INSERT ON {own}.claims FOR EACH ROW WHEN (starts_with(new.key, 'erased:'))"
    return [
        _function(own, "CREATE", "claims_erasing", _erasing(own)),
        _function(own, "CREATE OR REPLACE", "disclosures_kept", _kept(own)),
        f"CREATE TRIGGER claims_erased {when} EXECUTE FUNCTION {own}.claims_erasing()",
        f"ALTER TABLE {own}.claims ENABLE ALWAYS TRIGGER claims_erased",
    ]


def _function(own: str, verb: str, name: str, body: str) -> str:
    return (
        f"{verb} FUNCTION {own}.{name}() RETURNS trigger LANGUAGE plpgsql "
        f"SET search_path TO 'pg_catalog', 'pg_temp' AS $function${body}$function$"
    )


def _erasing(own: str) -> str:
    return f"""
DECLARE
  erasure jsonb;
BEGIN
  SELECT convert_from(bytes, 'UTF8')::jsonb INTO erasure
    FROM {own}.events WHERE seq = NEW.seq AND type = 'fields.erased';
  IF EXISTS (
    SELECT FROM jsonb_array_elements(erasure -> 'body' -> 'fields') AS field
      WHERE NEW.key = 'erased:' || (field ->> 'event') || ':' || (field ->> 'path')
  ) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'only the event that erases a field claims that' USING ERRCODE = '23000';
END;"""  # noqa: S608  (the schema's name is checked)


def _kept(own: str) -> str:
    return f"""
BEGIN
  IF EXISTS (
    SELECT FROM {own}.claims JOIN {own}.events ON events.seq = claims.seq
      WHERE claims.key = 'erased:' || OLD.seq || ':' || OLD.path AND events.type = 'fields.erased'
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'disclosures is append-only' USING ERRCODE = '23000';
END;"""
