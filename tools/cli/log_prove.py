"""``tally log prove``: proofs of the log's events, for whoever does not see the log.

Source: DESIGN section 6; docs/spec/proof-file.md.
"""

import os
import secrets
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final

import click

from tools.cli.command import command as declare
from tools.cli.log_links import say_links
from tools.cli.output import emit, say
from tools.cli.session import opened
from tools.errors import InputError
from tools.home import sync
from tools.ledger import OpenLedger
from tools.linking import beside, keep_beside
from tools.log_proofs import AllEvents, Asked, Events, Given, Since, hand_out
from tools.numbers import Number

_EXAMPLE: Final = """\
tally log prove 41 -o event-41.proof
tally log prove 41 57 63 -o three.proof
tally log prove --range 100 199 -o june.proof
tally log prove --since 500 -o growth.proof"""

_CHUNK: Final = 1 << 20


@declare("prove", example=_EXAMPLE)
@click.argument("seqs", metavar="[SEQ]...", type=Number(), nargs=-1)
@click.option(
    "--range",
    "span",
    type=Number(),
    nargs=2,
    metavar="A B",
    help="Prove that these are ALL events from A to B.",
)
@click.option("--since", type=Number(1), metavar="OLD", help="Prove that the log continues that of OLD events.")
@click.option("--size", type=Number(1), metavar="N", help="As the log was when it had N events.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE|-", help="Where; else standard output.")
def command(
    seqs: tuple[int, ...], span: tuple[int, int] | None, since: int | None, size: int | None, output: Path | None
) -> None:
    """Prove that events stand in the log, that they are all of a range, or that the log only grew.

    Give one or more event numbers, or --range, or --since. The proof file has the events themselves, their proofs in
    both trees and the signed checkpoint; a new one is signed where the latest does not cover them. Events stand there
    as recorded: disclosable fields are commitments. Everything is verified before anything is handed out. Where the
    log's key was replaced before that checkpoint, or the log went on after a restore, the file of links that leads from
    the former key is written beside it, under the same name and .links.
    """
    if sum((bool(seqs), span is not None, since is not None)) != 1:
        raise click.UsageError("give event numbers, or --range A B, or --since OLD: one of them")
    asked: Asked = Events(seqs)
    if span is not None:
        asked = AllEvents(*span)
    elif since is not None:
        asked = Since(since)
    with opened() as ledger:
        if output is None or str(output) == "-":
            _print(ledger, asked, size)
            return
        beside(output)
        given = _save(ledger, asked, size, output)
        links = keep_beside(ledger, given.signed, output)
        policy = ledger.home.policy
    line = shlex.join(["tally-verify", "proof", str(output), "--policy", str(policy)])
    data = {
        "kind": given.kind,
        "events": given.events,
        "size": given.size,
        "checkpoint_size": given.signed.checkpoint.size,
        "file": str(output),
        "links": None if links is None else str(links),
        "bytes": output.stat().st_size,
        "verify": line,
    }
    emit(data, _text(given, output))
    say(f"\nAnybody checks it with:\n  {line}")
    say_links(links)


def _print(ledger: OpenLedger, asked: Asked, size: int | None) -> None:
    with TemporaryFile() as file:
        hand_out(ledger, asked, size, file)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()


def _save(ledger: OpenLedger, asked: Asked, size: int | None, output: Path) -> Given:
    """Write a file that is there whole or not at all, and never in the place of another.

    Raises:
        InputError: something stands there already.
    """
    draft = output.with_name(f".{output.name}.{secrets.token_hex(4)}.new")
    try:
        with draft.open("xb") as file:
            given = hand_out(ledger, asked, size, file)
            _sync(file)
        output.hardlink_to(draft)
        sync(output.parent)
    except FileExistsError as error:
        raise InputError(f"{output} is there already and is left as it is: name another file with -o") from error
    finally:
        draft.unlink(missing_ok=True)
    return given


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _text(given: Given, output: Path) -> str:
    what = {
        "inclusion": "One event",
        "set": f"{given.events} events",
        "range": f"All {given.events} events of the range",
        "consistency": "That the log only grew",
    }[given.kind]
    past = "" if given.size == given.signed.checkpoint.size else f", as the log was with {given.size} events"
    return f"{what}: in {output}, verified under the checkpoint of {given.signed.checkpoint.size} events{past}."
