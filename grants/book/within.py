"""View ``resource_within``: which resources lie in further places than their name says.

A change of such a place changes what they inherit, so whoever judges a change must find them. There is one row, under
the key ``all``.

Source: DESIGN section 6; docs/adr/0007, 0016.
"""

from collections.abc import Iterable
from typing import Final

from grants.book.checks import contradiction, held
from grants.book.states import WithinState
from grants.events import ResourceReclassified, ResourceRegistered
from ledger.event import Event
from ledger.view import State

WITHIN: Final = "resource_within"
ALL: Final = "all"

MOST_SHARED: Final = 1024
"""So many resources lie in further places at once."""


class ResourceWithinView:
    """Keeps the names of resources whose entry names further places."""

    name = WITHIN

    def keys(self, event: Event) -> Iterable[str]:
        """Give the one key where the event says in which places a resource lies."""
        match event.body:
            case ResourceRegistered(within=within) if not within:
                return ()
            case ResourceRegistered() | ResourceReclassified():
                return (ALL,)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (one key)
        """Add the resource, or take it away."""
        body = event.body
        if not isinstance(body, ResourceRegistered | ResourceReclassified) or not tuple(self.keys(event)):
            raise contradiction(event, "it says of no resource where it lies")
        row = held(WithinState, state) or WithinState(names=())
        names = {*row.names, body.resource} if body.within else {*row.names} - {body.resource}
        if len(names) > MOST_SHARED:
            raise contradiction(event, f"at most {MOST_SHARED} resources lie in further places")
        return WithinState(names=tuple(sorted(names))).json_form()
