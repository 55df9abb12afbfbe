"""Views ``hold`` and ``hold_over``: which legal holds there are, and which stand over one thing.

Source: DESIGN section 8; docs/adr/0010.
"""

from collections.abc import Iterable
from typing import Final

from grants.book.checks import check_grant_id, check_seen, contradiction, held, needed, spelling
from grants.book.states import HoldsState, HoldState
from grants.errors import IdentifierError
from grants.events import HoldPlaced, HoldReleased
from grants.identifier import check_text, code_points
from ledger.event import Event
from ledger.view import State

HOLD: Final = "hold"
OVER: Final = "hold_over"
ALL: Final = "all"
EVENT: Final = "event:"


class HoldView:
    """Keeps the life of each hold, by its id."""

    name = HOLD

    def keys(self, event: Event) -> Iterable[str]:
        """Give the hold that the event is about."""
        return (event.body.hold,) if isinstance(event.body, HoldPlaced | HoldReleased) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Place or release."""
        match event.body:
            case HoldPlaced() as body:
                if state is not None:
                    raise contradiction(event, f"hold {key} is there already")
                with spelling(event):
                    check_grant_id(key)
                    check_over(body.over)
                return HoldState(seq=event.seq, over=body.over, released=None).json_form()
            case HoldReleased() as body:
                row = needed(HoldState, state, event, f"hold {key}")
                if row.released is not None:
                    raise contradiction(event, f"hold {key} was released by event {row.released}")
                if body.over != row.over:
                    raise contradiction(event, f"hold {key} is over {', '.join(row.over)}")
                check_seen(event, body.log_size, row.seq, f"hold {key}")
                return row.model_copy(update={"released": event.seq}).json_form()
        raise contradiction(event, "it is not about a hold")


class HoldsOver:
    """Keeps, for each thing that is held, the holds over it that were not released, oldest first."""

    name = OVER

    def keys(self, event: Event) -> Iterable[str]:
        """Give what the hold is over."""
        return event.body.over if isinstance(event.body, HoldPlaced | HoldReleased) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Add the hold, or take it away."""
        row = held(HoldsState, state) or HoldsState(holds=())
        match event.body:
            case HoldPlaced(hold=hold):
                return HoldsState(holds=(*row.holds, (hold, event.seq))).json_form()
            case HoldReleased(hold=hold):
                return HoldsState(holds=tuple(entry for entry in row.holds if entry[0] != hold)).json_form()
        raise contradiction(event, "it is not about a hold")


def check_over(over: Iterable[str]) -> None:
    """Accept what a hold is placed over: sorted, each once, each ``all``, ``event:<place>`` or a tag.

    Raises:
        IdentifierError: another order or spelling.
    """
    named = list(over)
    if named != sorted(set(named)):
        raise IdentifierError("what a hold is over stands in order, each once")
    for one in named:
        check_text(one)
        kind, colon, rest = one.partition(":")
        if one == ALL or (colon and kind and rest and not one.startswith(EVENT)):
            continue
        if not (one.startswith(EVENT) and rest.isascii() and rest.isdigit() and rest == str(int(rest))):
            raise IdentifierError(
                f"a hold is over {ALL}, {EVENT}<place>, or a tag such as grant:... or resource:..., "
                f"and not: {code_points(one)}"
            )
