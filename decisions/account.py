"""What a verdict rests on: which rules spoke, what allowed each action, and what would allow it.

It is told apart from the verdict, as most of what is judged is asked for its outcome alone.

Source: DESIGN section 10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from decisions import needs
from decisions.constitution.panel import Panel
from decisions.events import Authority, Outcome
from decisions.verdict import Account, Case, Spoken
from grants.consent import ConsentMatch


@dataclass(frozen=True, slots=True)
class Weighed:
    """One action after it was weighed; rows of bits are as in `Panel`.

    Attributes:
        index: its place among the actions of the operation.
        values: what its rules were asked of.
        true: whose condition is true.
        speaking: the rules that speak.
        undischarged: those of them whose requirement of consent no grant discharges.
        outcome: what came of it.
        has_authority: whether a permit, a grant or a consent would let it pass.
    """

    panel: Panel
    case: Case
    index: int
    values: Mapping[str, object]
    true: int
    speaking: int
    undischarged: int
    outcome: Outcome
    has_authority: bool

    def account(self) -> Account:
        """Say which rules spoke, and what allowed the action, or what would."""
        panel, case = self.panel, self.case
        spoken = self._spoken(self.speaking)
        categories = panel.categories(self.true, case.descriptor.attributes.keys())
        if self.outcome == "allow":
            return Account(spoken, categories, self._authority())
        forbids, undischarged = self._spoken(self.speaking & panel.forbids), self._spoken(self.undischarged)
        needed = needs.of(case, self.index, forbids, undischarged, has_authority=self.has_authority)
        return Account(spoken, categories, needs=needed)

    def _spoken(self, row: int) -> tuple[Spoken, ...]:
        named = self.panel.named(row, self.true)
        return tuple(Spoken(self.index, rule, truth, self.values) for rule, truth in named)

    def _authority(self) -> tuple[Authority, ...]:
        """Give the first that lets the action pass: a permit, unless something is required; a grant; a consent."""
        required, at = self.speaking & self.panel.requires, self.index
        permits = 0 if required else self.speaking & self.panel.permits
        for rule, _ in self.panel.named(permits, self.true):
            return (Authority(action=at, by="permit", rule=rule.id, grant=None, item=None),)
        if self.case.standing and not required & ~self.panel.standing:
            return (Authority(action=at, by="standing", rule=None, grant=self.case.standing[0], item=None),)
        match = self.case.consent
        if isinstance(match, ConsentMatch):
            return (Authority(action=at, by="consent", rule=None, grant=match.grant, item=match.item),)
        return ()


def joined(one: Account, other: Account, *, united: bool = False) -> Account:
    """Tell what is said of an action under one set of values, and what more is said under another.

    With ``united`` both have the same outcome, which then rests on whatever either rests on.
    """
    told = {spoken.rule.id for spoken in one.spoken}
    more = other if united else one
    return Account(
        (*one.spoken, *(spoken for spoken in other.spoken if spoken.rule.id not in told)),
        tuple(sorted({*one.categories, *more.categories})),
        tuple(dict.fromkeys([*one.authority, *more.authority])),
        tuple(dict.fromkeys([*one.needs, *other.needs])),
    )


def every(accounts: Sequence[Account], *, allowed: bool) -> Account:
    """Tell what is said of all actions of an operation; what lets one pass counts only where all may."""
    return Account(
        tuple(chain.from_iterable(one.spoken for one in accounts)),
        tuple(sorted({name for one in accounts for name in one.categories})),
        tuple(chain.from_iterable(one.authority for one in accounts)) if allowed else (),
        tuple(dict.fromkeys(chain.from_iterable(one.needs for one in accounts))),
    )
