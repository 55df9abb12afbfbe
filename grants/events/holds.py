"""Legal holds: what must not be erased until a human releases it. A human signs.

Source: DESIGN section 8; docs/adr/0010; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Final

from pydantic import Field

from ledger.disclosure import Disclosable
from ledger.event import Many, SignedBody

MAX_OVER: Final = 100
"""Over so many things one hold is placed at most."""


class HoldPlaced(SignedBody):
    """A human forbids to erase anything of certain events, those that come later among them.

    Attributes:
        hold: 128 random bits, base64url.
        over: what is held: ``all``, ``event:<place>``, a tag that events bear, or ``resource:<reference>/**``.
    """

    type: ClassVar[str] = "hold.placed"

    hold: str
    over: Annotated[tuple[str, ...], Many, Field(min_length=1, max_length=MAX_OVER)]
    reason: Disclosable

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the hold's id."""
        yield from super().claims(by, request)
        yield f"hold:{self.hold}"

    def tags(self) -> Iterable[str]:
        """Find all holds, and this one."""
        yield "hold"
        yield f"hold:{self.hold}"


class HoldReleased(SignedBody):
    """A human releases a hold.

    Attributes:
        over: what it was placed over, as `hold.placed` says.
    """

    type: ClassVar[str] = "hold.released"

    hold: str
    over: Annotated[tuple[str, ...], Many, Field(min_length=1, max_length=MAX_OVER)]
    reason: Disclosable

    def tags(self) -> Iterable[str]:
        """Find all holds, and this one."""
        yield "hold"
        yield f"hold:{self.hold}"
