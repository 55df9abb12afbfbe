"""States while they are folded: as many as there are, in little memory, and gone afterwards.

A fold over a whole log may touch as many keys as there are events. The last ones used are held in memory, the others
lie in a temporary database that SQLite keeps in a file without a name.
"""

import sqlite3
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from ledger.view import StateRow

HELD = 20_000
"""So many states are held in memory before those that changed are written away."""

_MAKE = """CREATE TABLE states (view TEXT, key TEXT, seq INTEGER, state BLOB, PRIMARY KEY (view, key)) WITHOUT ROWID"""
_GET = "SELECT seq, state FROM states WHERE view = ? AND key = ?"
_PUT = "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)"
_ALL = "SELECT view, key, seq, state FROM states ORDER BY view, key"


class ScratchStates:
    """The states of one fold.

    Args:
        held: how many may be held in memory.
    """

    def __init__(self, held: int = HELD) -> None:
        self._held = held
        self._rows: dict[tuple[str, str], StateRow | None] = {}
        self._changed: set[tuple[str, str]] = set()
        # The empty name is a file of SQLite's own that is deleted as it is closed.
        self._below = sqlite3.connect("", isolation_level=None)
        self._below.execute("PRAGMA synchronous = OFF")
        self._below.execute("PRAGMA journal_mode = OFF")
        self._below.execute(_MAKE)
        self._empty = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self.close()

    def get(self, view: str, key: str) -> StateRow | None:
        """Give the state of a key, or None."""
        at = (view, key)
        if at in self._rows or self._empty:
            return self._rows.get(at)
        found = self._below.execute(_GET, at).fetchone()
        row = None if found is None else StateRow(view, key, *found)
        self._hold(at, row)
        return row

    def put(self, row: StateRow) -> None:
        """Keep a state over the one before it."""
        at = (row.view, row.key)
        self._changed.add(at)
        self._hold(at, row)

    def rows(self) -> Iterator[StateRow]:
        """Give all states, sorted by the bytes of view and key; none may be put meanwhile."""
        self._write_away()
        for found in self._below.execute(_ALL):
            yield StateRow(*found)

    def close(self) -> None:
        """Let go of everything."""
        self._below.close()

    def _hold(self, at: tuple[str, str], row: StateRow | None) -> None:
        self._rows[at] = row
        if len(self._rows) > self._held:
            self._write_away()

    def _write_away(self) -> None:
        changed = [row for at in self._changed if (row := self._rows[at]) is not None]
        if changed:
            self._empty = False
            self._below.execute("BEGIN")
            self._below.executemany(_PUT, [(row.view, row.key, row.seq, row.data) for row in changed])
            self._below.execute("COMMIT")
        self._changed.clear()
        self._rows.clear()
