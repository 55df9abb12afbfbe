"""``tally-verify log``: a whole log, from an export of it.

Source: docs/guides/verify.md.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ledger import instant
from verify import stamp
from verify.cli.exits import FAILED, INCOMPLETE, VERIFIED
from verify.cli.files import PLACE, read, read_policy, read_signers
from verify.cli.output import print_json, print_verdict
from verify.export import LogReport, check_export
from verify.export.files import Progress
from verify.export.report import LIMITS
from verify.strict import Strict
from verify.text import visible


@click.command("log", cls=Strict)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--policy", "policy_file", metavar="POLICY", type=PLACE, required=True, help="The log and witness keys you trust."
)
@click.option(
    "--signers", "signers_file", metavar="SIGNERS", type=PLACE, help="The first human's key that you have pinned."
)
@click.option("--at", "moment", metavar="TIME", help="When the pinned key must be valid; by default when it signed.")
@click.option(
    "--roots", "roots_file", metavar="PEM", type=PLACE, help="The certificates that you trust for time stamps."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Exit 6 if a check was left out that fuller files would allow.")
def command(
    folder: Path,
    policy_file: str,
    signers_file: str | None,
    moment: str | None,
    roots_file: str | None,
    as_json: bool,
    strict: bool,
) -> int:
    """Check a whole log, from a directory that tally export wrote.

    Every event, both trees node by node, every checkpoint, every signature and every opening; no database is needed.
    Each line says PASS, FAIL or NOT-CHECKED, and why; one FAIL and the export proves nothing.

    \b
    Example:
      tally-verify log ledger-export --policy trusted.policy --signers trusted.signers
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    policy, signers = read_policy(policy_file), read_signers(signers_file)
    at = None if moment is None else instant.parse(moment)
    roots = () if roots_file is None else stamp.read_roots(read(roots_file, stamp.MAX_ROOTS))
    with _bar() as progress:
        report = check_export(folder, policy, signers, at, roots, progress)
    if as_json:
        print_json(report.to_json())
    else:
        _print_report(report)
    if not report.verified:
        return FAILED
    return INCOMPLETE if strict and report.unchecked else VERIFIED


def _print_report(report: LogReport) -> None:
    click.echo(f"Checked the export of {report.size} events of {visible(report.origin)}")
    if print_verdict("export", report.lines, report.failed, report.unchecked):
        click.echo(f"\nNot proven: {LIMITS}")


@contextmanager
def _bar() -> Iterator[Progress | None]:
    """Show how far the check is, on stderr, where somebody is looking."""
    if not sys.stderr.isatty():
        yield None
        return

    def tell(stage: str, done: int, total: int) -> None:
        click.echo(f"\r{stage}: {100 * done // max(total, 1):3}%", err=True, nl=False)

    yield tell
    click.echo("\r" + " " * 20 + "\r", err=True, nl=False)
