"""Reading what a person names on the command line: a file, or ``-`` for stdin; never endless, always UTF-8."""

import sys
from pathlib import Path
from typing import Final

from tools.errors import InputError

MOST: Final = 64 * 2**20


def read_bytes(path: Path, most: int = MOST) -> bytes:
    """Read a file, or stdin for ``-``.

    Raises:
        InputError: it can't be read, or is larger than anything that is wanted here.
    """
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            with path.open("rb") as file:
                data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}; check the path") from error
    if len(data) > most:
        raise InputError(f"{path} has more than {most} bytes")
    return data


def read_text(path: Path, most: int = MOST) -> str:
    """Read a file of UTF-8 text, or stdin for ``-``.

    Raises:
        InputError: it can't be read, is too large, or is no UTF-8.
    """
    try:
        return read_bytes(path, most).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start} can't be read") from error
