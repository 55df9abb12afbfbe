"""Adopting a constitution: it is read whole, its examples are run, and a human signs for its digest.

Source: DESIGN sections 7 and 10.
"""

from decisions.constitution.loader import load
from decisions.events import ConstitutionAdopted
from grants.issue import Prepared, prepare
from ledger import canon
from ledger.log import Snapshot


def adopt(snapshot: Snapshot, *, by: str, document: str) -> Prepared:
    """Prepare the adoption of a constitution.

    Raises:
        ConstitutionError: the document is not accepted.
        AuthorityError: this principal may not adopt one.
        IssueError: it contradicts what stands.
    """
    constitution = load(document)
    digest = canon.to_base64url(constitution.digest)
    return prepare(
        snapshot, ConstitutionAdopted, {"name": constitution.name, "digest": digest, "document": document}, by=by
    )
