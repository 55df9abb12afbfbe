"""Adopting a constitution where none is in force: it is read whole, its examples are run, a human signs for its digest.

Where one is in force it is changed by an amendment (`decisions.amendment`).

Source: DESIGN sections 7 and 10; docs/spec/amendments.md.
"""

from decisions.book import CURRENT
from decisions.constitution.loader import load
from decisions.errors import AmendmentError
from decisions.events import ConstitutionAdopted
from grants.issue import Prepared, prepare
from grants.principals import last_restored
from grants.reading import StateReader
from ledger import canon
from ledger.log import Snapshot


def adopt(snapshot: Snapshot, *, by: str, document: str) -> Prepared:
    """Prepare the adoption of a constitution.

    Raises:
        AmendmentError: one is in force.
        ConstitutionError: the document is not accepted.
        AuthorityError: this principal may not adopt one.
        IssueError: it contradicts what stands.
    """
    constitution = load(document)
    check_none_in_force(snapshot)
    digest = canon.to_base64url(constitution.digest)
    return prepare(
        snapshot, ConstitutionAdopted, {"name": constitution.name, "digest": digest, "document": document}, by=by
    )


def check_none_in_force(reader: StateReader) -> None:
    """Refuse that one human's signature puts a constitution in the place of another.

    Raises:
        AmendmentError: one is in force.
    """
    row, restored = reader.state("constitution", CURRENT), last_restored(reader)
    if row is not None and (restored is None or row.seq > restored):
        raise AmendmentError(
            f"a constitution is in force since event {row.seq}, and is changed by an amendment: "
            "run tally amendment propose"
        )
