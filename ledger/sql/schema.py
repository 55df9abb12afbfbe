"""The tables of a log, as the newest migration leaves them.

    events(seq, at, type, bytes)                                     one row an event; ``bytes`` is the leaf
    nodes(pos, blake3, sha256)                                       both trees, by post-order position
    head(one, size, blake3_peaks, sha256_peaks, at, incarnation)     one row; peaks joined, left to right
    claims(key, seq)                                                 unique keys, taken for ever
    tags(tag, seq)                                                   keys to find events by
    states(view, key, seq, state)                                    the views' current states, canonical bytes
    checkpoints(size, note)                                          signed notes
    cosignatures(size, witness, line)                                what witnesses added to them
    timestamps(size, authority, token)                               RFC 3161 tokens over checkpoints
    disclosures(seq, path, salt, value)                              openings, canonical bytes
    projections(one, generation)                                     one row; how often the states were made anew

No table has a second index: the order that an audit scans is the order that the log looks up in. ``incarnation``
counts the lives of the log: 1, and one more with each ``ledger.restored``. ``generation`` moves when the states are
folded again (`ledger.sql.rebuild`): whoever keeps states in memory drops them then.

Source: DESIGN section 6 (tables); docs/spec/store.md.
"""

from typing import Final

import sqlalchemy as sa

from ledger.sql.columns import BYTES, NUMBER, TEXT

REVISION = "0003"
"""The migration that these tables are the result of."""

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("at", TEXT, nullable=False),
    sa.Column("type", TEXT, nullable=False),
    sa.Column("bytes", BYTES, nullable=False),
)

nodes = sa.Table(
    "nodes",
    metadata,
    sa.Column("pos", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("blake3", BYTES, nullable=False),
    sa.Column("sha256", BYTES, nullable=False),
)

head = sa.Table(
    "head",
    metadata,
    sa.Column("one", NUMBER, sa.CheckConstraint("one = 1", name="one"), primary_key=True, autoincrement=False),
    sa.Column("size", NUMBER, nullable=False),
    sa.Column("blake3_peaks", BYTES, nullable=False),
    sa.Column("sha256_peaks", BYTES, nullable=False),
    sa.Column("at", TEXT, nullable=True),
    sa.Column("incarnation", NUMBER, nullable=False),
)

claims = sa.Table(
    "claims",
    metadata,
    sa.Column("key", TEXT, primary_key=True),
    sa.Column("seq", NUMBER, nullable=False),
    sqlite_with_rowid=False,
)

tags = sa.Table(
    "tags",
    metadata,
    sa.Column("tag", TEXT, primary_key=True),
    sa.Column("seq", NUMBER, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

states = sa.Table(
    "states",
    metadata,
    sa.Column("view", TEXT, primary_key=True),
    sa.Column("key", TEXT, primary_key=True),
    sa.Column("seq", NUMBER, nullable=False),
    sa.Column("state", BYTES, nullable=False),
    sqlite_with_rowid=False,
)

checkpoints = sa.Table(
    "checkpoints",
    metadata,
    sa.Column("size", NUMBER, primary_key=True, autoincrement=False),
    sa.Column("note", BYTES, nullable=False),
)

cosignatures = sa.Table(
    "cosignatures",
    metadata,
    sa.Column("size", NUMBER, sa.ForeignKey("checkpoints.size"), primary_key=True, autoincrement=False),
    sa.Column("witness", TEXT, primary_key=True),
    sa.Column("line", TEXT, nullable=False),
    sqlite_with_rowid=False,
)

timestamps = sa.Table(
    "timestamps",
    metadata,
    sa.Column("size", NUMBER, sa.ForeignKey("checkpoints.size"), primary_key=True, autoincrement=False),
    sa.Column("authority", TEXT, primary_key=True),
    sa.Column("token", BYTES, nullable=False),
    sqlite_with_rowid=False,
)

disclosures = sa.Table(
    "disclosures",
    metadata,
    sa.Column("seq", NUMBER, sa.ForeignKey("events.seq"), primary_key=True, autoincrement=False),
    sa.Column("path", TEXT, primary_key=True),
    sa.Column("salt", BYTES, nullable=False),
    sa.Column("value", BYTES, nullable=False),
    sqlite_with_rowid=False,
)

projections = sa.Table(
    "projections",
    metadata,
    sa.Column("one", NUMBER, sa.CheckConstraint("one = 1", name="one"), primary_key=True, autoincrement=False),
    sa.Column("generation", NUMBER, nullable=False),
)

APPEND_ONLY: Final = (events, nodes, claims, tags, checkpoints, cosignatures, timestamps, disclosures)
"""The tables whose rows are never changed, nor taken away but for what is erased of ``disclosures``."""

NUMBERED: Final = {events.name: "seq", nodes.name: "pos"}
"""The tables that take the next number only, and its column."""
