"""A connection to a SQLite file that knows which file it was opened on."""

import os
import sqlite3

from ledger.errors import StoreError


class FileConnection(sqlite3.Connection):
    """A connection that knows which file it was opened on."""

    def opened_on(self, path: str) -> None:
        """Keep which file stands at a path now."""
        self._path, self._opened = path, _identity(path)

    def check_place(self) -> None:
        """Refuse a file that a backup was put in the place of: what is written would go to one without a name.

        Raises:
            StoreError: it was replaced.
        """
        if self._opened != _identity(self._path):
            raise StoreError(f"{self._path}: the file was replaced while it was open: end this process and begin anew")


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116  (at each transaction: a Path is made anew for three times the price)
    except OSError:
        return None
    return found.st_dev, found.st_ino
