r"""What the commands print: data on stdout, for people or as JSON, and talk on stderr.

Whatever comes from outside is printed through `safe`, so that nothing that is recorded can move the cursor, turn the
line around, or stand there unseen.

>>> print(safe("rm \u202etxt.exe\x1b[2J"))
rm \u202etxt.exe\x1b[2J
"""

import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TextIO, TypeAlias

import click

from tools.cli.session import colored, session

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

_DRAWN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]",
)
_INSTANT = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$")
_BYTE, _SHORT = 0xFF, 0xFFFF
_LAST, _GAP = 10, 2
"""How narrow the last column of a table may get, and what parts two columns."""
_PATIENCE = 1.0
"""How many seconds some work may take before it gets a bar."""


def safe(text: object, *, keep: str = "") -> str:
    """Give a text in which every character can be seen: controls, bidi and zero-width characters are escaped.

    Args:
        text: what is to be shown.
        keep: characters that are left as they are, such as a newline.
    """
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(one if one in keep or _is_seen(one) else _escape(one) for one in shown)


@dataclass(frozen=True, slots=True)
class Rows:
    """A table: with lines for people at a terminal, one record per line where it is piped.

    The last column folds where the terminal is narrow; the others hold ids and times and are never broken.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def narrowest(self) -> int:
        """How many characters wide a terminal must be for the table."""
        from rich.cells import cell_len  # noqa: PLC0415  (JSON and pipes need none)

        widths = [max(map(cell_len, column)) for column in zip(self.headers, *self.rows, strict=True)]
        return sum(widths[:-1]) + min(widths[-1], _LAST) + _GAP * (len(widths) - 1)

    def shortened(self) -> "Rows":
        """Leave the microseconds out of times."""
        return Rows(self.headers, tuple(tuple(_INSTANT.sub(r"\1Z", cell) for cell in row) for row in self.rows))

    def records(self) -> str:
        """Spell each row as names and values, one under the other: for terminals too narrow for a table."""
        return "\n\n".join(
            fields([(name, cell or None) for name, cell in zip(self.headers, row, strict=True)]) for row in self.rows
        )

    def plain(self) -> str:
        """Spell the table, columns parted by two spaces and an empty cell as a dash."""
        cells = [self.headers, *([cell or "-" for cell in row] for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.headers))]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
        return "\n".join(line.rstrip() for line in lines)


Text: TypeAlias = "str | Rows | RenderableType"


def table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> Rows:
    """Make a table; what has no value is empty, and every cell is safe to print."""
    shown = tuple(tuple("" if cell is None else safe(cell) for cell in row) for row in rows)
    return Rows(tuple(headers), shown)


def fields(pairs: Sequence[tuple[str, object]]) -> str:
    """Spell names and values, one under the other; a pair without a value is left out."""
    known = [(name, safe(value)) for name, value in pairs if value is not None]
    width = max((len(name) for name, _ in known), default=0)
    return "\n".join(f"{name.ljust(width)}  {value}" for name, value in known)


def counted(count: int, one: str, more: str | None = None) -> str:
    """Count in words.

    Args:
        count: how many.
        one: the noun where it is one.
        more: the noun where it is any other number; None for ``one`` with an s.

    >>> counted(1, "event"), counted(0, "event"), counted(2, "copy", "copies")
    ('1 event', '0 events', '2 copies')
    """
    return f"{count} {one if count == 1 else more or one + 's'}"


def emit(data: object, text: "Text | None" = None) -> None:
    """Print the result of a command.

    Args:
        data: what ``--json`` prints: one object, or for a list one object a line.
        text: what people read; None prints nothing without ``--json``.
    """
    if session().json:
        for item in data if isinstance(data, list | tuple) else (data,):
            # ASCII alone: nothing in it can trouble a terminal, and every reader gives the same text back.
            click.echo(json.dumps(item, separators=(",", ":")))
    elif isinstance(text, str):
        click.echo(safe(text, keep="\n"))
    elif text is not None:
        _draw(text)


def say(text: str) -> None:
    """Tell the person at the terminal something, on stderr."""
    click.echo(safe(text, keep="\n"), err=True)


class Bar:
    """A progress bar on stderr, for work that takes longer than a second, where somebody is looking."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._begun = time.monotonic()
        self._looked_at = colored(sys.stderr.isatty())  # a bar moves the cursor, which takes escapes
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int, label: str | None = None) -> None:
        """Tell how far the work is."""
        if not self._looked_at or time.monotonic() - self._begun < _PATIENCE:
            return
        if self._progress is None:
            from rich.progress import Progress  # noqa: PLC0415  (short work needs none)

            self._progress = Progress(console=_console(sys.stderr), transient=True)
            self._progress.start()
            self._task = self._progress.add_task(self._label)
        if self._task is not None:
            self._progress.update(self._task, completed=done, total=total, description=label or self._label)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def progress(label: str) -> Iterator[Bar]:
    """Keep a bar for the length of a block, which calls it with how much of how much is done."""
    with Bar(label) as bar:
        yield bar


def _draw(text: "Rows | RenderableType") -> None:
    if isinstance(text, Rows) and not sys.stdout.isatty():
        click.echo(text.plain())
        return
    console = _console(sys.stdout)
    if isinstance(text, Rows) and text.narrowest > console.width:
        text = text.shortened()
        if text.narrowest > console.width:
            click.echo(text.records())
            return
    console.print(_lined(text) if isinstance(text, Rows) else text, highlight=False)


def _lined(rows: Rows) -> "RenderableType":
    from rich import box  # noqa: PLC0415  (JSON and pipes need none)
    from rich.table import Table  # noqa: PLC0415  (as above)
    from rich.text import Text as Plain  # noqa: PLC0415  (as above)

    drawn = Table(
        box=box.SIMPLE_HEAD, header_style="bold", show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0)
    )
    for header in rows.headers[:-1]:
        drawn.add_column(header, no_wrap=True)
    drawn.add_column(rows.headers[-1], overflow="fold")
    for row in rows.rows:
        # As plain text: what a cell holds is never read as markup.
        drawn.add_row(*(Plain(cell, overflow="fold") for cell in row))
    return drawn


def _console(stream: TextIO) -> "Console":
    from rich.console import Console  # noqa: PLC0415  (JSON and pipes need none)

    terminal = stream.isatty()
    # Without colours there is no system to write escapes for, not even for bold.
    system: Literal["auto"] | None = "auto" if colored(terminal) else None
    return Console(file=stream, color_system=system, force_terminal=terminal, markup=False, emoji=False)


def _is_seen(character: str) -> bool:
    return character.isprintable() and not _DRAWN_AS_NOTHING.match(character)


def _escape(character: str) -> str:
    point = ord(character)
    if point <= _BYTE:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= _SHORT else f"\\U{point:08x}"
