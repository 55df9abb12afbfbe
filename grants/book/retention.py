"""View ``retention``: the rules in force, under one key.

Source: DESIGN section 8; docs/adr/0010.
"""

from collections.abc import Iterable
from typing import Final

from grants.book.checks import check_seen, contradiction, held
from grants.book.states import RetentionState
from grants.events import RetentionSet
from ledger.event import Event
from ledger.view import State

RETENTION: Final = "retention"
RULES: Final = "rules"


class RetentionView:
    """Keeps the rules that were set last."""

    name = RETENTION

    def keys(self, event: Event) -> Iterable[str]:
        """Give the one key."""
        return (RULES,) if isinstance(event.body, RetentionSet) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Set the rules."""
        body = event.body
        if not isinstance(body, RetentionSet):
            raise contradiction(event, "it sets no retention rules")
        row = held(RetentionState, state)
        if row is not None:
            check_seen(event, body.log_size, row.seq, "the retention rules in force")
        return RetentionState(seq=event.seq, rules=body.rules).json_form()
