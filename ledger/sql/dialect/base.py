"""What differs between databases: the interface that each one's module fills, and nothing of any one of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection

from ledger.errors import StoreError
from ledger.sql.address import Address

Purpose: TypeAlias = Literal["read", "write", "migrate"]
"""What a transaction is for: one look at the log, the log's only writer, or a change of its tables."""

PURPOSE = "ledger_purpose"
"""The execution option that names it; a transaction without one reads."""

BUSY_SECONDS = 10.0
"""How long a writer waits for another one."""

PAUSE = 0.2
"""How many seconds pass between two tries."""

STILL_READ = (
    "another process still reads what stood before the erasure: it is gone from the log, and its bytes from the "
    "database once that process ends; then run `tally erase --scrub`"
)

STANDING = "SELECT size, blake3_peaks, sha256_peaks, at, (SELECT generation FROM projections) FROM head"
"""Where the log stands: the first thing that is asked of every look at it."""

LOST = "the connection to the server was lost: look whether it runs, then run the command again"
"""What to do about a connection that can't be had again."""

Words: TypeAlias = tuple[type[StoreError], str]
"""Which error of ours says the same, and what to do."""


class Dialect(Protocol):
    """One kind of database."""

    mark: str
    """How its driver marks the place of a value in a statement."""

    scalars: int
    """So many values are asked for by one row of scalar subqueries; more come as rows of an array's."""

    distant: bool
    """Whether each statement by itself costs a round trip."""

    listed: str
    """What follows a column that is to be among the numbers of an `array`."""

    def missing(self, address: Address) -> str | None:
        """Say why no database can be opened at this address, as far as that shows without opening it.

        Raises:
            StoreError: that can't be told.
        """

    def engine(self, address: Address, *, busy_seconds: float) -> sa.Engine:
        """Give an engine whose transactions begin as `begin` says.

        Raises:
            StoreError: the driver is not installed.
        """

    def begin(self, connection: sa.Connection, purpose: Purpose) -> None:
        """Begin a transaction."""

    def begin_writing(self, cursor: Any) -> tuple[Any, ...] | None:  # noqa: ANN401  (its driver's)
        """Begin the writer's transaction by the driver's own cursor, and give the row of `STANDING`.

        SQLAlchemy would take longer for it than the database does; what it begins on this connection meanwhile is part
        of this transaction.

        Raises:
            StoreError: this connection leads to another database than it did.
            Exception: an error of the driver's.
        """

    def create(self, address: Address, fill: Callable[[sa.Connection], None]) -> None:
        """Make a new database, or schema, and have it filled: whole, or nothing of it is left.

        Raises:
            StoreError: something stands there already, or it can't be made.
            SQLAlchemyError: the database refuses.
        """

    def discard(self, address: Address) -> None:
        """Take a log away again that was made a moment ago and never came to be used.

        Raises:
            StoreError: it can't be taken away.
            SQLAlchemyError: the database refuses.
        """

    def place(self, engine: sa.Engine) -> str:
        """Name the database in messages."""

    def array(self, numbers: Sequence[int]) -> str:
        """Spell an array as the database reads it from text."""

    def words(self, cause: BaseException) -> Words | None:
        """Say what an error of its driver means; None where it is none of its own or means nothing special."""

    def lost(self, cause: BaseException) -> bool:
        """Tell whether an error of its driver says that the connection is lost, or that none can be had."""

    def triggers(self, schema: str | None) -> Mapping[str, str]:
        """Give every trigger and function by name, as the database keeps its text."""

    def create_triggers(self, connection: sa.Connection) -> None:
        """Create what `triggers` gives."""

    def grants(self, address: Address, role: str, *, read_only: bool) -> list[str]:
        """Give the statements that let a role append and decide, or read alone, and nothing else.

        Raises:
            StoreError: the database has no roles, or that is no name of one.
        """

    def schema_faults(self, connection: sa.Connection) -> Iterator[tuple[str, str]]:
        """Name each table, trigger or function that is not as the migrations left it, and say what is wrong."""

    def file_faults(self, connection: sa.Connection) -> Iterator[str]:
        """Let the database check its own pages."""

    def read_anything(self, engine: sa.Engine) -> None:
        """Let an engine read whatever stands in a column, and change nothing."""

    def strict_text(self, connection: DBAPIConnection) -> AbstractContextManager[object]:
        """Read on such an engine's connection, for a while, no text that is no UTF-8: quicker, and an error is one."""

    def scrub(self, connection: DBAPIConnection, where: str, patience: float) -> None:
        """Write the openings anew, so that no file of the database holds a byte of what was deleted.

        Args:
            connection: its driver's own, outside of any transaction.
            where: the database, for messages.
            patience: how many seconds to wait for whoever still reads the state before.

        Raises:
            StoreError: it can't be done yet, or not by this role.
            Exception: an error of the driver's.
        """

    def share(self, connection: sa.Connection) -> str | None:
        """Name what a transaction sees, so that another may `see` it while this one lasts; None where that can't be."""

    def see(self, connection: sa.Connection, shared: str) -> None:
        """Let a transaction that has read nothing yet see what another one shared.

        Raises:
            StoreError: the database can't do that.
            SQLAlchemyError: the other one has ended.
        """

    def deletable(self, connection: sa.Connection, table: str) -> AbstractContextManager[None]:
        """Let rows of an append-only table be deleted for the length of a block, within the transaction.

        Raises:
            SQLAlchemyError: this role is not the owner of the tables.
        """

    def settings(self, connection: sa.Connection) -> Iterator[tuple[str, bool]]:
        """Say what durability and isolation rest on, and whether each is as it must be."""

    def together(self, connection: Any) -> AbstractContextManager[object]:  # noqa: ANN401  (its driver's)
        """Let all that is changed within go to the database as one; errors come as it ends at the latest."""

    def add(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (its driver's)
        """Add whole rows to a table by its driver's own cursor, in the quickest way for so many."""

    def put(self, cursor: Any, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:  # noqa: ANN401  (its driver's)
        """Put whole rows, no two with the same key, over those that stand."""
