"""The connection that writes: one transaction at a time, of one thread at a time.

The database's write lock, taken as a transaction begins and held to its end, is what makes it the only one on the
machine; the turn merely spares the threads of one process from polling for it. The connection stays open from one
transaction to the next, since taking one from the pool costs as much as half an append; one that failed is given back.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from ledger.errors import StoreBusyError, StoreError
from ledger.sql.engine import BUSY_SECONDS, place, writer
from ledger.sql.loss import ConnectionLostError, check_alive


class Writer:
    """The only writer of one log in this process.

    Args:
        engine: an engine of `ledger.sql.engine`.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = writer(engine)
        self._name = place(engine)
        self._turn = threading.RLock()
        self._holder: int | None = None
        self._kept: sa.Connection | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep the other threads of this process out.

        Raises:
            StoreBusyError: another thread held the writer for too long.
            StoreError: this thread holds it already.
        """
        self.check_free()
        try:
            if not self._turn.acquire(timeout=BUSY_SECONDS):
                raise StoreBusyError(f"{self._name}: another thread is writing and did not finish in time: try again")
            self._holder = threading.get_ident()
            yield
        finally:
            if self._holder == threading.get_ident():
                self._holder = None
            # Interrupted between any two steps: a lock of this kind is let go by its owner, and by nobody else.
            with suppress(RuntimeError):
                self._turn.release()

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """Begin within a turn, and commit at the end, or roll back what raised.

        Raises:
            ConnectionLostError: it broke, whoever was told so first.
            SQLAlchemyError: the database refuses.
        """
        connection, self._kept = self._kept or self._engine.connect(), None
        try:
            with connection.begin():
                yield connection
                # Somebody who read through it may have kept the error to himself.
                check_alive(connection)
        except (SQLAlchemyError, StoreError) as error:
            lost = connection.invalidated
            connection.close()
            if lost:
                raise ConnectionLostError from error
            raise
        except BaseException:
            connection.close()
            raise
        self._kept = connection

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Begin in a turn of its own; see `turn` and `begin`."""
        with self.turn(), self.begin() as connection:
            yield connection

    def check_free(self) -> None:
        """Refuse to wait for what this thread itself holds.

        Raises:
            StoreError: it is within a transaction.
        """
        if self._holder == threading.get_ident():
            raise StoreError(f"{self._name}: a transaction can't wait for another one: do both in one, or after it")

    def close(self) -> None:
        """Let go of the connection."""
        with self.turn():
            if self._kept is not None:
                self._kept.close()
                self._kept = None
