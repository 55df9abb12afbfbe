"""What the decision point says, and everything that it rests on.

Source: DESIGN sections 3 and 10.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """One property as the decision point reads it.

    Attributes:
        value: a value of the attribute's domain, or UNKNOWN or ABSENT of `grants.expression`.
        source: where it comes from.
        stamp: the event that last set it, where an event did.
    """

    value: object
    source: Source
    stamp: int | None = None


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One action with all that is known of it: the typed, normalised thing that the decision point reads.

    Attributes:
        action: what is done to what.
        attributes: every attribute declared for the kind, by name.
        claimed: what the payload says instead, by attribute; believed only where it makes the verdict stricter.
        registration: the registered resource or pattern that classifies the target, or None.
        version: that registration's version, or None.
        counterpart: the person or operator whose trust counts, or an empty text.
        domain: the trust domain, from the trusted side, or an empty text.
    """

    action: Action
    attributes: Mapping[str, AttributeValue]
    claimed: Mapping[str, object]
    registration: str | None
    version: int | None
    counterpart: str
    domain: str

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
