"""A constitution as the decision point reads it: complete, checked, and unchangeable.

Only `decisions.constitution.loader` makes one, out of a document.

Source: DESIGN sections 3 and 10.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from decisions.constitution.panel import Panel
from decisions.errors import ConstitutionError
from grants.expression import AttributeType, Choice, Expression, Missing, Ref
from grants.expression.domain import Value
from grants.identifier import code_points
from grants.spelling import suggestion

Source: TypeAlias = Literal["store", "reducer", "session", "sensor", "evidence", "derived", "payload"]
Effect: TypeAlias = Literal["permit", "forbid", "require_consent"]
About: TypeAlias = Literal["target", "asker"]
Gate: TypeAlias = Literal["open", "closed", "ladder"]

BUILT_IN = ("kind", "target", "verb")
"""What every condition may read without a declaration."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One property that a condition may read.

    Attributes:
        type: what values it can have.
        source: who supplies it; what the payload claims can only make a verdict stricter.
        kinds: the kinds of action that it is declared for.
        about: what it tells, for people.
        evidence: the kind of evidence that supplies it, or None where its source is another.
        issuers: the kinds of principal whose evidence it believes; empty where its source is another.
        evidence_of: whether that evidence is about the target or about the asker.
    """

    name: str
    type: AttributeType
    source: Source
    kinds: frozenset[str]
    about: str
    evidence: str | None = None
    issuers: frozenset[str] = frozenset()
    evidence_of: About = "target"


@dataclass(frozen=True, slots=True)
class Example:
    """Facts about one action; a name in ``values`` may be recorded as absent, and what is not named is unknown."""

    kind: str
    verb: str
    values: Mapping[str, Value | Missing] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of an article.

    Attributes:
        id: its name, unique in the constitution.
        article: number of the article that it stands in.
        says: what it speaks of, for people.
        kinds: the kinds of action that it speaks on.
        verbs: the verbs that it speaks on, or None for every verb of its kinds.
        when: its condition.
        claims_payload: whether the condition reads an attribute that the payload claims.
        stops: an example on which it acts against the action: a permit's condition is false here, any other's true.
        passes: an example that it lets pass, the other way round.
    """

    id: str
    article: str
    says: str
    effect: Effect
    kinds: frozenset[str]
    verbs: frozenset[str] | None
    when: Expression
    claims_payload: bool
    stops: Example
    passes: Example

    def speaks_on(self, kind: str, verb: str) -> bool:
        """Tell whether the rule speaks on such an action."""
        return kind in self.kinds and (self.verbs is None or verb in self.verbs)


@dataclass(frozen=True, slots=True)
class Article:
    """One of the eleven articles: what it says, and the rules that hold it."""

    number: str
    title: str
    says: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class TrustClass:
    """Verbs that need the same trust.

    Attributes:
        gate: always open, closed whatever the trust, or on the ladder of thresholds.
        threshold: the c_eff that opens it, in units of 10^-15, or None where it is not on the ladder.
        answer: what an enforcement point may say by itself when no verdict can be had; the open class alone has one.
    """

    name: str
    gate: Gate
    threshold: int | None
    verbs: frozenset[str]
    answer: str | None


@dataclass(frozen=True, slots=True)
class TrustTerms:
    """How trust is earned and what it opens; fractions in units of 10^-15 (DESIGN section 12).

    Attributes:
        cap: the most that c_ctx can be.
        floor_step: what each qualifying interaction adds to the earned floor.
        gain: what part of the way to one a qualifying interaction moves the accumulator.
        qualifying_from: the least c_inst at which an interaction counts.
        fresh_for: for how many microseconds a reading of c_inst speaks.
        classes: the classes in the document's order; a verb stands in one at most.
    """

    cap: int
    floor_step: int
    gain: int
    qualifying_from: int
    fresh_for: int
    classes: tuple[TrustClass, ...]


@dataclass(frozen=True, slots=True)
class Amending:
    """How the constitution itself is changed (docs/spec/amendments.md).

    Attributes:
        quorum: how many controlling principals must be for a change that opens nothing.
        humans: how many humans must sign for any other.
    """

    quorum: int = 2
    humans: int = 1


