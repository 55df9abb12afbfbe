"""Views of resources: what registrars say of each resource or subtree, in which version.

The key is the canonical reference or pattern. A registration begins at version 1; a reclassification raises the
version by one, and a new version of the resource itself raises it to the number that was told. The second view finds,
by its folded spelling, every registration that a case-insensitive store would take for the same name; the third leads
from a directory or a table to the registrations below it.

Source: DESIGN sections 6, 7 and 10; policy cases D19, G07; docs/adr/0016.
"""

from collections.abc import Iterable, Mapping

from grants.book.checks import check_seen, contradiction, held, needed, spelling
from grants.book.states import BelowState, ResourceState, SpellingsState
from grants.errors import IdentifierError
from grants.events import (
    Attributes,
    Label,
    Registration,
    ResourceAdvanced,
    ResourceChange,
    ResourceCleared,
    ResourceReclassified,
    ResourceRegistered,
    ResourceRetired,
)
from grants.events.former import ResourceReclassified1, ResourceRegistered1
from grants.identifier import check_text
from grants.reference import Pattern, above, folded
from ledger import canon
from ledger.canon import Json
from ledger.event import Event
from ledger.view import State

NAME = "resource"
SPELLING = "resource_spelling"
BELOW = "resource_below"

MOST_NAMES = 256
"""How many names below one place are kept; where there are more, that is all that is known."""

MOST_WITHIN = 16
"""In so many further places a resource can lie."""


