"""Reading a tree's nodes, with or without events: one query for each proof, whatever its size.

A proof of one event asks for a few dozen rows at most, and is asked for often. To SQLite such a query is one row of
scalar subqueries, in the order of what was asked: there is nothing to sort out behind it, and no list to build before
it. Longer lists, and all lists of PostgreSQL, which plans such a row anew each time, are handed over as one array.
"""

from collections.abc import Sequence
from functools import cache
from typing import cast

from sqlalchemy.exc import SQLAlchemyError

from ledger.errors import ProofError
from ledger.log import Tree
from ledger.sql.driver import Driver
from ledger.sql.failure import in_our_words

_LISTS = (
    "SELECT 0, seq, bytes FROM events WHERE seq {listed} UNION ALL SELECT 1, pos, {tree} FROM nodes WHERE pos {listed}"
)


class SqlNodes:
    """Reads one tree's nodes.

    Args:
        driver: the look's connection.
        tree: which of the two.
        place: the database's name in messages.
    """

    def __init__(self, driver: Driver, tree: Tree, place: str) -> None:
        self._driver = driver
        self._tree = tree
        self._place = place
        self._kind = driver.kind

    def read(self, positions: Sequence[int]) -> list[bytes]:
        """Give the hashes at these positions, in the same order; see `ledger.mmr.NodeReader`."""
        return self.read_with((), positions)[1]

    def read_with(self, seqs: Sequence[int], positions: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        """Give events and hashes, each in the order asked; see `ledger.log.TreeReader`."""
        asked = len(seqs) + len(positions)
        if not asked:
            return [], []
        try:
            found = self._few(seqs, positions) if asked <= self._kind.scalars else self._many(seqs, positions)
        except SQLAlchemyError as error:
            raise in_our_words(error, self._place) from error
        if None in found:
            raise ProofError("the log has no such node: run `tally audit` if it should")
        known = cast("list[bytes]", found)
        return known[: len(seqs)], known[len(seqs) :]

    def _few(self, seqs: Sequence[int], positions: Sequence[int]) -> list[bytes | None]:
        statement, kinds = _scalars(self._tree, len(seqs), len(positions))
        return list(self._driver.row(statement, (*seqs, *positions), kinds) or (None,))

    def _many(self, seqs: Sequence[int], positions: Sequence[int]) -> list[bytes | None]:
        statement = _LISTS.format(listed=self._kind.listed, tree=self._tree)
        arrays = (self._kind.array(seqs), self._kind.array(positions))
        rows = self._driver.rows(statement, arrays, (int, int, bytes))
        found: dict[tuple[int, int], bytes] = {(kind, number): value for kind, number, value in rows}
        return [*(found.get((0, seq)) for seq in seqs), *(found.get((1, position)) for position in positions)]


@cache
def _scalars(tree: Tree, seqs: int, positions: int) -> tuple[str, tuple[type, ...]]:
    asked = [
        *["(SELECT bytes FROM events WHERE seq = ?)"] * seqs,
        *[f"(SELECT {tree} FROM nodes WHERE pos = ?)"] * positions,  # noqa: S608  (a Literal)
    ]
    return f"SELECT {', '.join(asked)}", (bytes,) * len(asked)
