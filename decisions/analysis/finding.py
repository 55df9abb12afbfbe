"""What the analysis finds wrong with rules that are accepted: they have no teeth.

Source: docs/spec/analysis.md; policy cases B17, C05.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Code: TypeAlias = Literal["never-fires", "always-fires", "shadowed", "idle-atom", "unsupplied", "selects-nothing"]

MEANINGS: dict[Code, str] = {
    "never-fires": "a condition that is true in no cell",
    "always-fires": "a condition that holds, or is unknown, in every cell",
    "shadowed": "without it every verdict would be the same",
    "idle-atom": "a part of a condition without which it would say the same",
    "unsupplied": "an attribute that a condition reads and nothing supplies",
    "selects-nothing": "a condition that is true of no resource in the store",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing without teeth.

    Attributes:
        code: which sort it is.
        place: what it is about: ``rule <id>``, ``category <name>``, ``attribute <name>``, ``standing grant <number>``.
        says: what is wrong, in one line.
        proof: what shows it: the count of cells that were looked at, or the rule that is in the way.
    """

    code: Code
    place: str
    says: str
    proof: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.place}: {self.says} ({self.proof})"
