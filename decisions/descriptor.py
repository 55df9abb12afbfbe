"""From an action to a descriptor: every declared attribute with its value, its source and its stamp.

The store says what a resource is, the reducer how much is touched, the session who asks, the sensor how far trust
reaches. What nobody supplies is unknown; only the store can say that something is absent.

Source: DESIGN section 10.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from decisions import trust
from decisions.action import Action
from decisions.constitution.model import About, Attribute, Constitution
from decisions.earned import Parties, earned
from decisions.verdict import AttributeValue, Descriptor
from grants import reference
from grants.evidence import Piece, find_evidence
from grants.expression import ABSENT, UNKNOWN
from grants.principals import Asker
from grants.reading import StateReader
from ledger.canon import Json
from ledger.event import Registry
from ledger.instant import Instant
from ledger.view import State, StateRow

SENSITIVITIES = ("public", "internal", "confidential", "restricted")
"""From mild to strict: what an operation reads colours what it sends."""

_READABLE = frozenset({"file", "data", "infrastructure", "environment"})
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
    registrations = [_registration(reader, action.target) for action in actions]
    carried = _carried(actions, registrations)
    return [
        _describe_one(constitution, reader, registry, action, row, carried, circumstances)
        for action, row in zip(actions, registrations, strict=True)
    ]


def _registration(reader: StateReader, target: str) -> StateRow | None:
    """Find the nearest registration that is not retired: the resource itself, else the smallest subtree around it."""
    for key in reference.candidates(reference.parse(target)):
        row = reader.state("resource", key)
        if row is not None and not row.state["retired"]:
            return row
        if row is not None:
            # A retired entry hides what lies around it: its properties are unknown, not its neighbour's.
            return None
    return None


def _describe_one(
    constitution: Constitution,
    reader: StateReader,
    registry: Registry,
    action: Action,
    row: StateRow | None,
    carried: object,
    circumstances: Circumstances,
) -> Descriptor:
    stored = _stored(row.state) if row else {}
    asker = circumstances.asker
    domain = _domain(stored, circumstances)
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
            value = stored.get(attribute.name, UNKNOWN)
            attributes[attribute.name] = AttributeValue(value, "store", row.seq if row else None)
        elif attribute.source != "payload":
            found = supplied.get(attribute.name)
            # The source is part of the fact: a reducer can't supply what the schema expects of a sensor.
            fits = found is not None and found.source == attribute.source
            attributes[attribute.name] = found if found and fits else AttributeValue(UNKNOWN, attribute.source)
    return Descriptor(
        action,
        attributes,
        _claimed(constitution, action.kind, circumstances.claims),
        row.key if row else None,
        _version(row.state) if row else None,
        counterpart,
        domain,
    )


def _stored(state: State) -> dict[str, object]:
    attributes = state["attributes"]
    if not isinstance(attributes, dict):
        return {}
    return {name: ABSENT if value is None else value for name, value in attributes.items()}


def _version(state: State) -> int | None:
    version = state["version"]
    return version if isinstance(version, int) else None


def _carried(actions: Sequence[Action], registrations: Sequence[StateRow | None]) -> object:
    """Give the highest sensitivity of anything that the operation reads; unknown if any of it is."""
    highest = 0
    for action, row in zip(actions, registrations, strict=True):
        if action.kind in _READABLE and action.verb in _READING:
            sensitivity = _stored(row.state).get("sensitivity") if row else None
            if sensitivity not in SENSITIVITIES:
                return UNKNOWN
            highest = max(highest, SENSITIVITIES.index(str(sensitivity)))
    return SENSITIVITIES[highest]


def _session(circumstances: Circumstances) -> Iterator[tuple[str, object]]:
    asker = circumstances.asker
    yield "actor_kind", asker.kind
    yield "authenticated", asker.authenticated
    yield "owned", asker.owned
    yield "spoken_for", asker.spoken_for
    yield "correlated", circumstances.correlated


def _domain(stored: Mapping[str, object], circumstances: Circumstances) -> str:
    """Take the domain from the store, else from an authenticated enforcement point; the asker's own word is none."""
    own = stored.get("domain")
    if isinstance(own, str):
        return own
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
