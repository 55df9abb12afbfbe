"""Resources: what a registrar says that things are. A human or a registrar signs.

Source: DESIGN sections 7 and 10; docs/events/.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import ClassVar, TypeAlias

from grants.errors import ReferenceSyntaxError
from grants.events.forms import Positive
from grants.reference import Pattern, above
from ledger.event import SignedBody

Attributes: TypeAlias = dict[str, str | bool | int | None]
"""What a registrar says of a resource; null records that the attribute is known to be absent."""


class _ResourceChange(SignedBody):
    resource: str

    def tags(self) -> Iterable[str]:
        """Find it by the resource."""
        yield f"resource:{self.resource}"


class ResourceRegistered(_ResourceChange):
    """A registrar states the properties of a resource, or of a subtree (``.../**``), at version 1."""

    type: ClassVar[str] = "resource.registered"

    attributes: Attributes

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the resource: it is registered once, then reclassified."""
        yield from super().claims(by, request)
        yield f"resource:{self.resource}"

    def tags(self) -> Iterable[str]:
        """Find it by the resource, and by each place above it."""
        yield from super().tags()
        with suppress(ReferenceSyntaxError):  # the fold refuses such a name; an audit reads it all the same
            yield from (f"below:{place}" for place, _ in above(Pattern.parse(self.resource).reference))


class ResourceReclassified(_ResourceChange):
    """A registrar replaces the properties of a resource; its version goes up by one."""

    type: ClassVar[str] = "resource.reclassified"

    attributes: Attributes


class ResourceAdvanced(_ResourceChange):
    """The resource has a new version: consents for the old one no longer fit."""

    type: ClassVar[str] = "resource.advanced"

    version: Positive


class ResourceRetired(_ResourceChange):
    """The resource is gone; its attributes are unknown from here on."""

    type: ClassVar[str] = "resource.retired"
