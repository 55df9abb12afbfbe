"""The labels of a resource: what registrars say of it and of the registered places around it.

An attribute that the resource's own registration leaves unset is inherited from the nearest registered subtree around
it, with its stamp. A registration may name further places that the resource lies in (``within``); then what is unset is
inherited from each of them as well, and where they differ the resource carries every value. A place that does not say
an attribute which another says adds that it is unknown, and one that was retired, or that nobody has registered, adds
that everything is.

A retired entry hides what lies around it, until it is cleared; then it is as if it were not there.

The version is the sum of the versions of all entries that were looked at: it grows with every change that could touch
the labels, so that a consent for the old labels no longer fits.

Source: DESIGN section 10; docs/adr/0016.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from grants.book.resources import NAME
from grants.book.states import ResourceState
from grants.events import Label
from grants.expression import ABSENT, UNKNOWN, Missing
from grants.reading import StateReader, read_state
from grants.reference import around

Value = str | bool | int | Missing

MOST_PLACES: Final = 64
"""So many places are looked at for one resource, beside those that lie around it; beyond, everything is unknown."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One attribute.

    Attributes:
        values: every value that it has, each once.
        stamp: the event that gave it the latest of them.
        origins: the registrations that they come from, sorted.
    """

    values: tuple[Value, ...]
    stamp: int
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known of a resource.

    Attributes:
        registration: the entry that applies, or None where nobody has registered it.
        version: the version that a consent is for, or None where nothing is known of it.
        retired: whether that entry was retired.
        labels: what is said; what is not is unknown.
        endless: whether it lies in more places than are looked at.
    """

    registration: str | None
    version: int | None
    retired: bool = False
    labels: Mapping[str, Labelled] = field(default_factory=dict)
    endless: bool = False

    def same_as(self, other: "Labels") -> bool:
        """Tell whether both say the same of the resource, wherever it comes from."""
        return self.said() == other.said()

    def values_of(self, name: str) -> frozenset[Value]:
        """Give the values of one attribute; none where nobody says it."""
        found = self.labels.get(name)
        return frozenset(found.values) if found else frozenset()

    def said(self) -> object:
        """Give what is said, for comparison: None where nothing is known."""
        if self.version is None:
            return None
        return {name: frozenset((type(value), value) for value in one.values) for name, one in self.labels.items()}


NONE: Final = Labels(None, None)


def labels_of(reader: StateReader, name: str, *, inherit: bool) -> Labels:
    """Give the labels of a resource, or of whatever a subtree holds that nothing narrower speaks of.

    Args:
        reader: the store.
        name: a reference or a pattern.
        inherit: whether the constitution reads the store with inheritance; else the nearest entry alone speaks.

    Raises:
        ReferenceSyntaxError: another spelling.
    """
    keys = around(name)
    return _Walk(reader).labels(keys) if inherit else _nearest_alone(reader, keys)


def _nearest_alone(reader: StateReader, keys: Sequence[str]) -> Labels:
    for key in keys:
        row = read_state(reader, NAME, key, ResourceState)
        if row is None or row.cleared is not None:
            continue
        if row.retired:
            return NONE
        return Labels(key, row.version, labels=_own(key, row))
    return NONE


@dataclass(slots=True)
class _Walk:
    """One look at a resource and the places that it lies in, with what each of them says."""

    reader: StateReader
    places: dict[str, Labels | None] = field(default_factory=dict)
    endless: bool = False

    def labels(self, keys: Sequence[str]) -> Labels:
        found = self._nearest(keys)
        if found.registration is None:
            return NONE
        return Labels(found.registration, None, endless=True) if self.endless else found

    def _nearest(self, keys: Sequence[str]) -> Labels:
        passed = 0
        for index, key in enumerate(keys):
            row = read_state(self.reader, NAME, key, ResourceState)
            passed += row.version if row else 0
            if row is None or row.cleared is not None:
                continue
            if row.retired:
                return Labels(key, None, retired=True)
            return self._joined(key, row, passed, self._nearest(keys[index + 1 :]))
        return Labels(None, passed)

    def _joined(self, key: str, row: ResourceState, version: int, outer: Labels) -> Labels:
        own = _own(key, row)
        places = [outer] if outer.registration is not None else []
        within = (self._place(one) for one in row.within)
        places += [place for place in within if place is not None]
        names = dict.fromkeys(chain.from_iterable(place.labels for place in places))
        inherited_labels = {name: _union(name, places) for name in names if name not in own}
        whole = version + sum(place.version or 0 for place in places)
        whole += outer.version or 0 if outer.registration is None else 0
        return Labels(key, whole, labels={**inherited_labels, **own})

    def _place(self, place: str) -> Labels | None:
        """Give what a place says; None where that is being worked out: places that lie in each other add nothing."""
        if place not in self.places:
            if len(self.places) == MOST_PLACES:
                self.endless = True
                return NONE
            self.places[place] = None
            self.places[place] = self._nearest(around(place))
        return self.places[place]


def _own(key: str, row: ResourceState) -> dict[str, Labelled]:
    return {name: Labelled(_values(label), row.stamp(name), (key,)) for name, label in row.attributes.items()}


def _values(label: Label) -> tuple[Value, ...]:
    if label is None:
        return (ABSENT,)
    return label if isinstance(label, tuple) else (label,)


def _union(name: str, places: Iterable[Labels]) -> Labelled:
    """Join what the places say of one attribute; a place that does not say it leaves it unknown there."""
    said = [place.labels.get(name) for place in places]
    values = chain.from_iterable(one.values if one else (UNKNOWN,) for one in said)
    known = [one for one in said if one]
    return Labelled(
        tuple({(type(value), value): value for value in values}.values()),
        max(one.stamp for one in known),
        tuple(sorted({origin for one in known for origin in one.origins})),
    )


__all__ = ["MOST_PLACES", "NONE", "Labelled", "Labels", "Value", "labels_of"]
