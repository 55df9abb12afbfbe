"""Measure tallystick, its peers, and the floor under them, in one run on one machine.

    python -m tools.dev.bench [--events 1e7] [--quick] [--write]

A full run takes about 25 minutes. ``--quick`` is a small one that shows that everything works; its figures mean little.
``--write`` puts the page into docs/benchmarks.md and the plot beside it.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tools.dev.bench import (
    analysing,
    appending,
    auditing,
    deciding,
    growing,
    judging,
    page,
    peers,
    plot,
    postgres,
    standing,
)
from tools.dev.bench.logs import bytes_on_disk
from tools.dev.bench.sample import check_template
from tools.dev.bench.sheet import SQLITE, Sheet
from tools.dev.bench.thresholds import judge

PAGE = Path(__file__).parents[3] / "docs" / "benchmarks.md"
SMALLEST = 10_000


@dataclass(frozen=True)
class Plan:
    """How far a run goes.

    Attributes:
        events: our own log's final size.
        peers: theirs, as far as the time reaches.
        seconds: how long each peer may take.
        postgres: our log's final size on PostgreSQL.
        audited: how many events are audited.
    """

    events: int
    peers: int
    seconds: float
    postgres: int
    audited: int

    def sizes(self, most: int) -> list[int]:
        """List the powers of ten up to a size, and that size."""
        powers = [10**power for power in range(4, 13) if 10**power < most]
        return [*powers, most]


def plan(options: argparse.Namespace) -> Plan:
    """Read how far the run goes."""
    if options.quick:
        return Plan(int(options.events or 100_000), 20_000, 10, 20_000, 20_000)
    return Plan(int(options.events or 10_000_000), 1_000_000, 100, 100_000, 200_000)


def main() -> None:
    """Run every measure and print the table."""
    options = _options()
    far = plan(options)
    if far.events < SMALLEST:
        raise SystemExit(f"--events is at least {SMALLEST:,}")
    check_template()
    sheet, sizes = Sheet(), far.sizes(far.events)

    def grow(place: Path) -> None:
        growing.measure(
            sheet, lambda name: place / f"{name}.db", SQLITE, sizes, lambda name: bytes_on_disk(place / f"{name}.db")
        )

    measures: dict[str, Callable[[Path], None]] = {
        "appending": lambda place: appending.on_sqlite(sheet, place),
        "growing": grow,
        "auditing": lambda place: auditing.measure(sheet, place, far.audited),
        "analysing": lambda _: analysing.measure(sheet),
        "deciding": lambda place: deciding.measure(sheet, place),
        "standing": lambda place: standing.measure(sheet, place),
        "judging": lambda place: judging.measure(sheet, place),
        "postgres": lambda _: postgres.measure(sheet, far.sizes(far.postgres)),
        "peers": lambda _: peers.measure(sheet, far.sizes(far.peers), far.seconds),
    }
    for name, measure in measures.items():
        if name in options.without:
            sheet.notes.append(f"{name}: NOT-RUN, left out by hand.")
            continue
        with TemporaryDirectory(prefix="tally-bench-") as place:
            begun = perf_counter()
            measure(Path(place))
            print(f"{name}: {perf_counter() - begun:.0f} s", file=sys.stderr)
    thresholds = judge(sheet, sizes)
    print(page.table(sheet.rows.values()))
    print(page.judged(thresholds))
    if options.write:
        page.save(sheet, thresholds, PAGE, plot.draw(sheet, sizes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.dev.bench", description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=float, help="our own log's final size, such as 1e7")
    parser.add_argument("--quick", action="store_true", help="a small run")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md and the plot")
    parser.add_argument("--without", action="append", default=[], metavar="PART", help="leave out peers, postgres, ...")
    return parser.parse_args()


if __name__ == "__main__":
    main()
