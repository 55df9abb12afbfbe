"""``tally-verify equivocation``: two checkpoints of one log that can't both be true.

Source: docs/spec/equivocation.md.
"""

from typing import Final

import click

from ledger.canon import Json
from verify.check.report import failed
from verify.cli.exits import FAILED, INCOMPLETE, VERIFIED
from verify.cli.files import PLACE, read, read_policy
from verify.cli.links import Leading, links_options
from verify.cli.output import conclude, print_json
from verify.equivocation import MAX_BYTES, Finding, Verdict, check_equivocation, parse_equivocation
from verify.errors import LineageError
from verify.links.check import CHECK
from verify.strict import Strict
from verify.text import visible

_EXITS: Final[dict[Verdict, int]] = {"PROVEN": VERIFIED, "CLAIMED": INCOMPLETE, "FAILED": FAILED}
_MEANING: Final[dict[Verdict, str]] = {
    "PROVEN": "whoever holds this log's key has signed two histories.",
    "CLAIMED": "both checkpoints are the log's; that they contradict each other is the word of whoever wrote the file.",
    "FAILED": "this file shows nothing against the log.",
}


@click.command("equivocation", cls=Strict)
@click.argument("file", metavar="FILE", type=PLACE)
@click.option("--policy", "policy_file", metavar="POLICY", type=PLACE, required=True, help="The log keys you trust.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@links_options
def command(
    leading: Leading,
    file: str,
    policy_file: str,
    as_json: bool,
) -> int:
    """Check whether a log has told two histories: what `tally watch` wrote.

    FILE is the equivocation file, or - for standard input. Exit 0: proven; 6: claimed, the file can't prove it; 3: it
    shows nothing. With --links the keys that came after one of the policy's speak for the log too.

    \b
    Example:
      tally-verify equivocation equivocation-4c1d0f9a6b2e8d37.json --policy trusted.policy
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    policy = read_policy(policy_file)
    try:
        followed = leading.follow(policy)
    except LineageError as error:
        return conclude((failed(CHECK, str(error)),), as_json=as_json)
    trusted = policy if followed is None else followed.policy()
    finding = check_equivocation(parse_equivocation(read(file, MAX_BYTES)), trusted)
    if as_json:
        print_json(told(finding))
    else:
        click.echo(f"{finding.verdict:<12} {finding.kind:<18} {visible(finding.why)}")
        click.echo(f"{finding.verdict}: {_MEANING[finding.verdict]}")
    return _EXITS[finding.verdict]


def told(finding: Finding) -> dict[str, Json]:
    """Give a finding as JSON."""
    return {
        "code": finding.verdict.lower(),
        "verified": finding.verdict == "PROVEN",
        "kind": finding.kind,
        "why": finding.why,
        "origin": finding.first.origin if finding.first else None,
        "first_size": finding.first.size if finding.first else None,
        "second_size": finding.second.size if finding.second else None,
    }
