"""Views ``request`` and ``request_by_target``: which held operations wait for an answer.

Source: DESIGN section 11; policy cases D11, D23.
"""

from collections.abc import Iterable

from grants.book.checks import check_seen, contradiction, held, needed
from grants.book.consents import check_terms
from grants.book.states import RequestsState, RequestState
from grants.events import ConsentGranted, ConsentRefused, ConsentRequested
from ledger.event import Event
from ledger.view import State

REQUEST = "request"
BY_TARGET = "request_by_target"
KEPT = 16


class RequestView:
    """Keeps whether each request was answered; its key is the request's place in the log."""

    name = REQUEST

    def keys(self, event: Event) -> Iterable[str]:
        """Give the request that the event makes or answers."""
        match event.body:
            case ConsentRequested():
                return (str(event.seq),)
            case ConsentGranted(request=request) if request is not None:
                return (str(request),)
            case ConsentRefused(request=request):
                return (str(request),)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Note the request, or its answer."""
        body = event.body
        if isinstance(body, ConsentRequested):
            check_terms(event, body)
            if body.decision >= event.seq or body.decision not in event.causes:
                raise contradiction(event, "a request is caused by the decision that held the operation")
            return RequestState(decision=body.decision, answer=None, granted=None).json_form()
        if not isinstance(body, ConsentGranted | ConsentRefused):
            raise contradiction(event, "it is not about a request")
        row = needed(RequestState, state, event, f"request {key}")
        if row.answer is not None:
            raise contradiction(event, f"request {key} was answered by event {row.answer}")
        check_seen(event, body.log_size, int(key), f"request {key}")
        granted = isinstance(body, ConsentGranted)
        return row.model_copy(update={"answer": event.seq, "granted": granted}).json_form()


class RequestsByTarget:
    """Keeps the last requests for each target, oldest first."""

    name = BY_TARGET

    def keys(self, event: Event) -> Iterable[str]:
        """Give the targets of a request."""
        body = event.body
        return sorted({item.target for item in body.items}) if isinstance(body, ConsentRequested) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Add the request."""
        if not isinstance(event.body, ConsentRequested):
            raise contradiction(event, "it is no request")
        row = held(RequestsState, state) or RequestsState(requests=())
        return RequestsState(requests=(*row.requests, event.seq)[-KEPT:]).json_form()
