"""``tally checkpoint``: sign what the log commits to, and show it."""

import signal
import sys
import threading
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from ledger import canon
from ledger.log import Snapshot
from tools import checkpointing
from tools.checkpointing import Signed
from tools.cli.checkpoint_serve import serve
from tools.cli.command import group
from tools.cli.output import emit, say
from tools.cli.session import home, opened
from tools.errors import InputError
from tools.keeping import Keeper
from tools.settings import MOST_EVENTS, MOST_SECONDS, Cadence, read_settings
from tools.witnessing.keeping import Submitter
from tools.witnessing.standing import cosigned_note

_EXAMPLE: Final = """\
tally checkpoint
tally checkpoint keep
tally checkpoint show > checkpoint.txt"""

_KEEP: Final = """\
tally checkpoint keep
tally --passphrase-file /run/credentials/tally/log-key checkpoint keep --seconds 30 --events 500"""


@group("checkpoint", example=_EXAMPLE, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Sign what the log commits to; without a command, as make.

    The log never signs two roots for one size, nor a smaller size than before: what it signed last stands in the file
    high-water beside its key.
    """
    if context.invoked_subcommand is None:
        _make()


@command.command("make", example="tally checkpoint make --json")
def make() -> None:
    """Sign a checkpoint of the log as it stands, and print it."""
    _make()


@command.command("show", example="tally checkpoint show")
def show() -> None:
    """Print the newest checkpoint that was signed, after its signature was verified, with the lines of witnesses."""
    with opened() as ledger:
        signed = ledger.log.read(_newest)
    if signed is None:
        raise InputError("no checkpoint was signed yet: run tally checkpoint")
    _print(signed)


command.add_command(serve)


def _newest(snapshot: Snapshot) -> Signed | None:
    newest = checkpointing.latest(snapshot)
    if newest is None:
        return None
    return replace(newest, note=cosigned_note(snapshot, newest.checkpoint.size, newest.note))


@command.command("keep", example=_KEEP)
@click.option(
    "--seconds",
    type=click.IntRange(1, MOST_SECONDS),
    metavar="N",
    help="Sign so long after the last one.  [default: 60]",
)
@click.option(
    "--events", type=click.IntRange(1, MOST_EVENTS), metavar="N", help="Sign after so many events.  [default: 1000]"
)
@click.option(
    "--submit/--no-submit",
    default=True,
    show_default=True,
    help="Have each checkpoint cosigned by the policy's witnesses that have a URL.",
)
@click.option(
    "--evidence",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Where an equivocation file goes. Made if it is missing.  [default: here]",
)
def keep(seconds: int | None, events: int | None, evidence: Path, *, submit: bool) -> None:
    """Sign a checkpoint whenever one is due, until stopped.

    One is due where something is new and either time or events have gone by; the options override settings.toml in the
    ledger's directory. It stays in the foreground, for a supervisor such as systemd: it waits for a database that is
    busy, signs once more when it is stopped (SIGTERM), and ends with 3 if the log does not continue what was signed.
    Where the policy names witnesses with a URL, each checkpoint is then submitted to them, as tally witness submit
    does; those that don't answer are asked again after a minute, and one that holds another history ends it with 3.
    With --json each checkpoint is one line.
    """
    place = home()
    read = read_settings(place).checkpoint
    cadence = Cadence(seconds or read.seconds, events or read.events)
    stop = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        with opened() as ledger:
            say(f"Keeping checkpoints of {ledger.origin}: every {cadence.seconds} s or {cadence.events} events.")
            witnesses = Submitter(ledger, evidence, say, stop) if submit else None

            def told(signed: Signed) -> None:
                _tell(signed)
                if witnesses is not None:
                    witnesses.ask()

            with witnesses or nullcontext():
                keeper = Keeper(ledger, cadence, told, lambda why: say(f"Trying again: {why}"))
                keeper.run(stop, lambda: witnesses is not None and witnesses.contradicted)
    finally:
        signal.signal(signal.SIGTERM, before)
    say("Stopped.")


def _tell(signed: Signed) -> None:
    say(f"Signed for {signed.checkpoint.size} events.")
    emit(_data(signed))
    sys.stdout.flush()


def _make() -> None:
    with opened() as ledger:
        _print(checkpointing.make(ledger))


def _print(signed: Signed) -> None:
    emit(_data(signed), signed.note.decode().removesuffix("\n"))


def _data(signed: Signed) -> dict[str, object]:
    checkpoint = signed.checkpoint
    return {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "sha256_root": canon.to_base64url(checkpoint.sha256_root),
        "blake3_root": canon.to_base64url(checkpoint.blake3_root or b""),
        "note": signed.note.decode(),
    }
