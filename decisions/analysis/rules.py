"""What is analysed: a constitution with the standing grants that apply beside it, and the resources it meets.

Source: DESIGN sections 3, 10 and 11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from decisions.constitution.model import Constitution
from decisions.reducers.vocabulary import KIND_OF_SCHEME, SCHEMES_OF_KIND
from grants.expression import ABSENT, UNKNOWN
from grants.reference import Pattern, Reference
from grants.standing import StandingTerms


@dataclass(frozen=True, slots=True)
class Rules:
    """A constitution and the standing grants beside it.

    A grant that the constitution can't read, or that fewer humans have signed than it asks for, covers nothing, as when
    deciding; nor is anything covered of a kind or verb that it does not know.

    Attributes:
        any_grants: look at whatever standing grants could be ratified, instead of at those that are.
    """

    constitution: Constitution
    grants: tuple[StandingTerms, ...] = ()
    any_grants: bool = False


@dataclass(frozen=True, slots=True)
class Registered:
    """A resource as the store has it.

    Attributes:
        name: the reference or pattern that it is registered under.
        kind: the kind of action that is meant where only it is named.
        attributes: stored values; None where the attribute is recorded as absent, and a tuple where it has several.
    """

    name: str
    kind: str
    attributes: Mapping[str, object]

    @property
    def reference(self) -> Reference:
        """The resource, or the root of the subtree."""
        return Pattern.parse(self.name).reference

    def meets(self, kind: str) -> bool:
        """Tell whether such an action can be done to it."""
        return kind == self.kind or self.reference.scheme in SCHEMES_OF_KIND.get(kind, ())

    def values(self, name: str) -> tuple[object, ...]:
        """Give every value that the store has for an attribute; `UNKNOWN` where it has none."""
        found = self.attributes.get(name, UNKNOWN)
        return tuple(ABSENT if one is None else one for one in (found if isinstance(found, tuple) else (found,)))

    @classmethod
    def of(cls, name: str, attributes: Mapping[str, object]) -> Self:
        """Make one of what the store holds; the kind follows from the reference's scheme.

        Raises:
            ReferenceSyntaxError: the name is no reference and no pattern.
        """
        return cls(name, KIND_OF_SCHEME[Pattern.parse(name).reference.scheme], attributes)
