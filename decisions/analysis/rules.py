"""What is analysed: a constitution with the standing grants that apply beside it, and the resources it meets.

Source: DESIGN sections 3, 10 and 11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from decisions.constitution.model import Constitution
from decisions.reducers.vocabulary import KIND_OF_SCHEME
from grants.reference import Pattern
from grants.standing import StandingTerms


@dataclass(frozen=True, slots=True)
class Rules:
    """A constitution and the standing grants beside it.

    A grant that the constitution can't read, or a kind or verb that it does not know, covers nothing, as when deciding.
    """

    constitution: Constitution
    grants: tuple[StandingTerms, ...] = ()


@dataclass(frozen=True, slots=True)
class Registered:
    """A resource as the store has it.

    Attributes:
        name: the reference or pattern that it is registered under.
        kind: the kind of action that is done to it.
        attributes: stored values; None where the attribute is recorded as absent.
    """

    name: str
    kind: str
    attributes: Mapping[str, object]

    @classmethod
    def of(cls, name: str, attributes: Mapping[str, object]) -> Self:
        """Make one of what the store holds; the kind follows from the reference's scheme.

        Raises:
            ReferenceSyntaxError: the name is no reference and no pattern.
        """
        return cls(name, KIND_OF_SCHEME[Pattern.parse(name).reference.scheme], attributes)
