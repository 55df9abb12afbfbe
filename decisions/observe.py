"""What a sensor saw becomes trust: the observation, signed by the sensor, and in its transaction what it moved.

`prepare_observation` renders what the sensor signs; `observe` appends it as `trust.observed` and, directly behind it,
the `trust.updated` that follows under the constitution in force. An interaction counts once: seen again, it gives
what stands and appends nothing. A reading of the future is refused, for it would outlive those that follow it.

Source: DESIGN sections 7 and 12; policy case I05.
"""

from dataclasses import dataclass

from decisions import trust
from decisions.constitution.fraction import ONE
from decisions.earned import C_INST
from decisions.errors import DecisionError, TrustError
from decisions.events import TrustObserved, TrustUpdated, interaction_claim
from decisions.law import law_in_force
from decisions.trust import Observation
from grants.errors import IdentifierError, ReferenceSyntaxError
from grants.identifier import check_text, code_points, parse_principal
from grants.issue import Prepared, append_signed, prepare
from grants.principals import find_principal, last_restored
from grants.reading import StateReader, read_event
from grants.reference import parse
from ledger import instant
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.event import Draft, Event, Registry
from ledger.instant import Instant
from ledger.log import MAX_BACKWARD, Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class Seen:
    """What a sensor reports of one interaction.

    Attributes:
        system: principal id of the agent or service.
        counterpart: the person under an opaque id, or the operator's principal id.
        domain: the trust domain.
        interaction: the interaction's own id.
        qualifying: whether the sensor finds that it earns trust.
        c_inst: the reading in units of 10^-15, or None where there is none.
        taken: when it was taken.
    """

    system: str
    counterpart: str
    domain: str
    interaction: str
    qualifying: bool
    c_inst: int | None
    taken: Instant


@dataclass(frozen=True, slots=True)
class Observed:
    """What became of an observation.

    Attributes:
        event: the `trust.observed` that stands for the interaction.
        update: what it moved.
        repeated: whether the interaction had been recorded before; then nothing was appended.
    """

    event: Event
    update: TrustUpdated
    repeated: bool


def prepare_observation(snapshot: Snapshot, *, by: str, seen: Seen) -> Prepared:
    """Prepare what the sensor signs.

    Raises:
        TrustError: a name that can't stand in a trust key, or a system that nobody registered.
        AuthorityError: this principal is no sensor.
        IssueError: it breaks its schema, or the interaction was recorded before.
    """
    _check_names(snapshot, seen.system, seen.counterpart, seen.domain, seen.interaction)
    fields: dict[str, Json] = {
        "system": seen.system,
        "counterpart": seen.counterpart,
        "domain": seen.domain,
        "interaction": seen.interaction,
        "qualifying": seen.qualifying,
        "taken": seen.taken,
    }
    return prepare(snapshot, TrustObserved, fields, by=by, openings=(Opening.fresh(C_INST, seen.c_inst),))


def recorded_interaction(
    snapshot: Snapshot, registry: Registry, *, system: str, counterpart: str, domain: str, interaction: str
) -> Observed | None:
    """Find the observation that stands for an interaction, or None.

    A reading that was taken again of the same interaction is a repeat all the same: the interaction counts once.

    Raises:
        TrustError: its id was used for an interaction in another domain.
    """
    seq = snapshot.claimed(interaction_claim(system, counterpart, interaction))
    event = None if seq is None else read_event(snapshot, registry, seq)
    if event is None:
        return None
    # INVARIANT: the update stands directly behind its observation; the view refuses any other place.
    update = read_event(snapshot, registry, event.seq + 1)
    if update is None or not isinstance(update.body, TrustUpdated):
        raise DecisionError(f"observation {event.seq} has no update behind it: run tally audit")
    if update.body.domain != domain:
        raise TrustError(
            f"interaction {interaction} was recorded by event {event.seq} for another domain: "
            "give each interaction its own id"
        )
    return Observed(event, update.body, repeated=True)


