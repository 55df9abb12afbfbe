"""Evidence: what somebody answers for about a resource or a principal, such as that a backup was taken.

Its issuer signs.

Source: DESIGN section 7; docs/events/evidence.recorded.md.
"""

from collections.abc import Iterable
from typing import ClassVar

from grants.identifier import is_principal
from ledger.disclosure import Disclosable
from ledger.event import SignedBody
from ledger.instant import InstantField


class EvidenceRecorded(SignedBody):
    """An issuer attests something of a resource, a subtree or a principal, for a time.

    Attributes:
        kind: what is attested, as the constitution names it: ``bias_report``, ``backup`` ...
        subject: canonical reference or pattern, or the id of a principal.
        issuer: the principal who answers for it and signs.
        holds: whether what the kind stands for was found to hold; evidence against it is evidence too.
        valid_from: when it begins to speak.
        valid_until: when it ends to speak; it does not speak at that instant any more.
        report: what was found, or where it lies.
    """

    type: ClassVar[str] = "evidence.recorded"

    kind: str
    subject: str
    issuer: str
    holds: bool
    valid_from: InstantField
    valid_until: InstantField
    report: Disclosable

    def tags(self) -> Iterable[str]:
        """Find it by its kind, and by what it is about."""
        yield f"evidence:{self.kind}"
        yield f"evidence_of:{self.subject}"
        about = "subject" if is_principal(self.subject) else "resource"
        yield f"{about}:{self.subject}"
