"""A log as the source of a bundle: which of its events changed a state, found by tags and claims.

Source: DESIGN section 6 (claims, tags, views).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ledger.errors import EventError
from ledger.event import Event, Registry
from ledger.events import LIFE
from ledger.log import Snapshot
from ledger.view import View
from verify.bundle.selection import follows
from verify.errors import BundleError


def _spellings(log: Snapshot, key: str) -> Iterable[int | None]:
    row = log.state("resource_spelling", key)
    spellings = row.state["spellings"] if row is not None else []
    return [log.claimed(f"resource:{name}") for name in spellings] if isinstance(spellings, list) else []


def _under(log: Snapshot, prefix: str) -> Iterable[int]:
    return [seq for tag in log.tags(prefix) for seq in log.tagged(tag)]


# For each view the way to candidates for a key; the view itself then says which of them touch it.
_Find = Callable[[Snapshot, str], Iterable[int | None]]
_CANDIDATES: Final[Mapping[str, _Find]] = {
    "ledger": lambda log, key: (log.claimed(key), *log.tagged(LIFE)),
    # A restore confirms whoever signs it.
    "principal": lambda log, key: (*log.tagged(f"principal:{key}"), *log.tagged(LIFE)),
    "uid": lambda log, key: (log.claimed(f"uid:{key}"),),
    "resource": lambda log, key: log.tagged(f"resource:{key}"),
    "resource_spelling": _spellings,
    "resource_below": lambda log, key: log.tagged(f"below:{key}"),
    "resource_within": lambda log, _: _under(log, "resource:"),
    "standing_by_letter": lambda log, key: _under(log, f"grant:{key}"),
    "evidence": lambda log, key: log.tagged(f"evidence_of:{key}"),
    "standing": lambda log, key: log.tagged(f"grant:{key}"),
    "standing_by_subject": lambda log, key: log.tagged(f"subject:{key}"),
    "consent": lambda log, key: log.tagged(f"grant:{key}"),
    "consent_by_target": lambda log, key: log.tagged(f"resource:{key}"),
    "request": lambda log, key: (int(key), log.claimed(f"answer:{key}")),
    "request_by_target": lambda log, key: log.tagged(f"resource:{key}"),
    "hold": lambda log, key: log.tagged(f"hold:{key}"),
    "hold_over": lambda log, _: log.tagged("hold"),
    "retention": lambda log, _: log.tagged("retention"),
    "constitution": lambda log, _: log.tagged("constitution"),
    "shadow": lambda log, _: log.tagged("shadow"),
    "amendment": lambda log, key: (int(key), *log.tagged(f"amendment:{key}")),
    "trust": lambda log, key: log.tagged(f"trust:{key}"),
    "outcome": lambda log, key: (log.claimed(f"outcome:{key}"),),
    "reading": lambda log, key: log.tagged(f"subject:{key.partition('|')[0]}"),
}


class LogSource:
    """Finds the events of a bundle in a log.

    Args:
        snapshot: the log.
        registry: the event types.
        views: the folds.
        decision: the decision; events from it on change nothing that it read.
    """

    def __init__(self, snapshot: Snapshot, registry: Registry, views: Sequence[View], decision: int) -> None:
        self._snapshot = snapshot
        self._registry = registry
        self._views = {view.name: view for view in views}
        self._decision = decision
        self._events: dict[int, Event] = {}

    def event(self, seq: int) -> Event | None:
        """Give an event, or None where there is none."""
        if seq not in self._events:
            data = self._snapshot.event_bytes(seq)
            if data is None:
                return None
            try:
                self._events[seq] = self._registry.parse(data)
            except EventError as error:
                raise BundleError(f"event {seq} of the log: {error}; run tally audit") from error
        return self._events[seq]

    def touching(self, view: str, key: str, stop: int | None = None) -> Sequence[Event]:
        """Give the events before the decision, or before ``stop``, that changed a state, oldest first."""
        end = self._decision if stop is None else stop
        if view not in self._views or view not in _CANDIDATES:
            raise BundleError(f"the decision read a view {view!r} that this version does not know")
        fold = self._views[view]
        seqs = sorted({seq for seq in _CANDIDATES[view](self._snapshot, key) if seq is not None})
        events = (self.event(seq) for seq in seqs if seq < end)
        return [event for event in events if event is not None and key in fold.keys(event)]

    def naming(self, decision: int) -> Sequence[Event]:
        """Give the consumptions, requests and outcomes that name the decision, oldest first."""
        events = (self.event(seq) for seq in self._snapshot.tagged(f"decision:{decision}"))
        return [event for event in events if event is not None and follows(event, decision)]
