"""Time stamps over checkpoints, the generation of the states, and openings that an event has erased.

What stands here never changes: it is what logs were upgraded with. PostgreSQL came with this revision, so that its
triggers are all made here.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")
BYTES = sa.LargeBinary()

APPEND_ONLY = ("events", "nodes", "claims", "tags", "checkpoints", "cosignatures", "timestamps", "disclosures")
NUMBERED = {"events": "seq", "nodes": "pos"}


def upgrade() -> None:
    op.create_table(
        "timestamps",
        sa.Column("size", NUMBER, sa.ForeignKey("checkpoints.size"), primary_key=True, autoincrement=False),
        sa.Column("authority", TEXT, primary_key=True),
        sa.Column("token", BYTES, nullable=False),
        sqlite_with_rowid=False,
    )
    projections = op.create_table(
        "projections",
        sa.Column("one", NUMBER, sa.CheckConstraint("one = 1", name="one"), primary_key=True, autoincrement=False),
        sa.Column("generation", NUMBER, nullable=False),
    )
    op.bulk_insert(projections, [{"one": 1, "generation": 0}])
    for statement in {"sqlite": _sqlite, "postgresql": _postgresql}[op.get_context().dialect.name]():
        # As it is: neither a colon nor a percent sign in it stands for a value.
        op.get_bind().exec_driver_sql(statement)


# -- SQLite --


def _sqlite() -> list[str]:
    same = "size = NEW.size AND authority = NEW.authority"
    return [
        "DROP TRIGGER disclosures_no_delete",
        _trigger("timestamps_no_update", "BEFORE UPDATE ON timestamps", "timestamps is append-only"),
        _trigger("timestamps_no_delete", "BEFORE DELETE ON timestamps", "timestamps is append-only"),
        _trigger(
            "timestamps_no_replace",
            f"BEFORE INSERT ON timestamps WHEN EXISTS (SELECT 1 FROM timestamps WHERE {same})",  # noqa: S608  (above)
            "timestamps is append-only",
        ),
        _trigger(
            "disclosures_no_delete",
            f"BEFORE DELETE ON disclosures WHEN NOT {_erased('OLD')}",
            "disclosures is append-only",
        ),
        _trigger(
            "disclosures_stay_erased",
            f"BEFORE INSERT ON disclosures WHEN {_erased('NEW')}",
            "what is erased stays erased",
        ),
        _trigger(
            "projections_grow",
            "BEFORE UPDATE ON projections WHEN NEW.generation <= OLD.generation",
            "the generation only grows",
        ),
        _trigger("projections_stay", "BEFORE DELETE ON projections", "the generation stays"),
        _trigger(
            "projections_are_one",
            "BEFORE INSERT ON projections WHEN EXISTS (SELECT 1 FROM projections)",
            "there is one generation",
        ),
        *(statement for table, number in NUMBERED.items() for statement in _follows(table, number)),
    ]


def _follows(table: str, number: str) -> list[str]:
    last = f"(SELECT {number} FROM {table} ORDER BY {number} DESC LIMIT 1)"  # noqa: S608  (the names above)
    when = f"BEFORE INSERT ON {table} WHEN NEW.{number} <> coalesce({last}, -1) + 1"
    return [f"DROP TRIGGER {table}_next", _trigger(f"{table}_next", when, f"{table} takes the next {number} only")]


def _erased(row: str) -> str:
    return f"EXISTS (SELECT 1 FROM claims WHERE key = 'erased:' || {row}.seq || ':' || {row}.path)"  # noqa: S608  (ours)


def _trigger(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


# -- PostgreSQL --


def _postgresql() -> list[str]:
    # The functions name the schema, so that no search path can lead them to other tables.
    own = str(op.get_bind().exec_driver_sql("SELECT quote_ident(current_schema())").scalar_one())
    statements = [
        _function(own, "refuse", "BEGIN RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = '23000'; END;"),
        _function(own, "disclosures_kept", _kept(own)),
        _function(own, "disclosures_erased", _stays_erased(own)),
    ]
    for table, number in NUMBERED.items():
        following = "FOR EACH STATEMENT EXECUTE FUNCTION"
        statements += [
            _function(own, f"{table}_follow", _follow(own, table, number)),
            *_always(
                own,
                table,
                f"{table}_next",
                f"AFTER INSERT ON {own}.{table} REFERENCING NEW TABLE AS added {following} {own}.{table}_follow()",
            ),
        ]
    for table in APPEND_ONLY:
        for change in ("update", "truncate") if table == "disclosures" else ("update", "delete", "truncate"):
            statements += _refused(own, table, f"{table}_no_{change}", change, f"{table} is append-only")
    for name, moment, function in (
        ("disclosures_no_delete", "DELETE", "disclosures_kept"),
        ("disclosures_stay_erased", "INSERT", "disclosures_erased"),
    ):
        each = f"BEFORE {moment} ON {own}.disclosures FOR EACH ROW EXECUTE FUNCTION {own}.{function}()"
        statements += _always(own, "disclosures", name, each)
    # The server keeps samples of columns for its planner: none of what may have to be erased.
    unsampled = ", ".join(f"ALTER COLUMN {column} SET STATISTICS 0" for column in ("salt", "value"))
    statements.append(f"ALTER TABLE {own}.disclosures {unsampled}")
    for table, column, grows, stays, subject in (
        ("head", "size", "head_grows", "head_stays", "the head"),
        ("projections", "generation", "projections_grow", "projections_stay", "the generation"),
    ):
        smaller = f"FOR EACH ROW WHEN (new.{column} <= old.{column})"
        refuse = f"EXECUTE FUNCTION {own}.refuse('{subject} only grows')"
        statements += _always(own, table, grows, f"BEFORE UPDATE ON {own}.{table} {smaller} {refuse}")
        statements += _refused(own, table, stays, "delete", f"{subject} stays")
        statements += _refused(own, table, f"{table}_no_truncate", "truncate", f"{subject} stays")
    return statements


def _function(own: str, name: str, body: str) -> str:
    return (
        f"CREATE FUNCTION {own}.{name}() RETURNS trigger LANGUAGE plpgsql "
        f"SET search_path TO 'pg_catalog', 'pg_temp' AS $function${body}$function$"
    )


def _always(own: str, table: str, name: str, rest: str) -> list[str]:
    return [f"CREATE TRIGGER {name} {rest}", f"ALTER TABLE {own}.{table} ENABLE ALWAYS TRIGGER {name}"]


def _refused(own: str, table: str, name: str, change: str, message: str) -> list[str]:
    when = f"BEFORE {change.upper()} ON {own}.{table} FOR EACH STATEMENT"
    return _always(own, table, name, f"{when} EXECUTE FUNCTION {own}.refuse('{message}')")


def _kept(own: str) -> str:
    return f"""
