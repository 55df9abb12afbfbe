"""Files as they were found when a decision was made: by device, inode and kind, and not by a name alone.

A name can be made to lead elsewhere between the decision and the effect. The answer hands the object back, so that the
enforcement point can open it from its directory and refuse what has taken its place.

Source: DESIGN section 10; policy case B05.
"""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ledger.canon import Json

ObjectKind: TypeAlias = Literal["file", "directory", "other", "absent"]


@dataclass(frozen=True, slots=True)
class FileObject:
    """What a file reference stood for.

    Attributes:
        reference: the file, with no link in its path.
        kind: what it was; ``other`` is a device, a pipe or a socket.
        device: number of the file system that it is on; of what is absent, that of the nearest directory around it.
        inode: its number there, likewise.
        changed: when it was changed last, in nanoseconds of the file system: the inode alone is given to another
            file once the first is gone. None of a directory and of what is absent, where names come and go.
        missing: how many names at the end of the reference led to nothing; 0 unless it is absent.
    """

    reference: str
    kind: ObjectKind
    device: int
    inode: int
    changed: int | None = None
    missing: int = 0

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object; long numbers as text, as readers of JSON may cut them short."""
        return {
            "reference": self.reference,
            "kind": self.kind,
            "device": str(self.device),
            "inode": str(self.inode),
            "changed": None if self.changed is None else str(self.changed),
            "missing": self.missing,
        }


Identifier: TypeAlias = Callable[[str], FileObject | None]
"""Looks at the file that a reference without links names, on its machine; None where there is no telling."""


def kind_of(status: os.stat_result) -> ObjectKind:
    """Give the kind of a file by its status."""
    if stat.S_ISDIR(status.st_mode):
        return "directory"
    return "file" if stat.S_ISREG(status.st_mode) else "other"


def seen(reference: str, status: os.stat_result) -> FileObject:
    """Describe a file that is there by its status."""
    kind = kind_of(status)
    changed = None if kind == "directory" else status.st_ctime_ns
    return FileObject(reference, kind, status.st_dev, status.st_ino, changed)
