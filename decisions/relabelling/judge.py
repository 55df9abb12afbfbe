"""What a change of a resource's entry does: to the resource, and to whatever inherits from it.

The store is looked at as it stands and as it would stand. Every resource whose labels differ is judged: the one that is
changed, those that are registered below it, and those that lie in further places. What no cell shows (whether names are
folded, and in which trust domain a resource lies) is held to the stricter side.

Source: DESIGN section 10; policy case G07; docs/adr/0017.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from decisions.analysis import Rules
from decisions.errors import DecisionError
from decisions.expansion import folds_case
from decisions.law import AdoptedLaw, law_in_force
from decisions.relabelling.cells import LabelCells, Moved
from grants.book.resources import BELOW, NAME
from grants.book.states import BelowState, ResourceState, WithinState
from grants.book.within import ALL, WITHIN
from grants.errors import GrantError, ReferenceSyntaxError
from grants.events import Direction, Relabelling
from grants.labels import Labels, labels_of
from grants.reading import StateReader, read_state
from grants.reference import Pattern, Reference, around, candidates, member, parse
from grants.registering import UNJUDGED
from grants.standing import StandingTerms, standing_terms
from ledger import canon
from ledger.canon import MAX_INTEGER
from ledger.disclosure import Opening
from ledger.event import Registry
from ledger.instant import Instant
from ledger.view import StateRow

MOST_BELOW = 4096
"""So many registered names below a resource are judged; a change that more may inherit from is unjudged."""

_ANYTHING = "anything"


@dataclass(frozen=True, slots=True)
class Changed:
    """The store as it would stand: a reader in which some entries are others.

    Attributes:
        rows: the entries that are others, by their key.
    """

    below: StateReader
    rows: dict[str, ResourceState]

    def state(self, view: str, key: str) -> StateRow | None:
        """Give a state, or what it would be."""
        row = self.rows.get(key) if view == NAME else None
        if row is None:
            return self.below.state(view, key)
        return StateRow(view, key, row.changed, canon.encode(row.json_form()))

    def event_bytes(self, seq: int) -> bytes | None:
        """Give the bytes of an event that stands."""
        return self.below.event_bytes(seq)

    def openings(self, seq: int) -> Sequence[Opening]:
        """Give the openings of an event that stands."""
        return self.below.openings(seq)


@dataclass(slots=True)
class _Sum:
    """What was found so far."""

    opened: int = 0
    closed: int = 0
    resources: int = 0
    opens: bool = False
    closes: bool = False

    def add(self, moved: Moved, *, opens: bool, closes: bool) -> None:
        self.opened += moved.opened
        self.closed += moved.closed
        opens, closes = opens or moved.opened > 0, closes or moved.closed > 0
        self.resources += opens
        self.opens, self.closes = self.opens or opens, self.closes or closes

    def direction(self) -> Direction:
        if self.opens and self.closes:
            return "mixed"
        return "loosening" if self.opens else "tightening" if self.closes else "equivalent"


def judge_change(
    reader: StateReader, registry: Registry, resource: str, row: ResourceState, at: Instant
) -> Relabelling | None:
    """Tell what it does to give a resource another entry.

    Args:
        reader: the store as it stands, without the change.
        registry: the event types.
        resource: the reference or pattern.
        row: the entry that it would have.
        at: a time; standing grants that have ended by then are left out.

    Returns:
        The change, or None where nobody had said anything of the resource, and nothing inherits from it.
    """
    others = _others(reader, resource)
    known = any(_speaks(reader, key) for key in around(resource))
    if not known and others == []:
        return None
    if others is None:
        return UNJUDGED
    try:
        law = law_in_force(reader, registry)
        return _judged(law, standing_terms(reader, registry, at), reader, Changed(reader, {resource: row}), others)
    except (DecisionError, GrantError):
        return UNJUDGED


def _judged(
    law: AdoptedLaw, grants: tuple[StandingTerms, ...], reader: StateReader, after: Changed, others: Sequence[str]
) -> Relabelling | None:
    cells = _cells(Rules(law.constitution, grants))
    found = _Sum()
    relabels = False
    for name in (*after.rows, *others):
        old, new = (labels_of(one, name, inherit=law.constitution.inherit) for one in (reader, after))
        # What nobody had registered is classified, not relabelled.
        if old.registration is None or (old.same_as(new) and name not in after.rows):
            continue
        relabels = True
        pattern = Pattern.parse(name)
        opens, closes = _unseen(reader, after, pattern.reference, old, new)
        found.add(cells.moved(_targets(after, cells, name), old, new), opens=opens, closes=closes)
    if not relabels:
        return None
    return Relabelling(
        direction=found.direction(),
        opened=min(found.opened, MAX_INTEGER),
        closed=min(found.closed, MAX_INTEGER),
        resources=found.resources,
        constitution=law.digest,
    )


# A ledger has one constitution and few grants at a time, and many resources are judged by them.
@lru_cache(maxsize=4)
def _cells(rules: Rules) -> LabelCells:
    return LabelCells(rules)


def _speaks(reader: StateReader, key: str) -> bool:
    row = read_state(reader, NAME, key, ResourceState)
    return row is not None and row.cleared is None


def _others(reader: StateReader, resource: str) -> list[str] | None:
    """Give what may inherit from a resource; None where that is more than is looked at."""
    pattern = Pattern.parse(resource)
    shared = read_state(reader, WITHIN, ALL, WithinState)
    below = _below(reader, pattern.reference) if pattern.subtree else []
    if below is None:
        return None
    return sorted({*below, *(shared.names if shared else ())} - {resource})


def _below(reader: StateReader, root: Reference) -> list[str] | None:
    found: list[str] = []
    waiting = [root]
    while waiting:
        place = waiting.pop()
        names = (str(place), str(Pattern(place, subtree=True)))
        found += [name for name in names if _speaks(reader, name)]
        row = read_state(reader, BELOW, str(place), BelowState)
        if row is not None and (row.more or len(found) + len(row.names) > MOST_BELOW):
            return None
        names_below = row.names if row else ()
        waiting += [Reference(place.scheme, place.authority, (*place.parts, name)) for name in names_below]
    return found


def _targets(reader: StateReader, cells: LabelCells, name: str) -> Iterator[Reference]:
    """Give a target of each piece in which nothing narrower than this entry speaks."""
    pattern = Pattern.parse(name)
    found = [pattern.reference]
    if pattern.subtree:
        with suppress(ReferenceSyntaxError):  # nothing can stand below this one
            found.append(member(pattern.reference, _ANYTHING))
        found += [point for point in map(parse, cells.points()) if pattern.covers(point)]
    for target in found:
        narrower = takewhile(lambda key: key != name, candidates(target))
        if not any(_speaks(reader, key) for key in narrower):
            yield target


def _unseen(reader: StateReader, after: StateReader, target: Reference, old: Labels, new: Labels) -> tuple[bool, bool]:
    """Tell whether what no cell shows opens or closes: folded names, and the trust domain."""
    before, now = folds_case(reader, target), folds_case(after, target)
    moved = old.values_of("domain") != new.values_of("domain")
    return moved or (before and not now), moved or (now and not before)
