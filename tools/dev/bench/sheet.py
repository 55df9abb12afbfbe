"""What was measured: rows of figures, one for each column, and the ratios between two columns turn by turn."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

SQLITE, POSTGRES = "tallystick, SQLite", "tallystick, PostgreSQL"
CLL, PYMERKLE, EVENTSOURCING, UMADB = "checkpointed-local-log", "pymerkle", "eventsourcing", "umadb"
CEDARPY, REGORUS, PYCASBIN = "cedarpy", "regorus", "pycasbin"
RAW_SQLITE, RAW_POSTGRES = "raw sqlite3", "raw COPY"
COLUMNS: Final = (
    SQLITE,
    POSTGRES,
    CLL,
    PYMERKLE,
    EVENTSOURCING,
    UMADB,
    RAW_SQLITE,
    RAW_POSTGRES,
    CEDARPY,
    REGORUS,
    PYCASBIN,
)


@dataclass
class Row:
    """One kind of work."""

    what: str
    unit: str
    figures: dict[str, list[float]] = field(default_factory=dict)

    def median(self, column: str) -> float | None:
        """Give the median over the turns, or None."""
        found = self.figures.get(column)
        return statistics.median(found) if found else None

    def ratio(self, column: str, floor: str) -> float | None:
        """Give the median of one column over another, turn by turn: what noise hits in one turn, it hits in both."""
        pairs = list(zip(self.figures.get(column, ()), self.figures.get(floor, ()), strict=False))
        return statistics.median(one / other for one, other in pairs) if pairs else None


@dataclass
class Sheet:
    """All rows, in the order in which they came up."""

    rows: dict[str, Row] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, unit: str, column: str, figure: float) -> None:
        """Note one turn."""
        self.rows.setdefault(what, Row(what, unit)).figures.setdefault(column, []).append(figure)

    def row(self, what: str) -> Row:
        """Give a row, empty if nothing was measured."""
        return self.rows.get(what) or Row(what, "")


def rate(count: int, work: Callable[[], object]) -> float:
    """Give how many of ``count`` things a second the work does."""
    begun = perf_counter()
    work()
    return count / (perf_counter() - begun)


def power(size: int) -> str:
    """Spell a size."""
    zeros = len(str(size)) - 1
    return f"10^{zeros}" if size == 10**zeros else f"{size:,}"
