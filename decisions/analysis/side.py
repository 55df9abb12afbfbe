"""One side of a comparison, made ready: what its conditions ask, and of what.

Source: DESIGN sections 10 and 11.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from decisions.analysis.axes import Key
from decisions.analysis.rules import Rules
from decisions.constitution.model import BUILT_IN, Attribute, Constitution, TrustClass
from decisions.law import vocabulary_of
from grants.errors import ExpressionError, ReferenceSyntaxError
from grants.expression import Expression, Flag, Ref
from grants.expression.tree import Atom, Constant, OneOf, Under, atoms_within, measured
from grants.reference import Pattern
from grants.standing import NEVER, StandingTerms
from ledger.instant import Instant

TRUST: Final = "trust"
TARGET: Final[Key] = ("target", "reducer")
AUTHENTICATED: Final[Key] = ("authenticated", "session")
IS_AUTHENTICATED: Final = Atom("authenticated", "authenticated", Flag(), OneOf((True,)))


@dataclass(frozen=True, slots=True)
class Grant:
    """A standing grant, read under a constitution.

    Attributes:
        place: its place among the grants that were given.
        within: what is asked of the target, or None where it may be any.
    """

    place: int
    subject: str
    kinds: frozenset[str]
    verbs: frozenset[str]
    within: Atom | None
    selector: Expression
    expires: Instant | None


class Side:
    """A constitution and its standing grants, ready to be drawn."""

    def __init__(self, rules: Rules) -> None:
        self.constitution: Constitution = rules.constitution
        self._vocabulary = vocabulary_of(rules.constitution)
        enough = (one for one in enumerate(rules.grants) if one[1].signed >= self._vocabulary.humans)
        found = (self._grant(place, terms) for place, terms in enough)
        self.grants: tuple[Grant, ...] = tuple(grant for grant in found if grant is not None)
        if rules.any_grants:
            self.grants = tuple(self._any_grants())
        self.never: tuple[Atom, ...] = tuple(
            Atom(f'{name} == "{worst}"', name, self._vocabulary.attributes[name], OneOf((worst,)))
            for name, worst in NEVER.items()
            if name in self._vocabulary.attributes
        )

    def knows(self, kind: str, verb: str) -> bool:
        """Tell whether the constitution knows such an action."""
        return self.constitution.speaks_of(kind, verb)

    def attribute(self, name: str, kind: str) -> Attribute | None:
        """Look up an attribute that is declared for a kind."""
        attribute = self.constitution.attributes.get(name)
        return attribute if attribute is not None and kind in attribute.kinds else None

    def is_gate(self, name: str) -> bool:
        """Tell whether the attribute is how a class stands to the earned trust."""
        attribute = self.constitution.attributes.get(name)
        return name == TRUST and attribute is not None and attribute.source == "sensor"

    def ladder(self, verb: str) -> TrustClass | None:
        """Give the class of a verb if it is on the ladder of thresholds, and the constitution has such a gate."""
        trust_class = self.constitution.trust_class(verb)
        on_it = trust_class is not None and trust_class.threshold is not None and self.is_gate(TRUST)
        return trust_class if on_it else None

    def keys(self, kind: str) -> Iterator[Key]:
        """Give the attributes of an action of this kind, the trust gate apart."""
        for attribute in self.constitution.attributes.values():
            if kind in attribute.kinds and not self.is_gate(attribute.name):
                yield attribute.name, attribute.source

    def asked(self) -> Iterator[tuple[Key, Atom]]:
        """Give everything that rules, categories and grants ask, with the attribute that is asked."""
        conditions = [rule.when for rule in self.constitution.rules] + [grant.selector for grant in self.grants]
        # A category that no rule uses is looked at all the same.
        for condition in [*conditions, *self.constitution.categories.values()]:
            for atom in atoms_within(condition):
                if atom.name == "target":
                    yield TARGET, atom
                elif atom.name not in BUILT_IN and not self.is_gate(atom.name):
                    yield self._key(atom.name), atom
        for grant in self.grants:
            if grant.within is not None:
                yield TARGET, grant.within
        if self.grants:
            yield from ((self._key(atom.name), atom) for atom in self.never)
        if "authenticated" in self.constitution.attributes:
            yield self._key("authenticated"), IS_AUTHENTICATED

    def _key(self, name: str) -> Key:
        return name, self.constitution.attributes[name].source

    def _any_grants(self) -> Iterator[Grant]:
        """Give the grants by which all others can be told apart: on everything, and on each category and its opposite.

        What a grant covers differs under two constitutions only where a category that it names does, and where no
        category differs it covers part of everything. So what opens for no one of these opens for no grant at all.
        """
        everything = measured("True", Constant(value=True))
        yield self._anywhere("whoever has a standing grant", everything)
        for name in self.constitution.categories:
            try:
                named, opposite = self._vocabulary.selector(name), self._vocabulary.selector(f"not {name}")
            except ExpressionError:
                continue  # it reads what the asker claims: no grant may name it
            yield self._anywhere(f"whoever has a standing grant on {name}", named)
            yield self._anywhere(f"whoever has a standing grant on not {name}", opposite)

    def _anywhere(self, subject: str, selector: Expression) -> Grant:
        kinds = self.constitution.kinds
        verbs = frozenset(verb for inner in kinds.values() for verb in inner)
        return Grant(0, subject, frozenset(kinds), verbs, None, selector, None)

    def _grant(self, place: int, terms: StandingTerms) -> Grant | None:
        try:
            pattern, selector = Pattern.parse(terms.targets), self._vocabulary.selector(terms.selector)
        except (ReferenceSyntaxError, ExpressionError):
            return None  # the decision point counts it as covering nothing
        text = str(pattern.reference)
        test = Under(pattern.reference) if pattern.subtree else OneOf((text,))
        within = Atom(terms.targets, "target", Ref(), test)
        kinds, verbs = frozenset(terms.kinds), frozenset(terms.verbs)
        return Grant(place, terms.subject, kinds, verbs, within, selector, terms.expires)
