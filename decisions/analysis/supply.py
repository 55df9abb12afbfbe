"""Who supplies what: which attributes the software itself gives a value, kind by kind.

An attribute that nobody supplies is unknown for ever: a forbid that reads it always fires, a permit never.

Source: DESIGN section 10; decisions.descriptor, decisions.reducers.vocabulary.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from decisions.analysis.finding import Finding
from decisions.analysis.rules import Registered
from decisions.constitution.model import Attribute, Constitution, Source
from decisions.reducers.vocabulary import MILDEST
from grants.expression import Expression

ALWAYS: Final[Mapping[Source, frozenset[str]]] = MappingProxyType(
    {
        "session": frozenset({"actor_kind", "authenticated", "owned", "spoken_for", "correlated"}),
        "sensor": frozenset({"trust"}),
        "derived": frozenset({"carries"}),
    }
)
"""What `decisions.descriptor` supplies for every kind of action, by source."""

_NOBODY: Final[Mapping[Source, str]] = MappingProxyType(
    {
        "session": "no session tells it",
        "sensor": "no sensor reads it",
        "derived": "nothing derives it",
        "reducer": "no reducer states it",
        "store": "no registered resource has it",
    }
)


def unsupplied(
    constitution: Constitution,
    readers: Sequence[tuple[str, Expression, Collection[str]]],
    store: Sequence[Registered] | None,
) -> Iterator[Finding]:
    """Find each attribute that a condition reads for a kind of action for which nobody supplies it.

    Args:
        constitution: it declares the attributes.
        readers: each condition, with where it stands and the kinds on which it speaks.
        store: the registered resources, or None where the store is not asked.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for place, condition, kinds in readers:
        for name in sorted(condition.reads & constitution.attributes.keys()):
            attribute = constitution.attributes[name]
            for kind in sorted(kinds):
                if kind in attribute.kinds and not _is_supplied(attribute, kind, store):
                    found.setdefault((name, kind), []).append(place)
    for (name, kind), places in found.items():
        source = constitution.attributes[name].source
        yield Finding(
            "unsupplied",
            f"attribute {name}",
            f"unknown for every {kind} action: {_NOBODY[source]}",
            f"read by {', '.join(dict.fromkeys(places))}",
        )


def _is_supplied(attribute: Attribute, kind: str, store: Sequence[Registered] | None) -> bool:
    match attribute.source:
        case "reducer":
            return attribute.name in MILDEST.get(kind, ())
        case "store":
            of_kind = [one for one in store or () if one.meets(kind)]
            # Recorded as absent is supplied as well: somebody has looked. Where there is no resource, nothing lacks.
            return not of_kind or any(attribute.name in one.attributes for one in of_kind)
        case "session" | "sensor" | "derived":
            return attribute.name in ALWAYS[attribute.source]
        case _:
            return True  # evidence and claims may come at any time
