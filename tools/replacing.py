"""Replacing a file: the old content stands until the new one is on the disk."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from tools.errors import HomeError
from tools.home import sync


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Put other content into a file, whole or not at all, and down to the disk.

    Args:
        path: the file; it need not be there.
        data: its content.
        mode: its mode; None keeps what it has, or 0644.

    Raises:
        HomeError: it can't be written; the old content stands.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        if mode is None:
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        sync(path.parent)
    except OSError as error:
        raise HomeError(f"{path} can't be written ({error.strerror}): it is as it was") from error
    finally:
        # Where nothing could be made, looking for it may fail as well, and would hide why.
        with suppress(OSError):
            unfinished.unlink()
