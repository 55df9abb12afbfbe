"""``tally-verify bundle``: every link of an evidence bundle.

Source: docs/guides/verify.md.
"""

import click

from ledger import instant
from verify.bundle.form import MAX_BYTES
from verify.check import check_bundle
from verify.check.report import LIMITS, Report
from verify.cli.exits import FAILED, INCOMPLETE, VERIFIED
from verify.cli.files import PLACE, read, read_policy, read_signers
from verify.cli.output import print_json, print_verdict
from verify.strict import Strict
from verify.text import visible


@click.command("bundle", cls=Strict)
@click.argument("file", metavar="FILE", type=PLACE)
@click.option(
    "--policy", "policy_file", metavar="POLICY", type=PLACE, required=True, help="The log and witness keys you trust."
)
@click.option(
    "--signers", "signers_file", metavar="SIGNERS", type=PLACE, help="The first human's key that you have pinned."
)
@click.option("--at", "moment", metavar="TIME", help="When the pinned key must be valid; by default when it signed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Exit 6 if a check was left out that fuller files would allow.")
def command(
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
        read(file, MAX_BYTES),
        read_policy(policy_file),
        read_signers(signers_file),
        None if moment is None else instant.parse(moment),
    )
    if as_json:
        print_json(report.to_json())
    else:
        _print_report(report)
    if not report.verified:
        return FAILED
    return INCOMPLETE if strict and report.left_undone else VERIFIED


def _print_report(report: Report) -> None:
    what = "a bundle" if report.decision is None else f"the bundle of decision {report.decision}"
    click.echo(f"Checked {what}: {visible(report.summary)}")
    if print_verdict("bundle", report.lines, report.failed, report.unchecked):
        click.echo(f"\nNot proven: {LIMITS}")
