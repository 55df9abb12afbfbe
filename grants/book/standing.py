"""Views ``standing``, ``standing_by_subject`` and ``standing_by_letter``: which standing grants there are, and where.

Source: DESIGN section 11.
"""

import string
from collections.abc import Iterable
from typing import Final

from grants.book.checks import (
    check_grant_id,
    check_seen,
    check_words,
    contradiction,
    held,
    needed,
    spelling,
)
from grants.book.states import StandingsState, StandingState
from grants.events import GrantRatified, GrantRevoked
from grants.identifier import parse_principal
from grants.reference import Pattern
from ledger.event import Event
from ledger.view import State

STANDING = "standing"
BY_SUBJECT = "standing_by_subject"
BY_LETTER = "standing_by_letter"

LETTERS: Final = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
"""How a grant id can begin."""


class StandingView:
    """Keeps the life of each standing grant, by its id."""

    name = STANDING

    def keys(self, event: Event) -> Iterable[str]:
        """Give the grant that the event is about."""
        return (event.body.grant,) if isinstance(event.body, GrantRatified | GrantRevoked) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Ratify or revoke."""
        match event.body:
            case GrantRatified() as body:
                if state is not None:
                    raise contradiction(event, f"grant {key} is there already")
                _check_ratified(event, body)
                return StandingState(
                    seq=event.seq, subject=body.subject, expires=body.expires, revoked=None
                ).json_form()
            case GrantRevoked() as body:
                row = needed(StandingState, state, event, f"standing grant {key}")
                if row.revoked is not None:
                    raise contradiction(event, f"grant {key} was revoked by event {row.revoked}")
                if body.subject != row.subject:
                    raise contradiction(event, f"grant {key} is for {row.subject}")
                check_seen(event, body.log_size, row.seq, f"grant {key}")
                return row.model_copy(update={"revoked": event.seq}).json_form()
        raise contradiction(event, "it is not about a standing grant")


class StandingBySubject:
    """Keeps what was ratified for each subject and not revoked, oldest first."""

    name = BY_SUBJECT

    def keys(self, event: Event) -> Iterable[str]:
        """Give the subject of the grant."""
        return (event.body.subject,) if isinstance(event.body, GrantRatified | GrantRevoked) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Add a grant, or take it away."""
        return _listed(state, event)


class StandingByLetter:
    """Keeps the same by the first letter of the grant's id: so all of them are found in a few rows."""

    name = BY_LETTER

    def keys(self, event: Event) -> Iterable[str]:
        """Give the first letter of the grant's id."""
        return (event.body.grant[:1],) if isinstance(event.body, GrantRatified | GrantRevoked) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:  # noqa: ARG002  (the protocol's form)
        """Add a grant, or take it away."""
        return _listed(state, event)


def _listed(state: State | None, event: Event) -> State:
    row = held(StandingsState, state) or StandingsState(grants=())
    match event.body:
        case GrantRatified(grant=grant):
            kept = (*row.grants, (grant, event.seq))
        case GrantRevoked(grant=grant):
            kept = tuple(entry for entry in row.grants if entry[0] != grant)
        case _:
            raise contradiction(event, "it is not about a standing grant")
    return StandingsState(grants=kept).json_form()


def _check_ratified(event: Event, body: GrantRatified) -> None:
    with spelling(event):
        check_grant_id(body.grant)
        parse_principal(body.subject)
        Pattern.parse(body.targets)
        check_words(body.kinds, "kinds")
        check_words(body.verbs, "verbs")
    if not body.selector.strip():
        raise contradiction(event, "a standing grant needs at least one condition")
    if body.expires is not None and body.expires <= event.at:
        raise contradiction(event, f"it would have ended at {body.expires} already")
