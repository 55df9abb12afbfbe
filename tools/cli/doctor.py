"""``tally doctor``: whether everything is in order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from tools import doctor
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE, FAILED
from tools.cli.output import emit, table
from tools.cli.session import home, opened, session
from tools.doctor import Finding

_MARKS: Final = {"ok": "ok", "warning": "LOOK", "problem": "PROBLEM", "evidence": "CHANGED"}
_EXAMPLE: Final = """\
tally doctor
tally doctor --pep --settings /srv/app/.claude/settings.json"""


@declare("doctor", example=_EXAMPLE)
@click.option("--pep", is_flag=True, help="Look at the enforcement points in place of the machine and the ledger.")
@click.option(
    "--settings",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --pep: a host's settings; else the usual ones that are there.",
)
def command(*, pep: bool, settings: tuple[Path, ...]) -> int:
    """Look whether the program, the machine and the ledger are in order; nothing is changed.

    With --pep: which enforcement points are configured, which have been seen, which effects ran without having been
    asked for, and what can't be told.

    Exit code 0 if all works, 1 if something does not, 3 if something beside the log was changed. Whether the record
    itself is intact is for tally audit.
    """
    if settings and not pep:
        raise click.UsageError("--settings goes with --pep")
    findings = _enforcement(settings) if pep else _machine()
    emit(
        [{"check": one.check, "status": one.status, "detail": one.detail} for one in findings],
        table(("CHECK", "STATUS", "DETAIL"), [(one.check, _MARKS[one.status], one.detail) for one in findings]),
    )
    found = {one.status for one in findings}
    if "evidence" in found:
        return EVIDENCE
    return FAILED if "problem" in found else DONE


def _machine() -> list[Finding]:
    return list(doctor.examine(home(ask=False), confirm_clock=session().confirm_clock))


def _enforcement(settings: Sequence[Path]) -> list[Finding]:
    from tools.enforcement import enforcement  # noqa: PLC0415  (only --pep needs it)

    with opened() as ledger:
        return list(enforcement(ledger, settings))
