"""The events of changing the rules.

Source: DESIGN section 7; docs/spec/amendments.md; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ledger import canon, digest
from ledger.disclosure import Disclosable
from ledger.event import Body, Frozen, Many, SignedBody

Place: TypeAlias = Annotated[int, Field(ge=0)]
"""The seq of an event."""
Change: TypeAlias = Literal["equivalent", "tightening", "loosening", "mixed"]
"""The class of a change of the rules."""
Vote: TypeAlias = Literal["for", "against"]
Number: TypeAlias = Annotated[int, Field(ge=1)]

TAG = "amendment"


class Carrying(Frozen):
    """Holds a whole constitution under its digest.

    Attributes:
        name: the constitution's own name.
        digest: ``document`` digest of the document's UTF-8 bytes, base64url.
        document: the TOML text, at most 1 MiB.
    """

    name: str
    digest: str
    document: Annotated[str, Field(max_length=2**20)]

    @model_validator(mode="after")
    def _digest_fits(self) -> Self:
        if canon.to_base64url(digest.document(self.document.encode())) != self.digest:
            raise ValueError("the document is not the one under this digest")
        return self


class AmendmentProposed(SignedBody, Carrying):
    """A human or an agent proposes another constitution in the place of the one in force.

    Attributes:
        base: the event that adopted the constitution which this was compared with.
        change: the class of the change, worked out from the two documents.
        overlay: whether it only adds forbids and requirements to the other.
        reason: commitment to why.
    """

    type: ClassVar[str] = "amendment.proposed"
    attachments: ClassVar[frozenset[str]] = frozenset({"document"})

    base: Place
    change: Change
    overlay: bool
    reason: Disclosable

    def tags(self) -> Iterable[str]:
        """Find all amendments."""
        yield TAG


class _OnAmendment(SignedBody):
    """Says something of a proposal, and repeats what it is: whoever signs has read it.

    Attributes:
        amendment: the event that proposed it.
        base: the event that adopted the constitution which it changes.
        digest: of the proposed document.
        change: the class of the change.
        human: the human who answers for the signer; a human answers for itself.
    """

    amendment: Place
    base: Place
    digest: str
    change: Change
    human: str

    def tags(self) -> Iterable[str]:
        """Find all amendments, and this one."""
        yield TAG
        yield f"{TAG}:{self.amendment}"


class AmendmentVoted(_OnAmendment):
    """A human or an agent is for an amendment, or against it."""

    type: ClassVar[str] = "amendment.voted"

    vote: Vote

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the vote: nobody votes twice."""
        yield from super().claims(by, request)
        yield f"vote:{self.amendment}:{by}"


class AmendmentAdopted(_OnAmendment):
    """A human or an agent adopts an amendment, and is for it; the constitution follows in the next event.

    Attributes:
        votes: the events of all votes on it, oldest first.
        quorum: how many controlling principals the constitution before it asks for, where nothing opens.
        humans: how many humans it asks for otherwise.
    """

    type: ClassVar[str] = "amendment.adopted"

    votes: Annotated[tuple[Place, ...], Many]
    quorum: Number
    humans: Number

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the end of the amendment: it has one."""
        yield from super().claims(by, request)
        yield ended_claim(self.amendment)


class AmendmentRejected(SignedBody):
    """A human rejects an amendment, or whoever proposed it takes it back.

    Attributes:
        amendment: the event that proposed it.
        reason: commitment to why.
    """

    type: ClassVar[str] = "amendment.rejected"

    amendment: Place
    reason: Disclosable

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the end of the amendment: it has one."""
        yield from super().claims(by, request)
        yield ended_claim(self.amendment)

    def tags(self) -> Iterable[str]:
        """Find all amendments, and this one."""
        yield TAG
        yield f"{TAG}:{self.amendment}"


class ConstitutionAmended(Body, Carrying):
    """An amendment put a constitution in force: schema 2 of ``constitution.adopted``.

    It bears no signature: it counts because of the adoption right before it, and of the votes that are named there.

    Attributes:
        base: the event that adopted the constitution before it.
        adopted: the ``amendment.adopted`` that it follows from.
    """

    type: ClassVar[str] = "constitution.adopted"
    schema_number: ClassVar[int] = 2

    base: Place
    adopted: Place

    def tags(self) -> Iterable[str]:
        """Find all constitutions, this one, and all amendments."""
        yield "constitution"
        yield f"constitution:{self.digest}"
        yield TAG


def ended_claim(amendment: int) -> str:
    """Give the unique key of an amendment's end."""
    return f"{TAG}:{amendment}"


TYPES: tuple[type[Body], ...] = (
    AmendmentProposed,
    AmendmentVoted,
    AmendmentAdopted,
    AmendmentRejected,
    ConstitutionAmended,
)
