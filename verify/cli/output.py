"""What is printed: lines for people, one JSON object for programs."""

import json
from collections.abc import Iterable

import click

from ledger.canon import Json
from verify.check.report import Line
from verify.text import visible


def print_json(value: dict[str, Json]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(value, sort_keys=True))


def print_lines(lines: Iterable[Line]) -> None:
    """Print one line for each check."""
    for line in lines:
        click.echo(f"{line.status:<12} {line.check:<18} {visible(line.why)}")
