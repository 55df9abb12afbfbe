"""``tally-verify proof``: what a proof file says of a log's events.

Source: docs/spec/proof-file.md; docs/guides/verify.md.
"""

import click

from ledger.note import MAX_SIZE
from verify.check.report import failed
from verify.cli.files import PLACE, read, read_policy, stream
from verify.cli.links import Leading, links_options
from verify.cli.output import conclude
from verify.errors import LineageError
from verify.links.check import CHECK
from verify.proof_file.check import check_proof_file
from verify.strict import Strict


@click.command("proof", cls=Strict)
@click.argument("file", metavar="FILE", type=PLACE)
@click.option(
    "--policy", "policy_file", metavar="POLICY", type=PLACE, required=True, help="The log and witness keys you trust."
)
@click.option(
    "--checkpoint", "note_file", metavar="NOTE", type=PLACE, help="A signed checkpoint to hold it against, not its own."
)
@click.option(
    "--older", "older_file", metavar="NOTE", type=PLACE, help="The checkpoint that a proof of consistency begins from."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--strict", is_flag=True, help="Exit 6 if a check was left out that fuller files would allow.")
@links_options
def command(
    leading: Leading,
    file: str,
    policy_file: str,
    note_file: str | None,
    older_file: str | None,
    as_json: bool,
    strict: bool,
) -> int:
    """Check that events stand in a log, that they are all of a range, or that a log continues an older one.

    FILE is what `tally log prove` wrote, or - for standard input. It is read line by line, however long it is. The
    checkpoint in it must be signed by a log of the policy, and the proofs must hold in both trees.
    Where the log's key was replaced, or the log went on after a restore, --links leads from the policy's key to the one
    that signed; growth is then proven from one name of the log to the next.

    \b
    Example:
      tally-verify proof events.proof --policy trusted.policy
      tally-verify proof growth.proof --policy trusted.policy --older march.checkpoint
      tally-verify proof events.proof --policy old.policy --links ledger.links --signers trusted.signers
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    note, older = (None if name is None else read(name, MAX_SIZE) for name in (note_file, older_file))
    policy = read_policy(policy_file)
    try:
        followed = leading.follow(policy)
    except LineageError as error:
        return conclude((failed(CHECK, str(error)),), as_json=as_json, strict=strict)
    with stream(file) as source:
        lines = check_proof_file(source, policy, note, older, followed)
    return conclude(lines if followed is None else (followed.line(), *lines), as_json=as_json, strict=strict)
