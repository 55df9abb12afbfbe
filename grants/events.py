"""The events that create and end authority: principals, resources, grants, consents.

Each is signed by a human (resources also by a registrar) over its statement; `consent.requested` and
`consent.consumed` are the ledger's own acts. Names that could identify a person are disclosable.

Source: DESIGN sections 7, 8 and 11; docs/events/.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from grants.errors import ReferenceSyntaxError
from grants.reference import Pattern, above
from ledger.disclosure import Disclosable
from ledger.event import Body, Frozen, Many, SignedBody
from ledger.instant import InstantField

Names: TypeAlias = Annotated[tuple[str, ...], Many]
Positive: TypeAlias = Annotated[int, Field(ge=1)]
PrincipalKind: TypeAlias = Literal["human", "agent", "service", "registrar", "sensor", "witness"]
Attributes: TypeAlias = dict[str, str | bool | int | None]
"""What a registrar says of a resource; null records that the attribute is known to be absent."""


class PrincipalRegistered(SignedBody):
    """A human vouches for a principal.

    Attributes:
        principal: ``<kind>:<name>``; a random or functional name, never a person's.
        keys: OpenSSH public key lines without comments.
        owner: the human who answers for it; required for all but humans.
        uid: the operating system user that is this principal on the ledger's machine, if any.
        speaks_for: for a service, the agents that it may speak for.
        through: for an agent, the services that may speak for it: a later agent comes to an earlier service so.
    """

    type: ClassVar[str] = "principal.registered"

    principal: str
    kind: PrincipalKind
    name: Disclosable
    keys: Names
    owner: str | None
    uid: Annotated[int, Field(ge=0)] | None
    speaks_for: Names
    through: Names

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the id, the uid, and the keys: a statement does not name its signer, its key does."""
        yield from super().claims(by, request)
        yield f"principal:{self.principal}"
        if self.uid is not None:
            yield f"uid:{self.uid}"
        yield from (f"key:{line}" for line in dict.fromkeys(self.keys))

    def tags(self) -> Iterable[str]:
        """Find it by the principal."""
        yield f"principal:{self.principal}"


class _PrincipalChange(SignedBody):
    principal: str

    def tags(self) -> Iterable[str]:
        """Find it by the principal."""
        yield f"principal:{self.principal}"


class PrincipalKeyAdded(_PrincipalChange):
    """A human adds a key to a principal."""

    type: ClassVar[str] = "principal.key_added"

    key: str

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the key: it is of one principal for ever."""
        yield from super().claims(by, request)
        yield f"key:{self.key}"


class PrincipalKeyRevoked(_PrincipalChange):
    """A human ends a key, by fingerprint, from this event on."""

    type: ClassVar[str] = "principal.key_revoked"

    fingerprint: str


class PrincipalSuspended(_PrincipalChange):
    """A human ends a principal: its keys sign nothing more and it may ask for nothing more."""

    type: ClassVar[str] = "principal.suspended"

    reason: Disclosable


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


TYPES: tuple[type[Body], ...] = (
    PrincipalRegistered,
    PrincipalKeyAdded,
    PrincipalKeyRevoked,
    PrincipalSuspended,
    ResourceRegistered,
    ResourceReclassified,
    ResourceAdvanced,
    ResourceRetired,
    GrantRatified,
    GrantRevoked,
    ConsentRequested,
    ConsentGranted,
    ConsentRefused,
    ConsentRevoked,
    ConsentConsumed,
)
