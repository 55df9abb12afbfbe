"""Resources: what a registrar says that things are. A human or a registrar signs.

Source: DESIGN sections 7 and 10; docs/events/; docs/adr/0016, 0017.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from grants.errors import ReferenceSyntaxError
from grants.events.forms import Names, Positive
from grants.reference import Pattern, above
from ledger.event import Frozen, Many, SignedBody

Scalar: TypeAlias = str | bool | int
Label: TypeAlias = Scalar | Annotated[tuple[Scalar, ...], Many] | None
"""One value of an attribute, several at once, or null: it is known to be absent."""

Attributes: TypeAlias = dict[str, Label]
"""What a registrar says of a resource; an attribute that is not named is unknown, or is inherited."""

Direction: TypeAlias = Literal["equivalent", "tightening", "loosening", "mixed", "unjudged"]


class Relabelling(Frozen):
    """What a change of labels does to what may happen, by the rules and standing grants of its time.

    Attributes:
        direction: ``unjudged`` where no constitution was in force, or the label is one that no cell shows.
        opened: how many cells become more permissive.
        closed: how many become less permissive.
        resources: how many registered resources, this one among them, some cell opens for.
        constitution: digest of the constitution that it was judged by, or null.
    """

    direction: Direction
    opened: Annotated[int, Field(ge=0)]
    closed: Annotated[int, Field(ge=0)]
    resources: Annotated[int, Field(ge=0)]
    constitution: str | None

    @property
    def opens(self) -> bool:
        """Whether anything may open, so that a human must answer for it."""
        return self.direction not in {"equivalent", "tightening"}


class ResourceChange(SignedBody):
    """Base of all that is said of resources."""

    resource: str

    def tags(self) -> Iterable[str]:
        """Find it by the resource."""
        yield f"resource:{self.resource}"


class Registration(ResourceChange):
    """Base of the registrations, of whatever schema."""

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the resource: it is registered once, then reclassified."""
        yield from super().claims(by, request)
        yield f"resource:{self.resource}"

    def tags(self) -> Iterable[str]:
        """Find it by the resource, and by each place above it."""
        yield from super().tags()
        with suppress(ReferenceSyntaxError):  # the fold refuses such a name; an audit reads it all the same
            yield from (f"below:{place}" for place, _ in above(Pattern.parse(self.resource).reference))


class ResourceRegistered(Registration):
    """A registrar states the properties of a resource, or of a subtree (``.../**``), at version 1.

    Attributes:
        within: further places that it lies in, as references or patterns: it inherits from them too.
        relabels: what this changes for what was covered before, or null where nothing covered it.
    """

    type: ClassVar[str] = "resource.registered"
    schema_number: ClassVar[int] = 2

    attributes: Attributes
    within: Names
    relabels: Relabelling | None


class ResourceReclassified(ResourceChange):
    """A registrar replaces the properties of a resource; its version goes up by one.

    It also brings back a resource that was retired and then cleared.

    Attributes:
        within: further places that it lies in.
        relabels: what this changes.
    """

    type: ClassVar[str] = "resource.reclassified"
    schema_number: ClassVar[int] = 2

    attributes: Attributes
    within: Names
    relabels: Relabelling


class ResourceAdvanced(ResourceChange):
    """The resource has a new version: consents for the old one no longer fit."""

    type: ClassVar[str] = "resource.advanced"

    version: Positive


class ResourceRetired(ResourceChange):
    """The resource is gone; its attributes are unknown from here on."""

    type: ClassVar[str] = "resource.retired"


class ResourceCleared(ResourceChange):
    """What was retired is of no more concern: its entry no longer hides what is registered around it.

    Attributes:
        relabels: what this changes.
    """

    type: ClassVar[str] = "resource.cleared"

    relabels: Relabelling
