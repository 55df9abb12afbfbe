"""From an action to a descriptor: every declared attribute with its value, its source and its stamp.

The store says what a resource is, the reducer how much is touched, the session who asks, the sensor how far trust
reaches. What nobody supplies is unknown; only the store can say that something is absent.

Source: DESIGN section 10.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from decisions import trust
from decisions.action import Action, Problem
from decisions.constitution.model import About, Attribute, Constitution
from decisions.earned import Parties, earned
from decisions.verdict import MOST_COMBINATIONS, AttributeValue, Descriptor, Several
from grants import reference
from grants.evidence import Piece, find_evidence
from grants.expression import UNKNOWN
from grants.labels import MOST_PLACES, Labels, labels_of
from grants.principals import Asker
from grants.reading import StateReader
from ledger.canon import Json
from ledger.event import Registry
from ledger.instant import Instant

SENSITIVITIES = ("public", "internal", "confidential", "restricted")
"""From mild to strict: what an operation reads colours what it sends."""

_READABLE = frozenset({"file", "data", "infrastructure", "environment"})
MOST_IN_ALL = 4096
"""So many combinations of values are judged for one operation."""

_READING = frozenset({"read", "list"})


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What holds for the whole operation.

    Attributes:
        asker: who asks.
        correlated: whether the request came with an id of its own.
        domain: the session's trust domain, as an authenticated enforcement point says it, or an empty text.
        claims: what the payload claims, by attribute.
        at: the one time of the transaction.
    """

    asker: Asker
    correlated: bool
    domain: str
    claims: Mapping[str, Json]
    at: Instant


def describe(
    constitution: Constitution,
    reader: StateReader,
    registry: Registry,
    actions: Sequence[Action],
    circumstances: Circumstances,
) -> list[Descriptor]:
    """Describe each action of an operation."""
    known = [labels_of(reader, action.target, inherit=constitution.inherit) for action in actions]
    carried = _carried(actions, known)
    return [
        _describe_one(constitution, reader, registry, action, labels, carried, circumstances)
        for action, labels in zip(actions, known, strict=True)
    ]


def too_many(descriptors: Sequence[Descriptor]) -> list[Problem]:
    """Name the actions of which nobody can say what they touch: too many places, or too many combinations of values."""
    why = f"it lies in more than {MOST_PLACES} places, or its labels have more than {MOST_COMBINATIONS} combinations"
    found = [
        Problem("TOO_COMPLEX", why, one.action.target)
        for one in descriptors
        if one.endless or one.combinations > MOST_COMBINATIONS
    ]
    if sum(one.combinations for one in descriptors) > MOST_IN_ALL:
        found.append(Problem("TOO_COMPLEX", f"more than {MOST_IN_ALL} combinations of values in all", ""))
    return found


def _describe_one(
    constitution: Constitution,
    reader: StateReader,
    registry: Registry,
    action: Action,
    labels: Labels,
    carried: object,
    circumstances: Circumstances,
) -> Descriptor:
    asker = circumstances.asker
    domain = _domain(labels, circumstances)
    counterpart = _counterpart(action, asker)
    parties = Parties(asker.by, counterpart, domain)
    supplied: dict[str, AttributeValue] = {
        **{name: AttributeValue(value, "reducer") for name, value in action.facts},
        **{name: AttributeValue(value, "session") for name, value in _session(circumstances)},
        "carries": AttributeValue(carried, "derived"),
        "trust": _trust(constitution, reader, registry, action, parties, circumstances),
        **_attested(constitution, reader, registry, action, circumstances),
    }
    attributes: dict[str, AttributeValue] = {
        "kind": AttributeValue(action.kind, "reducer"),
        "verb": AttributeValue(action.verb, "reducer"),
        "target": AttributeValue(action.target, "reducer"),
    }
    for attribute in constitution.attributes_for(action.kind).values():
        if attribute.source == "store":
            attributes[attribute.name] = _stored(labels, attribute.name)
        elif attribute.source != "payload":
            found = supplied.get(attribute.name)
            # The source is part of the fact: a reducer can't supply what the schema expects of a sensor.
            fits = found is not None and found.source == attribute.source
            attributes[attribute.name] = found if found and fits else AttributeValue(UNKNOWN, attribute.source)
    return Descriptor(
        action,
        attributes,
        _claimed(constitution, action.kind, circumstances.claims),
        labels.registration,
        labels.version,
        counterpart,
        domain,
        labels.endless,
    )


def _stored(labels: Labels, name: str) -> AttributeValue:
    found = labels.labels.get(name)
    if found is None:
        return AttributeValue(UNKNOWN, "store")
    value = found.values[0] if len(found.values) == 1 else Several(found.values)
    return AttributeValue(value, "store", found.stamp, found.origins)


