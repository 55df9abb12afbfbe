"""Who is asking: how an identity is established, and what an established one may be counted as.

An operating system user that is mapped to a principal is that principal. A registered service may speak for the
agents that it is registered for. Everything else is a claim, and a claimant counts as an unknown subject: its grants
are not looked at. Only in a ledger that was opened for a demonstration are claims of registered ids believed.

The text that names an asker is a principal id, or one with the parts that act for it, such as ``agent:a1/sub2/x``.
The parts are names that the principal gives to its own parts; they are recorded, and a consent holds for exactly one
chain.

Source: DESIGN section 7; policy case J03.
"""

from dataclasses import dataclass

from grants.book import genesis
from grants.book.checks import check_chain
from grants.book.principals import PRINCIPAL, UID
from grants.book.states import GenesisState, PrincipalState, UidState
from grants.errors import IdentifierError
from grants.reading import StateReader, read_state
from ledger.event import Auth

UNKNOWN = "unknown"
"""Who asks, where nobody readable is named."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The one who asks, as far as the ledger's side knows.

    Attributes:
        by: a principal id, or `UNKNOWN`.
        chain: ``by`` and then the parts that act for it.
        auth: how it was established.
        via: the service that speaks for it, or None.
        principal: its registration, or None.
        answered_for: whether a registered human, not suspended, answers for the principal, or it is one.
        spoken_for: whether a registered service speaks in its name.
        demonstration: whether the ledger believes claims.
        confirmed: false where the log was restored and nobody has said since that the principal stands.
    """

    by: str
    chain: tuple[str, ...]
    auth: Auth
    via: str | None
    principal: PrincipalState | None
    answered_for: bool
    spoken_for: bool
    demonstration: bool
    confirmed: bool = True

    @property
    def registered(self) -> bool:
        """Whether a principal of this id is registered; it need not be this one that asks."""
        return self.principal is not None

    @property
    def suspended(self) -> bool:
        """Whether the principal was suspended."""
        return self.principal is not None and self.principal.suspended is not None

    @property
    def authenticated(self) -> bool:
        """Whether it is established that this is a registered principal, and it is not suspended."""
        if not self.registered or self.suspended or not self.confirmed:
            return False
        if self.auth == "claimed":
            return self.demonstration
        return self.via is None or self.spoken_for

    @property
    def owned(self) -> bool:
        """Whether it is authenticated, and a human answers for it."""
        return self.authenticated and self.answered_for

    @property
    def actor(self) -> str:
        """Who acts, for the record: the id where it is established, else the claim marked as one.

        A claimant must not take the request ids of the principal that it claims to be.
        """
        return self.by if self.authenticated else f"claimed:{self.by}"

    @property
    def kind(self) -> str:
        """The kind of the principal, or `UNKNOWN` where it is not authenticated."""
        return self.principal.kind if self.principal is not None and self.authenticated else UNKNOWN


def identify(reader: StateReader, *, uid: int | None, claimed: str | None) -> Asker:
    """Find out who asks.

    Args:
        reader: the ledger.
        uid: the operating system user on the other side, as the system tells it, or None.
        claimed: whom the asker says it is, or None.
    """
    mapped = read_state(reader, UID, str(uid), UidState) if uid is not None else None
    if claimed is None:
        return _of_uid(reader, mapped)
    chain = parse_chain(claimed)
    if chain is None:
        return recorded(reader, UNKNOWN, (UNKNOWN,), "claimed", None)
    if mapped is not None and mapped.principal == chain[0]:
        return recorded(reader, chain[0], chain, "os-uid", None)
    if mapped is not None and _speaks_for(reader, mapped.principal, chain[0]):
        return recorded(reader, chain[0], chain, "os-uid", mapped.principal)
    return recorded(reader, chain[0], chain, "claimed", None)


def recorded(reader: StateReader, by: str, chain: tuple[str, ...], auth: Auth, via: str | None) -> Asker:
    """Give the asker of what an event records, judged by the states that the reader has: for replay and for checks."""
    begun = log_state(reader)
    restored = begun.restored() if begun is not None else None
    principal = find_principal(reader, by)
    return Asker(
        by=by,
        chain=chain,
        auth=auth,
        via=via,
        principal=principal,
        answered_for=principal is not None and _is_owned(reader, principal),
        spoken_for=via is not None and _speaks_for(reader, via, by),
        demonstration=begun is not None and begun.demonstration,
        confirmed=principal is None or principal.suspended is not None or principal.stands(restored),
    )


def log_state(reader: StateReader) -> GenesisState | None:
    """Read how the log began, and under which name it speaks; None before its first event."""
    return read_state(reader, genesis.NAME, genesis.GENESIS, GenesisState)


def last_restored(reader: StateReader) -> int | None:
    """Give the event with which a restored copy went on as this log, or None."""
    begun = log_state(reader)
    return begun.restored() if begun is not None else None


def find_principal(reader: StateReader, principal: str) -> PrincipalState | None:
    """Read a principal's registration, or None."""
    return read_state(reader, PRINCIPAL, principal, PrincipalState)


def parse_chain(text: str) -> tuple[str, ...] | None:
    """Read a principal id and the parts that act for it; None where the text has another form."""
    chain = tuple(text.split("/"))
    try:
        check_chain(chain)
    except IdentifierError:
        return None
    return chain


def _of_uid(reader: StateReader, mapped: UidState | None) -> Asker:
    if mapped is None:
        return recorded(reader, UNKNOWN, (UNKNOWN,), "claimed", None)
    return recorded(reader, mapped.principal, (mapped.principal,), "os-uid", None)


def _speaks_for(reader: StateReader, service: str, agent: str) -> bool:
    row = find_principal(reader, service)
    if row is None or row.kind != "service" or not row.stands(last_restored(reader)):
        return False
    spoken_for = find_principal(reader, agent)
    named = agent in row.speaks_for or (spoken_for is not None and service in spoken_for.through)
    return named and _is_owned(reader, row)


def _is_owned(reader: StateReader, principal: PrincipalState) -> bool:
    restored = last_restored(reader)
    if principal.kind == "human":
        return principal.stands(restored)
    owner = find_principal(reader, principal.owner) if principal.owner is not None else None
    return owner is not None and owner.kind == "human" and owner.stands(restored)
