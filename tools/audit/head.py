"""The head: how large the log is, and whether its one row is what the events come to."""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger import mmr
from ledger.digest import SIZE
from ledger.errors import ProofError, StoreError
from ledger.sql.raw import HeadRow, RawTables
from tools.audit.ranged import stored_peaks
from tools.audit.report import Tallies, spell
from tools.audit.walk import Walk

_DRAWN = 64
"""Of a range in which half of the rows are missing, so many all stand with a chance of 2^-64."""


def believed_size(heads: Sequence[HeadRow], raw: RawTables) -> int:
    """Give the size that most of the tables speak for; among equals, the head's.

    What no number of rows could bear out is no vote, so that a forged number can't make an audit endless. To count
    them is to read them all; where head, events and nodes say the same, rows drawn at random bear it out.
    """
    last_event, last_node = raw.last_numbers()
    told = [*(row.size for row in heads), _after(last_event), _leaves(_after(last_node))]
    if len(heads) == 1 and isinstance(told[0], int) and told[0] >= 0 and told == [told[0]] * len(told):
        drawn = {secrets.randbelow(told[0]) for _ in range(_DRAWN)} if told[0] else set()
        if all(_stands(raw, seq) for seq in drawn):
            return told[0]
    extent = raw.extent()
    most = extent.events + extent.nodes
    votes: Counter[int] = Counter()
    for vote in (*told[: len(heads)], extent.events, told[-2], _leaves(extent.nodes), told[-1]):
        if isinstance(vote, int) and 0 <= vote <= most:
            votes[vote] += 1
    return votes.most_common(1)[0][0]


def _stands(raw: RawTables, seq: int) -> bool:
    try:
        return raw.event_bytes(seq) is not None
    except StoreError:
        # It lies on a page that can't be read: it was there.
        return True


def last_peak(heads: Sequence[HeadRow]) -> bytes | None:
    """Give the last BLAKE3 peak that the head holds, or None."""
    peaks = heads[0].blake3_peaks if heads else None
    return peaks[-SIZE:] if isinstance(peaks, bytes) else None


@dataclass(frozen=True, slots=True)
class HeadCheck:
    """Holds the head, and the generation of the states, against a walk over the events."""

    raw: RawTables
    walk: Walk
    tallies: Tallies

    def run(self) -> None:
        """Check the head's row."""
        self.tallies.checked("head")
        rows = list(self.raw.heads())
        if len(rows) != 1:
            self.tallies.find("head", "head", "", f"{len(rows)} rows stand where there is one")
            return
        wrong = [
            (column, stored, expected)
            for column, stored, expected in self._columns(rows[0])
            # Types too: 1 is not True, and text is not bytes.
            if type(stored) is not type(expected) or stored != expected
        ]
        size = rows[0].size
        if wrong and isinstance(size, int) and self._is_behind(rows[0], size):
            told = f"it is the head of {size} events, and {self.walk.size} stand: the last write was not finished"
            self.tallies.find("head", "head", "", told, kind="torn", events=(size, self.walk.size))
            return
        for column, stored, expected in wrong:
            self.tallies.find("head", "head", "", f"{column} is {spell(stored)}, and should be {spell(expected)}")

    def generation(self) -> None:
        """Check that the generation of the states is one count."""
        rows = list(self.raw.projections())
        if len(rows) != 1:
            self.tallies.find("states", "projections", "", f"{len(rows)} rows stand where there is one")
        for row in rows:
            if type(row.one) is not int or row.one != 1:
                self.tallies.find("states", "projections", "", f"one is {spell(row.one)}, and should be 1")
            if type(row.generation) is not int or row.generation < 0:
                self.tallies.find("states", "projections", "", f"generation is {spell(row.generation)}: no count")

    def _columns(self, row: HeadRow) -> Iterator[tuple[str, object, object]]:
        walk = self.walk
        yield "one", row.one, 1
        yield "size", row.size, walk.size
        peaks = walk.believed()
        if peaks is not None and len(peaks) == walk.size.bit_count():
            yield "blake3_peaks", row.blake3_peaks, b"".join(own for own, _ in peaks)
            yield "sha256_peaks", row.sha256_peaks, b"".join(twin for _, twin in peaks)
        else:
            self.tallies.skip("head", "the peaks can't be known")
        if walk.size == 0 or walk.last_at is not None:
            yield "at", row.at, walk.last_at
        else:
            self.tallies.skip("head", "the last event's time can't be known")
        if walk.unread or walk.start:
            self.tallies.skip("head", "the incarnation can't be known")
        else:
            yield "incarnation", row.incarnation, walk.lives

    def _is_behind(self, row: HeadRow, size: int) -> bool:
        """Tell whether the row is the whole head of an earlier size."""
        if not 0 <= size < self.walk.size:
            return False
        peaks = stored_peaks(self.raw.ranges, size)
        return peaks is not None and (row.blake3_peaks, row.sha256_peaks) == (
            b"".join(own for own, _ in peaks),
            b"".join(twin for _, twin in peaks),
        )


def _after(last: object) -> int | None:
    if last is None:
        return 0
    return last + 1 if isinstance(last, int) else None


def _leaves(nodes: int | None) -> int | None:
    try:
        return None if nodes is None else mmr.leaf_count(nodes)
    except ProofError:
        return None
