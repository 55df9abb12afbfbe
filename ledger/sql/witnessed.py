"""The memory of a witness: what it cosigned last of each log, in a SQLite file of its own.

    witness(one, vkey)                        one row: the key that this memory belongs to
    heads(origin, size, root, at, note)       one row a log: what was cosigned last, and when (POSIX seconds)

A head only grows: a trigger refuses a smaller size, another root for the same size, and an earlier time. Reading what
was cosigned last and writing what is cosigned next is one transaction, which holds the file's write lock from its first
statement and is on the disk when it ends: no two processes can cosign past each other.

Source: C2SP tlog-witness; docs/spec/witness.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import sqlalchemy as sa

from ledger.errors import CorruptError, StoreMissingError
from ledger.sql.columns import BYTES, NUMBER, TEXT
from ledger.sql.dialect.sqlite import SQLite
from ledger.sql.engine import writer
from ledger.sql.failure import translated

T = TypeVar("T")

metadata = sa.MetaData()

_witness = sa.Table(
    "witness",
    metadata,
    sa.Column("one", NUMBER, sa.CheckConstraint("one = 1"), primary_key=True, autoincrement=False),
    sa.Column("vkey", TEXT, nullable=False),
)
_heads = sa.Table(
    "heads",
    metadata,
    sa.Column("origin", TEXT, primary_key=True),
    sa.Column("size", NUMBER, nullable=False),
    sa.Column("root", BYTES, nullable=False),
    sa.Column("at", NUMBER, nullable=False),
    sa.Column("note", BYTES, nullable=False),
    sqlite_with_rowid=False,
)
_STANDS: Final = "BEGIN SELECT RAISE(ABORT, 'what was cosigned stands'); END"
_GROWS: Final = (
    "NEW.origin <> OLD.origin OR NEW.size < OLD.size OR (NEW.size = OLD.size AND NEW.root <> OLD.root) "
    "OR NEW.at < OLD.at"
)
_KNOWN: Final = "EXISTS (SELECT 1 FROM heads WHERE origin = NEW.origin)"
_TRIGGERS: Final = (
    f"CREATE TRIGGER heads_only_grow BEFORE UPDATE ON heads WHEN {_GROWS} {_STANDS}",
    f"CREATE TRIGGER heads_stay BEFORE DELETE ON heads {_STANDS}",
    f"CREATE TRIGGER heads_no_replace BEFORE INSERT ON heads WHEN {_KNOWN} {_STANDS}",
    f"CREATE TRIGGER witness_no_update BEFORE UPDATE ON witness {_STANDS}",
    f"CREATE TRIGGER witness_no_delete BEFORE DELETE ON witness {_STANDS}",
)


@dataclass(frozen=True, slots=True)
class Cosigned:
    """What was cosigned last of one log.

    Attributes:
        origin: the log.
        size: its size.
        root: the RFC 6962 root.
        at: POSIX seconds.
        note: the checkpoint with the log's lines that held, and the witness's own.
    """

    origin: str
    size: int
    root: bytes
    at: int
    note: bytes


class WitnessStore:
    """The memory of one witness, for many threads and processes.

    Raises:
        StoreMissingError: there is none at this path.
        CorruptError: it belongs to no key.
    """

    def __init__(self, path: Path) -> None:
        self._dialect = SQLite()
        self._name = str(path)
        if self._dialect.missing(path) is not None:
            raise StoreMissingError(
                f"{path}: the witness's memory is gone, and without it the witness might cosign a second history: "
                "begin another one, with another key (tally witness init)"
            )
        self._engine = self._dialect.engine(path)
        with translated(self._name), self._engine.begin() as connection:
            vkey = connection.execute(sa.select(_witness.c.vkey)).scalar_one_or_none()
        if vkey is None:
            raise CorruptError(f"{path}: no witness's memory, or a damaged one")
        self.vkey = str(vkey)

    @staticmethod
    def create(path: Path, vkey: str) -> None:
        """Make the empty memory of a new witness; it appears whole or not at all.

        Raises:
            StoreError: something stands there already, or it can't be written.
        """

        def fill(connection: sa.Connection) -> None:
            metadata.create_all(connection)
            for trigger in _TRIGGERS:
                connection.exec_driver_sql(trigger)
            connection.execute(sa.insert(_witness), [{"one": 1, "vkey": vkey}])

        with translated(str(path)):
            SQLite().create(path, fill)

    def exchange(self, origin: str, work: Callable[[Cosigned | None], tuple[Cosigned | None, T]]) -> T:
        """Let ``work`` see what was cosigned last of a log, and keep what it gives, in one synced transaction.

        Args:
            origin: the log.
            work: gives what is cosigned now, or None to leave all as it is, and the result.

        Raises:
            StoreError: the file can't be read or written; nothing was kept.
        """
        with translated(self._name), writer(self._engine).begin() as connection:
            last = _read(connection, origin)
            following, result = work(last)
            if following is not None:
                values = {"size": following.size, "root": following.root, "at": following.at, "note": following.note}
                if last is None:
                    connection.execute(sa.insert(_heads), [{"origin": origin, **values}])
                else:
                    connection.execute(sa.update(_heads).where(_heads.c.origin == origin).values(**values))
        return result

    def cosigned(self) -> list[Cosigned]:
        """Give what was cosigned last of every log, sorted by origin.

        Raises:
            StoreError: the file can't be read.
        """
        with translated(self._name), self._engine.begin() as connection:
            return [Cosigned(*row) for row in connection.execute(sa.select(_heads).order_by(_heads.c.origin))]

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def _read(connection: sa.Connection, origin: str) -> Cosigned | None:
    row = connection.execute(sa.select(_heads).where(_heads.c.origin == origin)).one_or_none()
    return None if row is None else Cosigned(*row)
