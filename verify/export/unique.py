"""Whether a key stands twice among very many, in little memory.

Each key becomes 16 bytes of a digest in one of many files, by its first byte; no two files can hold the same key, so
each is looked through by itself. What is found is a key that stands twice, but for a chance of one in 2^64 or less.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import IO, Final, Self

from ledger import digest

_PARTS: Final = 128
_DIGEST: Final = 16
_ROW: Final = _DIGEST + 8
_HELD: Final = 4096
"""How many bytes of a part are gathered before they are written."""


class UniqueKeys:
    """Keys, each with the number of the event that takes it; use it as a context."""

    def __init__(self) -> None:
        self._files = ExitStack()
        self._parts: dict[int, IO[bytes]] = {}
        self._rows: dict[int, bytearray] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._files.close()

    def add(self, key: str, seq: int) -> None:
        """Take note that an event takes a key."""
        row = digest.document(key.encode("utf-8", "surrogatepass"))[:_DIGEST] + digest.be64(seq)
        part = row[0] % _PARTS
        rows = self._rows.setdefault(part, bytearray())
        rows += row
        if len(rows) >= _HELD:
            self._write(part)

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Give, for each key that was taken before, the event that did and the one that does again."""
        for part in list(self._parts):
            self._write(part)
        for part, rows in sorted(self._rows.items()):
            file = self._parts.get(part)
            yield from _repeated(bytes(rows) if file is None else _whole(file))

    def _write(self, part: int) -> None:
        if part not in self._parts:
            file = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the others)
            self._parts[part] = self._files.enter_context(file)
        self._parts[part].write(self._rows[part])
        self._rows[part].clear()


def _whole(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _repeated(rows: bytes) -> Iterator[tuple[int, int]]:
    first: dict[bytes, int] = {}
    for start in range(0, len(rows), _ROW):
        key, seq = rows[start : start + _DIGEST], int.from_bytes(rows[start + _DIGEST : start + _ROW], "big")
        if key in first:
            yield first[key], seq
        else:
            first[key] = seq
