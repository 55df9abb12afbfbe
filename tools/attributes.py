"""What a registrar says of a resource, held against the constitution in force.

A value that no rule could read helps nobody and looks as if it did; so an attribute that the constitution does not
declare, or a value outside its domain, is refused with the nearest spelling. ``domain``, ``casefold`` and ``effect``
may be said always: the decision point itself reads the trust domain, whether the store takes two spellings for one
name, and what a pinned tool does.

Source: DESIGN section 10 (the resource view).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from decisions.constitution import Attribute, Constitution
from decisions.pins import EFFECT, EFFECTS
from grants.events import Attributes, Label, Scalar
from grants.expression import AttributeType, Choice, Flag, Interval, Name
from grants.identifier import code_points
from grants.reference import Pattern
from grants.spelling import suggestion
from tools.errors import InputError

ALWAYS: Final[Mapping[str, AttributeType]] = {"domain": Name(), "casefold": Flag(), EFFECT: Choice(EFFECTS)}

_FLAGS: Final = {"true": True, "false": False}

Words = Mapping[str, Sequence[str] | None]
"""Attributes as they are written on a command line: each with its values, or None for known to be absent."""


def from_words(constitution: Constitution, words: Words) -> Attributes:
    """Read attributes as they are written on a command line.

    Raises:
        InputError: an unknown attribute, or no value of it.
    """
    read = {
        name: None if said is None else [_read(constitution, name, word) for word in said]
        for name, said in words.items()
    }
    return checked(constitution, {name: said[0] if said and len(said) == 1 else said for name, said in read.items()})


def checked(constitution: Constitution, attributes: Mapping[str, object]) -> Attributes:
    """Accept attributes that the constitution's rules can read; a list gives several values at once.

    Raises:
        InputError: an unknown attribute, one that the store does not supply, or no value of it.
    """
    return {name: _check(constitution, name, value) for name, value in attributes.items()}


def check_reference(text: str) -> str:
    """Accept a canonical reference or pattern.

    Raises:
        ReferenceSyntaxError: it is written otherwise.
    """
    return str(Pattern.parse(text))


def control_plane(constitution: Constitution) -> Attributes:
    """Say of a directory that it controls the agents; nothing, where the constitution has no word for that."""
    said = {"asset": "control_plane", "sensitivity": "restricted", "reversibility": "irreversible"}
    known = {name: _domain_of(constitution, name) for name in said if name in constitution.attributes}
    admitted: Attributes = {name: said[name] for name, domain in known.items() if domain.admits(said[name])}
    return admitted if "asset" in admitted else {}


def _read(constitution: Constitution, name: str, word: str) -> object:
    domain = _domain_of(constitution, name)
    if isinstance(domain, Flag):
        return _FLAGS.get(word, word)
    if isinstance(domain, Interval) and word.isascii() and word.isdigit():
        return int(word)
    return word


def _check(constitution: Constitution, name: str, value: object) -> Label:
    domain = _domain_of(constitution, name)
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        return _one(domain, name, value)
    values = tuple(_one(domain, name, one) for one in value)
    if len(set(values)) != len(values) or not values:
        raise InputError(f"{name}: say each value once")
    return values if len(values) > 1 else values[0]


def _one(domain: AttributeType, name: str, value: object) -> Scalar:
    if isinstance(value, str | bool | int) and domain.admits(value):
        return value
    shown = code_points(value if isinstance(value, str) else repr(value))
    raise InputError(f'"{shown}" is no value of {name}{_wanted(domain, shown)}')


def _domain_of(constitution: Constitution, name: str) -> AttributeType:
    attribute: Attribute | None = constitution.attributes.get(name)
    if attribute is None and name in ALWAYS:
        return ALWAYS[name]
    stored = [one.name for one in constitution.attributes.values() if one.source == "store"]
    if attribute is None:
        raise InputError(f'unknown attribute "{code_points(name)}"{suggestion(name, [*stored, *ALWAYS])}')
    if attribute.source != "store":
        raise InputError(
            f"{name} comes from the {attribute.source} and is not said of a resource{suggestion('', stored)}"
        )
    return attribute.type


def _wanted(domain: AttributeType, shown: str) -> str:
    match domain:
        case Choice(values=values):
            return suggestion(shown, values)
        case Flag():
            return "; it is true or false"
        case Interval(low=low, high=high):
            return f"; it is a whole number from {low} to {high}"
        case Name():
            return "; it is a visible text of at most 256 characters"
    return "; it is a canonical reference"
