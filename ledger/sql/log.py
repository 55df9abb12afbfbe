"""`SqlLog`: the log in a database, for many threads and many processes.

`_run` is the whole argument for crash safety; read it from top to bottom. There is no recovery: what a killed
process left is what the database rolls back, and the next transaction takes the same way as every other.

Source: DESIGN section 6.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ledger.disclosure import Opening
from ledger.errors import ClaimTakenError, StoreError
from ledger.event import Event, Registry
from ledger.log import Clock, Head, Snapshot, Transaction
from ledger.sql import schema
from ledger.sql.cache import CachedSnapshot, StateCache
from ledger.sql.driver import Driver
from ledger.sql.engine import place
from ledger.sql.failure import in_our_words, translated
from ledger.sql.group import Company, Group, Member, mark, run_together
from ledger.sql.loss import Tries, repeated
from ledger.sql.rows import write
from ledger.sql.snapshot import SqlSnapshot
from ledger.sql.writer import Writer
from ledger.transaction import Batch, PendingTransaction, extend, transaction_time
from ledger.view import View

T = TypeVar("T")


def _nobody() -> None:
    """Let nobody in: who is to be served is known."""


@dataclass(slots=True)
class Attempt:
    """One transaction for some members.

    Attributes:
        members: whose work is to be done.
        gather: lets in whoever came before the transaction's time is read.
        ran: the members whose work was begun.
        whole: what they append, once it was begun.
    """

    members: Iterable[Member]
    gather: Callable[[], None] = _nobody
    ran: list[Member] = field(default_factory=list)
    whole: PendingTransaction | None = None

    @property
    def events(self) -> Sequence[Event]:
        """What they append."""
        return self.whole.rows.events if self.whole else ()

    @property
    def divisible(self) -> bool:
        """Whether nothing was committed for sure, and each may be tried alone."""
        return len(self.ran) > 1 and all(member.fate == "open" for member in self.ran)


class SqlLog:
    """A log in a database.

    Args:
        engine: an engine of `ledger.sql.engine`; the log closes it.
        views: the folds whose states are kept.
        clock: gives the microseconds since 1970-01-01 UTC.
        registry: the event types, with which the cached states follow what other processes append.
        confirm_clock: an operator says that a long jump of the clock is right.

    Attributes:
        guard: looks at the log before each transaction, and raises a `ReadOnlyError` to refuse it; or None.
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
        self.guard: Callable[[Snapshot], None] | None = None
        self.confirm_clock = confirm_clock
        self._place = place(engine)
        self._writer = Writer(engine)
        self._group = Group(self._lead, self._place)
        self._cache = StateCache(views, registry)
        self._views = views
        self._clock = clock

    def read(self, work: Callable[[Snapshot], T]) -> T:
        """Run ``work`` on one consistent look at the log; see `ledger.log.Log.read`."""
        with translated(self._place), repeated(self.engine, self.engine.connect) as connection, connection.begin():
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
        except SQLAlchemyError:
            # The belt under the checks of `PendingTransaction`, or a row that the database can't take: nothing of
            # anybody was written, and who is to blame shows when each is alone.
            for member in company.taken:
                try:
                    self._commit([member])
                except Exception as error:  # noqa: BLE001  (given to whoever asked)
                    member.fail(error)

    def _commit(self, members: Iterable[Member], gather: Callable[[], None] = _nobody) -> None:
        """Do the members' work, write what they appended, and mark them as done once that is durable.

        Where the connection is lost, that is done again on a new one, unless what was appended stands.
        """
        tries, attempt = Tries(self.engine), Attempt(members, gather)
        while not self._done(attempt, tries):
            if attempt.ran:
                attempt = Attempt(attempt.ran)

    def check_writable(self) -> None:
        """Look whether a transaction would be refused now, before anybody is asked to sign for one.

        Raises:
            ReadOnlyError: it would be.
        """
        if self.guard is not None:
            self.read(self.guard)

    def _done(self, attempt: Attempt, tries: Tries) -> bool:
        """Make one attempt, and tell whether it is the last."""
        try:
            self._run(attempt)
        except IntegrityError as error:
            if attempt.divisible:
                raise
            self._refuse_taken(attempt.whole.rows.claims if attempt.whole else ())
            raise in_our_words(error, self._place) from error
        except SQLAlchemyError as error:
            if attempt.divisible and not tries.lost(error):
                raise
            try:
                stood = self._stood(error, attempt.events, tries)
            except SQLAlchemyError as last:
                raise self._told(last, attempt.ran) from last
            mark(attempt.ran, "done" if stood else "open")
            return stood
        except Exception:
            raise
        except BaseException:
            # Interrupted, perhaps between the commit and its mark: the log itself knows.
            if attempt.whole is not None:
                mark(attempt.ran, "done" if self._stands(attempt.events) else "open")
            raise
        return True

    def _run(self, attempt: Attempt) -> None:
        def work(driver: Driver) -> None:
            snapshot = CachedSnapshot(driver, self._cache)
            # Read under the lock: nothing can be appended after this head but by us, and no later time be taken.
            old = snapshot.head
            if self.guard is not None:
                self.guard(snapshot)
            attempt.gather()
            at = transaction_time(old, self._clock(), confirmed=self.confirm_clock)
            whole = attempt.whole = PendingTransaction(snapshot, self._views, at)
            # Each may raise whatever it likes: until the last has returned, nothing was written.
            run_together(whole, attempt.members, attempt.ran)
            if whole.rows.events:
                # Rows go to the database's log. A crash before the commit leaves a transaction without one, which the
                # next reader ignores: still nothing happened.
                write(driver, old, whole.batch, lambda doubtful: mark(attempt.ran, "doubtful" if doubtful else "open"))

        def turn() -> None:
            self._writer.begin(work)
            # Committed and synced: from here on a crash loses nothing, and the results, which nobody has seen before,
            # may be given out.
            if attempt.whole is not None and attempt.whole.rows.events:
                self._cache.follow(attempt.whole.batch)

        self._writer.alone(turn)
        mark(attempt.ran, "done")

    def _stood(self, error: SQLAlchemyError, events: Sequence[Event], tries: Tries) -> bool:
        """Find out whether the transaction that lost its connection was committed; if not, it may be done again.

        Raises:
            SQLAlchemyError: it lost none, or the server can't be reached any more.
        """
        while tries.again(error):
            try:
                # With the lock on the head, which the lost transaction held, it is over one way or the other.
                stood = self._writer.transaction(lambda driver: _holds(driver, events))
            except SQLAlchemyError as further:
                error = further
            else:
                self._cache.clear()
                return stood
        raise error

    def _told(self, error: SQLAlchemyError, ran: Sequence[Member]) -> StoreError:
        """Say what happened; to whom something may have been written, that too."""
        if any(member.fate == "doubtful" for member in ran) and Tries(self.engine).lost(error):
            return StoreError(
                f"{self._place}: the connection was lost as this was written, and the server can't be asked whether it "
                "stands: look when it is back, or ask again with the same request id"
            )
        return in_our_words(error, self._place)

    def _stands(self, events: Sequence[Event]) -> bool:
        """Tell whether these events were committed; all of them or none was."""
        if not events:
            return False
        last = events[-1]
        return self.read(lambda snapshot: snapshot.event_bytes(last.seq)) == last.data

    def extend(self, events: Sequence[Event], openings: Mapping[int, Sequence[Opening]]) -> Head:
        """Add events that have their bytes already; see `ledger.log.Log.extend`."""
        tries = Tries(self.engine)
        with translated(self._place):
            while True:
                made: list[Batch] = []
                try:
                    self._writer.alone(lambda made=made: self._extend(events, openings, made))  # type: ignore[misc]
                    return made[0].head
                except SQLAlchemyError as error:
                    if self._stood(error, made[0].events if made else (), tries) and made:
                        return made[0].head

    def _extend(self, events: Sequence[Event], openings: Mapping[int, Sequence[Opening]], made: list[Batch]) -> None:
        """Make and write the batch of these events, and keep it in ``made`` before it is written."""

        def work(driver: Driver) -> None:
            snapshot = CachedSnapshot(driver, self._cache)
            batch = extend(snapshot, self._views, events, openings)
            made.append(batch)
            if batch.events:
                write(driver, snapshot.head, batch)

        self._writer.begin(work)
        self._cache.follow(made[0])

    def store_checkpoint(self, size: int, note: bytes) -> None:
        """Keep a signed checkpoint; see `ledger.log.Log.store_checkpoint`."""
        table = schema.checkpoints

        def store(driver: Driver) -> None:
            connection = driver.connection
            standing = connection.execute(sa.select(table.c.note).where(table.c.size == size)).scalar_one_or_none()
            if standing is None:
                connection.execute(sa.insert(table), [{"size": size, "note": note}])
            elif standing != note:
                raise StoreError(f"another checkpoint of size {size} stands already")

        with translated(self._place):
            repeated(self.engine, lambda: self._writer.transaction(store))

    def store_cosignature(self, size: int, witness: str, line: str) -> None:
        """Keep what a witness added to a checkpoint; see `ledger.log.Log.store_cosignature`."""
        self._beside_checkpoint(schema.cosignatures, {"size": size, "witness": witness, "line": line})

    def store_timestamp(self, size: int, authority: str, token: bytes) -> None:
        """Keep an RFC 3161 token over a checkpoint; see `ledger.log.Log.store_timestamp`."""
        self._beside_checkpoint(schema.timestamps, {"size": size, "authority": authority, "token": token})

    def _beside_checkpoint(self, table: sa.Table, row: dict[str, object]) -> None:
        """Add a row that speaks of a checkpoint, unless one with its key stands."""
        checkpoints = schema.checkpoints.c

        def store(driver: Driver) -> None:
            connection = driver.connection
            kept = sa.select(checkpoints.size).where(checkpoints.size == row["size"])
            if connection.execute(kept).scalar_one_or_none() is None:
                raise StoreError(f"no checkpoint of size {row['size']} is kept")
            key = [column == row[column.name] for column in table.primary_key]
            if connection.execute(sa.select(sa.literal(1)).select_from(table).where(*key)).first() is None:
                connection.execute(sa.insert(table), [row])

        with translated(self._place):
            repeated(self.engine, lambda: self._writer.transaction(store))

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


def _holds(driver: Driver, events: Sequence[Event]) -> bool:
    """Tell whether these events stand, by the last of them."""
    return bool(events) and SqlSnapshot(driver.connection).event_bytes(events[-1].seq) == events[-1].data