class ResourceView:
    """Keeps the properties that a decision reads."""

    name = NAME

    def keys(self, event: Event) -> Iterable[str]:
        """Give the resource that the event is about."""
        return (event.body.resource,) if isinstance(event.body, ResourceChange) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Register, or change what is registered."""
        body = event.body
        if isinstance(body, ResourceRegistered | ResourceRegistered1):
            if state is not None:
                raise contradiction(event, f"{key} is registered already")
            return _registered(key, event, body).json_form()
        row = needed(ResourceState, state, event, f"resource {key}")
        if not isinstance(body, ResourceChange):
            raise contradiction(event, "it is not about a resource")
        back = isinstance(body, ResourceReclassified | ResourceCleared) and row.retired
        if row.retired and not back:
            raise contradiction(event, f"{key} was retired by event {row.changed}")
        check_seen(event, body.log_size, row.changed, key)
        return row.model_copy(update={**_changed(key, event, body, row), "changed": event.seq}).json_form()


def _registered(key: str, event: Event, body: ResourceRegistered | ResourceRegistered1) -> ResourceState:
    with spelling(event):
        Pattern.parse(key)
        check_attributes(body.attributes)
        within = body.within if isinstance(body, ResourceRegistered) else ()
        check_within(key, within)
    return ResourceState(
        attributes=dict(body.attributes),
        version=1,
        registered=event.seq,
        changed=event.seq,
        retired=False,
        within=within,
        stamps=dict.fromkeys(body.attributes, event.seq) if isinstance(body, ResourceRegistered) else {},
    )


def _changed(key: str, event: Event, body: ResourceChange, row: ResourceState) -> dict[str, object]:
    """Give what becomes another: the event is about a resource that is registered, and not about one that is gone."""
    match body:
        case ResourceReclassified1(attributes=attributes):
            with spelling(event):
                check_attributes(attributes)
            return {"attributes": attributes, "version": row.version + 1, "stamps": {}}
        case ResourceReclassified(attributes=attributes, within=within):
            if row.retired and row.cleared is None:
                raise contradiction(event, f"{key} was retired by event {row.changed}: clear it first")
            with spelling(event):
                check_attributes(attributes)
                check_within(key, within)
            stamps = _stamped(row, attributes, event.seq)
            said: dict[str, object] = {"attributes": attributes, "within": within, "stamps": stamps}
            return {**said, "version": row.version + 1, "retired": False, "cleared": None}
        case ResourceAdvanced(version=version):
            if version <= row.version:
                raise contradiction(event, f"{key} is at version {row.version} already")
            return {"version": version}
        case ResourceRetired():
            return {"retired": True}
        case ResourceCleared():
            if not row.retired or row.cleared is not None:
                raise contradiction(event, f"{key} is not retired, or was cleared already: nothing is hidden by it")
            return {"cleared": event.seq, "version": row.version + 1}
    raise contradiction(event, "it is not about a resource")


def _stamped(row: ResourceState, attributes: Mapping[str, Label], seq: int) -> dict[str, int]:
    """Give the event that each value comes from; one that is only said again keeps its own."""
    kept = {name for name, value in attributes.items() if not row.retired and _same(row, name, value)}
    return {name: row.stamp(name) if name in kept else seq for name in attributes}


def _same(row: ResourceState, name: str, value: Label) -> bool:
    return name in row.attributes and _spelt(row.attributes[name]) == _spelt(value)


def check_attributes(attributes: Attributes | Mapping[str, Label]) -> None:
    """Accept labels in their one spelling: several values of one attribute in order, each once.

    Raises:
        IdentifierError: another spelling.
    """
    for name, label in attributes.items():
        check_text(name)
        for value in label if isinstance(label, tuple) else (label,):
            if isinstance(value, str):
                check_text(value)
        if isinstance(label, tuple) and (len(label) < 2 or list(label) != in_order(label)):  # noqa: PLR2004  (several)
            raise IdentifierError(f"several values of {name} stand in order, each once, and are two or more")


def in_order(values: Iterable[str | bool | int]) -> list[str | bool | int]:
    """Give values each once, in the order of their canonical bytes."""
    return [value for _, value in sorted({canon.encode(value): value for value in values}.items())]


def check_within(key: str, within: Iterable[str]) -> None:
    """Accept the further places of a resource: sorted, each once, none of them the resource.

    Raises:
        IdentifierError: another order, too many, or the resource itself.
        ReferenceSyntaxError: another spelling of a reference.
    """
    named = list(within)
    if named != sorted(set(named)) or len(named) > MOST_WITHIN or key in named:
        raise IdentifierError(f"places that it lies in stand in order, each once, at most {MOST_WITHIN}, not itself")
    for one in named:
        Pattern.parse(one)


def _spelt(label: Label) -> bytes:
    value: Json = list(label) if isinstance(label, tuple) else label
    return canon.encode(value)


class ResourceSpellingView:
    """Finds registrations by what is left of their names when case is folded."""

    name = SPELLING

    def keys(self, event: Event) -> Iterable[str]:
        """Give the folded name of what is registered."""
        return (folded(event.body.resource),) if isinstance(event.body, Registration) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Add a spelling."""
        if not isinstance(event.body, Registration) or folded(event.body.resource) != key:
            raise contradiction(event, f"it does not register a spelling of {key}")
        row = held(SpellingsState, state) or SpellingsState(spellings=())
        return SpellingsState(spellings=(*row.spellings, event.body.resource)).json_form()


class ResourceBelowView:
    """Leads from a place to the names below it under which something is registered."""

    name = BELOW

    def keys(self, event: Event) -> Iterable[str]:
        """Give every place above what is registered."""
        if not isinstance(event.body, Registration):
            return ()
        return [str(place) for place, _ in above(Pattern.parse(event.body.resource).reference)]

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Add the name that leads down from this place."""
        row = held(BelowState, state) or BelowState(names=(), more=False)
        names = (
            []
            if not isinstance(event.body, Registration)
            else [name for place, name in above(Pattern.parse(event.body.resource).reference) if str(place) == key]
        )
        if not names:
            raise contradiction(event, f"it registers nothing below {key}")
        if row.more or names[0] in row.names:
            return row.json_form()
        if len(row.names) == MOST_NAMES:
            return BelowState(names=(), more=True).json_form()
        return BelowState(names=tuple(sorted((*row.names, names[0]))), more=False).json_form()
