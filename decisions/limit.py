"""A limit on how long something may take: what takes longer is ended where it stands, in its own thread.

One watcher serves everybody who works; it counts in steps of a part of the limit, so that there is no clock here, and
ends when nobody works. Ending raises `TimeUpError` in the thread, between two steps of the interpreter: a call into the
operating system or a library's own code is ended as soon as it returns.

>>> limit = Limit(60.0)
>>> limit.run(lambda: 6 * 7)
42

Source: DESIGN section 10 (an error anywhere is a deny); policy cases A03, F01.
"""

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

_STEPS: Final = 4


class TimeUpError(BaseException):
    """The time is up. No ordinary handler of errors takes it for a fault of what was being done."""


class _Settled(BaseException):
    """Nothing is to be raised any more in this thread."""


def _raise_in(thread: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _settle(thread: int) -> None:
    """Let nothing be raised later in this thread, which is the one that runs.

    What was raised in it, and not felt yet, is replaced by an exception that is felt here. Taking it back instead would
    leave the interpreter waiting for one that never comes: a function that is traced then begins again for ever.
    """
    try:
        _raise_in(thread, _Settled)
        while True:
            pass
    except _Settled:
        return


class Limit:
    """A limit, for any number of threads.

    Args:
        seconds: how long something may take; it is ended a quarter of that later at the latest.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._ages: dict[int, int] = {}
        self._watched = False

    def run(self, work: Callable[[], T]) -> T:
        """Do something.

        Raises:
            TimeUpError: it took too long.
        """
        if self._process != os.getpid():
            # A process that was forked has no watcher, and a lock that may be held by a thread that it does not have.
            self._begin()
        thread = threading.get_ident()
        with self._lock:
            self._ages[thread] = 0
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, name="limit", daemon=True).start()
        try:
            return work()
        finally:
            with self._lock:
                ended = self._ages.pop(thread, None) is None
            if ended:
                _settle(thread)

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self.seconds / _STEPS)
            with self._lock:
                if not self._ages:
                    self._watched = False
                    return
                for thread in list(self._ages):
                    self._ages[thread] += 1
                    if self._ages[thread] > _STEPS:
                        del self._ages[thread]
                        _raise_in(thread, TimeUpError)
