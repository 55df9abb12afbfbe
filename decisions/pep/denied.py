"""How an enforcement point says no: an exception that carries the verdict.

Source: DESIGN section 10.
"""

from decisions.answer import Answer
from decisions.errors import DecisionError


class GovernanceDenied(DecisionError):  # noqa: N818  (what callers catch is a refusal, and no fault)
    """The effect did not run.

    Attributes:
        answer: the verdict, or the deny that stands in for one that could not be had.
        why: in one line, why nothing ran.
        local_answer: the fixed words that may be said all the same, or None; see `decisions.pep.refuge`.
    """

    def __init__(self, answer: Answer, why: str, local_answer: str | None = None) -> None:
        self.answer = answer
        self.why = why
        self.local_answer = local_answer
        super().__init__(f"{self.outcome}: {why}")

    @property
    def outcome(self) -> str:
        """``hold`` where a human can still consent, and ``deny`` for everything else, a repeated allow among it."""
        return "hold" if self.answer.outcome == "hold" else "deny"

    @property
    def decision(self) -> int | None:
        """Number of the recorded decision, or None where no record could be written."""
        return self.answer.decision

    @property
    def request(self) -> int | None:
        """Number of the request that a human can answer, or None."""
        return self.answer.request
