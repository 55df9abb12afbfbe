"""The constitution in force, read from the event that adopted it.

Source: DESIGN sections 7 and 10.
"""

import functools
from dataclasses import dataclass

from decisions.book import CURRENT
from decisions.constitution.loader import load
from decisions.constitution.model import Constitution
from decisions.errors import DecisionError
from decisions.events import ConstitutionAdopted
from grants.reading import StateReader, read_event
from grants.standing import Vocabulary
from ledger.errors import CorruptError
from ledger.event import Event, Registry


@dataclass(frozen=True, slots=True)
class Law:
    """A constitution, and its adoption.

    Attributes:
        vocabulary: what a standing grant's selector may speak of.
        digest: the document's digest, base64url.
        document: the TOML text.
        adopted: the event.
    """

    constitution: Constitution
    vocabulary: Vocabulary
    digest: str
    document: str
    adopted: Event


def law_in_force(reader: StateReader, registry: Registry) -> Law:
    """Read the constitution in force.

    Raises:
        DecisionError: none was adopted.
        CorruptError: the state does not fit the event.
        ConstitutionError: this version does not accept the document.
    """
    row = reader.state("constitution", CURRENT)
    if row is None:
        raise DecisionError("no constitution is in force: run tally audit, and adopt one with tally constitution adopt")
    seq = row.state["seq"]
    event = read_event(reader, registry, seq) if isinstance(seq, int) else None
    body = event.body if event else None
    if event is None or not isinstance(body, ConstitutionAdopted) or body.digest != row.state["digest"]:
        raise CorruptError("the constitution in force is not one that was adopted: run tally audit")
    return Law(*_read(body.document), body.digest, body.document, event)


@functools.lru_cache(maxsize=8)
def _read(document: str) -> tuple[Constitution, Vocabulary]:
    constitution = load(document)
    return constitution, vocabulary_of(constitution)


def vocabulary_of(constitution: Constitution) -> Vocabulary:
    """Give what a standing grant's selector may speak of under a constitution."""
    return Vocabulary(
        attributes=constitution.types_for(),
        categories=constitution.categories,
        payload=frozenset(name for name, a in constitution.attributes.items() if a.source == "payload"),
        declared={kind: frozenset(constitution.types_for(kind)) for kind in constitution.kinds},
        verbs={kind: frozenset(verbs) for kind, verbs in constitution.kinds.items()},
    )
