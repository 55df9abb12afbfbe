"""Whether a recorded relabelling says of itself what it did: for audits, as of its own place.

Source: DESIGN section 7; policy case G07; docs/adr/0017.
"""

from decisions.errors import RelabellingError
from decisions.relabelling.entry import entry_after
from decisions.relabelling.judge import judge_change
from grants.events import ResourceCleared, ResourceReclassified, ResourceRegistered
from grants.reading import StateReader
from ledger.event import Event, Registry


def check_relabelled(reader: StateReader, registry: Registry, event: Event) -> None:
    """Check that a change of labels is of the direction that it says, by the rules before it; other events pass.

    One that says that it is unjudged has said the most: only a human can have signed it.

    Raises:
        RelabellingError: it opens what it does not say, or says what it does not do.
    """
    body = event.body
    if not isinstance(body, ResourceRegistered | ResourceReclassified | ResourceCleared):
        return
    if body.relabels is not None and body.relabels.direction == "unjudged":
        return
    row = entry_after(reader, body)
    found = judge_change(reader, registry, body.resource, row, event.at) if row is not None else None
    said = body.relabels.direction if body.relabels else "no change"
    is_so = found.direction if found else "no change"
    if said != is_so and not (is_so == "unjudged" and body.relabels is not None and body.relabels.opens):
        raise RelabellingError(f"{body.resource}: it is signed as {said}, and by the rules of its time it is {is_so}")
