"""Files of resources to register: JSON lines, TOML or CSV, by the end of their name.

    {"reference": "db://prod/users", "environment": "prod", "about_people": true, "absent": ["purpose"]}

    [[resource]]
    reference = "db://prod/users"
    environment = "prod"
    absent = ["purpose"]

    reference,environment,about_people,absent
    db://prod/users,prod,true,purpose

In CSV an empty cell says nothing, and names in ``absent`` and references in ``within`` are parted by spaces. In JSON
lines null says absent too. In TOML and JSON a list gives an attribute several values, and ``within`` is a list.
"""

import csv
import io
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ledger import canon
from ledger.errors import CanonError
from tools.errors import InputError
from tools.files import read_text

REFERENCE: Final = "reference"
ABSENT: Final = "absent"
WITHIN: Final = "within"
TABLES: Final = "resource"


@dataclass(frozen=True, slots=True)
class Entry:
    """One resource of a file.

    Attributes:
        place: where it stands, for messages.
        values: attributes with the types that the file gives them; None says absent.
        words: attributes as mere text, from a file that knows no types; None says absent.
        within: further places that it lies in.
    """

    place: str
    reference: str
    values: Mapping[str, object] = field(default_factory=dict)
    words: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    within: Sequence[str] = ()


def read_resources(path: Path) -> list[Entry]:
    """Read a file of resources.

    Raises:
        InputError: it can't be read; the message names the line or the entry.
    """
    text = read_text(path)
    readers = {".toml": _toml, ".csv": _csv}
    try:
        entries = list(readers.get(path.suffix.lower(), _json_lines)(text))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    seen: dict[str, str] = {}
    for entry in entries:
        if entry.reference in seen:
            raise InputError(f"{path}: {entry.place}: {entry.reference} stands in {seen[entry.reference]} already")
        seen[entry.reference] = entry.place
    if not entries:
        raise InputError(f"{path}: there is no resource in it")
    return entries


def _json_lines(text: str) -> Iterator[Entry]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                value = canon.loads(line)
            except CanonError as error:
                raise InputError(f"line {number}: {error}") from error
            yield _entry(f"line {number}", value)


def _toml(text: str) -> Iterator[Entry]:
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {error}") from error
    tables = document.get(TABLES)
    if document.keys() != {TABLES} or not isinstance(tables, list):
        raise InputError("each resource is a table [[resource]], and nothing else stands in the file")
    for number, table in enumerate(tables, start=1):
        yield _entry(f"resource {number}", table)


def _csv(text: str) -> Iterator[Entry]:
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        header = next(rows, [])
        if REFERENCE not in header or len(set(header)) != len(header):
            raise InputError(f'the first line names the columns, each once, and one of them is "{REFERENCE}"')
        for row in rows:
            place = f"line {rows.line_num}"
            if len(row) not in {0, len(header)}:
                raise InputError(f"{place}: {len(row)} cells, and the first line names {len(header)} columns")
            if row:
                yield _row(place, dict(zip(header, row, strict=True)))
    except csv.Error as error:
        raise InputError(f"line {rows.line_num}: not CSV: {error}") from error


def _row(place: str, cells: dict[str, str]) -> Entry:
    reference = cells.pop(REFERENCE)
    absent = cells.pop(ABSENT, "").split()
    within = cells.pop(WITHIN, "").split()
    said: dict[str, Sequence[str] | None] = {name: [cell] for name, cell in cells.items() if cell}
    _check_absent(place, said, absent)
    return Entry(place, reference, words=said | dict.fromkeys(absent), within=within)


def _entry(place: str, value: object) -> Entry:
    if not isinstance(value, dict) or not isinstance(value.get(REFERENCE), str):
        raise InputError(f'{place}: an object with a "{REFERENCE}" is wanted')
    said = dict(value)
    reference = said.pop(REFERENCE)
    absent = said.pop(ABSENT, [])
    if not isinstance(absent, list) or not all(isinstance(name, str) for name in absent):
        raise InputError(f'{place}: "{ABSENT}" is a list of names')
    within = said.pop(WITHIN, [])
    if not isinstance(within, list) or not all(isinstance(name, str) for name in within):
        raise InputError(f'{place}: "{WITHIN}" is a list of references')
    _check_absent(place, said, absent)
    return Entry(place, reference, values=said | dict.fromkeys(absent), within=within)


def _check_absent(place: str, said: Mapping[str, object], absent: list[str]) -> None:
    for name in absent:
        if name in said:
            raise InputError(f"{place}: {name} has a value and can't be absent as well")
