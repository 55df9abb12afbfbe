"""``tally-verify receipt``: a tlog-proof or a COSE receipt of one event.

Source: docs/spec/receipts.md.
"""

import click

from ledger import tlog_proof
from ledger.event import MAX_EVENT_BYTES
from verify.check.report import failed
from verify.cli.files import PLACE, read, read_policy
from verify.cli.links import Leading, links_options
from verify.cli.output import conclude
from verify.errors import LineageError
from verify.links.check import CHECK
from verify.receipt import check_receipt, lacking
from verify.strict import Strict


@click.command("receipt", cls=Strict)
@click.argument("file", metavar="FILE", type=PLACE)
@click.option(
    "--policy", "policy_file", metavar="POLICY", type=PLACE, required=True, help="The log and witness keys you trust."
)
@click.option(
    "--event", "event_file", metavar="EVENT", type=PLACE, help="The event's exact bytes; a tlog-proof may hold them."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Exit 6 if witnesses were not checked.")
@links_options
def command(
    leading: Leading,
    file: str,
    policy_file: str,
    event_file: str | None,
    as_json: bool,
    strict: bool,
) -> int:
    """Check that one event stands in a log: a C2SP tlog-proof, or a COSE receipt (RFC 9942).

    FILE is what `tally receipt` wrote, or - for standard input. Both speak of the SHA-256 tree. A COSE receipt never
    holds the event, and a tlog-proof may lack it: `tally log show 41 --bytes` writes what --event takes.
    Where the log's key was replaced, or the log went on after a restore, --links leads from the policy's key to the one
    that signed.

    \b
    Example:
      tally-verify receipt event-41.tlog-proof --policy trusted.policy
      tally-verify receipt event-41.cose --event event-41.json --policy trusted.policy
      tally-verify receipt event-41.tlog-proof --policy old.policy --links ledger.links --signers trusted.signers
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    event = None if event_file is None else read(event_file, MAX_EVENT_BYTES)
    data = read(file, tlog_proof.MAX_SIZE)
    if event is None and (seq := lacking(data)) is not None:
        raise click.UsageError(
            f"the file does not hold the event that it is about: give its exact bytes with --event FILE (tally log "
            f"show {seq} --bytes writes them)"
        )
    policy = read_policy(policy_file)
    try:
        followed = leading.follow(policy)
    except LineageError as error:
        return conclude((failed(CHECK, str(error)),), as_json=as_json, strict=strict)
    lines = check_receipt(data, event, policy, followed)
    return conclude(lines if followed is None else (followed.line(), *lines), as_json=as_json, strict=strict)
