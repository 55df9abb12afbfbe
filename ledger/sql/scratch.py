"""States while they are folded: as many as there are, in little memory, and gone afterwards.

A fold over a whole log may touch as many keys as there are events. The last ones used are held in memory, the others
lie in a temporary database that SQLite keeps in a file without a name.
"""

import sqlite3
from collections.abc import Iterator
from types import TracebackType
from typing import Self, TypeAlias, cast

from ledger import canon
from ledger.event import Event
from ledger.view import State, StateRow, View

HELD = 20_000
"""So many states are held in memory before those that changed are written away."""

_MAKE = """CREATE TABLE states (view TEXT, key TEXT, seq INTEGER, state BLOB, PRIMARY KEY (view, key)) WITHOUT ROWID"""
_GET = "SELECT seq, state FROM states WHERE view = ? AND key = ?"
_PUT = "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)"
_ALL = "SELECT view, key, seq, state FROM states ORDER BY view, key"


_Held: TypeAlias = tuple[int, bytes]
"""Which event changed a state last, and the state in canonical bytes."""


class ScratchStates:
    """The states of one fold.

    Args:
        held: how many may be held in memory.
    """

    def __init__(self, held: int = HELD) -> None:
        self._held = held
        self._rows: dict[tuple[str, str], _Held | None] = {}
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
        found = self._found((view, key))
        return None if found is None else StateRow(view, key, *found)

    def put(self, row: StateRow) -> None:
        """Keep a state, in the bytes that `ledger.canon` gave, over the one before it."""
        self._put((row.view, row.key), (row.seq, row.data))

    def fold(self, view: View, key: str, event: Event) -> None:
        """Fold an event into the state of one key.

        Raises:
            ViewError: the event contradicts what stands before it.
        """
        at = view.name, key
        before = self._found(at)
        # What stands here was encoded here, so it need not be proven canonical again.
        state = None if before is None else cast("State", canon.reread(before[1]))
        self._put(at, (event.seq, canon.encode(view.apply(key, state, event))))

    def rows(self) -> Iterator[StateRow]:
        """Give all states, sorted by the bytes of view and key; none may be put meanwhile."""
        self._write_away()
        for found in self._below.execute(_ALL):
            yield StateRow(*found)

    def close(self) -> None:
        """Let go of everything."""
        self._below.close()

    def _found(self, at: tuple[str, str]) -> _Held | None:
        if at in self._rows or self._empty:
            return self._rows.get(at)
        found: _Held | None = self._below.execute(_GET, at).fetchone()
        self._hold(at, found)
        return found

    def _put(self, at: tuple[str, str], state: _Held) -> None:
        self._changed.add(at)
        self._rows[at] = state
        if len(self._rows) > self._held:
            self._write_away()

    def _hold(self, at: tuple[str, str], state: _Held | None) -> None:
        self._rows[at] = state
        if len(self._rows) > self._held:
            self._write_away()

    def _write_away(self) -> None:
        changed = [(*at, *state) for at in self._changed if (state := self._rows[at]) is not None]
        if changed:
            self._empty = False
            self._below.execute("BEGIN")
            self._below.executemany(_PUT, changed)
            self._below.execute("COMMIT")
        self._changed.clear()
        self._rows.clear()
