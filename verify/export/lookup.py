"""Finding an event of an export again, long after it was passed: one in so many is remembered by where its line begins.

Source: docs/spec/export.md.
"""

from array import array
from typing import Final

from ledger.event import MAX_EVENT_BYTES
from verify.export.files import Folder, Records
from verify.export.form import Index, file_name

_EVERY: Final = 256


class PassedEvents:
    """The events that were passed; memory holds 8 bytes for each 256 of them."""

    def __init__(self, folder: Folder, index: Index) -> None:
        self._folder = folder
        self._index = index
        # A chunk is a power of two, so that each begins where one is remembered.
        self._every = min(_EVERY, index.chunk)
        self._starts = array("Q")
        self._next = 0
        self._size = 0

    def passed(self, data: bytes) -> None:
        """Take note of the next event."""
        if not self._size % self._index.chunk:
            self._next = 0
        if not self._size % self._every:
            self._starts.append(self._next)
        self._next += len(data) + 1
        self._size += 1

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event that was passed, or None.

        Raises:
            ExportFormError: its file is not any more what it was.
            NotAnExportError: it can't be read.
        """
        if not 0 <= seq < self._size:
            return None
        name = file_name("events", seq // self._index.chunk)
        with self._folder.open(name) as file:
            file.seek(self._starts[seq // self._every])
            records = Records(file, name, MAX_EVENT_BYTES + 1, bytes)
            for _ in range(seq % self._every):
                records.take()
            return records.take()
