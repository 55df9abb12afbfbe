"""Keeping checkpoints: one is signed when it is due, for as long as somebody lets it run.

Due is a checkpoint when the log has grown since the last one, and either enough time has gone by or enough events have
come. A database that is busy or away is tried again; a log that does not continue what was signed ends it.

Source: DESIGN section 9.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ledger.errors import CorruptError, StoreError
from tools import checkpointing
from tools.checkpointing import Signed
from tools.ledger import OpenLedger
from tools.settings import Cadence

PAUSE: Final = 1.0
"""Seconds between two looks at the log."""


@dataclass(slots=True)
class Keeper:
    """Signs for one open ledger.

    Attributes:
        told: is given each new checkpoint.
        troubled: is given a text when the database can't be used, once for each kind of trouble.
        now: gives seconds that never step back.
    """

    ledger: OpenLedger
    cadence: Cadence
    told: Callable[[Signed], None]
    troubled: Callable[[str], None]
    now: Callable[[], float] = time.monotonic
    _covered: int = field(default=0, init=False)
    _last: float | None = field(default=None, init=False)
    _trouble: str = field(default="", init=False)

    def run(self, stop: threading.Event, halted: Callable[[], bool] = lambda: False) -> None:
        """Keep signing until ``stop`` is set, and then once more, so that nothing is left unsigned.

        Args:
            stop: ends it.
            halted: tells whether nothing may be signed any more.

        Raises:
            EvidenceError: the log does not continue what was signed before.
            HomeError: the key or the mark can't be used.
            CorruptError: what is stored contradicts itself.
        """
        self.look()
        while not stop.wait(PAUSE):
            self.look()
        if not halted():
            self.look(last=True)

    def look(self, *, last: bool = False) -> None:
        """Look at the log once, and sign if a checkpoint is due.

        Args:
            last: sign whatever is new, for nobody looks again.
        """
        try:
            self._look(last=last)
        except CorruptError:
            raise
        except StoreError as error:
            if str(error) != self._trouble:
                self.troubled(str(error))
            self._trouble = str(error)
        else:
            self._trouble = ""

    def _look(self, *, last: bool) -> None:
        size = self.ledger.log.read(lambda snapshot: snapshot.head.size)
        if size == self._covered or not (last or self._due(size)):
            return
        newest = self.ledger.log.read(checkpointing.latest)
        if newest is not None and newest.checkpoint.size == size:
            # Somebody else signed it.
            self._covered, self._last = size, self.now()
            return
        signed = checkpointing.make(self.ledger)
        self._covered, self._last = signed.checkpoint.size, self.now()
        self.told(signed)

    def _due(self, size: int) -> bool:
        if self._last is None or size - self._covered >= self.cadence.events:
            return True
        return self.now() - self._last >= self.cadence.seconds
