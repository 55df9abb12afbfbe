"""Earned trust in whole numbers: how it grows, what it opens, and that it remembers nothing of having been open.

Fractions are in units of 10^-15. A qualifying interaction moves the accumulator by
``(ONE - accumulator) * gain // ONE``; ``c_ctx = min(cap, max(accumulator, min(cap, floor_step * n)))``; and
``c_eff = min(c_inst, c_ctx)``, afresh for each decision.

>>> from decisions.constitution import default
>>> terms = default().trust
>>> accumulator = 0
>>> for _ in range(46):
...     accumulator = step(accumulator, terms.gain)
>>> abs(accumulator - 580_000_000_000_000) < 1000
True
>>> sorted(open_set(default(), c_eff(reading(50_000_000_000_000), terms.cap)))
['refuge']

Source: DESIGN section 12.
"""

from dataclasses import dataclass
from typing import Final, Literal, Self, TypeAlias

from decisions.constitution.fraction import ONE
from decisions.constitution.model import Constitution, TrustClass, TrustTerms
from decisions.errors import TrustError
from decisions.events import TrustUpdated
from grants.identifier import code_points
from ledger import instant
from ledger.instant import Instant
from ledger.view import State

GateState: TypeAlias = Literal["ungated", "open", "met", "unmet", "closed"]

OPENING: Final[frozenset[GateState]] = frozenset({"open", "met"})
"""The gate states that let an action through."""

_SEPARATOR: Final = "|"


@dataclass(frozen=True, slots=True)
class Trust:
    """What one counterpart's interactions with one system in one domain have earned.

    Attributes:
        n: qualifying interactions.
        accumulator: where they have moved it.
        c_ctx: the trust that follows, as of the last update.
    """

    n: int
    accumulator: int
    c_ctx: int

    @classmethod
    def of(cls, state: State | None) -> Self:
        """Read a state of the view `trust`; where there is none, nothing has been earned.

        Raises:
            TrustError: the state is none that the view writes.
        """
        if state is None:
            return cls(0, 0, 0)
        n, accumulator, ctx = state.get("n"), state.get("accumulator"), state.get("c_ctx")
        if type(n) is not int or type(accumulator) is not int or type(ctx) is not int:
            raise TrustError("a trust state without its three numbers")
        return cls(n, accumulator, ctx)

    def under(self, terms: TrustTerms) -> int:
        """Give the c_ctx under the terms in force, which need not be those of the last update."""
        return c_ctx(self.accumulator, self.n, terms)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a recorded `trust.observed` says, its reading opened and read.

    Attributes:
        seq: the event.
        qualifying: whether the sensor finds that the interaction earns trust.
        c_inst: the reading, as `reading` gives it.
        taken: when it was taken.
    """

    seq: int
    system: str
    counterpart: str
    domain: str
    qualifying: bool
    c_inst: int
    taken: Instant


def key(system: str, counterpart: str, domain: str) -> str:
    """Give the key of the view `trust` for these three.

    Raises:
        TrustError: a part is empty or holds the separator, and the key could be another's.
    """
    parts = (system, counterpart, domain)
    for part in parts:
        if not part or _SEPARATOR in part:
            raise TrustError(f'"{code_points(part)}" can\'t stand in a trust key: it is empty or holds "{_SEPARATOR}"')
    return _SEPARATOR.join(parts)


def step(accumulator: int, gain: int) -> int:
    """Move the accumulator by one qualifying interaction; it never reaches ONE."""
    return accumulator + (ONE - accumulator) * gain // ONE


def floor(n: int, terms: TrustTerms) -> int:
    """Give what so many qualifying interactions have earned at least."""
    return min(terms.cap, terms.floor_step * n)


def c_ctx(accumulator: int, n: int, terms: TrustTerms) -> int:
    """Give the trust that the shared past supports."""
    return min(terms.cap, max(accumulator, floor(n, terms)))


def c_eff(c_inst: int, ctx: int) -> int:
    """Give the trust that counts: the present reading limits the past, and the past the reading."""
    return min(c_inst, ctx)


def reading(value: object) -> int:
    """Take a sensor's reading of c_inst; what is missing, no whole number, or out of range is 0."""
    return value if type(value) is int and 0 <= value <= ONE else 0


def present_reading(value: object, taken: Instant, at: Instant, terms: TrustTerms) -> int:
    """Give what a reading says at a later moment: 0 once it is no longer fresh, or if it is of the future."""
    age = instant.to_microseconds(at) - instant.to_microseconds(taken)
    return reading(value) if 0 <= age <= terms.fresh_for else 0


def gate(trust_class: TrustClass | None, effective: int) -> GateState:
    """Tell how a class stands to the present trust, from these two and nothing else."""
    if trust_class is None:
        return "ungated"
    if trust_class.threshold is None:
        return "open" if trust_class.gate == "open" else "closed"
    return "met" if effective >= trust_class.threshold else "unmet"


def open_set(constitution: Constitution, effective: int) -> frozenset[str]:
    """Give the names of the classes that are open at this trust."""
    classes = constitution.trust.classes
    return frozenset(each.name for each in classes if gate(each, effective) in OPENING)


def update(before: State | None, observation: Observation, terms: TrustTerms) -> TrustUpdated:
    """Give the update that follows an observation.

    It counts only if the sensor finds it qualifying and its reading reaches ``qualifying_from``. Counted
    interactions can come in any order: each moves the accumulator alike.
    """
    old = Trust.of(before)
    counted = observation.qualifying and observation.c_inst >= terms.qualifying_from
    new = _moved(old, terms, counted=counted)
    return TrustUpdated(
        system=observation.system,
        counterpart=observation.counterpart,
        domain=observation.domain,
        observed=observation.seq,
        counted=counted,
        n=(old.n, new.n),
        accumulator=(old.accumulator, new.accumulator),
        c_ctx=(old.c_ctx, new.c_ctx),
        gain=terms.gain,
        cap=terms.cap,
        floor_step=terms.floor_step,
        taken=observation.taken,
    )


def recompute(before: State | None, event: TrustUpdated) -> Trust:
    """Compute an update again from its own parameters.

    Raises:
        TrustError: it starts from other numbers than stand, or comes to other numbers.
    """
    old = Trust.of(before)
    terms = TrustTerms(event.cap, event.floor_step, event.gain, qualifying_from=ONE, fresh_for=0, classes=())
    new = _moved(old, terms, counted=event.counted)
    for name, before_and_after in (("n", event.n), ("accumulator", event.accumulator), ("c_ctx", event.c_ctx)):
        wanted = (getattr(old, name), getattr(new, name))
        if before_and_after != wanted:
            raise TrustError(f"{name} goes from {wanted[0]} to {wanted[1]}, not {_shown(before_and_after)}")
    return new


def _moved(old: Trust, terms: TrustTerms, *, counted: bool) -> Trust:
    n = old.n + counted
    accumulator = step(old.accumulator, terms.gain) if counted else old.accumulator
    return Trust(n, accumulator, c_ctx(accumulator, n, terms))


def _shown(numbers: tuple[int, ...]) -> str:
    return " to ".join(str(number) for number in numbers)
