"""Views of resources: what registrars say of each resource or subtree, in which version.

The key is the canonical reference or pattern. A registration begins at version 1; a reclassification raises the
version by one, and a new version of the resource itself raises it to the number that was told. The second view finds,
by its folded spelling, every registration that a case-insensitive store would take for the same name; the third leads
from a directory or a table to the registrations below it.

Source: DESIGN sections 6, 7 and 10; policy case D19.
"""

from collections.abc import Iterable

from grants.book.checks import check_seen, contradiction, held, needed, spelling
from grants.book.states import BelowState, ResourceState, SpellingsState
from grants.events import ResourceAdvanced, ResourceReclassified, ResourceRegistered, ResourceRetired
from grants.identifier import check_text
from grants.reference import Pattern, above, folded
from ledger.event import Event
from ledger.view import State

NAME = "resource"
SPELLING = "resource_spelling"
BELOW = "resource_below"

MOST_NAMES = 256
"""How many names below one place are kept; where there are more, that is all that is known."""


class ResourceView:
    """Keeps the properties that a decision reads."""

    name = NAME

    def keys(self, event: Event) -> Iterable[str]:
        """Give the resource that the event is about."""
        match event.body:
            case ResourceRegistered() | ResourceReclassified() | ResourceAdvanced() | ResourceRetired() as body:
                return (body.resource,)
        return ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Register, or change what is registered."""
        body = event.body
        if isinstance(body, ResourceRegistered):
            if state is not None:
                raise contradiction(event, f"{key} is registered already")
            with spelling(event):
                Pattern.parse(key)
                _check_attributes(body)
            return ResourceState(
                attributes=body.attributes, version=1, registered=event.seq, changed=event.seq, retired=False
            ).json_form()
        row = needed(ResourceState, state, event, f"resource {key}")
        if row.retired:
            raise contradiction(event, f"{key} was retired by event {row.changed}")
        match body:
            case ResourceReclassified():
                check_seen(event, body.log_size, row.changed, key)
                with spelling(event):
                    _check_attributes(body)
                change: dict[str, object] = {"attributes": body.attributes, "version": row.version + 1}
            case ResourceAdvanced(version=version):
                check_seen(event, body.log_size, row.changed, key)
                if version <= row.version:
                    raise contradiction(event, f"{key} is at version {row.version} already")
                change = {"version": version}
            case ResourceRetired():
                check_seen(event, body.log_size, row.changed, key)
                change = {"retired": True}
            case _:
                raise contradiction(event, "it is not about a resource")
        return row.model_copy(update={**change, "changed": event.seq}).json_form()


class ResourceSpellingView:
    """Finds registrations by what is left of their names when case is folded."""

    name = SPELLING

    def keys(self, event: Event) -> Iterable[str]:
        """Give the folded name of what is registered."""
        return (folded(event.body.resource),) if isinstance(event.body, ResourceRegistered) else ()

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Add a spelling."""
        if not isinstance(event.body, ResourceRegistered) or folded(event.body.resource) != key:
            raise contradiction(event, f"it does not register a spelling of {key}")
        row = held(SpellingsState, state) or SpellingsState(spellings=())
        return SpellingsState(spellings=(*row.spellings, event.body.resource)).json_form()


class ResourceBelowView:
    """Leads from a place to the names below it under which something is registered."""

    name = BELOW

    def keys(self, event: Event) -> Iterable[str]:
        """Give every place above what is registered."""
        if not isinstance(event.body, ResourceRegistered):
            return ()
        return [str(place) for place, _ in above(Pattern.parse(event.body.resource).reference)]

    def apply(self, key: str, state: State | None, event: Event) -> State:
        """Add the name that leads down from this place."""
        row = held(BelowState, state) or BelowState(names=(), more=False)
        names = (
            []
            if not isinstance(event.body, ResourceRegistered)
            else [name for place, name in above(Pattern.parse(event.body.resource).reference) if str(place) == key]
        )
        if not names:
            raise contradiction(event, f"it registers nothing below {key}")
        if row.more or names[0] in row.names:
            return row.json_form()
        if len(row.names) == MOST_NAMES:
            return BelowState(names=(), more=True).json_form()
        return BelowState(names=tuple(sorted((*row.names, names[0]))), more=False).json_form()


def _check_attributes(body: ResourceRegistered | ResourceReclassified) -> None:
    for name, value in body.attributes.items():
        check_text(name)
        if isinstance(value, str):
            check_text(value)
