"""Whom or what events are about: how it is named on the command line, and which events that gives.

    human:bo, agent:ops-7, ...   a principal: its acts, what was registered of it, granted to it, earned by or with it
    person:p-7                   a person under an opaque id: what was said to them, judged of them, earned with them
    resource:db://prod/users/42  a tag, as `tally log show` lists them: the events that bear it
    resource:db://prod/**        a resource and whatever lies below it

Source: DESIGN sections 6 and 8; docs/spec/erasure.md.
"""

from collections.abc import Iterable
from typing import Final

from grants.book.holds import ALL, EVENT
from grants.errors import IdentifierError, ReferenceSyntaxError
from grants.identifier import parse_principal
from grants.reference import parse
from ledger.log import Snapshot
from tools.errors import InputError

_OF_PRINCIPAL: Final = ("actor", "counterpart", "principal", "subject")
_BELOW: Final = "/**"
_RESOURCE: Final = "resource:"


def selectors(named: str) -> tuple[str, ...]:
    """Give the tags, and subtrees of resources, by which the events about somebody or something are found.

    Raises:
        InputError: it names nothing.
    """
    try:
        return tuple(f"{kind}:{parse_principal(named)}" for kind in _OF_PRINCIPAL)
    except IdentifierError:
        pass
    try:
        person = parse(named)
        if person.scheme == "person":
            places = (named, f"{named}{_BELOW}", f"subject:{person.authority}")
            return (f"counterpart:{named}", *(f"{_RESOURCE}{place}" for place in places))
    except ReferenceSyntaxError:
        pass
    kind, colon, rest = named.partition(":")
    if not (colon and kind and rest) or named.startswith(EVENT):
        raise InputError(
            f"{named[:80]!a} names nobody and nothing: give a principal (human:bo), a person (person:p-7), or a tag as "
            "tally log show lists them (resource:db://prod/users/42)"
        )
    return (named,)


def events_of(snapshot: Snapshot, wanted: Iterable[str]) -> list[int]:
    """Give the places of the events that selectors find, in order; ``all`` and ``event:<place>`` are selectors too."""
    found: set[int] = set()
    for one in wanted:
        if one == ALL:
            found |= set(range(snapshot.head.size))
        elif one.startswith(EVENT):
            found |= {int(one.removeprefix(EVENT))} & set(range(snapshot.head.size))
        else:
            found |= {seq for tag in _tags(snapshot, one) for seq in snapshot.tagged(tag)}
    return sorted(found)


def _tags(snapshot: Snapshot, one: str) -> list[str]:
    if not (one.startswith(_RESOURCE) and one.endswith(_BELOW)):
        return [one]
    below = one.removesuffix("**")
    # The root itself is told without the slash, and may be registered with everything below it.
    return [below.removesuffix("/"), *snapshot.tags(below)]
