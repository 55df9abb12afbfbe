"""``tally stamp``: time stamps over checkpoints, from an authority of one's choice.

Source: RFC 3161; docs/spec/stamps.md.
"""

import sys
from pathlib import Path
from typing import Final

import click

from tools import checkpointing, stamping
from tools.cli.command import group
from tools.cli.output import emit, table
from tools.cli.session import opened
from tools.errors import InputError
from tools.files import read_bytes
from tools.home import write_new
from tools.numbers import Number
from tools.stamping import Stamped
from verify.errors import StampError
from verify.stamp import read_roots, read_stamp

_EXAMPLE: Final = """\
tally stamp make https://stamp.example.org --roots authority.pem
tally stamp list
tally stamp show 120 -o 120.tsr"""


@group("stamp", example=_EXAMPLE)
def command() -> None:
    """Have checkpoints stamped by a time-stamping authority (RFC 3161).

    A stamp shows that a checkpoint, and with it every event under it, existed at a time that does not come from the
    log's own clock. `tally-verify stamp` checks it offline.
    """


@command.command("make", example="tally stamp make https://stamp.example.org --roots authority.pem")
@click.argument("url")
@click.option(
    "--roots", type=click.Path(path_type=Path), required=True, metavar="PEM", help="Certificates that it must lead to."
)
@click.option("--size", type=Number(1), metavar="N", help="Which checkpoint; else the newest.")
def make(url: str, roots: Path, size: int | None) -> None:
    """Ask the authority at URL to stamp a checkpoint, check the stamp, and keep it.

    Only the SHA-256 hash of the checkpoint's text leaves this machine.
    """
    try:
        trusted = read_roots(read_bytes(roots))
    except StampError as error:
        raise InputError(f"{roots}: {error}") from error
    with opened() as ledger:
        if size is None:
            latest = ledger.log.read(checkpointing.latest)
            if latest is None:
                raise InputError("no checkpoint was signed yet: run tally checkpoint")
            size = latest.checkpoint.size
        stamped, told = stamping.stamp(ledger, size, url, trusted)
    data = {"size": size, "authority": url, "at": told.at, "bytes": len(stamped.token), "serial": str(told.serial)}
    emit(data, f"The checkpoint of {size} events was stamped at {told.at} by {url}: {len(stamped.token)} bytes, kept.")


@command.command("list", example="tally stamp list --json")
def list_() -> None:
    """List the stamps that are kept; the time is the authority's, and is not verified here."""
    with opened() as ledger:
        kept = ledger.log.read(stamping.stamps)
    data = [{"size": one.size, "authority": one.authority, "at": _at(one)} for one in kept]
    rows = [(str(one.size), _at(one) or "unreadable: run tally audit", one.authority) for one in kept]
    emit(data, table(("SIZE", "AT", "AUTHORITY"), rows))


@command.command("show", example="tally stamp show 120 -o 120.tsr")
@click.argument("size", type=Number(1))
@click.option("--authority", metavar="URL", help="Whose, where there are several.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it there, in DER.")
def show(size: int, authority: str | None, output: Path | None) -> None:
    """Write the stamp of the checkpoint of SIZE events, as openssl and tally-verify read it."""
    with opened() as ledger:
        kept = ledger.log.read(stamping.stamps)
    found = [one for one in kept if one.size == size and authority in {None, one.authority}]
    if len(found) != 1:
        several = ", ".join(one.authority for one in found)
        raise InputError(f"several stamps: add --authority, one of {several}" if found else "no such stamp is kept")
    (one,) = found
    if output is None:
        if sys.stdout.isatty():
            raise InputError("a stamp is binary: name a file with -o")
        sys.stdout.buffer.write(one.token)
        sys.stdout.buffer.flush()
        return
    try:
        write_new(output, one.token)
    except FileExistsError as error:
        raise InputError(f"{output} is there already and is left as it is: name another file with -o") from error
    emit({"size": size, "authority": one.authority, "file": str(output)}, f"The stamp is in {output}.")


def _at(one: Stamped) -> str | None:
    try:
        return read_stamp(one.token)[0].at
    except StampError:
        return None
