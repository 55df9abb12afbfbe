"""Asking another machine over HTTP: bounded in time and in size, and every failure one line.

Nothing is followed and nothing is believed here: what an answer means is for whoever asked to check.
"""

import time
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from ledger.errors import LibraryMissingError
from tools.errors import InputError, RemoteError

SECONDS: Final = 10.0
"""How long an answer may take."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        status: the HTTP status.
        kind: the media type, without parameters.
        body: the bytes.
    """

    status: int
    kind: str
    body: bytes


def post(url: str, body: bytes, kind: str, *, most: int, seconds: float = SECONDS) -> Reply:
    """Send bytes, and give what comes back.

    Args:
        url: an http or https address.
        body: what to send.
        kind: its media type.
        most: how many bytes the answer may have.
        seconds: how long to wait.

    Raises:
        InputError: no such address can be asked.
        RemoteError: no answer, or too long a one.
        LibraryMissingError: the library is not installed.
    """
    return _ask("POST", url, most=most, seconds=seconds, content=body, headers={"Content-Type": kind})


def get(url: str, *, most: int, seconds: float = SECONDS) -> Reply:
    """Fetch what stands at an address; see `post`.

    Raises:
        InputError: no such address can be asked.
        RemoteError: no answer, or too long a one.
        LibraryMissingError: the library is not installed.
    """
    return _ask("GET", url, most=most, seconds=seconds)


def _ask(method: str, url: str, *, most: int, seconds: float, **more: Any) -> Reply:  # noqa: ANN401  (for the library)
    try:
        scheme = urlsplit(url).scheme
    except ValueError as error:
        raise InputError(f"{url[:200]} is no address ({error}): check its spelling") from error
    if scheme not in {"http", "https"}:
        raise InputError(f"{url[:200]} is no address that begins with https:// or http://")
    web = _library()
    until = time.monotonic() + seconds
    try:
        with web.stream(method, url, timeout=seconds, **more) as response:
            data = b""
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > most:
                    raise RemoteError(f"{url} answers with more than {most} bytes")
                if time.monotonic() > until:
                    # The library's limit is for each piece of an answer, this one is for all of it.
                    raise RemoteError(f"{url} takes longer than {seconds:g} seconds to answer: try again")
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            return Reply(response.status_code, kind, data)
    except (web.HTTPError, web.InvalidURL, OSError) as error:
        told = " ".join(str(error).split()) or type(error).__name__
        raise RemoteError(
            f"{url} does not answer ({told}): check the address and the network, and try again"
        ) from error


def _library() -> Any:  # noqa: ANN401  (the module)
    try:
        import httpx2  # noqa: PLC0415  (an extra: only what asks other machines needs it)
    except ImportError as error:
        raise LibraryMissingError("this needs httpx2: pip install 'tallystick[exports,witness]'") from error
    return httpx2
