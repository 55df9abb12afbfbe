"""``tally doctor``: whether everything is in order."""

from typing import Final

from tools import doctor
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE, FAILED
from tools.cli.output import emit, table
from tools.cli.session import home, session

_MARKS: Final = {"ok": "ok", "warning": "LOOK", "problem": "PROBLEM", "evidence": "CHANGED"}


@declare("doctor", example="tally doctor")
def command() -> int:
    """Look whether the program, the machine and the ledger are in order; nothing is changed.

    Exit code 0 if all works, 1 if something does not, 3 if something beside the log was changed. Whether the record
    itself is intact is for tally audit.
    """
    findings = list(doctor.examine(home(ask=False), confirm_clock=session().confirm_clock))
    emit(
        [{"check": one.check, "status": one.status, "detail": one.detail} for one in findings],
        table(("CHECK", "STATUS", "DETAIL"), [(one.check, _MARKS[one.status], one.detail) for one in findings]),
    )
    found = {one.status for one in findings}
    if "evidence" in found:
        return EVIDENCE
    return FAILED if "problem" in found else DONE
