"""A directory that appears whole or not at all."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.errors import HomeError
from tools.home import sync


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Give a new directory that gets the name ``path`` once the block has filled it, or is gone if it did not.

    Raises:
        HomeError: something stands there already, or it can't be made.
    """
    if path.exists() or path.is_symlink():
        raise HomeError(f"{path} is there already and is left as it is: choose another place")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        draft.mkdir(mode=0o700)
        yield draft
        sync(draft)
        # A rename never replaces a directory that holds something: who was first stays.
        draft.rename(path)
        sync(path.parent)
    except OSError as error:
        raise HomeError(f"{path} can't be made ({error.strerror}): nothing of it is left") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
