"""How far trust reaches at this moment: c_eff = min(c_inst, c_ctx), from the states, for one decision.

``c_ctx`` is what was earned between a system and a counterpart in one domain. ``c_inst`` is the counterpart's latest
reading, whatever the domain it was taken in: a bad night does not stop at a change of subject. A reading that is
missing, erased, out of range or stale counts as 0, and so does one whose sensor or key was ended since.

The row only says where to look. The reading is believed as its sensor signed it: from the event, of these parties, and
by the commitment that stands there.

Source: DESIGN section 12.
"""

from dataclasses import dataclass
from typing import Final

from decisions import trust
from decisions.constitution.model import TrustTerms
from decisions.errors import TrustError
from decisions.events import TrustObserved
from grants.authority import check_event, still_counts
from grants.errors import AuthorityError, SignatureError
from grants.reading import StateReader, read_event
from ledger import disclosure
from ledger.errors import DisclosureError
from ledger.event import Registry
from ledger.instant import Instant

C_INST: Final = "/c_inst"


@dataclass(frozen=True, slots=True)
class Parties:
    """Between whom trust is earned, and in what.

    Attributes:
        system: principal id of the agent or service.
        counterpart: opaque id of the person, or principal id of the operator.
        domain: the trust domain, or an empty text where it is unknown.
    """

    system: str
    counterpart: str
    domain: str

    @property
    def key(self) -> str:
        """The key of the trust view."""
        return trust.key(self.system, self.counterpart, self.domain)

    @property
    def reading_key(self) -> str:
        """The key of the reading view, which knows no domain."""
        return f"{self.system}|{self.counterpart}"


@dataclass(frozen=True, slots=True)
class Earned:
    """Trust at one moment, in units of 10^-15, and the observation that the reading comes from."""

    c_inst: int
    c_ctx: int
    observed: int | None

    @property
    def c_eff(self) -> int:
        """The lesser of the two, and nothing else."""
        return trust.c_eff(self.c_inst, self.c_ctx)


def earned(reader: StateReader, registry: Registry, terms: TrustTerms, parties: Parties, at: Instant) -> Earned:
    """Read the trust between these parties as of ``at``.

    Raises:
        TrustError: the row leads to something else than a signed observation of these parties, or its opening does
            not fit.
    """
    row = reader.state("reading", parties.reading_key)
    c_inst, observed = 0, None
    if row is not None:
        observed = int(str(row.state["observed"]))
        c_inst = _present(reader, registry, terms, parties, observed, at)
    known = parties.domain and parties.counterpart
    context = reader.state("trust", parties.key) if known else None
    # Under the terms in force now: a constitution that lowers the cap lowers what was earned before it.
    c_ctx = trust.Trust.of(context.state).under(terms) if context else 0
    return Earned(c_inst, c_ctx, observed)


def _present(
    reader: StateReader, registry: Registry, terms: TrustTerms, parties: Parties, seq: int, at: Instant
) -> int:
    """Give what the reading in an event says now."""
    openings = [opening for opening in reader.openings(seq) if opening.path == C_INST]
    event = read_event(reader, registry, seq)
    body = event.body if event else None
    if event is None or not isinstance(body, TrustObserved):
        raise TrustError(
            f"event {seq} is no observation, and the latest reading is said to stand there: run tally audit"
        )
    if (body.system, body.counterpart) != (parties.system, parties.counterpart):
        raise TrustError(f"observation {seq} is of {body.system} and {body.counterpart}: run tally audit")
    try:
        check_event(reader, event)
        for opening in openings:
            disclosure.check(body, opening)
    except (AuthorityError, SignatureError, DisclosureError) as error:
        raise TrustError(f"the reading of observation {seq} is not what a sensor signed: {error}") from error
    if not openings or not still_counts(reader, event):
        return 0
    return trust.present_reading(openings[0].value, min(body.taken, event.at), at, terms)
