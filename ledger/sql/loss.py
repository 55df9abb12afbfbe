"""A lost connection: what was asked is done again on a new one, a bounded number of times, where nothing of it stands.

Before COMMIT was sent, a transaction that lost its connection is undone by the server. After that nobody can say from
here: so whoever committed events asks the log, under its lock, whether they stand (`ledger.sql.log`).

A file is never lost in this way.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ledger.sql import dialect

T = TypeVar("T")

PAUSES: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 3.0)
"""How many seconds to wait before each further try: some ten together, in which a server can start again."""


class ConnectionLostError(SQLAlchemyError):
    """The connection broke while something was read through it, and what was read counts for nothing."""


class Tries:
    """Counts the tries of one piece of work.

    Args:
        engine: the engine that it is done on.
    """

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._left = iter(PAUSES)

    def again(self, error: SQLAlchemyError) -> bool:
        """Tell whether to try again after this error; waits a little first if so."""
        pause = next(self._left, None) if self.lost(error) else None
        if pause is None:
            return False
        time.sleep(pause)
        return True

    def lost(self, error: SQLAlchemyError) -> bool:
        """Tell whether an error says that the connection is lost."""
        if isinstance(error, ConnectionLostError):
            return True
        lost = dialect.of(self._engine).lost
        return isinstance(error, DBAPIError) and error.orig is not None and lost(error.orig)


def check_alive(connection: sa.Connection) -> None:
    """Refuse to go on with a connection that broke while somebody else read through it, and was told so.

    Raises:
        ConnectionLostError: it broke.
    """
    if connection.invalidated:
        raise ConnectionLostError("the connection to the server was lost")


def repeated(engine: sa.Engine, work: Callable[[], T]) -> T:
    """Do work that may be done twice, and do it again where the connection is lost.

    Raises:
        SQLAlchemyError: the database refuses, or can't be reached.
    """
    tries = Tries(engine)
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            if not tries.again(error):
                raise
