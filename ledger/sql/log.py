"""`SqlLog`: the log in a database, for many threads and many processes.

`_commit` is the whole argument for crash safety; read it from top to bottom. There is no recovery: what a killed
process left is what the database rolls back, and the next transaction takes the same way as every other.

Source: DESIGN section 6.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, StoreError
from ledger.event import Event, Registry
from ledger.log import Clock, Head, Snapshot, Transaction
from ledger.sql import schema
from ledger.sql.cache import CachedSnapshot, StateCache
from ledger.sql.engine import place
from ledger.sql.failure import in_our_words, translated
from ledger.sql.group import Company, Group, Member, mark, run_together
from ledger.sql.rows import write
from ledger.sql.snapshot import SqlSnapshot
from ledger.sql.writer import Writer
from ledger.transaction import PendingTransaction, extend, transaction_time
from ledger.view import View

T = TypeVar("T")


class SqlLog:
    """A log in a database.

    Args:
        engine: an engine of `ledger.sql.engine`; the log closes it.
        views: the folds whose states are kept.
        clock: gives the microseconds since 1970-01-01 UTC.
        registry: the event types, with which the cached states follow what other processes append.
        confirm_clock: an operator says that a long jump of the clock is right.

    Attributes:
        guard: looks at the head before each transaction, and raises a `StoreError` to refuse it; None looks at nothing.
    """

    def __init__(
        self,
        engine: sa.Engine,
        views: Sequence[View],
        clock: Clock,
        *,
        registry: Registry | None = None,
        confirm_clock: bool = False,
    ) -> None:
        self.engine = engine
        self.guard: Callable[[Head], None] | None = None
        self.confirm_clock = confirm_clock
        self._place = place(engine)
        self._writer = Writer(engine)
        self._group = Group(self._lead, self._place)
        self._cache = StateCache(views, registry)
        self._views = views
        self._clock = clock

    def read(self, work: Callable[[Snapshot], T]) -> T:
        """Run ``work`` on one consistent look at the log; see `ledger.log.Log.read`."""
        with translated(self._place), self.engine.begin() as connection:
            snapshot = SqlSnapshot(connection)
            # The first read fixes what a SQLite transaction sees.
            _ = snapshot.head
            return work(snapshot)

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` alone and make what it appended durable; see `ledger.log.Log.transact`.

        Raises:
            StoreError: it is called from within such work, which can't wait for itself.
        """
        self._writer.check_free()
        return self._group.run(work)

    def _lead(self, company: Company) -> None:
        """Do the work of all that wait in one transaction, or in one for each where the database refuses that."""
        try:
            self._commit(company, company.gather)
        except IntegrityError:
            # The belt under the checks of `PendingTransaction`: nothing of anybody was written, and who is to blame
            # shows when each is alone.
            for member in company.taken:
                try:
                    self._commit([member])
                except Exception as error:  # noqa: BLE001  (given to whoever asked)
                    member.fail(error)

    def _commit(self, members: Iterable[Member], gather: Callable[[], None] = lambda: None) -> None:
        """Do the members' work, write what they appended, and mark them as done once that is durable."""
        ran: list[Member] = []
        whole: PendingTransaction | None = None
        try:
            with self._writer.turn():
                with self._writer.begin() as connection, CachedSnapshot(connection, self._cache) as snapshot:
                    # Read under the lock: nothing can be appended after this head but by us, no later time be taken.
                    old = snapshot.head
                    if self.guard is not None:
                        self.guard(old)
                    gather()
                    at = transaction_time(old, self._clock(), confirmed=self.confirm_clock)
                    whole = PendingTransaction(snapshot, self._views, at)
                    # Each may raise whatever it likes: until the last has returned, nothing was written.
                    run_together(whole, members, ran)
                    if whole.rows.events:
                        # Rows go to the write-ahead log. A crash from here on leaves a transaction without its commit
                        # frame, which the next reader ignores: still nothing happened.
                        write(connection, old, whole.batch)
                        mark(ran, "doubtful")
                # Committed and synced as the block was left: from here on a crash loses nothing, and the results,
                # which nobody has seen before, may be given out.
                if whole.rows.events:
                    self._cache.follow(whole.batch)
            mark(ran, "done")
        except IntegrityError as error:
            if len(ran) > 1:
                raise
            self._refuse_taken(whole.rows.claims if whole else ())
            raise in_our_words(error, self._place) from error
        except SQLAlchemyError as error:
            raise in_our_words(error, self._place) from error
        except Exception:
            raise
        except BaseException:
            # Interrupted, perhaps between the commit and its mark: the log itself knows.
            if whole is not None:
                mark(ran, "done" if self._stands(whole.rows.events) else "open")
            raise

    def _stands(self, events: Sequence[Event]) -> bool:
        """Tell whether these events were committed; all of them or none was."""
        if not events:
            return False
        last = events[-1]
        return self.read(lambda snapshot: snapshot.event_bytes(last.seq)) == last.data

    def extend(self, events: Sequence[Event], openings: Mapping[int, Sequence[Opening]]) -> Head:
        """Add events that have their bytes already; see `ledger.log.Log.extend`."""
        with translated(self._place), self._writer.turn():
            with self._writer.begin() as connection, CachedSnapshot(connection, self._cache) as snapshot:
                batch = extend(snapshot, self._views, events, openings)
                if batch.events:
                    write(connection, snapshot.head, batch)
            self._cache.follow(batch)
            return batch.head

    def store_checkpoint(self, size: int, note: bytes) -> None:
        """Keep a signed checkpoint; see `ledger.log.Log.store_checkpoint`."""
        table = schema.checkpoints
        with translated(self._place), self._writer.transaction() as connection:
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
        with translated(self._place), self._writer.transaction() as connection:
            kept = sa.select(checkpoints.size).where(checkpoints.size == row["size"])
            if connection.execute(kept).scalar_one_or_none() is None:
                raise StoreError(f"no checkpoint of size {row['size']} is kept")
            key = [column == row[column.name] for column in table.primary_key]
            if connection.execute(sa.select(sa.literal(1)).select_from(table).where(*key)).first() is None:
                connection.execute(sa.insert(table), [row])

    def close(self) -> None:
        """Finish what was handed in, refuse what comes later, and close every connection."""
        self._writer.check_free()
        self._group.close()
        self._writer.close()
        self.engine.dispose()

    def _refuse_taken(self, claims: Iterable[str]) -> None:
        """Say which claim the primary key refused, if it was one: the belt under `PendingTransaction`'s own check."""
        with translated(self._place), self.engine.begin() as connection:
            snapshot = SqlSnapshot(connection)
            for key in claims:
                holder = snapshot.claimed(key)
                if holder is not None:
                    raise ClaimTakenError(key, holder)
