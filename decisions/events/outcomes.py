"""What became of an effect.

Source: DESIGN sections 7 and 11; docs/events/.
"""

from collections.abc import Iterable
from typing import ClassVar, Literal, TypeAlias

from decisions.events.forms import Count
from ledger.disclosure import Disclosable
from ledger.event import Body

Effect: TypeAlias = Literal["done", "failed", "unknown"]
"""What became of an effect, by the word of the enforcement point; unknown where it can't tell."""


class OutcomeReported(Body):
    """The enforcement point that asked says what became of the effect; a decision has one outcome at most.

    It closes what the decision has spent, and gives nothing back: a failed effect has used up its consent too.

    Attributes:
        decision: the decision.
        outcome: done, failed, or unknown. Done of a decision that did not allow says that it was done in spite of it.
        note: commitment to what the enforcement point says beside it, or null.
    """

    type: ClassVar[str] = "outcome.reported"

    decision: Count
    outcome: Effect
    note: Disclosable | None

    def claims(self, by: str, request: str | None) -> Iterable[str]:  # noqa: ARG002  (the protocol's form)
        """Take the outcome of the decision: there is no second one."""
        yield outcome_claim(self.decision)

    def tags(self) -> Iterable[str]:
        """Find all outcomes, those of a kind, and that of a decision."""
        yield "outcome"
        yield f"outcome:{self.outcome}"
        yield f"decision:{self.decision}"


def outcome_claim(decision: int) -> str:
    """Give the unique key of a decision's outcome."""
    return f"outcome:{decision}"
