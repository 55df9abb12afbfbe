"""A tree as one SVG file that stands by itself: text and lines alone, no script, no link, readable without colours.

Source: docs/guides/explain.md; SVG 1.1.
"""

import textwrap
from collections.abc import Iterator
from html import escape
from typing import Final

from tools.cli.output import safe
from tools.show.branch import Branch, Line, Mark, lines

_ROW, _STEP, _WIDE, _MARGIN = 20, 18, 7.3, 12
"""Height of a row, indent of a level, width of a letter, margin: in user units."""
_LONGEST: Final = 130

_DASHES: Final[dict[Mark, str]] = {"unknown": "4 2", "false": "1 3", "hold": "6 3"}
_COLOURS: Final[dict[Mark, str]] = {
    "true": "#118811",
    "allow": "#118811",
    "unknown": "#b06000",
    "hold": "#b06000",
    "deny": "#c00000",
    "false": "#888888",
}


def picture(title: str, tree: Branch) -> str:
    """Draw the picture.

    Args:
        title: what a reader without eyes hears.
        tree: what it shows.
    """
    rows = list(_rows(tree))
    width = max(_MARGIN * 2 + _left(line) + _WIDE * len(line.text) for line, _ in rows) + _STEP
    height = _MARGIN * 2 + _ROW * len(rows)
    body = "".join(_row(line, first, place) for place, (line, first) in enumerate(rows))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-family="monospace" font-size="12">\n'
        f"<title>{_text(title)}</title>\n"
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}</svg>\n'
    )


def _rows(tree: Branch) -> Iterator[tuple[Line, bool]]:
    """Give the lines, long ones cut into several; the first of each is told."""
    for line in lines(tree):
        pieces = textwrap.wrap(line.text, _LONGEST, break_on_hyphens=False) or [""]
        for number, piece in enumerate(pieces):
            yield Line(piece, line.mark, line.depth, line.rails, line.last), number == 0


def _left(line: Line) -> int:
    return _MARGIN + line.depth * _STEP


def _row(line: Line, first: bool, place: int) -> str:
    top, left = _MARGIN + place * _ROW, _left(line)
    middle = top + _ROW // 2
    drawn = "".join(_path(_MARGIN + level * _STEP + 6, top, _ROW) for level, rail in enumerate(line.rails) if rail)
    if line.depth:
        at = left - _STEP + 6
        if first:
            drawn += _path(at, top, _ROW // 2 if line.last else _ROW)
            drawn += f'<path d="M{at} {middle}h{_STEP - 8}" stroke="#666666" fill="none"/>\n'
        elif not line.last:
            drawn += _path(at, top, _ROW)
    if first and line.mark in _COLOURS:
        dash = f' stroke-dasharray="{_DASHES[line.mark]}"' if line.mark in _DASHES else ""
        drawn += f'<path d="M{left} {top + 3}v{_ROW - 6}" stroke="{_COLOURS[line.mark]}" stroke-width="3"{dash}/>\n'
    weight = ' font-weight="bold"' if line.mark in {"head", "deny", "hold", "allow"} else ""
    return f'{drawn}<text x="{left + 6}" y="{middle + 4}" xml:space="preserve"{weight}>{_text(line.text)}</text>\n'


def _path(left: int, top: int, length: int) -> str:
    return f'<path d="M{left} {top}v{length}" stroke="#666666" fill="none"/>\n'


def _text(text: str) -> str:
    return escape(safe(text), quote=True)
