"""``tally-verify``: the auditor's command. It reads files and nothing else: no ledger, no network, no clock.

Source: DESIGN sections 1 and 13; docs/guides/verify.md.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final

import click

from decisions.errors import DecisionError
from grants import allowed_signers
from grants.errors import GrantError
from ledger import instant, policy
from ledger.canon import Json
from ledger.errors import LedgerError
from verify.bundle.form import MAX_BYTES, parse_bundle
from verify.check import check_bundle
from verify.check.report import LIMITS, Report
from verify.errors import VerifyError
from verify.show import tell, told
from verify.strict import Strict
from verify.text import visible

VERIFIED, NOT_DONE, USAGE, FAILED, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 6, 130

_EPILOG: Final = """\
\b
Exit codes:
  0    verified
  1    could not be done: a file is missing, or is no bundle
  2    wrong usage
  3    checked and failed: do not rely on this bundle
  6    verified, but some checks could not be made (with --strict)
  130  interrupted
"""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tallystick", prog_name="tally-verify")
def cli() -> None:
    """Check a verdict offline, from a file and the keys that you trust.

    \b
    A first check:
      tally-verify show case-41.bundle
      tally-verify bundle case-41.bundle --policy trusted.policy --signers trusted.signers

    The policy names the log's key and the witnesses, one line each ("log <vkey>", "quorum none"). The signers file
    pins the human who opened the log, in the syntax of ssh-keygen ("human:ada ssh-ed25519 AAAA..."). Take both from
    somewhere else than the bundle.
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)


@cli.command(cls=Strict)
@click.argument("file", metavar="FILE")
@click.option("--policy", "policy_file", metavar="POLICY", required=True, help="The log and witness keys you trust.")
@click.option("--signers", "signers_file", metavar="SIGNERS", help="The first human's key that you have pinned.")
@click.option("--at", "moment", metavar="TIME", help="When the pinned key must be valid; by default when it signed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Exit 6 if a check was left out that fuller files would allow.")
def bundle(
    file: str, policy_file: str, signers_file: str | None, moment: str | None, as_json: bool, strict: bool
) -> int:
    """Check every link of an evidence bundle, and decide again from what is in it.

    FILE is the bundle, or - for standard input. Each line says PASS, FAIL or NOT-CHECKED, and why; one FAIL and the
    bundle proves nothing.

    \b
    Example:
      tally-verify bundle case-41.bundle --policy trusted.policy --signers trusted.signers
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    report = check_bundle(
        _read(file, MAX_BYTES),
        policy.parse_policy(_read(policy_file, policy.MAX_SIZE)),
        None if signers_file is None else allowed_signers.parse(_read(signers_file, allowed_signers.MAX_SIZE)),
        None if moment is None else instant.parse(moment),
    )
    if as_json:
        _print_json(report.to_json())
    else:
        _print_report(report)
    if not report.verified:
        return FAILED
    return INCOMPLETE if strict and report.left_undone else VERIFIED


@cli.command(cls=Strict)
@click.argument("file", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(file: str, as_json: bool) -> int:
    """Tell what a bundle says, in prose. Nothing is verified.

    FILE is the bundle, or - for standard input.
    """
    parsed = parse_bundle(_read(file, MAX_BYTES))
    if as_json:
        _print_json(told(parsed))
    else:
        click.echo("\n".join(tell(parsed)))
    return VERIFIED


def run(arguments: Sequence[str]) -> int:
    """Run the command and give its exit code; no error is shown as a traceback."""
    try:
        return int(cli.main(list(arguments), prog_name="tally-verify", standalone_mode=False) or VERIFIED)
    except click.UsageError as error:
        if "--json" in arguments:
            _print_json({"code": "usage", "verified": False, "error": error.format_message()})
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return NOT_DONE
    except (click.ClickException, VerifyError, DecisionError, GrantError, LedgerError) as error:
        return _refuse(str(error), arguments)
    except Exception as error:  # noqa: BLE001  (whatever it is, nothing was verified, and that is what is said)
        return _refuse(f"something unexpected went wrong ({type(error).__name__}): nothing was verified", arguments)


def main() -> None:
    """Run ``tally-verify``."""
    sys.exit(run(sys.argv[1:]))


def _refuse(why: str, arguments: Sequence[str]) -> int:
    if "--json" in arguments:
        _print_json({"code": "not-done", "verified": False, "error": why})
    click.echo(f"tally-verify: {visible(why)}", err=True)
    return NOT_DONE


def _read(name: str, most: int) -> bytes:
    try:
        if name == "-":
            return _read_all(sys.stdin.buffer, most, "standard input")
        with Path(name).open("rb") as file:
            return _read_all(file, most, name)
    except OSError as error:
        raise click.ClickException(f"{name} can't be read: {error.strerror or 'no such file'}") from error


def _read_all(file: BinaryIO, most: int, name: str) -> bytes:
    data = file.read(most + 1)
    if len(data) > most:
        raise click.ClickException(f"{name} has more than {most} bytes")
    return data


def _print_report(report: Report) -> None:
    what = "a bundle" if report.decision is None else f"the bundle of decision {report.decision}"
    click.echo(f"Checked {what}: {visible(report.summary)}")
    for line in report.lines:
        click.echo(f"{line.status:<12} {line.check:<18} {visible(line.why)}")
    if report.failed:
        click.echo(f"FAILED: {', '.join(report.failed)}. Do not rely on this bundle.")
        return
    unchecked = f"; not checked: {', '.join(report.unchecked)}" if report.unchecked else ""
    made = len(report.lines) - len(report.unchecked)
    click.echo(f"VERIFIED: {made}/{len(report.lines)} checks made and passed{unchecked}.")
    click.echo(f"\nNot proven: {LIMITS}")


def _print_json(value: dict[str, Json]) -> None:
    click.echo(json.dumps(value, sort_keys=True))
