"""``tally-verify proof``: what a proof file says of a log's events.

Source: docs/spec/proof-file.md; docs/guides/verify.md.
"""

import click

from ledger.note import MAX_SIZE
from verify.cli.files import read, read_policy, stream
from verify.cli.output import conclude
from verify.proof_file.check import check_proof_file
from verify.strict import Strict


@click.command("proof", cls=Strict)
@click.argument("file", metavar="FILE")
@click.option("--policy", "policy_file", metavar="POLICY", required=True, help="The log and witness keys you trust.")
@click.option("--checkpoint", "note_file", metavar="NOTE", help="A signed checkpoint to hold it against, not its own.")
@click.option("--older", "older_file", metavar="NOTE", help="The checkpoint that a proof of consistency begins from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Exit 6 if a check was left out that fuller files would allow.")
def command(
    file: str, policy_file: str, note_file: str | None, older_file: str | None, as_json: bool, strict: bool
) -> int:
    """Check that events stand in a log, that they are all of a range, or that a log continues an older one.

    FILE is what `tally log prove` wrote, or - for standard input. It is read line by line, however long it is. The
    checkpoint in it must be signed by a log of the policy, and the proofs must hold in both trees.

    \b
    Example:
      tally-verify proof events.proof --policy trusted.policy
      tally-verify proof growth.proof --policy trusted.policy --older march.checkpoint
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    note, older = (None if name is None else read(name, MAX_SIZE) for name in (note_file, older_file))
    policy = read_policy(policy_file)
    with stream(file) as source:
        lines = check_proof_file(source, policy, note, older)
    return conclude(lines, as_json=as_json, strict=strict)