def _carried(actions: Sequence[Action], known: Sequence[Labels]) -> object:
    """Give the highest sensitivity of anything that the operation reads; unknown if any of it is."""
    pairs = zip(actions, known, strict=True)
    return highest(_stored(labels, "sensitivity").value for one, labels in pairs if is_read(one))


def is_read(action: Action) -> bool:
    """Tell whether the action takes something up that the same operation may carry away."""
    return action.kind in _READABLE and action.verb in _READING


def highest(sensitivities: Iterable[object]) -> object:
    """Give the strictest of some sensitivities; unknown if any of them is, and the mildest where there are none."""
    found = 0
    for one in sensitivities:
        for value in one.values if isinstance(one, Several) else (one,):
            if value not in SENSITIVITIES:
                return UNKNOWN
            found = max(found, SENSITIVITIES.index(str(value)))
    return SENSITIVITIES[found]


def _session(circumstances: Circumstances) -> Iterator[tuple[str, object]]:
    asker = circumstances.asker
    yield "actor_kind", asker.kind
    yield "authenticated", asker.authenticated
    yield "owned", asker.owned
    yield "spoken_for", asker.spoken_for
    yield "correlated", circumstances.correlated


def _domain(labels: Labels, circumstances: Circumstances) -> str:
    """Take the domain from the store, else from an authenticated enforcement point; the asker's own word is none.

    Of what lies in several domains nothing was earned in the one: it is in none.
    """
    own = labels.labels.get("domain")
    if own is not None and len(own.values) > 1:
        return ""
    if own is not None and isinstance(own.values[0], str):
        return own.values[0]
    asker = circumstances.asker
    return circumstances.domain if asker.spoken_for and asker.authenticated else ""


def _counterpart(action: Action, asker: Asker) -> str:
    """Name whose trust counts: the person spoken with, for everything else the operator who answers for the agent."""
    if action.kind == "conversation":
        return f"person:{reference.parse(action.target).authority}"
    return (asker.principal.owner or "") if asker.principal else ""


def _trust(
    constitution: Constitution,
    reader: StateReader,
    registry: Registry,
    action: Action,
    parties: Parties,
    circumstances: Circumstances,
) -> AttributeValue:
    trust_class = constitution.trust_class(action.verb)
    # What a principal has earned is not for whoever says that they are it.
    if trust_class is None or trust_class.gate != "ladder" or not circumstances.asker.authenticated:
        return AttributeValue(trust.gate(trust_class, 0), "sensor")
    found = earned(reader, registry, constitution.trust, parties, circumstances.at)
    return AttributeValue(trust.gate(trust_class, found.c_eff), "sensor", found.observed)


def _attested(
    constitution: Constitution,
    reader: StateReader,
    registry: Registry,
    action: Action,
    circumstances: Circumstances,
) -> dict[str, AttributeValue]:
    """Give what evidence tells; what no valid evidence tells is not there, and so is unknown."""
    asker = circumstances.asker
    subjects: dict[About, tuple[str, ...]] = {
        "target": reference.candidates(reference.parse(action.target)),
        # What was attested of a principal is not for whoever says that they are it.
        "asker": (asker.by,) if asker.authenticated else (),
    }
    declared = [one for one in constitution.attributes_for(action.kind).values() if one.evidence is not None]
    found: dict[str, AttributeValue] = {}
    for about, keys in subjects.items():
        wanted = [one for one in declared if one.evidence_of == about]
        pieces = find_evidence(reader, registry, keys, {str(one.evidence) for one in wanted}, circumstances.at)
        weighed = ((one.name, weigh_evidence(one, pieces)) for one in wanted)
        found |= {name: value for name, value in weighed if value is not None}
    return found


def weigh_evidence(attribute: Attribute, pieces: Sequence[Piece]) -> AttributeValue | None:
    """Believe evidence against, by whomever, before evidence for; of each the latest stands as the stamp."""
    own = [one for one in pieces if one.kind == attribute.evidence and one.issuer_kind in attribute.issuers]
    if not own:
        return None
    against = [one for one in own if not one.holds]
    return AttributeValue(not against, "evidence", max(one.seq for one in against or own))


def _claimed(constitution: Constitution, kind: str, claims: Mapping[str, Json]) -> dict[str, object]:
    """Take what the payload claims of attributes declared for the kind; nonsense counts as unknown."""
    return {
        attribute.name: claims[attribute.name] if attribute.type.admits(claims[attribute.name]) else UNKNOWN
        for attribute in constitution.attributes_for(kind).values()
        if attribute.name in claims
    }
