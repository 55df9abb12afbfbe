"""Checking an export: every event, both trees, every checkpoint, every signature, with no database.

Source: DESIGN sections 5 to 9; docs/spec/export.md lists the links.
"""

from collections.abc import Sequence
from pathlib import Path

from cryptography import x509

from grants.allowed_signers import AllowedSigners
from ledger.instant import Instant
from ledger.policy import Policy
from verify.check.log import Anchor, check_witnesses, pinned
from verify.check.report import Line, failed, not_checked, passed
from verify.errors import ExportFormError, NotAnExportError
from verify.export.files import Folder, Progress, file_faults
from verify.export.form import INDEX, MAX_INDEX, Index, parse_index
from verify.export.report import CHECKS, LogReport, Tally
from verify.export.seals import Seals
from verify.export.walk import LogWalk
from verify.views import EVENTS, VIEWS


def check_export(
    path: Path,
    policy: Policy,
    signers: AllowedSigners | None = None,
    at: Instant | None = None,
    certificates: Sequence[x509.Certificate] = (),
    progress: Progress | None = None,
) -> LogReport:
    """Check an export of a log.

    Args:
        path: the directory.
        policy: the log and witness keys that the auditor trusts, and the quorum that she demands.
        signers: the keys that she has pinned for the first human, or None.
        at: the moment at which a pinned key must be valid, or None for the time at which the log was opened.
        certificates: those that she trusts for time stamps.
        progress: is told how far the check is, now and then.

    Raises:
        NotAnExportError: the directory is no export, or can't be read.
        LibraryMissingError: there are certificates, and the library for time stamps is not installed.
    """
    folder, tell = Folder(path), progress or _ignore
    try:
        index = _read_index(folder)
    except ExportFormError as error:
        unread = (not_checked(check, "the index can't be read") for check in CHECKS[1:])
        return LogReport("unreadable", 0, (failed("index", str(error)), *unread))
    files = Tally("files", total=len(index.files))
    for fault in file_faults(folder, index, tell):
        files.fault(fault)
    anchor = Anchor(policy, signers, at)
    walk = LogWalk(folder, index, EVENTS, VIEWS, Seals(anchor, certificates), tell)
    walk.run()
    return LogReport(index.origin, index.size, tuple(_lines(walk, files, anchor)))


def _read_index(folder: Folder) -> Index:
    """Read the index of what is an export; of what holds other parts of one, its index is what is missing or damaged.

    Raises:
        NotAnExportError: nothing here is of an export, or the index can't be read.
        ExportFormError: the index is missing, or breaks its form.
    """
    try:
        data = folder.read(INDEX, MAX_INDEX)
    except ExportFormError as error:
        if folder.holds_parts():
            raise
        raise NotAnExportError(f"{folder.path} is no export of a log: {error}") from error
    try:
        return parse_index(data)
    except NotAnExportError as error:
        if folder.holds_parts():
            raise ExportFormError(str(error)) from error
        raise


def _lines(walk: LogWalk, files: Tally, anchor: Anchor) -> tuple[Line, ...]:
    size, checkpoints = walk.index.size, _checkpoints(walk)
    return (
        _index(walk),
        files.line("files have the length and the SHA-256 of the index"),
        walk.events.line("events canonical, of a known schema, in order"),
        walk.own.line(f"nodes of the BLAKE3 tree of {size} events"),
        walk.twin.line(f"nodes of the SHA-256 tree of {size} events"),
        checkpoints,
        check_witnesses(walk.seals.last, anchor),
        _timestamps(walk.seals),
        pinned(walk.genesis, anchor),
        walk.signatures.line("signatures hold, and lead back to the first human"),
        walk.states.line("changes of states follow from the events"),
        _disclosures(walk),
    )


def _index(walk: LogWalk) -> Line:
    index, trees = walk.index, walk.trees
    if trees.size != index.size:
        return not_checked("index", f"the events end at {trees.size}, and it speaks of {index.size}")
    if trees.roots() != (index.blake3_root, index.sha256_root):
        return failed("index", "its roots are not those that the events come to")
    last = walk.seals.last
    if last is not None and last.checkpoint.origin != index.origin:
        return failed("index", f"it speaks of the log {index.origin}, and the checkpoint of {last.checkpoint.origin}")
    return passed("index", f"{index.size} events of {index.origin}, in {len(index.files)} files; its roots are theirs")


def _checkpoints(walk: LogWalk) -> Line:
    seals, size = walk.seals, walk.index.size
    if seals.reached != size and not seals.tally.end:
        what = f"the last checkpoint is of {seals.reached} events" if seals.reached >= 0 else "there is no checkpoint"
        seals.tally.fault(f"{what}, and the log has {size}: nobody commits to the rest")
    became = seals.follow(walk.log_state(), walk.event)
    name = "" if seals.last is None else f", the last by {seals.last.log.name} for {size} events{became}"
    return seals.tally.line("checkpoints signed by the log's key, with the roots that the events come to", name)


def _timestamps(seals: Seals) -> Line:
    if not seals.stamps.total:
        return passed("time stamps", "there are none", 0)
    if not seals.certificates:
        why = f"there are {seals.stamps.total}: give --roots FILE, with the certificates that you trust for time"
        return not_checked("time stamps", why, seals.stamps.total)
    existed = "" if seals.existed is None else f"; the last checkpoint with one existed at {seals.existed}"
    return seals.stamps.line("time stamps hold", existed)


def _disclosures(walk: LogWalk) -> Line:
    if not walk.index.openings:
        return not_checked("disclosures", "the openings are left out of this export")
    withheld = f"; fields without an opening: {walk.withheld}" if walk.withheld else ""
    return walk.disclosures.line("openings fit their commitments, and none is of an erased field", withheld)


def _ignore(_stage: str, _done: int, _total: int) -> None:
    """Nobody watches."""
