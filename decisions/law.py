"""The constitution in force, read from the event that adopted it.

Source: DESIGN sections 7 and 10.
"""

import functools
from dataclasses import dataclass

from decisions.amendment.counting import check_counted
from decisions.amendment.events import ConstitutionAmended
from decisions.book import CURRENT
from decisions.constitution.loader import load_cached
from decisions.constitution.model import Constitution, TrustClass
from decisions.errors import AmendmentError, DecisionError
from decisions.events import Adoption
from grants.authority import check_event
from grants.principals import last_restored
from grants.reading import StateReader, read_event
from grants.standing import Vocabulary
from ledger import canon
from ledger.errors import CorruptError
from ledger.event import Event, Registry


@dataclass(frozen=True, slots=True)
class Law:
    """A constitution, ready to decide by.

    Attributes:
        vocabulary: what a standing grant's selector may speak of.
        digest: the document's digest, base64url.
        document: the TOML text.
    """

    constitution: Constitution
    vocabulary: Vocabulary
    digest: str
    document: str


@dataclass(frozen=True, slots=True)
class AdoptedLaw(Law):
    """The constitution in force, with the event that adopted it."""

    adopted: Event


def law_of(document: str) -> Law:
    """Read a constitution, whoever adopted it.

    Raises:
        ConstitutionError: the document is not accepted.
    """
    constitution, vocabulary = _read(document)
    return Law(constitution, vocabulary, canon.to_base64url(constitution.digest), document)


def law_in_force(reader: StateReader, registry: Registry) -> AdoptedLaw:
    """Read the constitution in force: the row leads to the adoption, and signatures make it one.

    It is a human's signature, or the votes on the amendment that it follows from.

    Raises:
        DecisionError: none was adopted, or none since the log was restored.
        CorruptError: the state does not fit the event.
        AmendmentError: it follows from no amendment, or from one with too few votes.
        AuthorityError: whoever adopted it, or voted for it, might not.
        SignatureError: the adoption, or a vote, is not signed.
        ConstitutionError: this version does not accept the document.
    """
    law = last_adopted(reader, registry)
    restored = last_restored(reader)
    if restored is not None and law.adopted.seq < restored:
        raise DecisionError(
            f"no constitution was adopted since the log was restored by event {restored}, and a later one may be lost: "
            "run tally constitution adopt"
        )
    return law


def last_adopted(reader: StateReader, registry: Registry) -> AdoptedLaw:
    """Read the constitution that was adopted last; after a restore it need not be in force.

    Raises:
        DecisionError: none was adopted.
        CorruptError: the state does not fit the event.
        AmendmentError: it follows from no amendment, or from one with too few votes.
        AuthorityError: whoever adopted it, or voted for it, might not.
        SignatureError: the adoption, or a vote, is not signed.
        ConstitutionError: this version does not accept the document.
    """
    row = reader.state("constitution", CURRENT)
    if row is None:
        raise DecisionError("no constitution is in force: run tally audit, and adopt one with tally constitution adopt")
    seq = row.state["seq"]
    event = read_event(reader, registry, seq) if isinstance(seq, int) else None
    body = event.body if event else None
    if event is None or not isinstance(body, Adoption) or body.digest != row.state["digest"]:
        raise CorruptError("the constitution in force is not one that was adopted: run tally audit")
    check_event(reader, event)
    if isinstance(body, ConstitutionAmended):
        check_follows(reader, registry, event, body)
    return AdoptedLaw(*_read(body.document), body.digest, body.document, event)


def check_follows(reader: StateReader, registry: Registry, event: Event, body: ConstitutionAmended) -> None:
    """Check that a constitution follows from an amendment that was adopted by the votes that it says it took.

    Of what class the change is, and what the constitution before asks for, is looked at when it is appended and by
    every audit (`decisions.amendment.check`), not with each decision.

    Raises:
        AmendmentError: it does not.
        AuthorityError: somebody might not vote.
        SignatureError: a vote is not signed.
    """
    adopted = read_event(reader, registry, body.adopted) if body.adopted == event.seq - 1 else None
    if adopted is None:
        raise AmendmentError(f"the constitution of event {event.seq} follows from no amendment: run tally audit")
    found = check_counted(reader, registry, adopted)
    if (found.digest, found.base, event.by, event.auth) != (body.digest, body.base, adopted.by, "ledger"):
        raise AmendmentError(f"the constitution of event {event.seq} is not the one that was voted on: run tally audit")


@functools.lru_cache(maxsize=8)
def _read(document: str) -> tuple[Constitution, Vocabulary]:
    constitution = load_cached(document)
    return constitution, vocabulary_of(constitution)


def vocabulary_of(constitution: Constitution) -> Vocabulary:
    """Give what a standing grant's selector may speak of under a constitution."""
    return Vocabulary(
        attributes=constitution.types_for(),
        categories=constitution.categories,
        payload=frozenset(name for name, a in constitution.attributes.items() if a.source == "payload"),
        declared={kind: frozenset(constitution.types_for(kind)) for kind in constitution.kinds},
        verbs={kind: frozenset(verbs) for kind, verbs in constitution.kinds.items()},
        humans=constitution.amending.humans,
    )


def open_class_of(constitution: Constitution) -> TrustClass | None:
    """Give the class of reply that is always open, or None: a constitution has one at most."""
    return next((each for each in constitution.trust.classes if each.gate == "open"), None)
