"""``tally witness add``, ``submit`` and ``status``: have the ledger's checkpoints cosigned."""

from pathlib import Path
from typing import Final

import click

from ledger.cosignature import COSIGNING
from ledger.instant import from_microseconds
from ledger.note import VerifierKey
from ledger.policy import PolicyWitness
from tools.cli.command import command as declare
from tools.cli.failure import DONE, FAILED
from tools.cli.output import emit, say, table
from tools.cli.session import home, opened
from tools.errors import EvidenceError, InputError
from tools.files import read_bytes
from tools.replacing import replace_file
from tools.witnessing.adding import with_witness
from tools.witnessing.standing import Standing, standing
from tools.witnessing.submitting import read_policy
from tools.witnessing.submitting import submit as submit_all

_ADD: Final = "tally witness add bank witness.bank.example+7a1b2c3d+BD... --url https://witness.bank.example --quorum 2"


@declare("add", example=_ADD)
@click.argument("name")
@click.argument("vkey")
@click.option("--url", metavar="URL", help="Its submission prefix; without one it is not asked.")
@click.option("--optional", is_flag=True, help="Ask it, and wait for nobody's sake for it.")
@click.option(
    "--quorum", metavar="any|all|K", help="How many of those that count must have spoken.  [default: as it is]"
)
def add(name: str, vkey: str, url: str | None, quorum: str | None, *, optional: bool) -> None:
    """Add a witness to the ledger's policy file: its NAME there, and the VKEY that its keeper gave you.

    Witnesses that count make the group "witnesses", which becomes the quorum: all of them, unless --quorum says
    otherwise. Lines and comments that stand are left as they are. Give the changed file to your auditors: they decide
    whom they trust.
    """
    key = VerifierKey.parse(vkey)
    if key.algorithm not in COSIGNING:
        raise InputError("this is the vkey of a log, not of a witness")
    if url is not None and not url.startswith(("https://", "http://")):
        raise InputError(f"{url[:200]} is no address that begins with https:// or http://")
    policy = home().policy
    changed = with_witness(read_bytes(policy), PolicyWitness(name, key, url), optional=optional, quorum=quorum)
    replace_file(policy, changed)
    emit({"policy": str(policy), "witness": name, "text": changed.decode()}, changed.decode().removesuffix("\n"))


@declare("submit", example="tally checkpoint && tally witness submit")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Where an equivocation file goes. Made if it is missing.  [default: here]",
)
def submit(names: tuple[str, ...], evidence: Path) -> int:
    """Have the newest checkpoint cosigned, by every witness of the policy or by those that are named.

    Each line is verified before it is kept. Exit 0 if the policy's quorum is reached, 1 if it is not yet, 3 if a
    witness holds another history than this log: then look at the equivocation file that was written.
    """
    with opened() as ledger:
        submission = submit_all(ledger, evidence, names)
    now = submission.standing
    emit(
        {
            "size": now.checkpoint.size,
            "state": now.state,
            "outcomes": [
                {"witness": one.name, "result": one.result, "size": one.size, "why": one.why or None}
                for one in submission.outcomes
            ],
        },
        table(("witness", "result", "size", "why"), [(o.name, o.result, o.size, o.why) for o in submission.outcomes]),
    )
    say(_told(now))
    against = [one for one in submission.outcomes if one.result == "evidence"]
    if against:
        raise EvidenceError(f"{against[0].name}: {against[0].why}")
    return FAILED if now.state == "pending" else DONE


@declare("status", example="tally witness status")
def status() -> None:
    """Show how far each witness has come, and whether the newest checkpoint is pending, at quorum, or final."""
    with opened() as ledger:
        now = ledger.log.read(lambda look: standing(look, read_policy(ledger)))
    if now is None:
        raise InputError("no checkpoint was signed yet: run tally checkpoint")
    rows = [
        {
            "witness": one.witness.name,
            "counts": one.counts,
            "size": one.size,
            "at": None if one.time is None else from_microseconds(one.time * 1_000_000),
            "state": "cosigned" if one.cosigned else "never" if one.size is None else "behind",
        }
        for one in now.witnesses
    ]
    cells = [(r["witness"], "quorum" if r["counts"] else "optional", r["size"], r["at"], r["state"]) for r in rows]
    emit(
        {"size": now.checkpoint.size, "state": now.state, "witnesses": rows},
        table(("witness", "part", "size", "when", "state"), cells),
    )
    say(_told(now))


def _told(now: Standing) -> str:
    if not now.witnesses:
        return f"Nobody witnesses the checkpoint of {now.checkpoint.size} events: tally witness add"
    return f"The checkpoint of {now.checkpoint.size} events: {now.state}."
