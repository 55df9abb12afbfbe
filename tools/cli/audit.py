"""``tally audit``: everything recomputed from the stored bytes."""

from dataclasses import replace

from decisions.observe import check_update
from grants.authority import check_event
from grants.erasing import check_erased
from grants.reading import StateReader
from ledger.errors import StoreMissingError
from ledger.event import Event
from tools.audit import AuditReport, Finding, Line, Progress, audit
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE
from tools.cli.output import emit, progress
from tools.cli.session import home
from tools.errors import HomeError
from tools.mark import read_mark
from verify.views import EVENTS, VIEWS

_SHOWN = 20


@declare("audit", example="tally audit")
def command() -> int:
    """Recompute everything in the database from the stored events, and name the first bad row.

    Both trees, head, claims, tags, views, disclosures, signatures and checkpoints. Exit code 0 if all agrees, 3 if
    not. Nothing is changed.
    """
    database = home().database
    if not database.is_file():
        raise StoreMissingError(f"{database}: no ledger here: check the path, or run `tally init`")
    with progress("auditing") as bar:

        def status(progress: Progress) -> None:
            bar(progress.done, progress.total, progress.stage)

        report = _not_behind(audit(database, EVENTS, VIEWS, _check_authority, status=status))
    emit(_data(report), _text(report))
    return DONE if report.ok else EVIDENCE


def _not_behind(report: AuditReport) -> AuditReport:
    """Hold the log against the mark beside its key: a copy from a backup agrees with itself, and is not the log."""
    try:
        mark = read_mark(home())
    except HomeError as error:
        return replace(report, lines=(*report.lines, Line("high-water", "skipped", 0, 0, str(error))))
    if mark is None or mark.size <= report.size:
        return report
    told = f"a checkpoint of {mark.size} events was signed, and the log holds {report.size}: this is an earlier copy"
    line = Line("high-water", "failed", 1, 1, told)
    finding = Finding("high-water", f"size {mark.size}", told)
    return replace(report, lines=(*report.lines, line), findings=(*report.findings, finding))


def _check_authority(reader: StateReader, event: Event) -> None:
    check_event(reader, event)
    check_update(reader, EVENTS, event)
    check_erased(reader, EVENTS, event)


def _data(report: AuditReport) -> dict[str, object]:
    return {
        "ok": report.ok,
        "size": report.size,
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
        "findings": [{"table": one.table, "key": one.key, "message": one.message} for one in report.findings],
    }


def _text(report: AuditReport) -> str:
    lines = [
        f"{line.outcome.upper():8}{line.dimension:14}{line.checked:>9} checked"
        + (f", {line.found} wrong" if line.found else "")
        + (f" ({line.detail})" if line.detail else "")
        for line in report.lines
    ]
    if report.ok:
        return "\n".join([*lines, "", f"The log of {report.size} events is what it says it is."])
    rest = len(report.findings) - _SHOWN
    return "\n".join(
        [
            *lines,
            "",
            f"First bad row: {report.findings[0]}",
            *(f"  also: {one}" for one in report.findings[1:_SHOWN]),
            *([f"  and {rest} more"] if rest > 0 else []),
        ]
    )
