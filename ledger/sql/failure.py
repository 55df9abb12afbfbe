"""What the database says, in the ledger's words: one line that tells what to do."""

from typing import Final

from sqlalchemy.exc import DBAPIError, IntegrityError, ResourceClosedError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ledger.errors import CorruptError, LedgerError, StoreBusyError, StoreError
from ledger.sql import dialect
from ledger.sql.dialect.base import LOST
from ledger.sql.loss import ConnectionLostError

_BY_KIND: Final[tuple[tuple[type[SQLAlchemyError], type[StoreError], str], ...]] = (
    (PoolTimeoutError, StoreBusyError, "too many threads wait for the database: try again"),
    (ResourceClosedError, StoreError, "this look at the log has ended; read within it"),
    (ConnectionLostError, StoreError, LOST),
)


class translated:  # noqa: N801  (used as a function; a generator would take longer than what it guards)
    """Let no error of the database library pass: each becomes a `StoreError` that names the place."""

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        """Raise the error of ours."""
        if isinstance(error, SQLAlchemyError):
            raise in_our_words(error, self._place) from error


def of_database(error: LedgerError) -> bool:
    """Tell whether the database itself could not do what it was asked, rather than that a row is wrong."""
    return isinstance(error.__cause__, SQLAlchemyError)


def in_our_words(error: SQLAlchemyError, place: str) -> StoreError:
    """Give the `StoreError` that says the same."""
    for type_, error_of_ours, advice in _BY_KIND:
        if isinstance(error, type_):
            return error_of_ours(f"{place}: {advice}")
    cause = error.orig if isinstance(error, DBAPIError) else error
    first_line = str(cause).partition("\n")[0]
    for kind in dialect.met():
        words = kind.words(cause or error)
        if words is not None:
            error_of_ours, advice = words
            return error_of_ours(f"{place}: {advice} ({first_line})")
    if "no such table" in first_line or "no such column" in first_line:
        return StoreError(f"{place}: not the tables of this version: run `tally doctor` ({first_line})")
    if "no such trigger" in first_line:
        return StoreError(
            f"{place}: a trigger that guards the rows is missing: run `tally audit`, which names each, "
            f"and restore a backup ({first_line})"
        )
    if isinstance(error, IntegrityError) or first_line.startswith("Could not decode"):
        return CorruptError(f"{place}: what is stored contradicts itself: run `tally audit` ({first_line})")
    return StoreError(f"{place}: {first_line}")
