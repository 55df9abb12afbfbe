"""How far trust reaches at this moment: c_eff = min(c_inst, c_ctx), from the states, for one decision.

``c_ctx`` is what was earned between a system and a counterpart in one domain. ``c_inst`` is the counterpart's latest
reading, whatever the domain it was taken in: a bad night does not stop at a change of subject. A reading that is
missing, erased, out of range or stale counts as 0.

Source: DESIGN section 12.
"""

from dataclasses import dataclass

from decisions import trust
from decisions.constitution.model import TrustTerms
from grants.reading import StateReader
from ledger import instant
from ledger.instant import Instant


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


def earned(reader: StateReader, terms: TrustTerms, parties: Parties, at: Instant) -> Earned:
    """Read the trust between these parties as of ``at``."""
    row = reader.state("reading", parties.reading_key)
    c_inst, observed = 0, None
    if row is not None:
        observed, taken = int(str(row.state["observed"])), instant.parse(str(row.state["taken"]))
        values = [opening.value for opening in reader.openings(observed) if opening.path == "/c_inst"]
        c_inst = trust.present_reading(values[0], taken, at, terms) if values else 0
    known = parties.domain and parties.counterpart
    context = reader.state("trust", parties.key) if known else None
    # Under the terms in force now: a constitution that lowers the cap lowers what was earned before it.
    c_ctx = trust.Trust.of(context.state).under(terms) if context else 0
    return Earned(c_inst, c_ctx, observed)
