"""What the decision point says, and everything that it rests on.

Source: DESIGN sections 3 and 10.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from decisions.action import Action
from decisions.constitution.model import Rule
from decisions.events import Authority, Need, Outcome, Reason
from grants.consent import ConsentMatch, ConsentMiss
from grants.expression import Truth, explain

REASONS: tuple[Reason, ...] = get_args(Reason)
"""All reasons; the first that applies is the reason of a verdict."""


_RANKS: Final = {reason: rank for rank, reason in enumerate(REASONS)}


def in_order(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Give the reasons once each, in their order."""
    return tuple(sorted(set(reasons), key=_RANKS.__getitem__))


Source: TypeAlias = Literal["store", "reducer", "session", "sensor", "evidence", "derived", "payload"]


MOST_COMBINATIONS = 64
"""So many combinations of an action's attributes are judged; beyond, what has several values counts as unknown."""


@dataclass(frozen=True, slots=True)
class Several:
    """More than one value at once: the resource lies in places that differ.

    No type of attribute admits it, so that wherever it is read as one value it is unknown.
    """

    values: tuple[object, ...]


class AttributeValue(NamedTuple):
    """One property as the decision point reads it.

    Attributes:
        value: a value of the attribute's domain, or UNKNOWN or ABSENT of `grants.expression`, or `Several` of them.
        source: where it comes from.
        stamp: the event that last set it, where an event did.
        origins: the registrations that it comes from, where registrations did.
    """

    value: object
    source: Source
    stamp: int | None = None
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One action with all that is known of it: the typed, normalised thing that the decision point reads.

    Attributes:
        action: what is done to what.
        attributes: every attribute declared for the kind, by name.
        claimed: what the payload says instead, by attribute; believed only where it makes the verdict stricter.
        registration: the registered resource or pattern that classifies the target, or None.
        version: the version that a consent is bound to, or None where nothing is known of the target: nobody has
            registered it, or its registration was retired.
        counterpart: the person or operator whose trust counts, or an empty text.
        domain: the trust domain, from the trusted side, or an empty text.
        endless: whether the target lies in more places than are looked at.
    """

    action: Action
    attributes: Mapping[str, AttributeValue]
    claimed: Mapping[str, object]
    registration: str | None
    version: int | None
    counterpart: str
    domain: str
    endless: bool = False

    @property
    def classified(self) -> bool:
        """Whether somebody says what the target is."""
        return self.registration is not None and self.version is not None

    @property
    def combinations(self) -> int:
        """How many there are of the values of attributes that have several."""
        return prod(len(one.value.values) for one in self.attributes.values() if isinstance(one.value, Several))

    def each(self) -> tuple["Descriptor", ...]:
        """Give a descriptor for each combination; itself where there is one, or too many to look at."""
        several = {name: one.value.values for name, one in self.attributes.items() if isinstance(one.value, Several)}
        if not several or not 1 < self.combinations <= MOST_COMBINATIONS:
            return (self,)
        chosen = (zip(several, values, strict=True) for values in product(*several.values()))
        picked = ({name: self.attributes[name]._replace(value=value) for name, value in named} for named in chosen)
        return tuple(replace(self, attributes={**self.attributes, **own}) for own in picked)

    def values(self, *, with_claims: bool = False) -> dict[str, object]:
        """Give the attributes' values, the payload's claims instead of them where asked."""
        values = {name: attribute.value for name, attribute in self.attributes.items()}
        return {**values, **self.claimed} if with_claims else values


@dataclass(frozen=True, slots=True)
class Case:
    """A descriptor and the human authority that was found for it."""

    descriptor: Descriptor
    standing: tuple[str, ...]
    consent: ConsentMatch | ConsentMiss


@dataclass(frozen=True, slots=True)
class Spoken:
    """A rule that spoke on an action, with the truth of its condition.

    Attributes:
        action: the action's place among those of the operation.
        values: what the rule was asked of.
    """

    action: int
    rule: Rule
    truth: Truth
    values: Mapping[str, object] = field(repr=False, hash=False)

    @property
    def atoms(self) -> tuple[tuple[str, Truth], ...]:
        """The truth of each atom of the condition: worked out when it is asked for, as most verdicts are not."""
        return explain(self.rule.when, self.values)


@dataclass(frozen=True, slots=True)
class Account:
    """What a verdict rests on; `Verdict` says what each part is."""

    spoken: tuple[Spoken, ...] = ()
    categories: tuple[str, ...] = ()
    authority: tuple[Authority, ...] = ()
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The answer, with reasons.

    Attributes:
        outcome: allow, deny or hold.
        reasons: all reasons, in their order.
        tell: gives the account; it is pure, and asked once, when somebody wants to know.
    """

    outcome: Outcome
    reasons: tuple[Reason, ...]
    tell: Callable[[], Account] = field(default=Account, repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        ours, theirs = ((one.outcome, one.reasons, one.account) for one in (self, other))
        return ours == theirs

    def __hash__(self) -> int:
        return hash((self.outcome, self.reasons))

    @cached_property
    def account(self) -> Account:
        """What the verdict rests on."""
        return self.tell()

    @property
    def reason(self) -> Reason:
        """The first reason that applies."""
        return self.reasons[0]

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        """Every rule that spoke."""
        return self.account.spoken

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories that are true of some action, sorted."""
        return self.account.categories

    @property
    def authority(self) -> tuple[Authority, ...]:
        """What each allowed action rests on."""
        return self.account.authority

    @property
    def needs(self) -> tuple[Need, ...]:
        """The nearest changes that would allow it."""
        return self.account.needs

    @property
    def articles(self) -> tuple[str, ...]:
        """The articles whose rules spoke, in the order of the constitution."""
        return tuple(dict.fromkeys(spoken.rule.article for spoken in self.spoken))
