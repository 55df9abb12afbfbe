"""``tally export``: a log written into plain files, as of one of its checkpoints.

What is written is held against that checkpoint while it is written: both trees are grown again from the very bytes
that go into the files. An export that would not lead to the signed roots does not come to be.

Source: DESIGN sections 6 and 9; docs/spec/export.md.
"""

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ledger import mmr
from ledger.checkpoint import open_checkpoint
from ledger.errors import CanonError
from ledger.note import VerifierKey
from ledger.sql.dump import Dump, Seal, dump
from tools import proving
from tools.copying.draft import appearing
from tools.errors import EvidenceError, InputError
from tools.files import read_bytes
from tools.home import sync
from tools.ledger import OpenLedger
from verify.export.form import CHUNK, INDEX, KINDS, MAX_LINE, OPTIONAL, README, FileEntry, Index, file_name
from verify.export.lines import CheckpointLine, OpeningLine
from verify.export.trees import Trees

Progress = Callable[[int, int], None]

_STEP: Final = 1000


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        index: the index of the export.
        openings: how many openings are in it.
        checkpoints: how many checkpoints.
        behind: how many events stand in the log behind the checkpoint that the export ends at.
    """

    index: Index
    openings: int
    checkpoints: int
    behind: int


def export(
    ledger: OpenLedger, folder: Path, *, size: int | None, openings: bool, progress: Progress, chunk: int = CHUNK
) -> Exported:
    """Write an export.

    Args:
        ledger: the open ledger.
        folder: the directory, which must not be there yet.
        size: the size of the checkpoint that it ends at; None for the log as it stands, under a checkpoint that is
            signed for it if there is none; where the log's key is not here, of the newest one, or of the newest that
            has reached the quorum of the ledger's policy.
        openings: whether to write the openings that are kept.
        progress: is told how many of how many events are done.
        chunk: events a file.

    Raises:
        InputError: no such checkpoint, or it lacks the quorum of the ledger's policy and was not asked for by its size.
        HomeError: the directory is there already, or can't be written.
        EvidenceError: what is stored does not lead to what was signed.
        StoreError: the database can't be read.
    """
    if size is None:
        size = _end(ledger)
    with appearing(folder) as draft:
        return dump(ledger.log.engine, lambda look: _Export(ledger, look, draft, openings, chunk, progress).run(size))


def _end(ledger: OpenLedger) -> int | None:
    """Give the size at which an export ends where none was asked for; None for that of the newest checkpoint.

    An auditor who goes by the ledger's own policy refuses what lacks its quorum: that is not written.
    """
    if ledger.home.key.exists():
        head = ledger.log.read(lambda look: look.head.size)
        signed = proving.covering(ledger, head - 1)
    elif ledger.home.policy.exists():
        found = proving.witnessed_best(ledger)
        if found is None:
            return None
        signed = found
    else:
        return None
    proving.check_quorum(ledger.home, signed)
    return signed.checkpoint.size


@dataclass(slots=True)
class _Export:
    ledger: OpenLedger
    look: Dump
    folder: Path
    with_openings: bool
    chunk: int
    progress: Progress
    _entries: list[FileEntry] = field(default_factory=list)
    _trees: Trees = field(default_factory=Trees)
    _openings: int = 0
    _checkpoints: int = 0

    def run(self, wanted: int | None) -> Exported:
        size, note = self._ending(wanted)
        for kind in KINDS:
            if kind != "openings" or self.with_openings:
                (self.folder / kind).mkdir()
        self._write("README.txt", [README.encode()])
        for name, path in zip(OPTIONAL, (self.ledger.home.policy, self.ledger.home.signers), strict=True):
            if path.exists():
                self._write(name, [read_bytes(path)])
        for number in range(-(-size // self.chunk)):
            self._chunk(number, number * self.chunk, min((number + 1) * self.chunk, size))
        own, twin = self._check_roots(note)
        files = tuple(sorted(self._entries, key=lambda entry: entry.name))
        origin = self.ledger.genesis.at(size)[0]
        index = Index(origin, size, own, twin, self.with_openings, files, self.chunk)
        self._write(INDEX, [index.to_bytes()])
        for kind in KINDS:
            if (self.folder / kind).exists():
                sync(self.folder / kind)
        return Exported(index, self._openings, self._checkpoints, self.look.head.size - size)

    def _ending(self, wanted: int | None) -> tuple[int, bytes]:
        newest = self.look.newest_checkpoint()
        found = newest if wanted is None else next(self.look.checkpoints(wanted), None)
        if newest is None:
            raise InputError("no checkpoint was signed yet, and the log's key is not here: an export ends at one")
        if found is None or wanted not in {None, found[0]}:
            raise InputError(f"there is no checkpoint of {wanted} events: the newest is of {newest[0]}")
        if not 0 < found[0] <= self.look.head.size:
            raise EvidenceError(
                f"a checkpoint of {found[0]} events stands in a log of {self.look.head.size}: run tally audit"
            )
        return found

    def _chunk(self, number: int, first: int, stop: int) -> None:
        nodes = self._trees_of(number, first, stop)
        self._write(file_name("nodes", number), nodes)
        if self.with_openings:
            self._write(file_name("openings", number), self._opening_lines(first, stop))
        self._write(file_name("checkpoints", number), self._checkpoint_lines(first, stop))

    def _trees_of(self, number: int, first: int, stop: int) -> Iterable[bytes]:
        """Write the events of a chunk, and give the nodes that they make, each held against the stored one."""
        made: list[bytes] = []

        def lines() -> Iterable[bytes]:
            stored = self.look.nodes_between(mmr.size(first), mmr.size(stop))
            for seq, data in self.look.events(first, stop):
                added = self._trees.add(data)
                if self._trees.size != seq + 1 or [next(stored, None) for _ in added] != added:
                    raise EvidenceError(f"event {seq} does not fit the stored trees: run tally audit")
                made.extend(own + twin for own, twin in added)
                yield data + b"\n"
                if not (seq + 1) % _STEP or seq + 1 == stop:
                    self.progress(seq + 1, self.look.head.size)

        self._write(file_name("events", number), lines())
        return made

    def _opening_lines(self, first: int, stop: int) -> Iterable[bytes]:
        for one in self.look.openings_between(first, stop):
            self._openings += 1
            line = OpeningLine(one.seq, one.path, one.salt, one.value)
            yield _spelled(line, f"the opening {one.path} of event {one.seq}")

    def _checkpoint_lines(self, first: int, stop: int) -> Iterable[bytes]:
        for seal in self.look.seals(first, stop):
            self._checkpoints += 1
            yield _spelled(to_line(seal), f"the checkpoint of {seal.size} events")

    def _check_roots(self, note: bytes) -> tuple[bytes, bytes]:
        checkpoint = open_checkpoint(note, VerifierKey.parse(self.ledger.genesis.at(self._trees.size)[1]))
        roots = self._trees.roots()
        if roots != (checkpoint.blake3_root, checkpoint.sha256_root):
            raise EvidenceError(f"the events do not come to the roots signed for {checkpoint.size}: run tally audit")
        return roots

    def _write(self, name: str, parts: Iterable[bytes]) -> None:
        hasher, size = hashlib.sha256(), 0
        with (self.folder / name).open("xb") as file:
            for part in parts:
                file.write(part)
                hasher.update(part)
                size += len(part)
            file.flush()
            os.fsync(file.fileno())
        if name != INDEX:
            self._entries.append(FileEntry(name, size, hasher.hexdigest()))


def to_line(seal: Seal) -> CheckpointLine:
    """Give the line in which a checkpoint stands in an export."""
    return CheckpointLine(seal.size, seal.note, seal.cosignatures, seal.timestamps)


def _spelled(line: OpeningLine | CheckpointLine, what: str) -> bytes:
    try:
        data = line.to_bytes()
    except CanonError as error:
        raise EvidenceError(f"{what} can't be spelled ({error}): run tally audit") from error
    if len(data) > MAX_LINE:
        raise InputError(f"{what} has more than {MAX_LINE} bytes: it fits into no export")
    return data
