"""The process that answers in time: it starts another that decides, and says no where that one does not.

The deciding process may hang in a database, be killed, or fall over: the answer is deny. What it says counts once the
host has it; until then it waits, and where the host never got it, it takes an allow back, so that the log does not
say of an effect that it may have run.

Source: DESIGN section 13; policy case F01.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final, NoReturn, TypeAlias

from tools.hooking.wire import BLOCKED, Spoken, fault

DEADLINE: Final = 2.0
"""How many seconds an answer may take, unless the host's settings say otherwise."""
_MARGIN: Final = 0.25
"""What of it is left for the interpreter's start and for saying no."""
_LIFE: Final = 60
"""How many seconds longer than an answer may take the deciding process may live."""
_HEARD: Final = b"h"
_ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_CHUNK: Final = 65_536

Afterwards: TypeAlias = Callable[[bool], None]
Decided: TypeAlias = tuple[Spoken, Afterwards]
"""What is to be said, and what is done once it is known whether the host has heard it."""


def answer_in_time(decide: Callable[[], Decided], seconds: float, say: Callable[[Spoken], bool]) -> int:
    """Have something decided, and say it, or a deny in its place.

    Args:
        decide: runs in a process of its own.
        seconds: how many seconds that may take.
        say: tells the host, and whether that worked.

    Returns:
        The exit code.
    """
    try:
        with _ending():
            return _answered(decide, seconds, say)
    except _Ended:
        return BLOCKED  # ended a second time, while it said no


def _answered(decide: Callable[[], Decided], seconds: float, say: Callable[[Spoken], bool]) -> int:
    until = time.monotonic() + max(0.05, seconds - _MARGIN)
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        _decide(decide, theirs, seconds)
    theirs.close()
    try:
        spoken = _heard(ours, until)
    except _Ended as ended:
        why = f"the hook was ended by signal {ended.number}"
        say(fault(f"{why}: nothing is allowed"))
        return BLOCKED
    if spoken is None:
        why = f"no answer within {seconds:g} s" if time.monotonic() >= until else "the process that decides has died"
        say(fault(f"{why}: nothing is allowed. The ledger may hold a decision all the same"))
        return BLOCKED
    if not say(spoken):
        return BLOCKED
    with contextlib.suppress(OSError):
        ours.sendall(_HEARD)
    return spoken.code


class _Ended(BaseException):
    """A signal has come that asks the process to end."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


def _end(number: int, _frame: object) -> NoReturn:
    raise _Ended(number)


@contextlib.contextmanager
def _ending() -> Iterator[None]:
    """Have the signals that ask for an end answered with a deny."""
    handlers = {number: signal.signal(number, _end) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _heard(connection: socket.socket, until: float) -> Spoken | None:
    """Wait for what the other process says; None where it says nothing whole in time."""
    data = bytearray()
    while (left := until - time.monotonic()) > 0:
        if not select.select([connection], [], [], left)[0]:
            return None
        chunk = connection.recv(_CHUNK)
        data += chunk
        if not chunk or data.endswith(b"\n"):
            return Spoken.of_bytes(bytes(data))
    return None


def _decide(decide: Callable[[], Decided], connection: socket.socket, seconds: float) -> NoReturn:
    """Be the process that decides: say it, learn whether the host has heard it, and end."""
    code = 1
    try:
        # Whoever signals the hook's group ends the hook; what is begun in the ledger is ended in order.
        os.setsid()
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(_LIFE + int(seconds))
        _keep_quiet()
        spoken, afterwards = decide()
        heard = _told(connection, spoken)
        afterwards(heard)
        code = 0
    finally:
        # Nothing of the process that was copied may run on: no handlers, no buffers.
        os._exit(code)


def _told(connection: socket.socket, spoken: Spoken) -> bool:
    try:
        connection.sendall(spoken.to_bytes())
        return connection.recv(1) == _HEARD
    except OSError:
        return False


def _keep_quiet() -> None:
    """Let nothing that is imported or done write to the host; what it waits for ends with the hook itself."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(null, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (as long as the process)


def open_streams() -> bool:
    """Put something in the place of a standard stream that is closed, and tell whether the host can hear at all."""
    heard = True
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # Whatever is opened next would be taken for it.
            os.open(os.devnull, os.O_RDWR)
            heard = heard and descriptor != 1
    return heard


def say(spoken: Spoken) -> bool:
    """Write to the host; tell whether stdout took it."""
    with contextlib.suppress(OSError):
        _write(2, spoken.stderr.encode("utf-8", "backslashreplace"))
    try:
        _write(1, spoken.stdout.encode("utf-8", "backslashreplace"))
    except OSError:
        with contextlib.suppress(OSError):
            _write(2, b"tally: the answer can't be written: nothing is allowed\n")
        return False
    return True


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
