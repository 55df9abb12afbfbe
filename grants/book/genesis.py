"""View ``ledger``: one row, ``genesis``, that says how this log began.

Source: DESIGN section 7.
"""

from collections.abc import Iterable

from grants.book.checks import contradiction, key_of, spelling
from grants.book.states import GenesisState
from grants.identifier import kind_of, parse_principal
from ledger.event import Event
from ledger.events import LedgerOpened
from ledger.note import VerifierKey
from ledger.view import State

NAME = "ledger"
GENESIS = "genesis"


class LedgerView:
    """Keeps the origin, the log's key and the first human."""

    name = NAME

    def keys(self, event: Event) -> Iterable[str]:
        """Give the one key, for the one event."""
        return (GENESIS,) if isinstance(event.body, LedgerOpened) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Begin the log."""
        body = event.body
        if not isinstance(body, LedgerOpened) or state is not None or event.seq != 0:
            raise contradiction(event, "a log begins once, with its first event")
        with spelling(event):
            if kind_of(parse_principal(body.human)) != "human":
                raise contradiction(event, f"the first principal is a human, not {body.human}")
            human_key = key_of(body.human_key)
            log_key = VerifierKey.parse(body.log_key)
        if log_key.name != body.origin:
            raise contradiction(event, f"the log's key is named {log_key.name!r}, its origin {body.origin!r}")
        return GenesisState(
            origin=body.origin,
            demonstration=body.demonstration,
            human=body.human,
            human_key=human_key.fingerprint,
            log_key=body.log_key,
        ).json_form()
