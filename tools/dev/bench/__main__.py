"""Measure tallystick, and the floor under it, in one run on one machine.

    python -m tools.dev.bench [--write]

Rows with a ratio are measured in turns with the raw floor: the same bytes put into a plain SQLite table with the same
durability. ``--write`` puts the table into docs/benchmarks.md.
"""

import platform
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tools.dev.bench import appending, deciding, proving
from tools.dev.bench.row import Row

DOCS = Path(__file__).parents[3] / "docs" / "benchmarks.md"

MEASURES: tuple[Callable[[Path], list[Row]], ...] = (appending.measure, proving.measure, deciding.measure)


def main() -> None:
    """Run every measure and print the table."""
    rows: list[Row] = []
    for measure in MEASURES:
        with TemporaryDirectory() as place:
            begun = perf_counter()
            rows += measure(Path(place))
            print(f"{measure.__module__}: {perf_counter() - begun:.0f} s", file=sys.stderr)
    text = table(rows)
    print(text)
    if "--write" in sys.argv:
        DOCS.write_text(HEAD + text, "utf-8")


HEAD = f"""# Benchmarks

`make bench` measures all rows in one run and writes this page. Machines differ and are noisy: the ratios are
what to look at. Measured with Python {platform.python_version()} on {platform.machine()}, medians of several turns.

"""


def table(rows: list[Row]) -> str:
    """Lay the rows out as a Markdown table."""
    lines = ["| what | rate | beside it | ratio |", "|---|---|---|---|"]
    for row in rows:
        floor = f"{row.floor_name}: {statistics.median(row.floor):,.0f} {row.unit}" if row.floor else ""
        ratio = f"{row.ratio():.2f}" if row.floor else ""
        lines.append(f"| {row.what} | {statistics.median(row.rates):,.0f} {row.unit} | {floor} | {ratio} |")
    return "\n".join(lines) + "\n"


main()
