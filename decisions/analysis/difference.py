"""What a comparison finds.

Source: docs/spec/analysis.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from decisions.analysis.level import Level

Kind: TypeAlias = Literal["equivalent", "tightening", "loosening", "mixed"]
KINDS: tuple[Kind, ...] = ("equivalent", "tightening", "loosening", "mixed")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a witness says.

    Attributes:
        name: the attribute, or ``asker``, ``at``, ``target``, ``c_eff for <verb>``.
        source: who supplies it.
        value: the value, or one of those that are meant; a `Missing` or `UNSAID` where there is none.
        says: what a person reads: the value, or the piece of the axis.
    """

    name: str
    source: str
    value: object
    says: str


@dataclass(frozen=True, slots=True)
class Witness:
    """A readable descriptor: in every cell that fits it, whatever the rest, the levels are these or so.

    Attributes:
        facts: what must be so; none of it can be left out.
        before: the old level in the cell that the sample names.
        after: the new level there.
        sample: one whole cell that fits: for each axis its value.
    """

    kind: str
    verb: str
    facts: tuple[Fact, ...]
    before: Level
    after: Level
    sample: Mapping[tuple[str, str], object]

    def __str__(self) -> str:
        """Say it in one line."""
        where = ", ".join(f"{fact.name} {fact.says}" for fact in self.facts)
        what = f"{self.kind} {self.verb}, {where}" if where else f"{self.kind} {self.verb}"
        return f"{what}: {self.before.says} before, {self.after.says} after"


@dataclass(frozen=True, slots=True)
class TermsChange:
    """Something outside of the cells that moved: how trust is earned, or whose evidence is believed.

    Attributes:
        name: what moved.
        before: the old value.
        after: the new value.
        opens: whether it can make a fact more favourable than before.
        closes: whether it can make one less favourable.
    """

    name: str
    before: str
    after: str
    opens: bool
    closes: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """How a new constitution or set of grants differs from an old one.

    Attributes:
        kind: equivalent, tightening, loosening or mixed.
        opened: how many cells are more permissive in the new.
        closed: how many are less permissive.
        total: how many cells there are.
        moves: how many cells go from which level to which.
        witness_opened: the fewest facts that make a cell open, or None.
        witness_closed: the same for a closed one.
        resources_opened: the registered resources that opened cells are about.
        resources_closed: the same for closed ones.
        grown: what the new can speak of and the old could not: kinds, verbs and values; each counts in the cells too.
        terms: what moved outside of the cells: how trust is earned, whose evidence is believed.
    """

    kind: Kind
    opened: int
    closed: int
    total: int
    moves: Mapping[tuple[Level, Level], int]
    witness_opened: Witness | None
    witness_closed: Witness | None
    resources_opened: tuple[str, ...]
    resources_closed: tuple[str, ...]
    grown: tuple[str, ...]
    terms: tuple[TermsChange, ...]
