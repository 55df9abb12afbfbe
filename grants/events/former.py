"""Events of former schemas: they are read for ever, and written no more.

Source: DESIGN section 7 (a schema never changes in place); docs/events/.
"""

from typing import ClassVar, TypeAlias

from grants.events.resources import Registration, ResourceChange, Scalar

FormerAttributes: TypeAlias = dict[str, Scalar | None]


class ResourceRegistered1(Registration):
    """Schema 1 of ``resource.registered``: one value for each attribute, and no further places."""

    type: ClassVar[str] = "resource.registered"

    attributes: FormerAttributes


class ResourceReclassified1(ResourceChange):
    """Schema 1 of ``resource.reclassified``: likewise, and nothing is said of what it opens."""

    type: ClassVar[str] = "resource.reclassified"

    attributes: FormerAttributes


FORMER = (ResourceRegistered1, ResourceReclassified1)
"""Whatever is of one of these is refused when it is appended."""
