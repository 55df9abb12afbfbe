"""What a ledger holds that rules meet: the standing grants that count, and the resources that are registered.

Source: DESIGN sections 10 and 11.
"""

from decisions.analysis import Registered, Rules, StandingTerms
from decisions.constitution.model import Constitution
from grants.book import resources
from grants.book.standing import BY_SUBJECT
from grants.book.states import ResourceState
from grants.reading import read_state
from grants.standing import live_standing
from ledger.event import Registry
from ledger.instant import Instant
from ledger.log import Snapshot


def standing(snapshot: Snapshot, registry: Registry, at: Instant) -> tuple[StandingTerms, ...]:
    """Give the standing grants that count, by subject and then by age."""
    return tuple(
        StandingTerms(body.subject, body.kinds, body.verbs, body.targets, body.selector, body.expires)
        for row in snapshot.states(BY_SUBJECT)
        for body in live_standing(snapshot, registry, row.key, at)
    )


def registered(snapshot: Snapshot) -> tuple[Registered, ...]:
    """Give the registered resources that are not retired."""
    found = (
        (row.key, read_state(snapshot, resources.NAME, row.key, ResourceState))
        for row in snapshot.states(resources.NAME)
    )
    return tuple(
        Registered.of(key, state.attributes) for key, state in found if state is not None and not state.retired
    )


def beside(constitution: Constitution, snapshot: Snapshot, registry: Registry, at: Instant) -> Rules:
    """Put the standing grants of a ledger beside a constitution."""
    return Rules(constitution, standing(snapshot, registry, at))
