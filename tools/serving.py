"""Serving HTTP until told to stop: bounded in what it reads and in how many it serves, drained when it ends.

Source: DESIGN section 13; docs/guides/operate.md.
"""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from ledger.errors import LibraryMissingError
from tools.errors import InputError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

DRAIN: Final = 10
"""How many seconds requests that are being answered may still take when the service is told to stop."""
AT_ONCE: Final = 64
"""How many connections are served at once; more are told to come back."""
PATIENCE: Final = 10.0
"""How many seconds a request may take to arrive."""


class TooLargeError(Exception):
    """A request has more bytes than are read."""


async def read_body(request: "Request", most: int) -> bytes:
    """Read the body of a request, never more than ``most`` bytes and never for longer than `PATIENCE`.

    Raises:
        TooLargeError: it has more.
        TimeoutError: it does not arrive in time.
    """
    data = bytearray()
    async with asyncio.timeout(PATIENCE):
        async for chunk in request.stream():
            data += chunk
            if len(data) > most:
                raise TooLargeError
    return bytes(data)


def listen(host: str, port: int) -> socket.socket:
    """Take an address; port 0 takes a free one.

    Raises:
        InputError: it can't be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
        taken.listen(AT_ONCE)
    except OSError as error:
        raise InputError(
            f"{host}:{port} can't be listened on ({error.strerror}): choose another --host or --port"
        ) from error
    return taken


def address(place: socket.socket) -> str:
    """Give the address under which a socket of `listen` is reached."""
    host, port = place.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(app: "Starlette", place: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; then nothing more is accepted, and what is being answered is answered.

    Args:
        app: the application.
        place: a socket of `listen`.
        ready: called once requests can come.

    Raises:
        LibraryMissingError: uvicorn is not installed.
    """
    require()
    import uvicorn  # noqa: PLC0415  (only a service needs it)

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            # uvicorn's own raises the signal again at the end, and the process would seem to have been killed.
            handled = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGTERM, signal.SIGINT)}
            try:
                yield
            finally:
                for one, handler in handled.items():
                    signal.signal(one, handler)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=AT_ONCE,
        timeout_graceful_shutdown=DRAIN,
        h11_max_incomplete_event_size=16_384,
    )
    Server(config).run([place])


def require() -> None:
    """Insist that what serves HTTP is installed; ask this before a module that imports it.

    Raises:
        LibraryMissingError: it is not.
    """
    try:
        import starlette  # noqa: F401, PLC0415  (only a service needs it)
        import uvicorn  # noqa: F401, PLC0415  (as above)
    except ImportError as error:
        raise LibraryMissingError(
            "serving HTTP needs starlette and uvicorn: pip install 'tallystick[witness]'"
        ) from error
