"""The plot: rates over the size of the log, both axes logarithmic, as SVG."""

from collections.abc import Callable
from math import ceil, floor, log10

from tools.dev.bench import growing
from tools.dev.bench.sheet import COLUMNS, Sheet

WIDTH, HEIGHT, LEFT, TOP, SIDE, GAP = 1000, 420, 70, 50, 340, 150
COLOURS = ("#1f5fa8", "#7aa6d6", "#b5482a", "#5f8f3e", "#8a5fa8", "#a8832a", "#555555", "#999999")
PANELS: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("verified inclusion proofs a second", growing.proving),
    ("events appended a second", growing.bulk),
)


def draw(sheet: Sheet, sizes: list[int]) -> str:
    """Draw a panel for proofs and one for appends, and a legend."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    seen: list[str] = []
    for number, (title, name) in enumerate(PANELS):
        lines = {column: _line(sheet, column, sizes, name) for column in COLUMNS}
        drawn = {column: points for column, points in lines.items() if points}
        seen += [column for column in drawn if column not in seen]
        parts += _panel(LEFT + number * (SIDE + GAP - 60), title, drawn, sizes)
    for number, column in enumerate(seen):
        left, top = LEFT + number * 170, HEIGHT - 16
        parts.append(f'<circle cx="{left}" cy="{top - 4}" r="5" fill="{_colour(column)}"/>')
        parts.append(f'<text x="{left + 10}" y="{top}">{column}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(sheet: Sheet, column: str, sizes: list[int], name: Callable[[int], str]) -> list[tuple[int, float]]:
    found = [(size, sheet.row(name(size)).median(column)) for size in sizes]
    return [(size, rate) for size, rate in found if rate]


def _panel(left: int, title: str, lines: dict[str, list[tuple[int, float]]], sizes: list[int]) -> list[str]:
    rates = [rate for points in lines.values() for _, rate in points] or [1.0, 10.0]
    low, high = floor(log10(min(rates))), max(ceil(log10(max(rates))), floor(log10(min(rates))) + 1)
    first, last = log10(sizes[0]), max(log10(sizes[-1]), log10(sizes[0]) + 1)
    bottom = HEIGHT - 70

    def x(size: float) -> float:
        return left + (log10(size) - first) / (last - first) * SIDE

    def y(rate: float) -> float:
        return bottom - (log10(rate) - low) / (high - low) * (bottom - TOP)

    parts = [f'<text x="{left}" y="{TOP - 20}" font-size="14">{title}</text>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(f'<line x1="{left}" y1="{at:.1f}" x2="{left + SIDE}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    parts += [f'<text x="{x(size):.1f}" y="{bottom + 18}" text-anchor="middle">{size:,}</text>' for size in sizes]
    for column, points in lines.items():
        path = " ".join(f"{x(size):.1f},{y(rate):.1f}" for size, rate in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_colour(column)}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(size):.1f}" cy="{y(rate):.1f}" r="4" fill="{_colour(column)}"/>' for size, rate in points
        ]
    return parts


def _colour(column: str) -> str:
    return COLOURS[COLUMNS.index(column)]
