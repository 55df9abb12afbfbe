"""``tally audit``: everything recomputed from the stored bytes."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import click

from decisions.amendment.check import check_amendment
from decisions.observe import check_update
from decisions.ratifying import check_ratified
from decisions.relabelling import check_relabelled
from grants.authority import check_event
from grants.erasing import check_erased
from grants.reading import StateReader
from ledger.checkpoint import Checkpoint
from ledger.errors import PolicyFileError
from ledger.event import Event
from ledger.note import VerifierKey
from ledger.policy import parse_policy
from tools.audit import AuditReport, Finding, Line, Progress, audit
from tools.audit.report import Kind
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE, INCOMPLETE
from tools.cli.output import emit, progress, say
from tools.cli.session import home
from tools.errors import HomeError, InputError
from tools.files import read_bytes
from tools.home import Home
from tools.mark import WAY_ON, read_mark
from tools.numbers import Number, number
from verify.views import EVENTS, VIEWS

PROGRESS: Final = "audit-progress"
_SHOWN = 20
_MOST_NOTE: Final = 65_536
_EXAMPLE: Final = """\
tally audit
tally audit --since 4096
tally audit --since last-quarter.checkpoint --json"""
_WHAT: Final[dict[Kind, str]] = {
    "tampering": "Findings that tell of tampering: {count}. Keep the files as they are, and compare with a copy and a "
    "checkpoint from elsewhere.",
    "torn": "Findings that tell of a write that the machine did not finish or keep: {count}. Look at the disk, restore "
    "a backup.",
    "view": "Rows that are missing or outdated and follow from the events: {count}. Run tally rebuild.",
}


@declare("audit", example=_EXAMPLE)
@click.option(
    "--since",
    type=click.Path(readable=False),
    metavar="FILE|SIZE",
    help="Look only at what is new since this checkpoint.",
)
@click.option("--jobs", type=Number(1), metavar="N", help="Check with so many processes; else as many as pay.")
@click.option("--resume", is_flag=True, help="Continue an audit that was interrupted, believing its record.")
@click.option("--strict", is_flag=True, help="Exit with 6 if something could not be checked, and nothing is wrong.")
def command(since: str | None, jobs: int | None, *, resume: bool, strict: bool) -> int:
    """Recompute everything in the database from the stored events, and name the first bad row.

    Both trees, head, claims, tags, views, disclosures, signatures and checkpoints. What is wrong is told apart:
    tampering, a write that was torn, a view that `tally rebuild` gives again. Exit code 0 if all agrees, 3 if not;
    with --strict, 6 if nothing is wrong and a line is SKIPPED. Nothing in the database is changed. Cosignatures are
    verified under the keys of the witnesses that the ledger's policy file names.

    An audit that was interrupted is continued with --resume, from the file audit-progress in the ledger's directory.
    Whoever may write there may write that file too, so what it says was judged is believed only where you ask for it.
    With --since (a checkpoint's file, or the size of one that is stored) only what came after it is judged. The events
    before it are hashed, so that they are what it commits to, and folded; that they were right rests on the audit made
    then.
    """
    place = home()
    witnesses, lacking = _witnesses(place)
    mark = _mark(place)
    with progress("auditing") as bar:

        def status(progress: Progress) -> None:
            bar(progress.done, progress.total, progress.stage)

        report = audit(
            place.database,
            EVENTS,
            VIEWS,
            _check_authority,
            witnesses=witnesses,
            jobs=jobs,
            since=_checkpoint(since),
            progress=place.path / PROGRESS if since is None else None,
            fresh=not resume,
            status=status,
            mark=mark.size if isinstance(mark, Checkpoint) else None,
        )
    report = _against(mark, _with_keys(report, lacking))
    if report.taken_over:
        say(
            f"{report.taken_over} events had been judged by an audit that was interrupted, as its record says: these "
            "were hashed again only, and whoever can write the ledger's directory can write such a record"
        )
    emit(_data(report), _text(report))
    if not report.ok:
        return EVIDENCE
    return INCOMPLETE if strict and any(line.outcome == "skipped" for line in report.lines) else DONE


def _checkpoint(text: str | None) -> bytes | int | None:
    if text is None:
        return None
    size = number(text)
    return read_bytes(Path(text), _MOST_NOTE) if size is None else size


def _witnesses(place: Home) -> tuple[list[VerifierKey], str]:
    """Give the keys of the witnesses that the ledger's policy names, or why there are none to be had."""
    try:
        return [witness.key for witness in parse_policy(read_bytes(place.policy)).witnesses], ""
    except (InputError, PolicyFileError) as error:
        return [], f"the ledger's policy gives no keys: {error}"


def _with_keys(report: AuditReport, lacking: str) -> AuditReport:
    """Say under which keys cosignatures were verified, where there are any."""
    told = lacking or "the keys are those of the ledger's policy"
    return replace(
        report,
        lines=tuple(
            replace(line, detail="; ".join(filter(None, (line.detail, told))))
            if line.dimension == "cosignatures" and line.checked
            else line
            for line in report.lines
        ),
    )


def _mark(place: Home) -> Checkpoint | str:
    """Give the high-water mark, or why there is none to be had."""
    try:
        return read_mark(place)
    except HomeError as error:
        return str(error)


def _against(mark: Checkpoint | str, report: AuditReport) -> AuditReport:
    """Hold the log against the mark beside its key: a copy from a backup, or a fork, agrees with itself."""
    if isinstance(mark, str):
        return _marked(report, "skipped", mark)
    if mark.size > report.size:
        told = (
            f"a checkpoint of {mark.size} events was signed, and the log holds {report.size}: this is an earlier copy; "
            f"if it came from a backup, {WAY_ON}"
        )
        return _marked(report, "failed", told, mark)
    if not report.marked:
        return _marked(report, "skipped", f"the roots of {mark.size} events can't be known from what was looked at")
    if (mark.blake3_root, mark.sha256_root) in report.marked:
        return report
    told = (
        f"a checkpoint of {mark.size} events of {mark.origin} was signed with other roots than these events come to: "
        "this is another history; put the database back that was signed, or a backup from before the two parted; if "
        "tally log restored was broken off, run it again"
    )
    return _marked(report, "failed", told, mark)


def _marked(
    report: AuditReport, outcome: Literal["failed", "skipped"], told: str, mark: Checkpoint | None = None
) -> AuditReport:
    """Add the line of the mark, and a finding where there is a mark that the log does not continue."""
    found = 0 if mark is None else 1
    lines = (*report.lines, Line("high-water", outcome, found, found, told))
    if mark is None:
        return replace(report, lines=lines)
    kinds = Counter(report.kinds)
    kinds["tampering"] += 1
    findings = (*report.findings, Finding("high-water", f"size {mark.size}", told))
    return replace(report, lines=lines, findings=findings, kinds=dict(kinds))


def _check_authority(reader: StateReader, event: Event) -> None:
    check_event(reader, event)
    check_update(reader, EVENTS, event)
    check_erased(reader, EVENTS, event)
    check_relabelled(reader, EVENTS, event)
    check_amendment(reader, EVENTS, event)
    check_ratified(reader, EVENTS, event)


def _data(report: AuditReport) -> dict[str, object]:
    damage = report.damage
    return {
        "ok": report.ok,
        "size": report.size,
        "since": report.since,
        "taken_over": report.taken_over,
        "lines": [
            {
                "dimension": line.dimension,
                "outcome": line.outcome,
                "checked": line.checked,
                "found": line.found,
                "detail": line.detail,
            }
            for line in report.lines
        ],
        "kinds": report.kinds,
        "damage": None
        if damage is None
        else {
            "from": damage.start,
            "to": damage.stop,
            "checkpoint_before": damage.checkpoint_before,
            "checkpoint_after": damage.checkpoint_after,
        },
        "findings": [
            {"table": one.table, "key": one.key, "kind": one.kind, "message": one.message, "events": one.events}
            for one in report.findings
        ],
    }


def _text(report: AuditReport) -> str:
    lines = [
        f"{line.outcome.upper():8}{line.dimension:14}{line.checked:>9} checked"
        + (f", {line.found} wrong" if line.found else "")
        + (f" ({line.detail})" if line.detail else "")
        for line in report.lines
    ]
    if report.ok:
        from_ = f" from event {report.since} on; what is before it was not looked at" if report.since else ""
        return "\n".join([*lines, "", f"The log of {report.size} events is what it says it is{from_}."])
    rest = len(report.findings) - _SHOWN
    return "\n".join(
        [
            *lines,
            "",
            f"First bad row: {report.findings[0]}",
            *(f"  also: {one}" for one in report.findings[1:_SHOWN]),
            *([f"  and {rest} more"] if rest > 0 else []),
            "",
            *_where(report),
            *(_WHAT[kind].format(count=count) for kind, count in sorted(report.kinds.items())),
        ]
    )


def _where(report: AuditReport) -> list[str]:
    damage = report.damage
    if damage is None:
        return ["It is tied to no event that stands here."]
    after = f", and from event {damage.stop} on" if damage.stop < report.size else ""
    where = (
        f"event {damage.start}" if damage.stop <= damage.start + 1 else f"events {damage.start} to {damage.stop - 1}"
    )
    lines = [f"It lies in {where}: the log is sound up to size {damage.start}{after}."]
    if damage.checkpoint_before is not None:
        lines.append(f"The last checkpoint before it that verifies is of {damage.checkpoint_before} events.")
    if damage.checkpoint_after is not None:
        lines.append(f"The first checkpoint after it that verifies is of {damage.checkpoint_after} events.")
    return lines
