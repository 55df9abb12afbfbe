"""The connection that writes: one transaction at a time, of one thread at a time.

The database's write lock, taken as a transaction begins and held to its end, is what makes it the only one on the
machine; the turn merely spares the threads of one process from polling for it. The connection stays open from one
transaction to the next, since taking one from the pool costs as much as half an append; one that failed is given back.

Whoever has the turn hands in a function. A context manager of Python's own could be interrupted as it is left, before
it has let go of anything; here what was taken is let go of within the block that took it, or by its handler.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import SQLAlchemyError

from ledger.errors import StoreBusyError, StoreError
from ledger.sql import dialect
from ledger.sql.driver import Driver
from ledger.sql.engine import BUSY_SECONDS, place, writer
from ledger.sql.loss import ConnectionLostError

T = TypeVar("T")


class Writer:
    """The only writer of one log in this process.

    Args:
        engine: an engine of `ledger.sql.engine`.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = writer(engine)
        self._name = place(engine)
        self._kind = dialect.of(engine)
        self._turn = threading.RLock()
        self._holder: int | None = None
        self._kept: tuple[sa.Connection, DBAPICursor] | None = None

    def alone(self, work: Callable[[], T]) -> T:
        """Keep the other threads of this process out while work is done.

        Raises:
            StoreBusyError: another thread held the writer for too long.
            StoreError: this thread holds it already.
        """
        self.check_free()
        try:
            if not self._turn.acquire(timeout=BUSY_SECONDS):
                self._refuse()
            self._holder = threading.get_ident()
            result = work()
            self._let_go()
        except BaseException:
            # Interrupted between any two steps: what was let go of already is left alone.
            self._let_go()
            raise
        return result

    def _refuse(self) -> None:
        raise StoreBusyError(f"{self._name}: another thread is writing and did not finish in time: try again")

    def _let_go(self) -> None:
        if self._holder == threading.get_ident():
            self._holder = None
        try:
            self._turn.release()
        except RuntimeError:
            # A lock of this kind is let go of by its owner, and by nobody else.
            return

    def begin(self, work: Callable[[Driver], T]) -> T:
        """Begin within a turn, do the work, and commit, if it has not done so; or roll back what raised.

        Args:
            work: gets the driver of the connection, whose own `Driver.connection` is in the same transaction.

        Raises:
            ConnectionLostError: it broke, whoever was told so first.
            SQLAlchemyError: the database refuses.
        """
        (connection, cursor), self._kept = self._kept or self._connect(), None
        try:
            driver = Driver(connection, cursor, self._kind)
            driver.begin()
            try:
                result = work(driver)
                driver.finish()
            finally:
                driver.end()
        except (SQLAlchemyError, StoreError) as error:
            lost = connection.invalidated
            connection.close()
            if lost:
                raise ConnectionLostError from error
            raise
        except BaseException:
            connection.close()
            raise
        self._kept = connection, cursor
        return result

    def _connect(self) -> tuple[sa.Connection, DBAPICursor]:
        connection = self._engine.connect()
        return connection, connection.connection.cursor()

    def transaction(self, work: Callable[[Driver], T]) -> T:
        """Begin in a turn of its own; see `alone` and `begin`."""
        return self.alone(lambda: self.begin(work))

    def check_free(self) -> None:
        """Refuse to wait for what this thread itself holds.

        Raises:
            StoreError: it is within a transaction.
        """
        if self._holder == threading.get_ident():
            raise StoreError(f"{self._name}: a transaction can't wait for another one: do both in one, or after it")

    def close(self) -> None:
        """Let go of the connection."""
        self.alone(self._close)

    def _close(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept[0].close()
