"""Whether a change of the rules was made by right: checked at each append, in each audit, and out of a bundle.

A proposal says of what class it is, and is not believed: the class is worked out again from the two documents. How many
must be for it, the constitution before it says.

Source: docs/spec/amendments.md; DESIGN sections 7 and 10.
"""

from decisions.amendment.book import AMENDMENT, AmendmentState
from decisions.amendment.classing import change_of
from decisions.amendment.counting import OPENS, check_counted, check_human, controlling, is_human
from decisions.amendment.events import (
    AmendmentAdopted,
    AmendmentProposed,
    AmendmentRejected,
    AmendmentVoted,
    ConstitutionAmended,
)
from decisions.amendment.overlay import adds_only
from decisions.book import CURRENT
from decisions.constitution.loader import load_cached
from decisions.constitution.model import Amending
from decisions.errors import AmendmentError
from decisions.events import Adoption, ConstitutionAdopted
from decisions.law import check_follows
from grants.authority import check_event
from grants.principals import last_restored
from grants.reading import StateReader, read_event, read_state
from ledger.event import Event, Registry


def check_amendment(reader: StateReader, registry: Registry, event: Event) -> None:
    """Check, as of its own place, an event that changes the rules or is about to; other events pass.

    That it is signed by right is for `grants.authority.check_event`.

    Raises:
        AmendmentError: it is stale, not for its signer to say, lacks votes, or is of another class than it says.
        ConstitutionError: a document is not accepted.
        AuthorityError: somebody might not vote.
        SignatureError: a vote is not signed.
    """
    match event.body:
        case AmendmentProposed() as body:
            controlling(reader, event.by)
            _check_base(reader, body.base, event)
            check_class(reader, registry, body)
        case AmendmentVoted() as body:
            check_human(reader, event.by, body.human)
            _check_base(reader, body.base, event)
            _check_may(event.by, body)
        case AmendmentAdopted() as body:
            _check_base(reader, body.base, event)
            check_adopted(reader, registry, event)
        case AmendmentRejected() as body:
            row = read_state(reader, AMENDMENT, str(body.amendment), AmendmentState)
            if row is not None and not is_human(event.by) and event.by != row.by:
                raise AmendmentError(f"{event.by} can take back what it proposed itself; a human rejects others")
        case ConstitutionAmended() as body:
            _check_base(reader, body.base, event)
            check_link(reader, registry, event, body)
        case ConstitutionAdopted():
            _check_again(reader, registry)


def check_class(reader: StateReader, registry: Registry, body: AmendmentProposed) -> None:
    """Work out again of what class a proposal is, and whether it is an overlay where it says so.

    Raises:
        AmendmentError: it is of another class.
        ConstitutionError: a document is not accepted.
    """
    old = document_of(reader, registry, body.base)
    if body.overlay and not adds_only(old, body.document):
        raise AmendmentError("it says that it is an overlay, and it does more than add forbids and requirements")
    found = change_of(old, body.document, overlay=body.overlay)
    if found != body.change:
        raise AmendmentError(f"it says that it is {body.change}, and it is {found}")


def check_adopted(reader: StateReader, registry: Registry, event: Event) -> None:
    """Check that an amendment has the votes that the constitution before it asks for, and is what was proposed.

    Raises:
        AmendmentError: it has not, or is not.
        ConstitutionError: a document is not accepted.
        AuthorityError: somebody might not vote.
        SignatureError: a vote is not signed.
    """
    body = check_counted(reader, registry, event)
    asked = amending_of(reader, registry, body.base)
    if (body.quorum, body.humans) != (asked.quorum, asked.humans):
        raise AmendmentError(
            f"it counts to {body.quorum} and {body.humans}, and the constitution of event {body.base} asks for "
            f"{asked.quorum} controlling principals or {asked.humans} humans"
        )
    proposal = _proposal(reader, registry, body.amendment, event.seq)
    if (proposal.base, proposal.digest, proposal.change) != (body.base, body.digest, body.change):
        raise AmendmentError(f"it adopts something else than event {body.amendment} proposes")


def check_link(reader: StateReader, registry: Registry, event: Event, body: ConstitutionAmended) -> AmendmentAdopted:
    """Check one link of the chain of constitutions: that this one follows from the one before it by right.

    Raises:
        AmendmentError: it does not, or is of another class than was voted on.
        ConstitutionError: a document is not accepted.
        AuthorityError: somebody might not vote or propose.
        SignatureError: a signature does not hold.
    """
    check_follows(reader, registry, event, body)
    adopted = read_event(reader, registry, body.adopted)
    if adopted is None or not isinstance(adopted.body, AmendmentAdopted):  # pragma: no cover
        raise AmendmentError(f"event {body.adopted} adopts no amendment")
    check_adopted(reader, registry, adopted)
    found = read_event(reader, registry, adopted.body.amendment)
    if found is None or not isinstance(found.body, AmendmentProposed):  # pragma: no cover
        raise AmendmentError(f"event {adopted.body.amendment} proposes no amendment")
    check_event(reader, found)
    check_class(reader, registry, found.body)
    return adopted.body


def document_of(reader: StateReader, registry: Registry, seq: int) -> str:
    """Give the text of a constitution that an event adopted.

    Raises:
        AmendmentError: it adopted none.
    """
    event = read_event(reader, registry, seq)
    if event is None or not isinstance(event.body, Adoption):
        raise AmendmentError(f"event {seq} adopts no constitution that could be changed")
    return event.body.document


def amending_of(reader: StateReader, registry: Registry, seq: int) -> Amending:
    """Tell how many must agree to a change of the constitution that an event adopted.

    Raises:
        AmendmentError: it adopted none.
        ConstitutionError: the document is not accepted.
    """
    return load_cached(document_of(reader, registry, seq)).amending


def _proposal(reader: StateReader, registry: Registry, seq: int, before: int) -> AmendmentProposed:
    event = read_event(reader, registry, seq) if seq < before else None
    if event is None or not isinstance(event.body, AmendmentProposed):
        raise AmendmentError(f"event {seq} proposes no amendment")
    return event.body


def _check_base(reader: StateReader, base: int, event: Event) -> None:
    row, restored = reader.state("constitution", CURRENT), last_restored(reader)
    seq = row.state["seq"] if row is not None else None
    if seq != base:
        raise AmendmentError(
            f"stale: it changes the constitution of event {base}, and that of event {seq} is in force: propose it again"
        )
    if restored is not None and base < restored < event.seq:
        raise AmendmentError(
            f"none is in force since the log was restored by event {restored}: run tally constitution adopt"
        )


def _check_may(by: str, body: AmendmentVoted) -> None:
    if body.change in OPENS and not is_human(by):
        raise AmendmentError(f"{by} has no vote on what is {body.change}: humans sign for what opens something")


def _check_again(reader: StateReader, registry: Registry) -> None:
    """Refuse that one human's signature replaces a constitution that asks for several.

    Where it asks for one, an adoption of earlier versions is as good as an amendment.
    """
    row, restored = reader.state("constitution", CURRENT), last_restored(reader)
    if row is None or (restored is not None and row.seq < restored):
        return
    asked = amending_of(reader, registry, row.seq)
    if asked.humans > 1:
        raise AmendmentError(
            f"the constitution of event {row.seq} asks for {asked.humans} humans: it is changed by an amendment alone"
        )
