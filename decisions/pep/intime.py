"""Something that is done in time or not waited for."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_time(work: Callable[[], T], seconds: float) -> T | None:
    """Do something in a thread of its own, and give what it gives; None where it fails or takes longer.

    What takes longer is not stopped: nobody waits for it any more.
    """
    found: list[T] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception:  # noqa: BLE001  (whoever waits is told by the absence of a result)
            return

    thread = threading.Thread(target=run, name="in time", daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None
