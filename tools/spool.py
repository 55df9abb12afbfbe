"""A directory for what could not be recorded at once: one file for each thing, written whole, gone when it is recorded.

Source: DESIGN section 12; docs/guides/enforce.md.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from decisions.errors import EnforcementError
from decisions.pep import Kept
from ledger import canon
from ledger.errors import CanonError
from ledger.instant import from_microseconds
from tools.home import sync, write_new
from tools.ledger import time_of_day

_MOST: Final = 2**20
_SUFFIX: Final = ".json"


@dataclass(frozen=True, slots=True)
class FileSpool:
    """Keeps things in a directory, which it makes when it has something to keep.

    What stands in it has been said or done by an enforcement point, and the log does not know it yet: it is no more to
    be believed than who can write there.
    """

    folder: Path

    def keep(self, kept: Kept) -> None:
        """Keep one thing, down to the disk.

        Raises:
            OSError: it can't be kept.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        now = time_of_day()
        told = replace(kept, at=kept.at or from_microseconds(now))
        draft = self.folder / f".{secrets.token_hex(8)}.new"
        try:
            write_new(draft, json.dumps(told.to_json()).encode(), 0o600)
            # Names sort by when they were kept; what is said twice is kept once.
            draft.rename(self._place(kept) or self.folder / f"{now:020d}-{kept.id}{_SUFFIX}")
        finally:
            draft.unlink(missing_ok=True)
        sync(self.folder)

    def pending(self) -> Sequence[Kept]:
        """Give what is kept, oldest first; what can't be read is left where it is."""
        found = []
        for name in self._names():
            try:
                with (self.folder / name).open("rb") as file:
                    value = canon.loads(file.read(_MOST))
                found.append(Kept.of_json(value if isinstance(value, dict) else {}))
            except (OSError, CanonError, EnforcementError):
                continue
        return found

    def settle(self, kept: Kept) -> None:
        """Forget one thing."""
        place = self._place(kept)
        if place is not None:
            place.unlink(missing_ok=True)

    def _place(self, kept: Kept) -> Path | None:
        return next((self.folder / name for name in self._names() if name.endswith(f"-{kept.id}{_SUFFIX}")), None)

    def _names(self) -> list[str]:
        try:
            return sorted(place.name for place in self.folder.iterdir() if place.name.endswith(_SUFFIX))
        except OSError:
            return []
