"""``tally watch``: follow a log from outside, and find out if it tells two histories."""

import signal
import sys
import threading
from pathlib import Path
from typing import Final

import click

from grants import allowed_signers
from ledger.errors import CorruptError, LedgerError
from ledger.policy import parse_policy
from tools.cli.command import command as declare
from tools.cli.output import emit, say
from tools.errors import EvidenceError, NotFollowedError, ToolError
from tools.files import read_bytes
from tools.watching.following import Follower, Look
from tools.watching.sources import source_of

_EXAMPLE: Final = """\
tally watch https://ledger.bank.example --policy bank.policy --state bank.seen
tally watch /srv/ledger --policy trusted.policy --signers trusted.signers --state seen --once"""


@declare("watch", example=_EXAMPLE)
@click.argument("source", type=click.Path(readable=False))
@click.option(
    "--policy", "policy_file", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The log's key."
)
@click.option("--state", type=click.Path(path_type=Path), required=True, metavar="FILE", help="What was seen last.")
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Where an equivocation file goes. Made if it is missing.  [default: here]",
)
@click.option(
    "--signers",
    "signers_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The humans whom you have pinned; with them a change of the log's key is followed.",
)
@click.option("--once", is_flag=True, help="Look once, and end.")
@click.option(
    "--every",
    type=click.IntRange(1, 86_400),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="How often to look.",
)
def command(
    source: str,
    policy_file: Path,
    state: Path,
    evidence: Path,
    signers_file: Path | None,
    every: int,
    *,
    once: bool,
) -> None:
    """Follow a log's checkpoints: each must continue the one that was seen last, in both trees.

    SOURCE is a ledger's directory, one that tally export wrote, or the address of tally checkpoint serve. The policy
    names the log's key, and comes from somewhere else than the log. On a fork or a step back an equivocation file is
    written, or it is said why it can't be, and the command ends with 3; tally-verify equivocation checks the file.
    Where no key of the policy has signed, as after a rotation of the log's key or a restore, the log's links are
    followed, if the human who signed that is pinned in the file of --signers; else nothing is contradicted: it ends
    with 1 and says what to do. While it follows, a log that can't be asked is asked again later. SIGTERM ends it with
    0.
    """
    signers = None if signers_file is None else allowed_signers.parse(read_bytes(signers_file))
    follower = Follower(source_of(source), parse_policy(read_bytes(policy_file)), state, evidence, signers)
    if once:
        _tell(follower.look())
        return
    stop = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        while True:
            try:
                _tell(follower.look())
            except (EvidenceError, NotFollowedError, CorruptError):
                raise
            except (ToolError, LedgerError) as error:
                say(f"Looking again in {every} s: {error}")
            if stop.wait(every):
                break
    finally:
        signal.signal(signal.SIGTERM, before)
    say("Stopped.")


def _tell(look: Look) -> None:
    checkpoint = look.checkpoint
    data = {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "seen": look.seen,
        "before": look.before,
        "witnesses": list(look.witnesses),
        "witnessed": look.witnessed,
        "not_continued": list(look.others),
        "followed": look.followed,
    }
    how = {
        "first": "seen for the first time",
        "same": "as it was",
        "grown": f"continues size {look.before}",
        "restored": f"goes on from the log that was seen with {look.before}",
    }[look.seen]
    by = f"; witnessed by {', '.join(look.witnesses)}" if look.witnesses else ""
    lacks = "" if look.witnessed else "; the policy's quorum is not reached"
    led = f"; {look.followed}" if look.followed else ""
    others = f"; it does not continue {', '.join(look.others)}, which the policy names too" if look.others else ""
    emit(data, f"{checkpoint.origin} has {checkpoint.size} events: {how}{led}{others}{by}{lacks}.")
    sys.stdout.flush()
