"""Time stamps over checkpoints, the generation of the states, and openings that an event has erased.

What stands here never changes: it is what logs were upgraded with.
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
    for statement in {"sqlite": _sqlite}[op.get_context().dialect.name]():
        op.execute(sa.text(statement))


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
    ]


def _erased(row: str) -> str:
    return f"EXISTS (SELECT 1 FROM claims WHERE key = 'erased:' || {row}.seq || ':' || {row}.path)"  # noqa: S608  (ours)


def _trigger(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