def observe(tx: Transaction, registry: Registry, draft: Draft) -> Observed:
    """Append a signed observation and the update that follows from it.

    Args:
        tx: the transaction.
        registry: the event types.
        draft: a signed `trust.observed` with the opening of its reading.

    Raises:
        TrustError: no observation, one of the future, an interaction id that was used for another, a name that
            can't stand in a trust key, or no constitution whose terms would apply.
        AuthorityError: the signer is no sensor, or may not sign any more.
        SignatureError: the signature does not hold.
        AppendError: the log refuses it.
    """
    body = draft.body
    if not isinstance(body, TrustObserved):
        raise TrustError(f"{body.type} is no observation")
    found = recorded_interaction(
        tx,
        registry,
        system=body.system,
        counterpart=body.counterpart,
        domain=body.domain,
        interaction=body.interaction,
    )
    if found is not None:
        return found
    _check_names(tx, body.system, body.counterpart, body.domain, body.interaction)
    if instant.to_microseconds(body.taken) > instant.to_microseconds(tx.at) + MAX_BACKWARD:
        raise TrustError(f"the reading is of {body.taken}, and now is {tx.at}: set the sensor's clock right")
    terms = law_in_force(tx, registry).constitution.trust
    event = append_signed(tx, draft)
    reading = next((opening.value for opening in draft.openings if opening.path == C_INST), None)
    seen = _seen(event.seq, body, trust.reading(reading))
    before = tx.state("trust", trust.key(body.system, body.counterpart, body.domain))
    update = trust.update(before.state if before else None, seen, terms)
    tx.append(Draft(update, draft.by, "ledger", causes=(event.seq,)))
    return Observed(event, update, repeated=False)


def check_update(reader: StateReader, registry: Registry, event: Event) -> None:
    """Check, as of its own place, that an update of trust is the one that `observe` appends; other events pass.

    It bears no signature of its own: it counts because of the observation before it. Where the reading was erased,
    whether it reached what qualifies can't be known any more.

    Raises:
        TrustError: it follows from no observation, or not from this one under the constitution in force.
        DecisionError: no constitution was in force.
    """
    body = event.body
    if not isinstance(body, TrustUpdated):
        return
    cause = read_event(reader, registry, body.observed)
    seen = cause.body if cause is not None else None
    if cause is None or not isinstance(seen, TrustObserved) or (event.by, event.auth) != (cause.by, "ledger"):
        raise TrustError(f"event {body.observed} is no observation that it could follow from")
    before = reader.state("trust", trust.key(seen.system, seen.counterpart, seen.domain))
    opened = [opening.value for opening in reader.openings(body.observed) if opening.path == C_INST]
    readings = [trust.reading(value) for value in opened] or [0, ONE]
    terms = law_in_force(reader, registry).constitution.trust
    told = [trust.update(before.state if before else None, _seen(cause.seq, seen, one), terms) for one in readings]
    if body not in told:
        raise TrustError(f"it is not what follows from observation {body.observed} under the constitution in force")


def _seen(seq: int, body: TrustObserved, c_inst: int) -> Observation:
    return Observation(seq, body.system, body.counterpart, body.domain, body.qualifying, c_inst, body.taken)


def _check_names(reader: StateReader, system: str, counterpart: str, domain: str, interaction: str) -> None:
    trust.key(system, counterpart, domain)
    for text in (domain, interaction):
        check_text(text)
    _check_counterpart(counterpart)
    if not interaction:
        raise TrustError("an interaction has an id of its own: give one")
    row = find_principal(reader, system)
    if row is None or not row.stands(last_restored(reader)):
        raise TrustError(f"{system} is not registered, or was suspended, or waits: nothing can be earned by it")


def _check_counterpart(counterpart: str) -> None:
    """Accept what a decision would look for: a person by opaque id, or the principal id of an operator."""
    try:
        if parse(counterpart).scheme == "person" and not parse(counterpart).parts:
            return
    except ReferenceSyntaxError:
        pass
    try:
        parse_principal(counterpart)
    except IdentifierError as error:
        raise TrustError(
            f"a counterpart is person:<opaque id> or a principal id, not {code_points(counterpart)}"
        ) from error
