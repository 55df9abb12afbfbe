"""Consents: asked for, given, refused, taken back, and spent.

A human signs what is given, refused and taken back; asking and spending are the ledger's own acts.

Source: DESIGN sections 7, 8 and 11; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from grants.events.forms import Names, Positive
from ledger.disclosure import Disclosable
from ledger.event import Body, Frozen, Many, SignedBody
from ledger.instant import InstantField


class Operand(Frozen):
    """Content that an operation will use, pinned by a commitment to its digest."""

    reference: str
    content: Disclosable


class Item(Frozen):
    """One action that a consent is asked or given for.

    Attributes:
        binding: the binding digest, base64url (see `grants.binding`).
        version: the resource's version when it was asked.
    """

    binding: str
    kind: str
    verb: str
    target: str
    version: Positive


class _ConsentTerms(Frozen):
    subject: Names
    domain: str
    items: Annotated[tuple[Item, ...], Many]
    args: Disclosable
    operands: Annotated[tuple[Operand, ...], Many]


class ConsentRequested(Body, _ConsentTerms):
    """An operation was held: this is what a human is asked to consent to.

    Attributes:
        decision: the decision that held it.
        subject: the chain from the principal that asked down to the part that acts.
        domain: the trust domain, from the trusted side, or an empty text where none is known.
        args: commitment to the operation as received; retries reuse its salt.
    """

    type: ClassVar[str] = "consent.requested"

    decision: Annotated[int, Field(ge=0)]

    def tags(self) -> Iterable[str]:
        """Find it by decision and targets."""
        yield f"decision:{self.decision}"
        yield from (f"resource:{item.target}" for item in self.items)


class ConsentGranted(SignedBody, _ConsentTerms):
    """A human consents to one operation on one version of its resources.

    Attributes:
        grant: 128 random bits, base64url.
        request: the `consent.requested` that it answers, or null where a human foresaw the operation.
        uses: how often each item may be used; 1 unless said otherwise.
        expires: from this instant on it is no grant; there is no leniency.
    """

    type: ClassVar[str] = "consent.granted"

    grant: str
    request: Annotated[int, Field(ge=0)] | None
    uses: Positive
    expires: InstantField
    reason: Disclosable

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the grant id, and the answer to the request."""
        yield from super().claims(by, request)
        yield f"grant:{self.grant}"
        if self.request is not None:
            yield f"answer:{self.request}"

    def tags(self) -> Iterable[str]:
        """Find it by grant, subject and targets."""
        yield f"grant:{self.grant}"
        yield f"subject:{self.subject[0]}"
        yield from (f"resource:{item.target}" for item in self.items)


class ConsentRefused(SignedBody):
    """A human refuses a request."""

    type: ClassVar[str] = "consent.refused"

    request: Annotated[int, Field(ge=0)]
    reason: Disclosable

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the answer to the request."""
        yield from super().claims(by, request)
        yield f"answer:{self.request}"

    def tags(self) -> Iterable[str]:
        """Find it by the request."""
        yield f"request:{self.request}"


class ConsentRevoked(SignedBody):
    """A human takes a consent back before it was used."""

    type: ClassVar[str] = "consent.revoked"

    grant: str
    targets: Names
    reason: Disclosable

    def tags(self) -> Iterable[str]:
        """Find it by grant and targets."""
        yield f"grant:{self.grant}"
        yield from (f"resource:{target}" for target in self.targets)


class ConsentConsumed(Body):
    """One use of one item of a consent is spent; reserved is spent.

    Attributes:
        item: index of the item in the grant.
        use: which use of the item this is, counted from 1.
        decision: the decision that spent it.
        target: the item's target.
    """

    type: ClassVar[str] = "consent.consumed"

    grant: str
    item: Annotated[int, Field(ge=0)]
    use: Positive
    decision: Annotated[int, Field(ge=0)]
    target: str

    def claims(self, by: str, request: str | None) -> Iterable[str]:  # noqa: ARG002  (the protocol's form)
        """Take this use of this item: a second consumption of it can't be appended."""
        yield f"consumed:{self.grant}:{self.item}:{self.use}"

    def tags(self) -> Iterable[str]:
        """Find it by grant, decision and target."""
        yield f"grant:{self.grant}"
        yield f"decision:{self.decision}"
        yield f"resource:{self.target}"
