"""One row of the table."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter


@dataclass
class Row:
    """Rates of one thing, turn by turn, and of the floor beside it."""

    what: str
    unit: str
    rates: list[float] = field(default_factory=list)
    floor_name: str = ""
    floor: list[float] = field(default_factory=list)

    def ratio(self) -> float:
        """Give the median of the rate over the floor's, turn by turn."""
        return statistics.median(own / floor for own, floor in zip(self.rates, self.floor, strict=True))


def rate(count: int, work: Callable[[], object]) -> float:
    """Give how many of ``count`` things a second the work does."""
    begun = perf_counter()
    work()
    return count / (perf_counter() - begun)
