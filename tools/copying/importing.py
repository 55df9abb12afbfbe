"""``tally import``: an export made into a ledger again.

The export is checked first, as an auditor checks it; what does not hold makes no ledger. Then its events are taken over
byte by byte, and everything else is worked out from them as an append would: trees, claims, tags, states.

Source: DESIGN section 6; docs/spec/export.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from grants import allowed_signers
from grants.allowed_signers import AllowedSigners
from ledger.event import MAX_EVENT_BYTES
from ledger.log import Head
from ledger.policy import Policy, parse_policy
from ledger.sql.address import PostgresAddress
from ledger.sql.dump import Seal, StoredOpening
from ledger.sql.load import load, load_seals
from ledger.sql.log import SqlLog
from ledger.sql.place import discard_log
from tools import checkpointing
from tools.errors import EvidenceError, InputError
from tools.files import read_bytes
from tools.home import Home, write_new
from tools.ledger import create_empty
from tools.mark import of_head
from verify.errors import ExportFormError, NotAnExportError
from verify.export import LogReport, check_export
from verify.export.files import Folder, Records
from verify.export.form import INDEX, MAX_INDEX, MAX_LINE, OPTIONAL, Index, file_name, parse_index
from verify.export.lines import CheckpointLine, OpeningLine
from verify.views import EVENTS

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told the stage, how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What was made.

    Attributes:
        index: the index of the export.
        report: what checking it gave.
        own_policy: whether it was checked by the policy that it brought itself.
    """

    index: Index
    report: LogReport
    own_policy: bool


@dataclass(frozen=True, slots=True)
class Trust:
    """By what an export is checked before it is taken over: files of the operator's, or else its own."""

    policy: Path | None
    signers: Path | None

    def read(self, folder: Path) -> tuple[Policy, AllowedSigners | None]:
        """Read both.

        Raises:
            InputError: there is no policy, or a file can't be read.
            PolicyFileError: the policy is none.
            KeyFileError: the signers are none.
        """
        policy = self.policy or folder / OPTIONAL[0]
        if self.policy is None and not policy.is_file():
            raise InputError(f"{folder} brings no policy: name one with --policy")
        own = folder / OPTIONAL[1]
        signers = self.signers or (own if own.is_file() else None)
        return parse_policy(read_bytes(policy)), None if signers is None else allowed_signers.parse(read_bytes(signers))


class ExportSource:
    """An export as what a log is loaded from; see `ledger.sql.load.Source`."""

    def __init__(self, folder: Folder, index: Index) -> None:
        self._folder = folder
        self._index = index

    def events(self, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Give the events from ``start`` up to ``stop``."""
        for number in self._chunks(start, stop):
            first = self._index.bounds(number)[0]
            for offset, data in enumerate(self._records("events", number, MAX_EVENT_BYTES + 1, bytes)):
                if start <= first + offset < stop:
                    yield first + offset, data

    def openings_between(self, start: int, stop: int) -> Iterator[StoredOpening]:
        """Give the openings of these events, as far as the export has any."""
        for number in self._chunks(start, stop) if self._index.openings else ():
            for one in self._records("openings", number, MAX_LINE, OpeningLine.parse):
                if start <= one.seq < stop:
                    yield StoredOpening(one.seq, one.path, one.salt, one.value)

    def seals(self, after: int, upto: int) -> Iterator[Seal]:
        """Give the checkpoints of more than ``after`` and at most ``upto`` events."""
        for number in self._chunks(after, upto):
            for one in self._records("checkpoints", number, MAX_LINE, CheckpointLine.parse):
                if after < one.size <= upto:
                    yield Seal(one.size, one.note, one.cosignatures, one.timestamps)

    def _chunks(self, start: int, stop: int) -> range:
        return range(start // self._index.chunk, -(-stop // self._index.chunk))

    def _records(self, kind: str, number: int, most: int, parse: Callable[[bytes], T]) -> Iterator[T]:
        name = file_name(kind, number)
        with self._folder.open(name) as file:
            records = Records(file, name, most, parse)
            while (one := records.take()) is not None:
                yield one


def import_export(
    path: Path, home: Home, database: PostgresAddress | None, trust: Trust, progress: Progress
) -> Imported:
    """Make a ledger of an export: whole, or nothing of it is left.

    Args:
        path: the export.
        home: the directory that the ledger gets, which must not be there yet.
        database: the PostgreSQL schema that is to be made for it, or None for a SQLite file in the directory.
        trust: by what the export is checked.
        progress: is told how far it is.

    Raises:
        EvidenceError: the export does not hold.
        InputError: it is no export or can't be read, or there is no policy to check it by.
        HomeError: the directory is there already, or can't be made.
        StoreError: the database is there already, or can't be written.
    """
    policy, signers = trust.read(path)
    try:
        report = check_export(path, policy, signers, progress=progress)
    except NotAnExportError as error:
        raise InputError(f"{error}: name the directory that tally export wrote") from error
    if not report.verified:
        why = "; ".join(f"{line.check}: {line.why}" for line in report.lines if line.status == "FAIL")
        raise EvidenceError(f"{path} does not hold, and no ledger is made of it: {why}")
    folder = Folder(path)
    try:
        index = parse_index(folder.read(INDEX, MAX_INDEX))
    except ExportFormError as error:
        raise EvidenceError(f"{path} was changed while it was read: {error}") from error
    made: list[PostgresAddress] = []
    try:
        home.create(lambda draft: _build(draft, database, folder, index, progress, made))
    except BaseException:
        for schema in made:
            discard_log(schema)
        raise
    return Imported(index, report, trust.policy is None)


def _build(
    draft: Home,
    database: PostgresAddress | None,
    folder: Folder,
    index: Index,
    progress: Progress,
    made: list[PostgresAddress],
) -> None:
    if database is not None:
        draft.point_to(database)
    log = create_empty(draft)
    if database is not None:
        made.append(database)
    try:
        _fill(log, folder, index, progress)
    finally:
        log.close()
    for name in OPTIONAL:
        if (folder.path / name).is_file():
            write_new(draft.path / name, read_bytes(folder.path / name))


def _fill(log: SqlLog, folder: Folder, index: Index, progress: Progress) -> None:
    source = ExportSource(folder, index)
    try:
        load(log, EVENTS, source, index.size, lambda done: progress("importing", done, index.size))
        load_seals(log.engine, source.seals(0, index.size))
    except ExportFormError as error:
        raise EvidenceError(f"{folder.path} was changed while it was read: {error}") from error
    head = log.read(lambda look: look.head)
    signed = log.read(checkpointing.latest)
    if _roots(head) != (index.blake3_root, index.sha256_root) or signed is None:
        raise EvidenceError(f"{folder.path} was changed while it was read: its events come to other roots")
    if (signed.checkpoint.size, signed.checkpoint.blake3_root) != (head.size, index.blake3_root):
        raise EvidenceError(f"{folder.path} was changed while it was read: its last checkpoint is of another log")


def _roots(head: Head) -> tuple[bytes | None, bytes]:
    checkpoint = of_head(head, "imported")
    return checkpoint.blake3_root, checkpoint.sha256_root