BEGIN
  IF EXISTS (SELECT FROM {own}.claims WHERE key = 'erased:' || OLD.seq || ':' || OLD.path) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'disclosures is append-only' USING ERRCODE = '23000';
END;"""


def _stays_erased(own: str) -> str:
    return f"""
BEGIN
  IF EXISTS (SELECT FROM {own}.claims WHERE key = 'erased:' || NEW.seq || ':' || NEW.path) THEN
    RAISE EXCEPTION 'what is erased stays erased' USING ERRCODE = '23000';
  END IF;
  RETURN NEW;
END;"""


def _follow(own: str, table: str, number: str) -> str:
    return f"""
DECLARE
  first bigint;
  last bigint;
  rows bigint;
BEGIN
  SELECT min({number}), max({number}), count(*) INTO first, last, rows FROM added;
  IF rows > 0 AND (
    last - first + 1 <> rows
    OR first <> coalesce((SELECT max({number}) FROM {own}.{table} WHERE {number} < first), -1) + 1
    OR EXISTS (SELECT FROM {own}.{table} WHERE {number} > last)
  ) THEN
    RAISE EXCEPTION '{table} takes the next {number} only' USING ERRCODE = '23000';
  END IF;
  RETURN NULL;
END;"""  # noqa: S608  (as above)
