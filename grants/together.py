"""One text that several humans sign: a standing grant under a constitution that asks for more than one.

The first prepares it (`grants.acts.ratify_grant`); each further human is shown the same text and signs the same bytes.
Nothing stands in the log before the last of them has signed: a grant with too few signatures is no grant.

Source: DESIGN section 11; docs/spec/grants.md; docs/adr/0025.
"""

from collections.abc import Sequence
from dataclasses import replace

from grants.errors import AuthorityError, IssueError
from grants.events import Cosigned, GrantRatifiedTogether
from grants.issue import Prepared, live_keys
from grants.principals import log_state
from ledger.event import Draft
from ledger.log import Snapshot


def for_signer(snapshot: Snapshot, prepared: Prepared, by: str) -> Prepared:
    """Give the same text to another human to sign.

    Raises:
        AuthorityError: this principal may not sign it.
        IssueError: the log was not opened.
    """
    begun = log_state(snapshot)
    if begun is None:
        raise IssueError("this log was not opened yet: run tally init")
    return replace(prepared, by=by, keys=live_keys(snapshot, begun, prepared.body_type, by))


def joined(prepared: Prepared, signatures: Sequence[Cosigned]) -> Draft:
    """Put the signatures of all who signed under the text: the event is by the first.

    Raises:
        AuthorityError: nobody has signed, or somebody twice.
        IssueError: a field breaks the schema.
    """
    if not signatures or len({one.by for one in signatures}) != len(signatures):
        raise AuthorityError("each human signs once, and one at least")
    first, *others = signatures
    draft = replace(prepared, by=first.by).draft(first.signed.model_dump(mode="json"))
    if not isinstance(draft.body, GrantRatifiedTogether):
        raise IssueError(f"{draft.body.type} of schema {draft.body.schema_number} is signed by one human alone")
    cosigned = tuple(sorted(others, key=lambda one: one.by))
    return replace(draft, body=draft.body.model_copy(update={"cosigned": cosigned}))
