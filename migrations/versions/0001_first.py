"""The first tables of a log.

What stands here never changes: it is what logs were made with. `ledger.sql.schema` and `ledger.sql.triggers` say what
all scripts together come to, and a test holds the two against each other.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text(collation="C").with_variant(sa.Text(), "sqlite")
BYTES = sa.LargeBinary()

APPEND_ONLY = {
    "events": ("seq",),
    "nodes": ("pos",),
    "claims": ("key",),
    "tags": ("tag", "seq"),
    "checkpoints": ("size",),
    "cosignatures": ("size", "witness"),
    "disclosures": ("seq", "path"),
}
NUMBERED = {"events": "seq", "nodes": "pos"}


def upgrade() -> None:
    _create_log()
    _create_lookups()
    _create_companions()
    # PostgreSQL came with 0002, which makes all its triggers.
    for statement in {"sqlite": _sqlite_triggers, "postgresql": list}[op.get_context().dialect.name]():
        op.execute(sa.text(statement))


def _create_log() -> None:
    op.create_table(
        "events",
        sa.Column("seq", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("at", TEXT, nullable=False),
        sa.Column("type", TEXT, nullable=False),
        sa.Column("bytes", BYTES, nullable=False),
    )
    op.create_table(
        "nodes",
        sa.Column("pos", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("blake3", BYTES, nullable=False),
        sa.Column("sha256", BYTES, nullable=False),
    )
    head = op.create_table(
        "head",
        sa.Column("one", NUMBER, sa.CheckConstraint("one = 1", name="one"), primary_key=True, autoincrement=False),
        sa.Column("size", NUMBER, nullable=False),
        sa.Column("blake3_peaks", BYTES, nullable=False),
        sa.Column("sha256_peaks", BYTES, nullable=False),
        sa.Column("at", TEXT, nullable=True),
        sa.Column("incarnation", NUMBER, nullable=False),
    )
    empty = {"one": 1, "size": 0, "blake3_peaks": b"", "sha256_peaks": b"", "at": None, "incarnation": 1}
    op.bulk_insert(head, [empty])


def _create_lookups() -> None:
    op.create_table(
        "claims",
        sa.Column("key", TEXT, primary_key=True),
        sa.Column("seq", NUMBER, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tags",
        sa.Column("tag", TEXT, primary_key=True),
        sa.Column("seq", NUMBER, primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "states",
        sa.Column("view", TEXT, primary_key=True),
        sa.Column("key", TEXT, primary_key=True),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("state", BYTES, nullable=False),
        sqlite_with_rowid=False,
    )


def _create_companions() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("size", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("note", BYTES, nullable=False),
    )
    op.create_table(
        "cosignatures",
        sa.Column("size", NUMBER, sa.ForeignKey("checkpoints.size"), primary_key=True, autoincrement=False),
        sa.Column("witness", TEXT, primary_key=True),
        sa.Column("line", TEXT, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "disclosures",
        sa.Column("seq", NUMBER, sa.ForeignKey("events.seq"), primary_key=True, autoincrement=False),
        sa.Column("path", TEXT, primary_key=True),
        sa.Column("salt", BYTES, nullable=False),
        sa.Column("value", BYTES, nullable=False),
        sqlite_with_rowid=False,
    )


def _sqlite_triggers() -> list[str]:
    statements = []
    for table, key in APPEND_ONLY.items():
        refusal = f"{table} is append-only"
        statements += [
            _sqlite(f"{table}_no_{change}", f"BEFORE {change.upper()} ON {table}", refusal)
            for change in ("update", "delete")
        ]
        if table not in NUMBERED:
            same = " AND ".join(f"{column} = NEW.{column}" for column in key)
            standing = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608  (the names above)
            statements.append(_sqlite(f"{table}_no_replace", f"BEFORE INSERT ON {table} WHEN {standing}", refusal))
    for table, number in NUMBERED.items():
        following = f"(SELECT coalesce(max({number}), -1) + 1 FROM {table})"  # noqa: S608  (the names above)
        when = f"BEFORE INSERT ON {table} WHEN NEW.{number} <> {following}"
        statements.append(_sqlite(f"{table}_next", when, f"{table} takes the next {number} only"))
    return [
        *statements,
        _sqlite("head_grows", "BEFORE UPDATE ON head WHEN NEW.size <= OLD.size", "the head only grows"),
        _sqlite("head_stays", "BEFORE DELETE ON head", "the head stays"),
        _sqlite("head_is_one", "BEFORE INSERT ON head WHEN EXISTS (SELECT 1 FROM head)", "there is one head"),
    ]


def _sqlite(name: str, when: str, message: str) -> str:
    return f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
