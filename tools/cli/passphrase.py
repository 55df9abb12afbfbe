"""Where the passphrase of the log's key comes from: a terminal, or a file or descriptor that holds it.

Never a flag or the environment: both are read by whoever may list the processes.
"""

import os
import stat
from pathlib import Path
from typing import Final

import click

from tools.cli.output import safe, say
from tools.cli.session import interactive
from tools.errors import InputError, UnattendedError
from tools.keys import OTHERS, Unlock

_MOST: Final = 1024


def unlocking(file: Path | None) -> Unlock:
    """Give who knows the passphrase: the file, or else the person at the terminal, who is asked once."""
    known: list[bytes] = []

    def unlock(key: Path) -> bytes:
        if not known:
            known.append(read_passphrase(file) if file is not None else _ask(key))
        return known[0]

    return unlock


def read_passphrase(path: Path) -> bytes:
    """Read a passphrase: the first line of a file of one line, or what a descriptor gives (``/dev/fd/3``).

    Raises:
        InputError: it can't be read, others may read it, or it is empty or longer than any passphrase.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(_MOST + 1)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}; name the file of the passphrase") from error
    if stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) & OTHERS:
        raise InputError(f"{path} holds a passphrase and is open to others than its owner: run chmod 600 {path}")
    phrase = data.removesuffix(b"\n").removesuffix(b"\r")
    if not phrase or len(data) > _MOST or b"\n" in phrase or b"\0" in phrase:
        raise InputError(f"{path} holds no passphrase: one line of 1 to {_MOST} bytes is wanted")
    return phrase


def new_passphrase(file: Path | None, what: str) -> bytes:
    """Give a new passphrase: of a file, or from the terminal, typed twice.

    Raises:
        InputError: the file holds none.
        UnattendedError: there is neither a file nor a terminal.
    """
    if file is not None:
        return read_passphrase(file)
    if not interactive():
        raise UnattendedError(f"nobody is here to choose {what}: run it at a terminal, or name a file that holds it")
    while True:
        phrase = str(click.prompt(f"{what[0].upper()}{what[1:]}", hide_input=True, confirmation_prompt=True, err=True))
        if len(phrase.encode()) <= _MOST:
            return phrase.encode()
        say(f"At most {_MOST} bytes.")


def _ask(key: Path) -> bytes:
    if not interactive():
        raise UnattendedError(
            f"{key} has a passphrase and nobody is here to enter it: name a file that holds it with --passphrase-file"
        )
    return str(click.prompt(f"Passphrase of {safe(key)}", hide_input=True, err=True)).encode()
