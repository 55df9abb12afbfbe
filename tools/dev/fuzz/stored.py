"""The parsers of what lies on a disk or stands on a command line: exports, and what the keeper of a ledger writes.

Source: docs/spec/export.md; tools.home lists the files.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grants import allowed_signers
from ledger import canon
from ledger.errors import CanonError
from ledger.event import MAX_EVENT_BYTES
from ledger.policy import parse_policy
from ledger.sql.address import parse_url
from tools.audit.memo import Memo, Remembered, seal
from tools.cli.retention import parse_rule
from tools.dev.fuzz import seeds
from tools.dev.fuzz.parser import Parser
from tools.home import Home
from tools.mark import read_mark
from tools.settings import parse_settings
from tools.watching.trusting import parse_seen
from verify.export import check_export
from verify.export.files import Records
from verify.export.form import INDEX, Index, parse_index
from verify.export.lines import CheckpointLine, OpeningLine
from verify.views import EVENTS, VIEWS

CHECKED: Mapping[str, str] = {
    "index": INDEX,
    "events": "events/00000001.jsonl",
    "nodes": "nodes/00000001.bin",
    "openings": "openings/00000001.jsonl",
    "checkpoints": "checkpoints/00000001.jsonl",
}
"""The files of the golden export of which others are made, one at a time, and the whole export is checked."""


@contextmanager
def _file(name: str, data: bytes) -> Iterator[Path]:
    """Give a file of its owner's alone, in a directory of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.touch(0o600)
        path.write_bytes(data)
        yield path


def _events(data: bytes) -> list[bytes]:
    """Read a file of events line by line, as the check of an export does."""
    records, found = Records(BytesIO(data), "events", MAX_EVENT_BYTES + 1, bytes), []
    while (line := records.take()) is not None:
        found.append(EVENTS.parse(line).data)
    return found


def _checked(kind: str) -> Parser:
    policy = parse_policy((seeds.BUNDLES / "log.policy").read_bytes())
    signers = allowed_signers.parse((seeds.BUNDLES / "human.signers").read_bytes())

    def read(data: bytes) -> Any:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "export"
            shutil.copytree(seeds.EXPORT, path)
            (path / CHECKED[kind]).write_bytes(data)
            return check_export(path, policy, signers)

    return Parser(read, lambda: [(seeds.EXPORT / CHECKED[kind]).read_bytes()])


def _mark(data: bytes) -> Any:
    with _file("high-water", data) as path:
        return read_mark(Home(path.parent))


def _progress(data: bytes) -> Any:
    """Continue an audit; what can't be continued is as good as none, and never an error."""
    with _file("progress", data) as path:
        memo = Memo(path, EVENTS, VIEWS)
        memo.close()
        if not memo.known:
            raise CanonError("nothing is remembered")
        return memo.known


def _record(data: bytes) -> Any:
    """Read a record of the audit with a sum that fits, as somebody can make it who writes the file."""
    record = canon.decode_object(data)
    record.pop("sum", None)
    return Remembered.parse(seal(record))


def _address(text: str) -> Any:
    address = parse_url(text)
    assert parse_url(str(address)) == address, f"{text!r} is spelled {address}"
    return address


def parsers(text: Callable[[Callable[[str], Any]], Callable[[bytes], Any]]) -> dict[str, Parser]:
    """Give the parsers by name; `text` lets one that reads texts read bytes."""
    return {
        "export-index": Parser(parse_index, lambda: [(seeds.EXPORT / INDEX).read_bytes()], Index.to_bytes),
        "export-events": Parser(
            _events,
            lambda: seeds.exported("events"),
            lambda events: b"".join(data + b"\n" for data in events),
        ),
        "export-opening": Parser(
            OpeningLine.parse,
            lambda: seeds.exported_lines("openings"),
            lambda line: line.to_bytes().removesuffix(b"\n"),
        ),
        "export-checkpoint": Parser(
            CheckpointLine.parse,
            lambda: seeds.exported_lines("checkpoints"),
            lambda line: line.to_bytes().removesuffix(b"\n"),
        ),
        **{f"export-check-{kind}": _checked(kind) for kind in CHECKED},
        "settings": Parser(parse_settings, lambda: seeds.SETTINGS),
        "high-water": Parser(_mark, lambda: [seeds.CHECKPOINT.encode()], lambda mark: mark.text().encode()),
        "watch-state": Parser(lambda data: parse_seen(data, parse_policy(seeds.POLICY)), lambda: [seeds.NOTE]),
        "audit-progress": Parser(_progress, seeds.progress),
        "audit-record": Parser(_record, lambda: [seeds.RECORD.line().removesuffix(b"\n")]),
        "retention-rule": Parser(text(parse_rule), lambda: seeds.RULES),
        "postgresql-url": Parser(text(_address), lambda: seeds.ADDRESSES),
    }
