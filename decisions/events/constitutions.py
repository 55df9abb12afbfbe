"""A constitution comes into force.

Source: DESIGN sections 7 and 10; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Self, TypeAlias

from pydantic import Field, model_validator

from decisions.amendment.events import ConstitutionAmended
from ledger import canon, digest
from ledger.event import SignedBody


class ConstitutionAdopted(SignedBody):
    """A human adopts a constitution; the whole document stands in the event, under its digest.

    Attributes:
        digest: ``document`` digest of the document's UTF-8 bytes, base64url.
        document: the TOML text, at most 1 MiB.
    """

    type: ClassVar[str] = "constitution.adopted"
    attachments: ClassVar[frozenset[str]] = frozenset({"document"})

    name: str
    digest: str
    document: Annotated[str, Field(max_length=2**20)]

    @model_validator(mode="after")
    def _digest_fits(self) -> Self:
        if canon.to_base64url(digest.document(self.document.encode())) != self.digest:
            raise ValueError("the document is not the one that was signed for")
        return self

    def tags(self) -> Iterable[str]:
        """Find all constitutions, and this one."""
        yield "constitution"
        yield f"constitution:{self.digest}"


Adoption: TypeAlias = ConstitutionAdopted | ConstitutionAmended
"""What puts a constitution in force: a human's signature where none is, and an amendment afterwards."""
