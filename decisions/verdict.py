"""What the decision point says, and everything that it rests on.

Source: DESIGN sections 3 and 10.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Literal, TypeAlias, get_args

from decisions.action import Action
from decisions.constitution.model import Rule
from decisions.events import Authority, Need, Outcome, Reason
from grants.consent import ConsentMatch, ConsentMiss
from grants.expression import Truth

REASONS: tuple[Reason, ...] = get_args(Reason)
"""All reasons; the first that applies is the reason of a verdict."""


def in_order(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Give the reasons once each, in their order."""
    return tuple(sorted(set(reasons), key=REASONS.index))


Source: TypeAlias = Literal["store", "reducer", "session", "sensor", "evidence", "derived", "payload"]


MOST_COMBINATIONS = 64
"""So many combinations of an action's attributes are judged; beyond, what has several values counts as unknown."""


@dataclass(frozen=True, slots=True)
class Several:
    """More than one value at once: the resource lies in places that differ.

    No type of attribute admits it, so that wherever it is read as one value it is unknown.
    """

    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class AttributeValue:
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

    def each(self) -> Iterator["Descriptor"]:
        """Give a descriptor for each combination; itself where there is one, or too many to look at."""
        if not 1 < self.combinations <= MOST_COMBINATIONS:
            yield self
            return
        several = {name: one.value.values for name, one in self.attributes.items() if isinstance(one.value, Several)}
        for chosen in product(*several.values()):
            named = zip(several, chosen, strict=True)
            picked = {name: replace(self.attributes[name], value=value) for name, value in named}
            yield replace(self, attributes={**self.attributes, **picked})

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
    """A rule that spoke on an action, with the truth of its condition and of each atom in it."""

    action: int
    rule: Rule
    truth: Truth
    atoms: tuple[tuple[str, Truth], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, with reasons.

    Attributes:
        outcome: allow, deny or hold.
        reasons: all reasons, in their order.
        spoken: every rule that spoke.
        categories: names of the categories that are true of some action.
        authority: what each allowed action rests on.
        needs: the nearest changes that would allow it.
    """

    outcome: Outcome
    reasons: tuple[Reason, ...]
    spoken: tuple[Spoken, ...] = ()
    categories: tuple[str, ...] = ()
    authority: tuple[Authority, ...] = ()
    needs: tuple[Need, ...] = ()

    @property
    def reason(self) -> Reason:
        """The first reason that applies."""
        return self.reasons[0]

    @property
    def articles(self) -> tuple[str, ...]:
        """The articles whose rules spoke, in the order of the constitution."""
        return tuple(dict.fromkeys(spoken.rule.article for spoken in self.spoken))
