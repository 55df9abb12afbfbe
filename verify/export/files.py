"""Reading the files of an export: names by rule, plain files alone, and never more than the form allows.

Nothing is followed: a link, a device or a pipe in the place of a file is refused. What is read is streamed.

Source: docs/spec/export.md.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, Generic, TypeAlias, TypeVar

from verify.errors import ExportFormError, NotAnExportError
from verify.export.form import INDEX, KINDS, FileEntry, Index, file_name

_BLOCK: Final = 1 << 20
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

T = TypeVar("T")

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told the stage, how much is done, and of how much."""


class Folder:
    """The directory of an export; making one of these touches nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a plain file by its name within the directory.

        Raises:
            ExportFormError: it is missing, or no plain file.
            NotAnExportError: it can't be read.
        """
        kind, slash, last = name.rpartition("/")
        try:
            folder = os.open(self.path / kind, os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if slash else 0))
            try:
                handle = os.open(last, _FLAGS, dir_fd=folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise self._refused(name, error) from error
        # Asked of the descriptor before a file is made of it: for a directory none can be made.
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise ExportFormError(f"{name} is no plain file")
        with os.fdopen(handle, "rb", _BLOCK) as file:
            try:
                yield file
            except OSError as error:
                raise self._refused(name, error) from error

    def read(self, name: str, most: int) -> bytes:
        """Read a whole file.

        Raises:
            ExportFormError: it is missing, no plain file, or longer than it may be.
            NotAnExportError: it can't be read.
        """
        with self.open(name) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ExportFormError(f"{name} has more than {most} bytes")
        return data

    def strangers(self, index: Index) -> Iterator[str]:
        """Name what stands in the directory and is no file of the index.

        Raises:
            NotAnExportError: the directory can't be read.
        """
        listed = {one.name for one in index.files}
        folders = {name.partition("/")[0] for name in listed if "/" in name}
        yield from (name for name in self._names("") if name not in {INDEX, *listed, *folders})
        for kind in sorted(folders & KINDS.keys()):
            # A folder that is missing holds no stranger; each file that should be in it is named as missing.
            with suppress(ExportFormError):
                yield from (f"{kind}/{name}" for name in self._names(kind) if f"{kind}/{name}" not in listed)

    def holds_parts(self) -> bool:
        """Tell whether the first file of any kind stands where an export has it."""
        return any((self.path / file_name(kind, 0)).is_file() for kind in KINDS)

    def _names(self, kind: str) -> Iterator[str]:
        try:
            with os.scandir(self.path / kind) as entries:
                yield from (entry.name for entry in entries)
        except OSError as error:
            raise self._refused(kind, error) from error

    def _refused(self, name: str, error: OSError) -> ExportFormError | NotAnExportError:
        # A link is refused as ELOOP, or as ENOTDIR where a directory is wanted.
        if isinstance(error, FileNotFoundError | NotADirectoryError) or error.errno == errno.ELOOP:
            return ExportFormError(f"{name or self.path} is missing, or no plain file")
        return NotAnExportError(f"{self.path / name} can't be read: {error.strerror}")


class Records(Generic[T]):
    """The lines of one file, read into values one at a time; the next one can be looked at before it is taken.

    Args:
        file: the file.
        name: its name, for messages.
        most: how long a line may be, newline and all.
        parse: reads a line without its newline.
    """

    def __init__(self, file: IO[bytes], name: str, most: int, parse: Callable[[bytes], T]) -> None:
        self._file = file
        self._name = name
        self._most = most
        self._parse = parse
        self._next: T | None = None

    def peek(self) -> T | None:
        """Give the next value, or None at the end.

        Raises:
            ExportFormError: its line is too long, cut off, or not of its form.
        """
        if self._next is None and (line := self._file.readline(self._most)):
            if not line.endswith(b"\n"):
                what = "has a line that is too long" if len(line) == self._most else "ends within a line"
                raise ExportFormError(f"{self._name} {what}")
            self._next = self._parse(line[:-1])
        return self._next

    def take(self) -> T | None:
        """Give the next value and go on, or None at the end.

        Raises:
            ExportFormError: as `peek`.
        """
        value, self._next = self.peek(), None
        return value


def file_faults(folder: Folder, index: Index, progress: Progress) -> Iterator[str]:
    """Hold every file against its length and its SHA-256, and name what has no place.

    Raises:
        NotAnExportError: a file can't be read.
    """
    yield from (f"{name!a} has no place in an export" for name in folder.strangers(index))
    total, done = sum(one.size for one in index.files), 0
    for entry in index.files:
        fault = _fault(folder, entry)
        if fault is not None:
            yield fault
        done += entry.size
        progress("files", done, total)


def _fault(folder: Folder, entry: FileEntry) -> str | None:
    try:
        with folder.open(entry.name) as file:
            if os.fstat(file.fileno()).st_size != entry.size:
                return f"{entry.name} does not have the {entry.size} bytes of the index"
            hasher = hashlib.sha256()
            while block := file.read(_BLOCK):
                hasher.update(block)
            if hasher.hexdigest() != entry.sha256:
                return f"{entry.name} does not have the SHA-256 of the index"
    except ExportFormError as error:
        return str(error)
    return None
