"""A log's checkpoints and proofs over HTTP, for whoever watches it. It needs no key.

It gives out no event but those that changed the log's name or key and those that made their signers, of which no field
is opened.

    GET /checkpoint                  the newest checkpoint, with the lines of witnesses
    GET /consistency/<old>/<new>     what the log has at the older size, and the proofs from there
    GET /links/<size>                what leads from the log's former names and keys to its checkpoint of that size

Source: docs/spec/equivocation.md.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ledger.errors import LedgerError, ProofError
from ledger.log import Snapshot
from tools.errors import InputError
from tools.ledger import OpenLedger
from tools.numbers import number
from tools.watching.life import published_links
from tools.witnessing.standing import cosigned_note
from verify.continuation import continuation
from verify.errors import VerifyError

_TEXT: Final = "text/plain; charset=utf-8"


def application(ledger: OpenLedger, say: Callable[[str], None]) -> Starlette:
    """Give the application.

    Args:
        ledger: the open ledger.
        say: tells the operator something.
    """

    async def answered(work: Callable[[Snapshot], bytes | None], kind: str) -> Response:
        try:
            found = await run_in_threadpool(lambda: ledger.log.read(work))
        except ProofError as error:
            return Response(f"{error}\n", HTTPStatus.NOT_FOUND, media_type=_TEXT)
        except (LedgerError, VerifyError) as error:
            # What is wrong with this machine is for its operator, not for whoever asks.
            say(str(error))
            return Response("the log can't be read now\n", HTTPStatus.INTERNAL_SERVER_ERROR, media_type=_TEXT)
        if found is None:
            return Response("no checkpoint was signed yet\n", HTTPStatus.NOT_FOUND, media_type=_TEXT)
        return Response(found, media_type=kind)

    async def checkpoint(_request: Request) -> Response:
        return await answered(_newest, _TEXT)

    async def consistency(request: Request) -> Response:
        return await answered(lambda look: _continuation(look, request), "application/json")

    async def links(request: Request) -> Response:
        return await answered(lambda look: published_links(look, _size(request, "size")), "application/json")

    return Starlette(
        routes=[
            Route("/checkpoint", checkpoint, methods=["GET"]),
            Route("/consistency/{old}/{new}", consistency, methods=["GET"]),
            Route("/links/{size}", links, methods=["GET"]),
        ]
    )


def _continuation(look: Snapshot, request: Request) -> bytes:
    return continuation(look.nodes, look.head.size, _size(request, "old"), _size(request, "new")).to_bytes()


def _size(request: Request, name: str) -> int:
    try:
        size = number(str(request.path_params[name]))
    except InputError as error:
        raise ProofError(str(error)) from error
    if size is None:
        raise ProofError("a size is a row of digits")
    return size


def _newest(snapshot: Snapshot) -> bytes | None:
    found = snapshot.newest_checkpoint()
    return None if found is None else cosigned_note(snapshot, *found)
