"""``tally log head`` and ``tally log restored``: where the log stands, and how a restored copy goes on.

Source: DESIGN section 9.
"""

from typing import Final

import click

from ledger import canon
from tools import checkpointing
from tools.cli.command import command as declare
from tools.cli.output import emit, fields, say
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.founding import new_origin
from tools.mark import of_head
from tools.restoring import restore

_RESTORED: Final = """\
tally log restored --by human:owner
tally log restored --origin example.com/ledger-2 --by human:owner"""


@declare("head", example="tally log head")
def head() -> None:
    """Show where the log stands: its size, its roots, its key, and what was signed last."""
    with opened() as ledger:
        now, signed, at = ledger.log.read(lambda look: checkpointing.standing(look, ledger.registry))
    state, commits = ledger.genesis, of_head(now, ledger.origin)
    data: dict[str, object] = {
        "origin": ledger.origin,
        "size": now.size,
        "at": now.at,
        "sha256_root": canon.to_base64url(commits.sha256_root),
        "blake3_root": canon.to_base64url(commits.blake3_root or b""),
        "incarnation": state.incarnation,
        "log_key": state.log_key,
        "checkpoint": signed.checkpoint.size if signed else None,
        "checkpoint_at": at,
        "unsigned": now.size - (signed.checkpoint.size if signed else 0),
        "age": checkpointing.age(ledger.clock(), at),
    }
    seconds = data["age"]
    emit(data, fields([*list(data.items())[:-1], ("age", None if seconds is None else f"{seconds} s")]))


@declare("restored", example=_RESTORED)
@click.option("--origin", metavar="NAME", help="The new log's name, for ever.  [default: tally.local/<random>]")
@signing_options
def restored(origin: str | None, *, signing: Signing) -> None:
    """Let a copy from a backup go on, as another log; a human signs.

    A copy that is behind what was signed is closed: what was spent or taken back since stands unspent in it. It goes on
    under a new origin, with a new key, and names what it comes from, so that auditors can follow. Nothing that could
    have ended in what was lost counts any more: consents, standing grants, readings of trust, the constitution, and
    every principal but the one who signs, by the key that signs; each is to be given, adopted or confirmed again.
    Broken off, it is finished by running it again.
    """
    with opened() as ledger:
        done = restore(ledger, origin or new_origin(), lambda act: sign_act(ledger, signing, act))
    data: dict[str, object] = {
        "event": done.event.seq,
        "at": done.event.at,
        "former_origin": done.body.former_origin,
        "former_size": done.lost,
        "origin": done.body.origin,
        "log_key": done.body.log_key,
        "checkpoint": done.signed.checkpoint.size,
    }
    emit(data, fields(list(data.items())))
    say(
        f"\nEvents {done.event.seq} to {done.lost - 1} of {done.body.former_origin}, and any after them, are lost.\n\n"
        "Next:\n"
        "  look through tally resource list: reclassifications and legal holds may be lost, erased fields be back\n"
        "  tally constitution show --text > ours.toml; tally constitution adopt ours.toml\n"
        "  tally principal confirm agent:ops-7        (for each who still stands)\n"
        "  tally grant list --all                     (ratify again what is still wanted)\n"
        "  give the policy to your auditors again, and to whoever runs tally watch: it names the new log\n"
        f"  give the new key to the keepers of witnesses: tally witness add-log DIR {done.body.log_key}"
    )