@dataclass(frozen=True, slots=True)
class Constitution:
    """A whole constitution.

    Attributes:
        digest: ``document`` digest of the text that it was read from.
        kinds: the verbs of each kind of action.
        categories: named conditions; they tell what an action is and decide nothing by themselves.
        articles: the eleven, in their order.
        inherit: whether what a resource's own registration leaves unset is inherited from the places around it.
        amending: how it is changed; the usual numbers where the document says nothing.
    """

    name: str
    digest: bytes
    kinds: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, Attribute]
    categories: Mapping[str, Expression]
    articles: tuple[Article, ...]
    trust: TrustTerms
    inherit: bool = False
    amending: Amending = Amending()
    _spoken: Mapping[tuple[str, str], tuple[Rule, ...]] = field(init=False, repr=False, compare=False)
    _classes: Mapping[str, TrustClass] = field(init=False, repr=False, compare=False)
    _panels: dict[tuple[str, str], Panel] = field(init=False, repr=False, compare=False)
    _declared: Mapping[str, Mapping[str, Attribute]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pairs = [(kind, verb) for kind, verbs in self.kinds.items() for verb in verbs]
        spoken = {pair: tuple(rule for rule in self.rules if rule.speaks_on(*pair)) for pair in pairs}
        classes = {verb: trust_class for trust_class in self.trust.classes for verb in trust_class.verbs}
        object.__setattr__(self, "_spoken", MappingProxyType(spoken))
        declared = {
            kind: MappingProxyType({name: one for name, one in self.attributes.items() if kind in one.kinds})
            for kind in self.kinds
        }
        object.__setattr__(self, "_classes", MappingProxyType(classes))
        object.__setattr__(self, "_declared", MappingProxyType(declared))
        # Made when they are first asked for: most actions of a program are of few kinds.
        object.__setattr__(self, "_panels", {})

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule, in the order of the articles."""
        return tuple(rule for article in self.articles for rule in article.rules)

    def speaks_of(self, kind: str, verb: str) -> bool:
        """Tell whether the constitution knows such an action at all."""
        return (kind, verb) in self._spoken

    def rules_for(self, kind: str, verb: str) -> tuple[Rule, ...]:
        """Give the rules that speak on such an action.

        Raises:
            ConstitutionError: it knows no such kind or verb; silence would leave the action to the grants alone.
        """
        if not self.speaks_of(kind, verb):
            raise ConstitutionError(f"the constitution knows no action {code_points(f'{kind} {verb}')}")
        return self._spoken[kind, verb]

    def panel(self, kind: str, verb: str) -> Panel:
        """Give the same rules, ready to be asked all at once.

        Raises:
            ConstitutionError: as `rules_for`.
        """
        found = self._panels.get((kind, verb))
        if found is None:
            payload = {name for name, attribute in self.attributes.items() if attribute.source == "payload"}
            found = self._panels[kind, verb] = Panel(self.rules_for(kind, verb), self.categories, payload)
        return found

    def trust_class(self, verb: str) -> TrustClass | None:
        """Give the class that the verb stands in, or None where it needs no trust."""
        return self._classes.get(verb)

    def attributes_for(self, kind: str) -> Mapping[str, Attribute]:
        """Give the attributes that are declared for a kind of action.

        Raises:
            ConstitutionError: there is no such kind.
        """
        if kind not in self.kinds:
            raise ConstitutionError(f"unknown kind {code_points(kind)}{suggestion(kind, self.kinds)}")
        return self._declared[kind]

    def types_for(self, kind: str | None = None) -> dict[str, AttributeType]:
        """Give the types that a condition on this kind, or on any kind, is compiled against; built-ins among them."""
        if kind is None:
            return types(self.kinds, self.attributes.values())
        attributes = self.attributes_for(kind).values()
        return types({kind: self.kinds[kind]}, attributes)


def types(kinds: Mapping[str, Collection[str]], attributes: Iterable[Attribute]) -> dict[str, AttributeType]:
    """Give the types of attributes, and of the built-ins for actions of these kinds with these verbs."""
    verbs = dict.fromkeys(verb for inner in kinds.values() for verb in inner)
    built_in: dict[str, AttributeType] = {"kind": Choice(tuple(kinds)), "verb": Choice(tuple(verbs)), "target": Ref()}
    return built_in | {attribute.name: attribute.type for attribute in attributes}
