"""The tables beside the events: claims and tags as a whole, and rows of any table that belong to no event."""

from collections.abc import Iterator
from dataclasses import dataclass

from ledger import mmr
from ledger.sql.ranges import Keyed, Row
from ledger.sql.raw import RawTables
from tools.audit.crew import Crew
from tools.audit.keys import KeyCheck, equal
from tools.audit.report import Kind, Progress, Status, Tallies, spell
from tools.audit.walk import Walk


@dataclass(frozen=True, slots=True)
class TableCheck:
    """Holds the tables against what a walk over the events came to."""

    raw: RawTables
    walk: Walk
    tallies: Tallies
    status: Status

    def keys(self, table: Keyed, crew: Crew) -> None:
        """Compare a table of keys: the sums first, and the rows of each bucket whose sums differ."""
        walk = self.walk
        stored = crew.sums(table, walk.start, walk.size)
        demanded = walk.demanded(table)
        differing = []
        for bucket in sorted(demanded.keys() | stored.keys()):
            rows, mark = demanded.get(bucket, (0, 0))
            if equal(mark, stored.get(bucket, 0)):
                self.tallies.checked(table, rows)
            else:
                differing.append(bucket)
        check = KeyCheck(self.raw.ranges, walk.task.registry, table, walk.unread, self.tallies)
        if differing:
            check.run(differing, walk.start, walk.size)
        beyond = self._beyond()
        for row in self.raw.ranges.strangers(table, walk.size):
            torn = type(row[0]) is int and walk.size <= row[0] < beyond
            check.stranger(row, "torn" if torn else "tampering")
        self.status(Progress(table, 1, 1))

    def strange_openings(self) -> None:
        """Name the openings that belong to no event."""
        for seq, path in self.raw.ranges.strangers("disclosures", self.walk.size):
            key = f"{spell(seq)} {spell(path)}"
            self.tallies.find("disclosures", "disclosures", key, "it belongs to no event")

    def strange_events(self) -> None:
        """Name the events that the log has not: what follows its end without a gap may be an unfinished write."""
        size = self.walk.size
        for row, kind in _following(self.raw.ranges.strangers("events", size), size):
            self.tallies.find("events", "events", f"seq {spell(row[0])}", "the log has no such event", kind=kind)

    def strange_nodes(self) -> None:
        """Name the nodes that the trees have not."""
        size = mmr.size(self.walk.size)
        for row, kind in _following(self.raw.ranges.strangers("nodes", size), size):
            self.tallies.find("nodes", "nodes", f"pos {spell(row[0])}", "the trees have no such node", kind=kind)

    def _beyond(self) -> int:
        """Count the events, with those behind the end that follow it without a gap."""
        strangers = _following(self.raw.ranges.strangers("events", self.walk.size), self.walk.size)
        return self.walk.size + sum(kind == "torn" for _, kind in strangers)


def _following(rows: Iterator[Row], number: int) -> Iterator[tuple[Row, Kind]]:
    for row in rows:
        follows = type(row[0]) is int and row[0] == number
        number += follows
        yield row, "torn" if follows else "tampering"
