"""Reading a second table beside the events, in step: the rows of each number, and those that belong to none."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Row = TypeVar("Row", bound=tuple[object, ...])


class Side(Generic[Row]):
    """A stream of rows ordered by their first column, taken number by number.

    Args:
        rows: the rows.
        stranger: is told of each row whose number is never asked for, or is no number.
    """

    def __init__(self, rows: Iterator[Row], stranger: Callable[[Row], None]) -> None:
        self._rows = rows
        self._stranger = stranger
        self._waiting = next(rows, None)

    def take(self, number: int) -> list[Row]:
        """Give the rows of this number, which is above each one asked for before."""
        found: list[Row] = []
        while (row := self._waiting) is not None:
            own = row[0]
            if type(own) is int and own > number:
                break
            if type(own) is int and own == number:
                found.append(row)
            else:
                self._stranger(row)
            self._waiting = next(self._rows, None)
        return found

    def finish(self) -> None:
        """Call every row that is left a stranger."""
        while self._waiting is not None:
            self._stranger(self._waiting)
            self._waiting = next(self._rows, None)
