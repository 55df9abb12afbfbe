"""The witness over HTTP: ``add-checkpoint`` and the monitoring endpoint.

Source: C2SP tlog-witness; docs/spec/witness.md.
"""

from collections.abc import Callable
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ledger.errors import LedgerError
from ledger.witness import MAX_REQUEST
from tools.errors import ToolError
from tools.serving import TooLargeError, read_body
from tools.witness.answering import TEXT, Answer, Witness


def application(witness: Witness, say: Callable[[str], None]) -> Starlette:
    """Give the application.

    Args:
        witness: who answers.
        say: tells the operator something.
    """

    async def guarded(work: Callable[[], Answer]) -> Response:
        try:
            answer = await run_in_threadpool(work)
        except (LedgerError, ToolError) as error:
            # What is wrong with this machine is for its operator, not for whoever asks.
            say(str(error))
            answer = Answer(HTTPStatus.INTERNAL_SERVER_ERROR, TEXT, b"the witness can't answer now\n")
        # As a header: to a media type of text the library would add a charset, and clients compare the whole.
        return Response(answer.body, answer.status, {"Content-Type": answer.kind})

    async def add_checkpoint(request: Request) -> Response:
        try:
            body = await read_body(request, MAX_REQUEST)
        except TooLargeError:
            text = f"a request has at most {MAX_REQUEST} bytes\n"
            return Response(text, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, media_type=TEXT)
        except TimeoutError:
            return Response("the request did not arrive in time\n", HTTPStatus.REQUEST_TIMEOUT, media_type=TEXT)
        return await guarded(lambda: witness.add_checkpoint(body))

    async def checkpoint(request: Request) -> Response:
        named = str(request.path_params["named"])
        return await guarded(lambda: witness.checkpoint(named))

    return Starlette(
        routes=[
            Route("/add-checkpoint", add_checkpoint, methods=["POST"]),
            Route("/{named}/checkpoint", checkpoint, methods=["GET"]),
        ]
    )
