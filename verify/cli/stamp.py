"""``tally-verify stamp``: an RFC 3161 time stamp over a checkpoint.

Source: docs/spec/stamps.md.
"""

import click

from ledger.errors import NoteError
from ledger.note import MAX_SIZE as MAX_NOTE
from ledger.note import parse_note
from verify import stamp
from verify.check.report import failed, passed
from verify.cli.files import PLACE, read, read_policy
from verify.cli.links import Leading, links_options
from verify.cli.output import conclude
from verify.errors import LineageError, StampError
from verify.strict import Strict


@click.command("stamp", cls=Strict)
@click.argument("file", metavar="FILE", type=PLACE)
@click.option("--checkpoint", "note_file", metavar="NOTE", type=PLACE, required=True, help="The signed checkpoint.")
@click.option(
    "--policy", "policy_file", metavar="POLICY", type=PLACE, required=True, help="The log and witness keys you trust."
)
@click.option(
    "--roots", "roots_file", metavar="PEM", type=PLACE, required=True, help="The certificates that you trust for time."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@links_options
def command(leading: Leading, file: str, note_file: str, policy_file: str, roots_file: str, as_json: bool) -> int:
    """Check that a checkpoint existed at the time that a stamping authority vouches for (RFC 3161).

    FILE is what `tally stamp show` wrote, or - for standard input. With --links the checkpoint may be of a key that
    came after one of the policy's.

    \b
    Example:
      tally-verify stamp 120.tsr --checkpoint 120.checkpoint --policy trusted.policy --roots authority.pem
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)
    note, policy = read(note_file, MAX_NOTE), read_policy(policy_file)
    roots = stamp.read_roots(read(roots_file, stamp.MAX_ROOTS))
    token = read(file, stamp.MAX_SIZE)
    at = None
    try:
        witnessed = (leading.follow(policy) or policy).open(note)
        lines = [passed("checkpoint", f"signed by {witnessed.log.name} for {witnessed.checkpoint.size} events")]
    except (NoteError, LineageError) as error:
        lines = [failed("checkpoint", str(error))]
    else:
        try:
            at = stamp.check_stamp(token, parse_note(note)[0], roots).at
            lines.append(passed("stamp", f"this checkpoint existed at {at}"))
        except StampError as error:
            lines.append(failed("stamp", str(error)))
    return conclude(lines, as_json=as_json, at=at)
