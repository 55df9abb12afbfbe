"""Asking one witness for its line: sent, and sent again where no answer came; nothing that it says is believed unread.

Source: C2SP tlog-witness; docs/spec/witness.md.
"""

import time
from http import HTTPStatus
from typing import Final

from ledger.cosignature import Cosigner
from ledger.errors import NoteError, WitnessFormError
from ledger.note import NoteSignature, VerifierKey
from ledger.witness import MAX_REQUEST, SIZE_TYPE, AddCheckpoint, origin_hash, parse_lines, parse_size
from tools import web
from tools.errors import RemoteError

PAUSES: Final = (0.5, 1.0)
"""How many seconds to wait before each further attempt."""

_BODY: Final = "text/plain; charset=utf-8"
_LATER: Final = {HTTPStatus.TOO_MANY_REQUESTS, *(status for status in HTTPStatus if status >= 500)}  # noqa: PLR2004


class SizeConflictError(Exception):
    """The witness cosigned another size last than it was asked from."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it cosigned size {size} last")
        self.size = size


class UnknownLogError(RemoteError):
    """The witness does not know the log, or not by the key that it signs with; its keeper is to be given the key."""


class InconsistentError(Exception):
    """The witness says that the checkpoint does not continue what it cosigned."""


def ask(url: str, key: VerifierKey, request: AddCheckpoint, text: str) -> str:
    """Ask for a witness's line over a checkpoint.

    Args:
        url: the submission prefix.
        key: the witness's.
        request: what is asked.
        text: the text of the checkpoint in it.

    Returns:
        The line, which holds.

    Raises:
        SizeConflictError: another size was cosigned last.
        InconsistentError: the checkpoint does not continue what was cosigned.
        UnknownLogError: it does not know the log, or not by this key.
        RemoteError: no answer, or one that is none.
    """
    reply = _send(f"{url.rstrip('/')}/add-checkpoint", request.to_bytes())
    match reply.status:
        case HTTPStatus.OK:
            return _line(reply.body, key, text)
        case HTTPStatus.CONFLICT if reply.kind == SIZE_TYPE:
            raise _conflict(reply.body, request.old_size)
        case HTTPStatus.CONFLICT | HTTPStatus.UNPROCESSABLE_ENTITY:
            raise InconsistentError(_said(reply))
        case HTTPStatus.FORBIDDEN:
            raise UnknownLogError(
                f"it answers 403: {_said(reply)}; it knows this log by none of the keys that signed: after tally key "
                "rotate its keeper must be given the new key"
            )
        case HTTPStatus.NOT_FOUND:
            raise UnknownLogError(
                f"it answers 404: {_said(reply)}; if its URL in the policy is right it knows no log of this name: its "
                "keeper must be given the key, after tally log restored the new one"
            )
    raise RemoteError(f"it answers {reply.status}: {_said(reply)}")


def fetch(url: str, origin: str) -> bytes:
    """Fetch what a witness cosigned last of a log; nothing is verified.

    Raises:
        RemoteError: no answer, or there is nothing.
    """
    reply = web.get(f"{url.rstrip('/')}/{origin_hash(origin)}/checkpoint", most=MAX_REQUEST)
    if reply.status != HTTPStatus.OK:
        raise RemoteError(f"it answers {reply.status}: {_said(reply)}")
    return reply.body


def _send(url: str, body: bytes) -> web.Reply:
    for pause in (*PAUSES, None):
        try:
            reply = web.post(url, body, _BODY, most=MAX_REQUEST)
        except RemoteError:
            if pause is None:
                raise
        else:
            if pause is None or reply.status not in _LATER:
                return reply
        time.sleep(pause)
    raise AssertionError("the last attempt has returned or raised")


def _line(body: bytes, key: VerifierKey, text: str) -> str:
    try:
        lines = parse_lines(body)
    except WitnessFormError as error:
        raise RemoteError(f"its answer can't be read: {error}") from error
    own: list[NoteSignature] = [line for line in lines if (line.name, line.key_id) == (key.name, key.key_id)]
    if not own:
        raise RemoteError("its answer has no line of the key that the policy names")
    try:
        Cosigner(key).check(text, own[0].signature)
    except NoteError as error:
        raise RemoteError(f"its line does not hold: {error}") from error
    return own[0].line()


def _conflict(body: bytes, asked_from: int) -> Exception:
    try:
        size = parse_size(body)
    except WitnessFormError as error:
        return RemoteError(f"it answers 409 and no size: {error}")
    if size == asked_from:
        # So says a witness of version 1.0.0 that has another root for this very size.
        return InconsistentError(f"it cosigned size {size} last, and takes no checkpoint from there")
    return SizeConflictError(size)


def _said(reply: web.Reply) -> str:
    return " ".join(reply.body[:200].decode("utf-8", "replace").split())
