"""The acts that give resources their labels, with what they open worked out, and worked out again when appended.

Source: DESIGN section 7; docs/adr/0017.
"""

from collections.abc import Iterable, Mapping

from decisions.errors import RelabellingError
from decisions.relabelling.entry import entry_after, row_of
from decisions.relabelling.judge import judge_change
from decisions.relabelling.pending import Pending
from grants import acts
from grants.book.states import ResourceState
from grants.events import Label, Relabelling, ResourceCleared, ResourceReclassified, ResourceRegistered
from grants.issue import Prepared
from grants.labels import labels_of
from grants.reading import StateReader
from grants.registering import UNJUDGED
from ledger.event import Registry, SignedBody
from ledger.instant import Instant
from ledger.log import Snapshot, Transaction


def register(
    snapshot: Snapshot,
    registry: Registry,
    *,
    by: str,
    resource: str,
    attributes: Mapping[str, Label],
    at: Instant,
    within: Iterable[str] = (),
    pending: Pending | None = None,
) -> Prepared:
    """Prepare the registration of a resource or a subtree, with what it changes for what is covered already.

    Args:
        snapshot: the log.
        registry: the event types.
        by: the human or registrar.
        resource: the reference or pattern.
        attributes: what it is.
        at: now.
        within: further places that it lies in.
        pending: the store after the acts that are signed together with this one and come before it.

    Raises:
        RelabellingError: nobody has registered a place that it is said to lie in.
        AuthorityError: this principal may not do this.
        IssueError: it breaks its schema, or contradicts what stands.
    """
    reader = pending or snapshot
    places = _known(reader, within)
    row = ResourceState(attributes=dict(attributes), version=1, registered=0, changed=0, retired=False, within=places)
    found = judge_change(reader, registry, resource, row, at)
    return acts.register_resource(
        snapshot, by=by, resource=resource, attributes=attributes, within=places, relabels=found
    )


def reclassify(
    snapshot: Snapshot,
    registry: Registry,
    *,
    by: str,
    resource: str,
    attributes: Mapping[str, Label],
    at: Instant,
    within: Iterable[str] = (),
) -> Prepared:
    """Prepare other labels of a resource, with what they open.

    Raises:
        RelabellingError: nobody has registered a place that it is said to lie in.
        AuthorityError: this principal may not do this.
        IssueError: it breaks its schema, or contradicts what stands.
    """
    places = _known(snapshot, within)
    row = row_of(snapshot, resource)
    update = {"attributes": dict(attributes), "within": places, "retired": False, "cleared": None}
    found = _judged(snapshot, registry, resource, row.model_copy(update=update) if row else None, at)
    return acts.reclassify(snapshot, by=by, resource=resource, attributes=attributes, within=places, relabels=found)


def clear(snapshot: Snapshot, registry: Registry, *, by: str, resource: str, at: Instant) -> Prepared:
    """Prepare that a retired resource is of no more concern, with what that opens.

    Raises:
        AuthorityError: this principal may not do this.
        IssueError: it is not retired, or contradicts what stands.
    """
    row = row_of(snapshot, resource)
    cleared = row.model_copy(update={"cleared": snapshot.head.size}) if row else None
    return acts.clear(snapshot, by=by, resource=resource, relabels=_judged(snapshot, registry, resource, cleared, at))


def check_signed_for(tx: Transaction, registry: Registry, body: SignedBody) -> None:
    """Check that a change of labels opens now what its signer has read that it opens; other acts pass.

    Raises:
        RelabellingError: it opens something else by now.
    """
    if not isinstance(body, ResourceRegistered | ResourceReclassified | ResourceCleared):
        return
    row = entry_after(tx, body)
    found = judge_change(tx, registry, body.resource, row, tx.at) if row is not None else body.relabels
    if found != body.relabels and not (found is None and body.relabels == UNJUDGED):
        raise RelabellingError(
            f"{body.resource}: what this change opens is not what was signed for, since rules, grants or other "
            "resources have changed: look again, and sign again"
        )


def _judged(
    snapshot: Snapshot, registry: Registry, resource: str, row: ResourceState | None, at: Instant
) -> Relabelling:
    """Judge a change of what is registered; one of what is not is refused further on, and opens nothing."""
    return (judge_change(snapshot, registry, resource, row, at) if row is not None else None) or UNJUDGED


def _known(reader: StateReader, within: Iterable[str]) -> tuple[str, ...]:
    places = tuple(sorted(set(within)))
    for place in places:
        if labels_of(reader, place, inherit=True).version is None:
            raise RelabellingError(f"nobody has registered {place}, so nothing can be inherited from it")
    return places
