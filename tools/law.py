"""The constitution in force, read from the event that adopted it, as the decision point reads it.

Source: DESIGN sections 7 and 10.
"""

from dataclasses import dataclass

from decisions.book import CURRENT
from decisions.constitution import Constitution, load_cached
from decisions.evaluation import vocabulary_of
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
        document: the TOML text.
        adopted: the event.
    """

    constitution: Constitution
    vocabulary: Vocabulary
    document: str
    adopted: Event


def law_in_force(reader: StateReader, registry: Registry) -> Law:
    """Read the constitution in force.

    Raises:
        CorruptError: there is none, or the state does not fit the event.
        ConstitutionError: this version does not accept the document.
    """
    row = reader.state("constitution", CURRENT)
    seq = row.state["seq"] if row else None
    event = read_event(reader, registry, seq) if isinstance(seq, int) else None
    if row is None or event is None or not isinstance(event.body, ConstitutionAdopted):
        raise CorruptError("no constitution is in force: run tally audit, or adopt one with tally constitution adopt")
    if event.body.digest != row.state["digest"]:
        raise CorruptError("the constitution in force is not the one that was adopted: run tally audit")
    constitution = load_cached(event.body.document)
    return Law(constitution, vocabulary_of(constitution), event.body.document, event)
