"""The one door for signed acts: whatever an act demands beside its signature is worked out again, as of now.

What a change of labels opens, of what class an amendment is and whether it has the votes: what stands in the signed
text is not believed. The signatures under a standing grant are counted, and one human puts no constitution in the place
of another. `grants.issue.append_signed` refuses these acts, so they come by no other way; an erasure comes by
`grants.erasing.append_erasure`.

Source: DESIGN section 7; docs/spec/amendments.md; docs/adr/0017.
"""

from decisions.adoption import check_none_in_force
from decisions.amendment.acts import append_amendment
from decisions.events import ConstitutionAdopted
from decisions.ratifying import check_ratified
from decisions.relabelling import check_signed_for
from grants.events import GrantRatified, ResourceCleared, ResourceReclassified, ResourceRegistered
from grants.issue import append_checked, append_signed
from ledger.event import Draft, Event, Registry, seal
from ledger.log import Transaction


def append_act(tx: Transaction, registry: Registry, draft: Draft) -> Event:
    """Append a signed act, if all that it demands holds now.

    Returns:
        The act; what follows from it (the constitution of an amendment) stands behind it.

    Raises:
        AmendmentError: it is stale, lacks votes, or is of another class than it says; or it adopts a constitution
            where one is in force.
        RatificationError: too few humans have signed a standing grant.
        RelabellingError: it opens something else by now than was signed for.
        AuthorityError: the signer may not do this.
        SignatureError: the signature does not hold.
        AppendError: it contradicts what stands, or repeats what can be done once.
    """
    match draft.body:
        case ConstitutionAdopted():
            check_none_in_force(tx)
            return append_checked(tx, draft)
        case ResourceRegistered() | ResourceReclassified() | ResourceCleared() as body:
            check_signed_for(tx, registry, body)
            return append_checked(tx, draft)
        case GrantRatified():
            check_ratified(tx, registry, seal(draft, tx.head.size, tx.at))
            return append_checked(tx, draft)
    if draft.body.type.startswith("amendment."):
        return append_amendment(tx, registry, draft)[0]
    return append_signed(tx, draft)
