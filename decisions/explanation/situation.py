"""What a verdict was given on, and what it would be given on after some changes.

A change is made where the decision point would meet it: an attribute of a resource in every action on that resource,
who asks in every action. What follows of itself follows here too: what a message carries from what is read, which
standing grants cover the action from its attributes, and that a consent does not outlive the version of its resource.

Source: DESIGN sections 10 and 11; decisions.descriptor; grants.standing.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from decisions import pdp
from decisions.action import Problem
from decisions.constitution.model import BUILT_IN, Constitution
from decisions.descriptor import highest, is_read
from decisions.explanation.change import Change, Key
from decisions.verdict import AttributeValue, Case, Descriptor, Verdict
from grants.consent import ConsentMatch, ConsentMiss
from grants.errors import ExpressionError
from grants.events import GrantRatified
from grants.expression import Expression
from grants.standing import Vocabulary, covers, is_never
from ledger.disclosure import Disclosable

SENSITIVITY: Final = "sensitivity"
CARRIES: Final = "carries"
CONSENT: Final[Key] = ("consent", "", "")
IDENTITY: Final[Key] = ("session", "", "authenticated")
ACTOR: Final[Key] = ("session", "", "actor_kind")
READABLE: Final[Key] = ("operation", "", "readable")

_GIVEN: Final = "given"
_CONSENT: Final = ConsentMatch(_GIVEN, 0, 0, 1, Disclosable(sd="A" * 43))


@dataclass(frozen=True, slots=True)
class Situation:
    """All that was judged.

    Attributes:
        authenticated: whether it is known who asks; no grant counts for anybody else.
        grants: the standing grants of whoever asks that are in force, oldest first.
        vocabulary: what a standing grant's selector may speak of.
    """

    constitution: Constitution
    vocabulary: Vocabulary
    cases: tuple[Case, ...]
    problems: tuple[Problem, ...] = ()
    authenticated: bool = True
    grants: tuple[GrantRatified, ...] = ()

    def judge(self) -> Verdict:
        """Judge it."""
        return pdp.decide(self.constitution, self.cases, self.problems)

    def selectors(self) -> Iterator[Expression]:
        """Give the conditions of the standing grants, as far as the constitution can read them."""
        for body in self.grants:
            with suppress(ExpressionError):
                yield self.vocabulary.selector(body.selector)

    def after(self, changes: Mapping[Key, Change]) -> "Situation":
        """Give what would be judged after some changes."""
        if not changes:
            return self
        cases = [self._registered(case, changes) for case in self.cases]
        cases = [self._changed(case, index, changes) for index, case in enumerate(cases)]
        cases = _carrying(cases, changes)
        known = self.authenticated or IDENTITY in changes
        cases = [self._granted(case, changes, known=known) for case in cases]
        ended = frozenset(key[2] for key in changes if key[0] == "rule")
        constitution = without(self.constitution, ended) if ended else self.constitution
        problems = () if READABLE in changes else self.problems
        return replace(self, constitution=constitution, cases=tuple(cases), problems=problems, authenticated=known)

    def _registered(self, case: Case, changes: Mapping[Key, Change]) -> Case:
        descriptor = case.descriptor
        target = descriptor.action.target
        if descriptor.classified or registration_key(descriptor) not in changes:
            return case
        return replace(case, descriptor=replace(descriptor, registration=target, version=1))

    def _changed(self, case: Case, index: int, changes: Mapping[Key, Change]) -> Case:
        descriptor = case.descriptor
        attributes = dict(descriptor.attributes)
        for name, one in descriptor.attributes.items():
            change = None if name in BUILT_IN else changes.get(self.key(descriptor, index, name))
            if change is not None:
                attributes[name] = AttributeValue(change.value, one.source, origins=one.origins)
        claimed = {name: value for name, value in descriptor.claimed.items() if claim_key(name) not in changes}
        return replace(case, descriptor=replace(descriptor, attributes=attributes, claimed=claimed))

    def key(self, descriptor: Descriptor, index: int, name: str) -> Key:
        """Name an attribute of an action."""
        return attribute_key(self.constitution, descriptor, index, name)

    def _granted(self, case: Case, changes: Mapping[Key, Change], *, known: bool) -> Case:
        """Look again for the human authority of one action."""
        descriptor, consent = case.descriptor, case.consent
        each, version = [one.values() for one in descriptor.each()], descriptor.version
        another = ACTOR in changes
        standing: tuple[str, ...] = ()
        if known and version is not None and not any(is_never(self.vocabulary, one) for one in each):
            found = () if another else self.grants
            covering = [body for body in found if all(covers(self.vocabulary, body, one) for one in each)]
            standing = tuple(body.grant for body in covering)
            standing += (_GIVEN,) if standing_key(descriptor) in changes else ()
        if CONSENT in changes and known and version is not None:
            consent = _CONSENT
        elif isinstance(consent, ConsentMatch) and (another or _is_reclassified(descriptor, changes)):
            # Another classification is another version, and the consent was given for this one, to this asker.
            consent = ConsentMiss("CONSENT_SUBJECT" if another else "CONSENT_VERSION")
        return Case(descriptor, standing, consent)


@lru_cache(maxsize=64)
def without(constitution: Constitution, rules: frozenset[str]) -> Constitution:
    """Give the constitution as it would be without some rules."""
    articles = tuple(
        replace(article, rules=tuple(rule for rule in article.rules if rule.id not in rules))
        for article in constitution.articles
    )
    return replace(constitution, articles=articles)


def registration_key(descriptor: Descriptor) -> Key:
    """Name the registration of what an action touches."""
    return ("registration", descriptor.action.target, descriptor.action.target)


def standing_key(descriptor: Descriptor) -> Key:
    """Name a standing grant for an action."""
    action = descriptor.action
    return ("standing", action.target, f"{action.kind} {action.verb}")


def claim_key(name: str) -> Key:
    """Name what the payload claims of an attribute."""
    return ("claim", "", name)


def attribute_key(constitution: Constitution, descriptor: Descriptor, index: int, name: str) -> Key:
    """Name an attribute: what the store says is the resource's, what is known of the asker is the whole request's."""
    known = descriptor.attributes[name]
    if known.source in {"session", "derived"}:
        return ("session" if known.source == "session" else "operation", "", name)
    if known.source == "sensor":
        return ("sensor", f"{descriptor.counterpart} {descriptor.domain} {descriptor.action.verb}".strip(), name)
    if known.source == "evidence":
        of_asker = constitution.attributes[name].evidence_of == "asker"
        return ("evidence", "" if of_asker else resource_of(descriptor), name)
    if known.source == "store":
        return ("store", known.origins[0] if len(known.origins) == 1 else resource_of(descriptor), name)
    return ("action", str(index + 1), name)


def resource_of(descriptor: Descriptor) -> str:
    """Name the registration that classifies what an action touches, or would."""
    return str(descriptor.registration) if descriptor.classified else descriptor.action.target


def _carrying(cases: list[Case], changes: Mapping[Key, Change]) -> list[Case]:
    """Work out again what the operation carries, where something was said of what it reads."""
    if not any(key[0] == "store" and key[2] == SENSITIVITY for key in changes):
        return cases
    if ("operation", "", CARRIES) in changes:
        return cases
    read = [case.descriptor for case in cases if is_read(case.descriptor.action)]
    carried = AttributeValue(highest(one.values().get(SENSITIVITY) for one in read), "derived")
    return [_with(case, CARRIES, carried) for case in cases]


def _with(case: Case, name: str, value: AttributeValue) -> Case:
    attributes = case.descriptor.attributes
    if name not in attributes or attributes[name].source != value.source:
        return case
    return replace(case, descriptor=replace(case.descriptor, attributes={**attributes, name: value}))


def places_of(descriptor: Descriptor) -> frozenset[str]:
    """Name the registrations that say what an action touches: its own, and those that it inherits from."""
    inherited = (one.origins for one in descriptor.attributes.values())
    return frozenset((resource_of(descriptor),)).union(*inherited)


def _is_reclassified(descriptor: Descriptor, changes: Mapping[Key, Change]) -> bool:
    places = places_of(descriptor)
    return any(key[0] == "store" and key[1] in places for key in changes)
