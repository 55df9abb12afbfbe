"""What a check says: one line for each link of the chain, and one verdict.

    PASS         the link holds
    FAIL         it does not: whatever stands behind it proves nothing
    NOT-CHECKED  it could not be tried; the line says what it would take

One FAIL and the verdict is FAILED. Nothing that was not tried counts as holding.

Source: DESIGN sections 1 and 13.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ledger.canon import Json

Status: TypeAlias = Literal["PASS", "FAIL", "NOT-CHECKED"]

CHECKS: Final[tuple[str, ...]] = (
    "structure",
    "events",
    "inclusion BLAKE3",
    "inclusion SHA-256",
    "checkpoint",
    "witnesses",
    "first human",
    "signatures",
    "disclosures",
    "states",
    "absences",
    "constitution",
    "decision",
    "reduction",
    "consumption",
)
"""Every check, in its order."""

BEYOND_A_BUNDLE: Final = frozenset({"absences"})
"""What no bundle can show, whatever else the verifier has."""

LIMITS: Final = (
    "Inclusion shows that each of these events stands in the log that the checkpoint commits to. It does not show that "
    "nothing was left out: another decision, an event that changed one of these states or ended one of these keys, an "
    "action that was never reported. An audit of the whole log shows that for one copy of the log; witnesses show that "
    "everybody is shown the same copy. How much trust had been earned before its last update, the audit tells too; "
    "that it was the asker who asked is the operator's word."
)
"""What a verified bundle does not prove, and what would."""


@dataclass(frozen=True, slots=True)
class Line:
    """How one check came out.

    Attributes:
        check: one of `CHECKS`.
        why: one line that says what was found.
        passed: how many things hold.
        total: of how many.
    """

    check: str
    status: Status
    why: str
    passed: int = 0
    total: int = 0

    def to_json(self) -> dict[str, Json]:
        """Give the line as JSON."""
        return {
            "check": self.check,
            "status": self.status,
            "passed": self.passed,
            "total": self.total,
            "why": self.why,
        }


class Outcome:
    """The outcome of all checks of one file or directory.

    Attributes:
        lines: one for each check.
    """

    __slots__ = ()

    lines: tuple[Line, ...]

    @property
    def verified(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """The checks that failed."""
        return self._with("FAIL")

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The checks that could not be made."""
        return self._with("NOT-CHECKED")

    def line(self, check: str) -> Line:
        """Give the line of one check."""
        return next(line for line in self.lines if line.check == check)

    def _with(self, status: Status) -> tuple[str, ...]:
        return tuple(line.check for line in self.lines if line.status == status)


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """The outcome of all checks of one bundle.

    Attributes:
        decision: the event that the bundle says it is about, or None where it could not be read.
        summary: the verdict of the decision in a few words, as the bundle tells it.
        lines: one for each of `CHECKS`.
    """

    decision: int | None
    summary: str
    lines: tuple[Line, ...]

    @property
    def left_undone(self) -> tuple[str, ...]:
        """The checks that were not made and that a fuller bundle, or other files, would have allowed."""
        return tuple(check for check in self.unchecked if check not in BEYOND_A_BUNDLE)

    def to_json(self) -> dict[str, Json]:
        """Give the report as one JSON object."""
        return {
            "code": "verified" if self.verified else "failed",
            "verified": self.verified,
            "decision": self.decision,
            "summary": self.summary,
            "failed": list(self.failed),
            "not_checked": list(self.unchecked),
            "checks": [line.to_json() for line in self.lines],
            "limits": LIMITS,
        }


def passed(check: str, why: str, count: int = 1) -> Line:
    """Say that all of so many things hold."""
    return Line(check, "PASS", why, count, count)


def failed(check: str, why: str, count: int = 0, total: int = 1) -> Line:
    """Say that not all hold."""
    return Line(check, "FAIL", why, count, total)


def not_checked(check: str, why: str, total: int = 0) -> Line:
    """Say that it could not be tried."""
    return Line(check, "NOT-CHECKED", why, 0, total)


def counted(check: str, total: int, faults: Sequence[str], holds: str) -> Line:
    """Say that all of ``total`` things hold, or name the first that does not.

    Args:
        check: one of `CHECKS`.
        total: how many were tried.
        faults: one text for each that does not hold.
        holds: what is said where all hold, after the count.
    """
    good = max(total - len(faults), 0)
    count = f"{good}/{total} {holds}"
    if not faults:
        return passed(check, count, total)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return failed(check, f"{count}: {faults[0]}{more}", good, total)
