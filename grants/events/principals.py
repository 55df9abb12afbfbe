"""Principals: who is registered, with which keys, and until when. A human signs.

Source: DESIGN sections 7 and 11; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from grants.events.forms import Names
from ledger.disclosure import Disclosable
from ledger.event import SignedBody

PrincipalKind: TypeAlias = Literal["human", "agent", "service", "registrar", "sensor", "witness"]


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


class PrincipalConfirmed(_PrincipalChange):
    """After a restore a human says that a principal stands, and by which of its keys: what ended it may be lost.

    Attributes:
        keys: fingerprints of the keys that stand; the others wait until they are confirmed too.
    """

    type: ClassVar[str] = "principal.confirmed"

    keys: Names


class PrincipalSuspended(_PrincipalChange):
    """A human ends a principal: its keys sign nothing more and it may ask for nothing more."""

    type: ClassVar[str] = "principal.suspended"

    reason: Disclosable
