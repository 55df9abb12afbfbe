"""Standing grants: patterns that a human ratifies and ends.

Source: DESIGN sections 7 and 11; docs/events/.
"""

from collections.abc import Iterable
from typing import ClassVar

from grants.events.forms import Names
from ledger.disclosure import Disclosable
from ledger.event import SignedBody
from ledger.instant import InstantField


class GrantRatified(SignedBody):
    """A human ratifies a standing grant: a pattern that applies until revoked.

    Attributes:
        grant: 128 random bits, base64url.
        subject: the principal id that it is for.
        kinds: kinds of action that it covers.
        verbs: verbs that it covers.
        targets: a resource reference or pattern.
        selector: condition over trusted attributes, in the constitution's expression language.
        expires: when it ends by itself, or null.
    """

    type: ClassVar[str] = "grant.ratified"

    grant: str
    subject: str
    kinds: Names
    verbs: Names
    targets: str
    selector: str
    expires: InstantField | None
    reason: Disclosable

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the grant id."""
        yield from super().claims(by, request)
        yield f"grant:{self.grant}"

    def tags(self) -> Iterable[str]:
        """Find it by grant and subject."""
        yield f"grant:{self.grant}"
        yield f"subject:{self.subject}"


class GrantRevoked(SignedBody):
    """A human ends a standing grant."""

    type: ClassVar[str] = "grant.revoked"

    grant: str
    subject: str
    reason: Disclosable

    def tags(self) -> Iterable[str]:
        """Find it by grant and subject."""
        yield f"grant:{self.grant}"
        yield f"subject:{self.subject}"
