"""Standing grants: patterns that a human ratifies and ends.

Source: DESIGN sections 7 and 11; docs/events/.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from grants.events.forms import Names
from ledger.disclosure import Disclosable
from ledger.event import Frozen, Many, Signed, SignedBody
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


class Cosigned(Frozen):
    """The signature of one more human over the same text.

    Attributes:
        by: the human.
    """

    by: str
    signed: Signed


class GrantRatifiedTogether(GrantRatified):
    """Several humans ratify a standing grant, each by a signature over the same text: schema 2 of ``grant.ratified``.

    The event is by one of them, whose signature stands where that of a single human stands.

    Attributes:
        humans: how many must have signed.
        cosigned: the others, by name.
    """

    schema_number: ClassVar[int] = 2
    attachments: ClassVar[frozenset[str]] = frozenset({"cosigned"})

    humans: Annotated[int, Field(ge=2)]
    cosigned: Annotated[tuple[Cosigned, ...], Many]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if any(left.by >= right.by for left, right in pairwise(self.cosigned)):
            raise ValueError("those who sign too are sorted by name, and each stands once")
        return self

    def tags(self) -> Iterable[str]:
        """Find it by grant and subject, and by each who signed."""
        yield from super().tags()
        yield from (f"actor:{one.by}" for one in self.cosigned)


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
