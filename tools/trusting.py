"""Earned trust as a ledger holds it: what stands between two parties in a domain, and what it opens now.

Source: DESIGN section 12.
"""

from dataclasses import dataclass

from decisions import trust
from decisions.constitution import Constitution, spell_fraction
from decisions.constitution.model import TrustClass
from decisions.earned import Earned, Parties, earned
from decisions.trust import Trust
from ledger import instant
from ledger.canon import Json
from ledger.instant import Instant
from ledger.log import Snapshot
from verify.views import EVENTS


@dataclass(frozen=True, slots=True)
class Standing:
    """How trust stands at one moment.

    Attributes:
        parties: between whom, and in what.
        n: interactions that have counted.
        earned: c_inst, c_ctx and what follows from them.
        taken: when the latest reading was taken, or None where there is none.
        age: how many microseconds ago that was.
        open: names of the classes that are open.
        closed: names of those that are not.
    """

    parties: Parties
    n: int
    earned: Earned
    taken: Instant | None
    age: int | None
    open: tuple[str, ...]
    closed: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object; fractions in units of 10^-15."""
        return {
            "system": self.parties.system,
            "counterpart": self.parties.counterpart,
            "domain": self.parties.domain,
            "n": self.n,
            "c_ctx": self.earned.c_ctx,
            "c_inst": self.earned.c_inst,
            "c_eff": self.earned.c_eff,
            "taken": self.taken,
            "age_seconds": None if self.age is None else self.age // 1_000_000,
            "observed": self.earned.observed,
            "open": list(self.open),
            "closed": list(self.closed),
        }

    def row(self) -> tuple[str, ...]:
        """Give it as the cells of a table."""
        e = self.earned
        return (
            self.parties.system,
            self.parties.counterpart,
            self.parties.domain,
            str(self.n),
            spell_fraction(e.c_ctx),
            spell_fraction(e.c_inst),
            spell_fraction(e.c_eff),
            "never" if self.age is None else _age(self.age),
            ", ".join(self.open),
        )


HEADER = ("system", "counterpart", "domain", "n", "c_ctx", "c_inst", "c_eff", "reading", "open")


def standing(snapshot: Snapshot, constitution: Constitution, parties: Parties, at: Instant) -> Standing:
    """Tell how trust stands between two parties in a domain."""
    found = earned(snapshot, EVENTS, constitution.trust, parties, at)
    row = snapshot.state("trust", parties.key)
    reading = snapshot.state("reading", parties.reading_key)
    taken = instant.parse(str(reading.state["taken"])) if reading else None
    age = None if taken is None else max(0, instant.to_microseconds(at) - instant.to_microseconds(taken))
    names = [each.name for each in constitution.trust.classes]
    opened = trust.open_set(constitution, found.c_eff)
    return Standing(
        parties,
        Trust.of(row.state if row else None).n,
        found,
        taken,
        age,
        tuple(name for name in names if name in opened),
        tuple(name for name in names if name not in opened),
    )


def standings(
    snapshot: Snapshot,
    constitution: Constitution,
    at: Instant,
    *,
    system: str | None = None,
    counterpart: str | None = None,
    domain: str | None = None,
) -> list[Standing]:
    """Tell how trust stands wherever something was observed, of those parties that are named."""
    keys = (row.key.split("|") for row in snapshot.states("trust"))
    all_parties = [Parties(*key) for key in keys]
    wanted = {"system": system, "counterpart": counterpart, "domain": domain}
    chosen = [p for p in all_parties if all(value in {None, getattr(p, name)} for name, value in wanted.items())]
    return [standing(snapshot, constitution, parties, at) for parties in chosen]


def ladder(constitution: Constitution, effective: int) -> list[tuple[str, str, str, str]]:
    """Tell of each class, in order, what opens it, whether that is so now, and its verbs."""
    return [
        (each.name, _gate(each), trust.gate(each, effective), ", ".join(sorted(each.verbs)))
        for each in constitution.trust.classes
    ]


def _gate(each: TrustClass) -> str:
    return each.gate if each.threshold is None else f"from {spell_fraction(each.threshold)}"


def _age(microseconds: int) -> str:
    seconds = microseconds // 1_000_000
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit} ago"
    return f"{seconds}s ago"
