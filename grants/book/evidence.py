"""View ``evidence``: what stands as evidence of a resource, a subtree or a principal.

The key is the canonical reference or pattern, or the principal id. Of each kind the latest by each issuer is kept. The
row says where to look: whether a piece of evidence speaks is judged from its event.

Source: DESIGN sections 6 and 7; docs/adr/0014.
"""

import re
from collections.abc import Iterable
from typing import Final

from grants.book.checks import contradiction, held, spelling
from grants.book.states import EvidenceEntry, EvidenceState
from grants.events import EvidenceRecorded
from grants.identifier import code_points, is_principal, parse_principal
from grants.reference import Pattern
from ledger.event import Event
from ledger.view import State

EVIDENCE: Final = "evidence"

MOST_ENTRIES: Final = 64
"""So many pieces of evidence stand of one subject at once: another issuer or kind is refused, nothing is dropped."""

KIND: Final = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
"""How a kind of evidence is named."""


class EvidenceView:
    """Keeps the latest evidence of each kind by each issuer."""

    name = EVIDENCE

    def keys(self, event: Event) -> Iterable[str]:
        """Give what it is about."""
        return (event.body.subject,) if isinstance(event.body, EvidenceRecorded) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Put the evidence in the place of what its issuer said before."""
        body = event.body
        if not isinstance(body, EvidenceRecorded):
            raise contradiction(event, "it is no evidence")
        with spelling(event):
            check_subject(key)
            parse_principal(body.issuer)
        if not KIND.fullmatch(body.kind):
            raise contradiction(event, f"a kind of evidence is a word in lower case, not {code_points(body.kind)[:80]}")
        if event.by != body.issuer:
            raise contradiction(event, f"it names {body.issuer} as its issuer, and is by {event.by}")
        if body.valid_until <= body.valid_from:
            raise contradiction(event, f"it ends at {body.valid_until}, before it begins at {body.valid_from}")
        row = held(EvidenceState, state) or EvidenceState(entries=())
        others = [one for one in row.entries if (one.kind, one.issuer) != (body.kind, body.issuer)]
        if len(others) >= MOST_ENTRIES:
            raise contradiction(event, f"{MOST_ENTRIES} pieces of evidence stand of {key}, and more are not kept")
        new = EvidenceEntry(kind=body.kind, issuer=body.issuer, seq=event.seq)
        return EvidenceState(entries=tuple(sorted((*others, new), key=_order))).json_form()


def check_subject(text: str) -> str:
    """Accept what evidence can be about: a principal id, or a canonical reference or pattern.

    Raises:
        IdentifierError: another spelling of a principal id.
        ReferenceSyntaxError: another spelling of a reference.
    """
    return parse_principal(text) if is_principal(text) else str(Pattern.parse(text))


def _order(entry: EvidenceEntry) -> tuple[str, str]:
    return entry.kind, entry.issuer
