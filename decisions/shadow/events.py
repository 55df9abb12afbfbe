"""The events by which a shadow begins and ends.

Source: docs/spec/shadows.md; docs/events/.
"""

from collections.abc import Iterable
from typing import ClassVar

from decisions.amendment.events import Carrying, Place
from ledger.event import Body, SignedBody

TAG = "shadow"


class ShadowStarted(SignedBody, Carrying):
    """A human lets a candidate constitution judge beside the one in force; it enforces nothing.

    Attributes:
        base: the event that adopted the constitution in force.
    """

    type: ClassVar[str] = "shadow.started"
    attachments: ClassVar[frozenset[str]] = frozenset({"document"})

    base: Place

    def tags(self) -> Iterable[str]:
        """Find all shadows."""
        yield TAG


class ShadowStopped(SignedBody):
    """A human ends a shadow.

    Attributes:
        started: the event that began it.
    """

    type: ClassVar[str] = "shadow.stopped"

    started: Place

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the end of the shadow: it has one."""
        yield from super().claims(by, request)
        yield f"{TAG}:{self.started}"

    def tags(self) -> Iterable[str]:
        """Find all shadows, and this one."""
        yield TAG
        yield f"{TAG}:{self.started}"


TYPES: tuple[type[Body], ...] = (ShadowStarted, ShadowStopped)
