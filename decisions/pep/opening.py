"""Opening what was decided: from the root down, name by name, with no link followed, and only if it is the same object.

A file that has taken the place of the decided one, a link that stands where none stood, a directory that was swapped:
each is a mismatch, and nothing is done with it. What was absent is made new, and never found.

Source: DESIGN section 10; policy case B05; POSIX.1-2024 ``openat``.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from decisions.errors import MismatchError
from decisions.objects import FileObject, seen
from grants.reference import parse

_DIRECTORY: Final = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_MAKING: Final = os.O_CREAT | os.O_EXCL | os.O_TRUNC


@contextmanager
def directory_of(decided: FileObject) -> Iterator[tuple[int, str]]:
    """Hold the directory that a decided object lies in, and give its descriptor and the object's name there.

    The object was looked at: its name still leads to it, or, if it was absent, to nothing.

    Raises:
        MismatchError: it is another one, or the way to it is.
        OSError: the system refuses.
    """
    parts = parse(decided.reference).parts
    if not parts:
        raise MismatchError("the root lies in no directory")
    held = _descend(decided, parts[:-1])
    try:
        _check(decided, _looked_at(held, parts[-1]))
        yield held, parts[-1]
    finally:
        os.close(held)


def open_decided(decided: FileObject, flags: int, mode: int) -> int:
    """Open a decided object, and give its descriptor.

    Nothing is cut off before the object is known to be the decided one.

    Raises:
        MismatchError: it is another one, or the way to it is.
        OSError: the system refuses.
    """
    if decided.kind == "absent" and not flags & os.O_CREAT:
        raise MismatchError(f"{decided.reference[:120]!a} was not there when it was decided, and is not made")
    with directory_of(decided) as (held, name):
        safe = flags | os.O_NOFOLLOW | os.O_CLOEXEC
        if decided.kind == "absent":
            return _made(decided, name, safe | os.O_EXCL, mode, held)
        found = os.open(name, (safe & ~_MAKING) | os.O_NONBLOCK, dir_fd=held)
    try:
        _check(decided, os.fstat(found))
        if flags & os.O_TRUNC and decided.kind == "file":
            os.ftruncate(found, 0)
        os.set_blocking(found, not flags & os.O_NONBLOCK)
    except BaseException:
        os.close(found)
        raise
    return found


def _made(decided: FileObject, name: str, flags: int, mode: int, held: int) -> int:
    try:
        return os.open(name, flags, mode, dir_fd=held)
    except FileExistsError as error:
        raise _mismatch(decided) from error


def _descend(decided: FileObject, parts: tuple[str, ...]) -> int:
    """Go down to a directory; of what was absent, the directory that was there must be the same."""
    known = len(parts) + 1 - decided.missing if decided.kind == "absent" else -1
    held = os.open("/", _DIRECTORY)
    try:
        for depth, part in enumerate((*parts, None)):
            if depth == known:
                _check_around(decided, held)
            if part is not None:
                held = _down(decided, held, part)
    except BaseException:
        os.close(held)
        raise
    return held


def _check_around(decided: FileObject, held: int) -> None:
    if (decided.device, decided.inode) != _number(os.fstat(held)):
        raise _mismatch(decided)


def _down(decided: FileObject, held: int, part: str) -> int:
    try:
        below = os.open(part, _DIRECTORY, dir_fd=held)
    except OSError as error:
        # A link, or no directory any more, or nothing: not the way that it was.
        raise _mismatch(decided) from error
    os.close(held)
    return below


def _looked_at(held: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=held, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _check(decided: FileObject, found: os.stat_result | None) -> None:
    if decided.kind == "absent":
        same = found is None
    else:
        same = found is not None and seen(decided.reference, found) == decided
    if not same:
        raise _mismatch(decided)


def _number(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _mismatch(decided: FileObject) -> MismatchError:
    return MismatchError(f"{decided.reference[:120]!a} is not what it was when it was decided: ask again")
