"""`SqlLog`: the log in a database, for many threads and many processes.

`transact` is the whole argument for crash safety; read it from top to bottom. There is no recovery: what a killed
process left is what the database rolls back, and the next transaction takes the same way as every other.

Source: DESIGN section 6.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, StoreBusyError, StoreError
from ledger.event import Event
from ledger.log import Clock, Head, Snapshot, Transaction
from ledger.sql import schema
from ledger.sql.engine import BUSY_SECONDS, place, writer
from ledger.sql.failure import in_our_words, translated
from ledger.sql.rows import write
from ledger.sql.snapshot import SqlSnapshot
from ledger.transaction import PendingTransaction, extend, transaction_time
from ledger.view import View

T = TypeVar("T")


class SqlLog:
    """A log in a database.

    Args:
        engine: an engine of `ledger.sql.engine`; the log closes it.
        views: the folds whose states are kept.
        clock: gives the microseconds since 1970-01-01 UTC.
        confirm_clock: an operator says that a long jump of the clock is right.

    Attributes:
        guard: looks at the head before each transaction, and raises a `StoreError` to refuse it; None looks at nothing.
    """

    def __init__(self, engine: sa.Engine, views: Sequence[View], clock: Clock, *, confirm_clock: bool = False) -> None:
        self.engine = engine
        self.guard: Callable[[Head], None] | None = None
        self.confirm_clock = confirm_clock
        self._writer = writer(engine)
        self._views = views
        self._clock = clock
        self._turn = threading.Lock()
        self._place = place(engine)

    def read(self, work: Callable[[Snapshot], T]) -> T:
        """Run ``work`` on one consistent look at the log; see `ledger.log.Log.read`."""
        with translated(self._place), self.engine.begin() as connection:
            snapshot = SqlSnapshot(connection)
            # The first read fixes what a SQLite transaction sees.
            _ = snapshot.head
            return work(snapshot)

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone and make what it appended durable; see `ledger.log.Log.transact`."""
        pending = None
        try:
            # The database's write lock, taken here and held to the end, is what makes this the only writer on the
            # machine; `_in_turn` merely spares the threads of one process from polling for it.
            with self._in_turn(), self._writer.begin() as connection:
                snapshot = SqlSnapshot(connection)
                # Read under the lock: nothing can be appended after this head but by us, and no later time be taken.
                old = snapshot.head
                if self.guard is not None:
                    self.guard(old)
                at = transaction_time(old, self._clock(), confirmed=self.confirm_clock)
                pending = PendingTransaction(snapshot, self._views, at)
                # May raise whatever it likes: until here, and until it returns, nothing was written.
                result = work(pending)
                if pending.batch.events:
                    # Rows go to the write-ahead log. A crash from here on leaves a transaction without its commit
                    # frame, which the next reader ignores: still nothing happened.
                    write(connection, old, pending.batch)
        except IntegrityError as error:
            self._refuse_taken(pending.batch.claims if pending else ())
            raise in_our_words(error, self._place) from error
        except SQLAlchemyError as error:
            raise in_our_words(error, self._place) from error
        # Committed and synced as the block was left: from here on a crash loses nothing, and the result, which nobody
        # has seen before, may be given out.
        return result

    def extend(self, events: Sequence[Event], openings: Mapping[int, Sequence[Opening]]) -> Head:
        """Add events that have their bytes already; see `ledger.log.Log.extend`."""
        with translated(self._place), self._in_turn(), self._writer.begin() as connection:
            snapshot = SqlSnapshot(connection)
            batch = extend(snapshot, self._views, events, openings)
            if batch.events:
                write(connection, snapshot.head, batch)
            return batch.head

    def store_checkpoint(self, size: int, note: bytes) -> None:
        """Keep a signed checkpoint; see `ledger.log.Log.store_checkpoint`."""
        table = schema.checkpoints
        with translated(self._place), self._in_turn(), self._writer.begin() as connection:
            standing = connection.execute(sa.select(table.c.note).where(table.c.size == size)).scalar_one_or_none()
            if standing is None:
                connection.execute(sa.insert(table), [{"size": size, "note": note}])
            elif standing != note:
                raise StoreError(f"another checkpoint of size {size} stands already")

    def store_cosignature(self, size: int, witness: str, line: str) -> None:
        """Keep what a witness added to a checkpoint; see `ledger.log.Log.store_cosignature`."""
        self._beside_checkpoint(schema.cosignatures, {"size": size, "witness": witness, "line": line})

    def store_timestamp(self, size: int, authority: str, token: bytes) -> None:
        """Keep an RFC 3161 token over a checkpoint; see `ledger.log.Log.store_timestamp`."""
        self._beside_checkpoint(schema.timestamps, {"size": size, "authority": authority, "token": token})

    def _beside_checkpoint(self, table: sa.Table, row: dict[str, object]) -> None:
        """Add a row that speaks of a checkpoint, unless one with its key stands."""
        checkpoints = schema.checkpoints.c
        with translated(self._place), self._in_turn(), self._writer.begin() as connection:
            kept = sa.select(checkpoints.size).where(checkpoints.size == row["size"])
            if connection.execute(kept).scalar_one_or_none() is None:
                raise StoreError(f"no checkpoint of size {row['size']} is kept")
            key = [column == row[column.name] for column in table.primary_key]
            if connection.execute(sa.select(sa.literal(1)).select_from(table).where(*key)).first() is None:
                connection.execute(sa.insert(table), [row])

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=BUSY_SECONDS):
            raise StoreBusyError(f"{self._place}: another thread is writing and did not finish in time: try again")
        try:
            yield
        finally:
            self._turn.release()

    def _refuse_taken(self, claims: Iterable[str]) -> None:
        """Say which claim the primary key refused, if it was one: the belt under `PendingTransaction`'s own check."""
        with translated(self._place), self.engine.begin() as connection:
            snapshot = SqlSnapshot(connection)
            for key in claims:
                holder = snapshot.claimed(key)
                if holder is not None:
                    raise ClaimTakenError(key, holder)
