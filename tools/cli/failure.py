"""Every error becomes one line that says what to do, and an exit code of DESIGN section 13.

With ``--json`` the same stands on stdout as ``{"error":{"code":...,"message":...}}``; the code is the error's own name
and stays the same when the wording changes.
"""

import errno
import json
import os
import re
import sys
import traceback
from dataclasses import dataclass
from typing import Final

import click

from tools.cli.output import safe

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
EVIDENCE: Final = 3
DENIED: Final = 4
HELD: Final = 5
INCOMPLETE: Final = 6
INTERRUPTED: Final = 130

_ADVICE: Final = {
    errno.ENOSPC: "the disk is full: make room and run the command again",
    errno.EDQUOT: "the disk quota is used up: make room and run the command again",
    errno.EFBIG: "the file may not grow further: raise the limit and run the command again",
    errno.EROFS: "the file system is read-only: choose another place",
    errno.EACCES: "check the owner and mode of the file and its directory",
    errno.EPERM: "check the owner and mode of the file and its directory",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "a file is wanted, and this is a directory",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """How a run ends that could not do what it was asked."""

    exit_code: int
    code: str
    message: str


def told(error: BaseException) -> Failure | None:  # noqa: PLR0911  (one for each kind of error)
    """Say what an error means for the person at the terminal; None for a reader of our output that went away."""
    from decisions.errors import DecisionError  # noqa: PLC0415  (only a failure needs them)
    from grants.errors import GrantError  # noqa: PLC0415  (as above)
    from ledger.errors import CorruptError, LedgerError  # noqa: PLC0415  (as above)
    from tools.errors import EvidenceError, ToolError  # noqa: PLC0415  (as above)
    from verify.errors import VerifyError  # noqa: PLC0415  (as above)

    match error:
        case BrokenPipeError():
            return None
        case click.UsageError():
            where = error.ctx.command_path if error.ctx else "tally"
            return Failure(USAGE, "USAGE", f"{error.format_message()} (see {where} --help)")
        case click.ClickException():
            return Failure(error.exit_code, _name(error), error.format_message())
        case CorruptError() | EvidenceError() | VerifyError():
            return Failure(EVIDENCE, _name(error), str(error))
        case ToolError() | LedgerError() | GrantError() | DecisionError():
            return Failure(FAILED, _name(error), str(error))
        case OSError():
            return Failure(FAILED, "OS", _of_system(error))
    return Failure(FAILED, "INTERNAL", f"internal error, please report it: {type(error).__name__}: {error}")


def report(error: BaseException, *, as_json: bool) -> int:
    """Print the line, and give the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED  # whoever interrupts knows; click has ended the line
    failure = told(error)
    if failure is None:
        # Nobody reads any more: the interpreter must not try to flush into the closed pipe either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if failure.code == "INTERNAL" and os.environ.get("TALLY_DEBUG") == "1":
        traceback.print_exception(error)
    line = safe(" ".join(failure.message.split()))
    if as_json:
        click.echo(json.dumps({"error": {"code": failure.code, "message": line}}, separators=(",", ":")))
    click.echo(f"tally: error: {line}", err=True)
    return failure.exit_code


def _name(error: BaseException) -> str:
    words = re.findall("[A-Z][a-z0-9]*", type(error).__name__.removesuffix("Error"))
    return "_".join(words).upper()


def _of_system(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    advice = _ADVICE.get(error.errno or 0)
    return f"{place}{error.strerror or error}" + (f": {advice}" if advice else "")
