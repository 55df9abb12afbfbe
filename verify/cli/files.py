"""Reading what the command line names: never more than the format allows."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import click

from grants import allowed_signers
from grants.allowed_signers import AllowedSigners
from ledger import policy
from ledger.policy import Policy

PLACE: Final = click.Path(readable=False)
"""What names a file on the command line; whether it can be read is told by whoever reads it."""


def read(name: str, most: int) -> bytes:
    """Read a file, or standard input where its name is ``-``.

    Raises:
        ClickException: it can't be read, or has more than ``most`` bytes.
    """
    try:
        if name == "-":
            return _read_all(sys.stdin.buffer, most, "standard input")
        with Path(name).open("rb") as file:
            return _read_all(file, most, name)
    except OSError as error:
        raise click.ClickException(f"{name} can't be read: {error.strerror or 'no such file'}") from error


@contextmanager
def stream(name: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input where its name is ``-``, to be read piece by piece.

    Raises:
        ClickException: it can't be read.
    """
    try:
        if name == "-":
            yield sys.stdin.buffer
        else:
            with Path(name).open("rb") as file:
                yield file
    except OSError as error:
        raise click.ClickException(f"{name} can't be read: {error.strerror or 'no such file'}") from error


def read_policy(name: str) -> Policy:
    """Read the policy that a verifier trusts.

    Raises:
        ClickException: it can't be read.
        PolicyFileError: it is no policy.
    """
    return policy.parse_policy(read(name, policy.MAX_SIZE))


def read_signers(name: str | None) -> AllowedSigners | None:
    """Read the pinned signers, if a file was named.

    Raises:
        ClickException: it can't be read.
        KeyFileError: it is no file of signers.
    """
    return None if name is None else allowed_signers.parse(read(name, allowed_signers.MAX_SIZE))


def _read_all(file: BinaryIO, most: int, name: str) -> bytes:
    data = file.read(most + 1)
    if len(data) > most:
        raise click.ClickException(f"{name} has more than {most} bytes")
    return data
