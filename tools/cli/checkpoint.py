"""``tally checkpoint``: sign what the log commits to, and show it."""

from typing import Final

import click

from ledger import canon
from ledger.note import VerifierKey
from tools import checkpointing
from tools.checkpointing import Signed
from tools.cli.command import group
from tools.cli.output import emit
from tools.cli.session import opened
from tools.errors import InputError

_EXAMPLE: Final = """\
tally checkpoint
tally checkpoint show > checkpoint.txt"""


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
    """Print the newest checkpoint that was signed, after its signature was verified."""
    with opened() as ledger:
        key = VerifierKey.parse(ledger.genesis.log_key)
        signed = ledger.log.read(lambda snapshot: checkpointing.latest(snapshot, key))
    if signed is None:
        raise InputError("no checkpoint was signed yet: run tally checkpoint")
    _print(signed)


def _make() -> None:
    with opened() as ledger:
        _print(checkpointing.make(ledger))


def _print(signed: Signed) -> None:
    checkpoint = signed.checkpoint
    data = {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "sha256_root": canon.to_base64url(checkpoint.sha256_root),
        "blake3_root": canon.to_base64url(checkpoint.blake3_root or b""),
        "note": signed.note.decode(),
    }
    emit(data, signed.note.decode().removesuffix("\n"))
