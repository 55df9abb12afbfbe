"""``tally log links``: what leads whoever trusts a former key of the log to the one that signs now.

Source: docs/spec/links.md.
"""

import shlex
import sys
from pathlib import Path
from typing import Final

import click

from tools.cli.command import command as declare
from tools.cli.output import emit, say
from tools.cli.session import opened
from tools.errors import InputError
from tools.home import write_new
from tools.linking import links_now

_EXAMPLE: Final = """\
tally log links -o ledger.links
tally-verify receipt event-41.tlog-proof --policy old.policy --links ledger.links --signers trusted.signers"""


@declare("links", example=_EXAMPLE)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE|-", help="Where; else standard output.")
def command(output: Path | None) -> None:
    """Write what leads from the log's former names and keys to the one in force.

    The file holds each event that replaced the key or let a restored copy go on, what made its signers, and a
    checkpoint under each former key, with their proofs under the newest checkpoint. Whoever trusts a former key, and
    has pinned the humans who signed, follows it with --links of tally-verify receipt, proof and equivocation. Receipts
    and proof files get theirs beside them. It opens no disclosable field.
    """
    with opened() as ledger:
        data, signed = links_now(ledger)
        changes = len(ledger.genesis.former)
    if output is None or str(output) == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        write_new(output, data)
    except FileExistsError as error:
        raise InputError(f"{output} is there already and is left as it is: name another file with -o") from error
    size = signed.checkpoint.size
    emit(
        {"file": str(output), "bytes": len(data), "checkpoint_size": size, "changes": changes},
        f"{output}: {changes} changes of name or key, up to the checkpoint of {size} events.",
    )
    if not changes:
        say("The log has had one name and one key: nobody needs this file yet.")


def say_links(path: Path | None) -> None:
    """Say whom the links beside a file are for."""
    if path is not None:
        words = shlex.join(["--links", str(path), "--signers"])
        say(f"\nThe log's key has changed: whoever trusts a former one adds\n  {words} FILE")
