"""The entry of a resource as an event would leave it, as far as labels go.

Source: grants.book.resources, which is the fold itself.
"""

from grants.book.resources import NAME
from grants.book.states import ResourceState
from grants.events import ResourceChange, ResourceCleared, ResourceReclassified, ResourceRegistered
from grants.reading import StateReader, read_state


def row_of(reader: StateReader, resource: str) -> ResourceState | None:
    """Read the entry of a resource; None where there is none."""
    return read_state(reader, NAME, resource, ResourceState)


def entry_after(reader: StateReader, body: ResourceChange) -> ResourceState | None:
    """Give the entry that an event leaves; None where it changes no labels, or something that is not there."""
    row = row_of(reader, body.resource)
    match body:
        case ResourceRegistered(attributes=attributes, within=within):
            return ResourceState(
                attributes=attributes, version=1, registered=0, changed=0, retired=False, within=within
            )
        case ResourceReclassified(attributes=attributes, within=within) if row is not None:
            update = {"attributes": attributes, "within": within, "retired": False, "cleared": None}
            return row.model_copy(update=update)
        case ResourceCleared() if row is not None:
            return row.model_copy(update={"cleared": row.changed})
    return None
