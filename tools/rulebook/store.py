"""The resources that a ledger holds, as rules meet them: every one with its own labels and those that it inherits.

Source: DESIGN section 10; docs/adr/0016.
"""

from decisions.analysis import Registered
from grants.book import resources
from grants.book.states import ResourceState
from grants.labels import labels_of
from grants.reading import read_state
from ledger.log import Snapshot


def registered(snapshot: Snapshot, *, inherit: bool) -> tuple[Registered, ...]:
    """Give the registered resources that are neither retired nor cleared.

    Args:
        snapshot: the log.
        inherit: whether the constitution lets them inherit.
    """
    found = []
    for row in snapshot.states(resources.NAME):
        state = read_state(snapshot, resources.NAME, row.key, ResourceState)
        if state is not None and not state.retired and state.cleared is None:
            labels = labels_of(snapshot, row.key, inherit=inherit).labels
            found.append(Registered.of(row.key, {name: one.values for name, one in labels.items()}))
    return tuple(found)
