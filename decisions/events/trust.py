"""Trust is observed, and moves.

Source: DESIGN sections 7 and 12; docs/events/.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar

from decisions.events.forms import Count, Units
from ledger.disclosure import Disclosable
from ledger.event import Body, Frozen, Many, SignedBody
from ledger.instant import InstantField


class _TrustKey(Frozen):
    system: str
    counterpart: str
    domain: str


class TrustObserved(SignedBody, _TrustKey):
    """A sensor reports an interaction and its reading of c_inst.

    Attributes:
        system: principal id of the agent or service that is trusted or not.
        counterpart: the person, or for tools the operator, by opaque id.
        interaction: the interaction's id; it counts once.
        qualifying: whether the sensor finds that the interaction earns trust.
        c_inst: commitment to the reading, in units of 10^-15, or to null where there is none.
        taken: when the reading was taken.
    """

    type: ClassVar[str] = "trust.observed"

    interaction: str
    qualifying: bool
    c_inst: Disclosable
    taken: InstantField

    def claims(self, by: str, request: str | None) -> Iterable[str]:
        """Take the interaction."""
        yield from super().claims(by, request)
        yield interaction_claim(self.system, self.counterpart, self.interaction)

    def tags(self) -> Iterable[str]:
        """Find it by system, counterpart and domain."""
        yield f"subject:{self.system}"
        yield f"counterpart:{self.counterpart}"
        yield f"domain:{self.domain}"


def interaction_claim(system: str, counterpart: str, interaction: str) -> str:
    """Give the unique key of an interaction; no part but the last may hold the separator."""
    return f"interaction:{system}|{counterpart}|{interaction}"


class TrustUpdated(Body, _TrustKey):
    """What an observation did to the accumulated trust; the fold recomputes it and must agree.

    Attributes:
        observed: the `trust.observed` that caused it.
        counted: whether the interaction moved the accumulator.
        n: qualifying interactions before and after.
        accumulator: before and after.
        c_ctx: before and after.
        gain: the accumulator's step, of what is missing to one.
        cap: the most that c_ctx can be.
        floor_step: the earned floor's step for each interaction.
    """

    type: ClassVar[str] = "trust.updated"

    observed: Count
    counted: bool
    n: Annotated[tuple[Count, Count], Many]
    accumulator: Annotated[tuple[Units, Units], Many]
    c_ctx: Annotated[tuple[Units, Units], Many]
    gain: Units
    cap: Units
    floor_step: Units
    taken: InstantField

    def tags(self) -> Iterable[str]:
        """Find it by system, counterpart, domain, and the exact trust that it moves."""
        yield f"subject:{self.system}"
        yield f"counterpart:{self.counterpart}"
        yield f"domain:{self.domain}"
        yield f"trust:{self.system}|{self.counterpart}|{self.domain}"
