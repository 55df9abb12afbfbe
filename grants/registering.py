"""The acts of registrars, prepared to be signed: what resources are, and what becomes of them.

What a change of labels opens is worked out by `decisions.relabelling`, which knows the rules. Where nobody has, it
counts as unjudged, and only a human may sign it.

Source: DESIGN sections 7 and 10; policy case G07.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from grants.book.resources import in_order
from grants.events import (
    Label,
    Relabelling,
    ResourceAdvanced,
    ResourceCleared,
    ResourceReclassified,
    ResourceRegistered,
    ResourceRetired,
)
from grants.issue import Prepared, prepare
from ledger.canon import Json
from ledger.log import Snapshot

UNJUDGED: Final = Relabelling(direction="unjudged", opened=0, closed=0, resources=0, constitution=None)
"""Nobody has worked out what the change opens."""


def register_resource(
    snapshot: Snapshot,
    *,
    by: str,
    resource: str,
    attributes: Mapping[str, Label],
    within: Iterable[str] = (),
    relabels: Relabelling | None = None,
) -> Prepared:
    """Prepare the registration of a resource or a subtree.

    Args:
        snapshot: the log.
        by: the human or registrar.
        resource: the reference or pattern.
        attributes: what it is; several values of one attribute in any order.
        within: further places that it lies in.
        relabels: what that changes for what is covered already; None where nothing covers it.
    """
    fields = {**_said(attributes, within), "resource": resource, "relabels": _told(relabels)}
    return prepare(snapshot, ResourceRegistered, fields, by=by)


def reclassify(
    snapshot: Snapshot,
    *,
    by: str,
    resource: str,
    attributes: Mapping[str, Label],
    within: Iterable[str] = (),
    relabels: Relabelling = UNJUDGED,
) -> Prepared:
    """Prepare other properties of a resource; what is not named is inherited or unknown afterwards."""
    fields = {**_said(attributes, within), "resource": resource, "relabels": _told(relabels)}
    return prepare(snapshot, ResourceReclassified, fields, by=by)


def advance(snapshot: Snapshot, *, by: str, resource: str, version: int) -> Prepared:
    """Prepare a new version of a resource."""
    return prepare(snapshot, ResourceAdvanced, {"resource": resource, "version": version}, by=by)


def retire(snapshot: Snapshot, *, by: str, resource: str) -> Prepared:
    """Prepare the end of a resource."""
    return prepare(snapshot, ResourceRetired, {"resource": resource}, by=by)


def clear(snapshot: Snapshot, *, by: str, resource: str, relabels: Relabelling = UNJUDGED) -> Prepared:
    """Prepare the end of what a retired entry hides."""
    return prepare(snapshot, ResourceCleared, {"resource": resource, "relabels": _told(relabels)}, by=by)


def _said(attributes: Mapping[str, Label], within: Iterable[str]) -> dict[str, Json]:
    said: dict[str, Json] = {
        name: [*in_order(label)] if isinstance(label, tuple) else label for name, label in attributes.items()
    }
    return {"attributes": said, "within": [*sorted(set(within))]}


def _told(relabels: Relabelling | None) -> Json:
    return None if relabels is None else relabels.model_dump(mode="json")
