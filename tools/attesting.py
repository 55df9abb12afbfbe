"""The evidence in a ledger, as people look at it: what stands, whether it speaks now, and what a decision would find.

Source: DESIGN section 7; docs/spec/evidence.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from decisions.constitution import Attribute, Constitution
from decisions.descriptor import weigh_evidence
from grants.book.evidence import EVIDENCE
from grants.book.states import EvidenceState
from grants.events import EvidenceRecorded
from grants.evidence import REPORT, find_evidence, life
from grants.identifier import code_points, is_principal
from grants.reading import read_event, read_state
from grants.reference import around
from grants.spelling import suggestion
from ledger.canon import Json
from ledger.event import Registry
from ledger.instant import Instant
from ledger.log import Snapshot
from tools.cli.output import safe
from tools.errors import InputError

HEADER = ("subject", "kind", "issuer", "says", "life", "until", "event", "report")


@dataclass(frozen=True, slots=True)
class Listed:
    """One piece of evidence that was not replaced.

    Attributes:
        life: valid, early, expired, or void: its issuer or key does not count any more.
        report: what was found, or None where that was erased.
    """

    body: EvidenceRecorded
    seq: int
    life: str
    report: str | None

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object."""
        return {
            "event": self.seq,
            "kind": self.body.kind,
            "subject": self.body.subject,
            "issuer": self.body.issuer,
            "holds": self.body.holds,
            "valid_from": self.body.valid_from,
            "valid_until": self.body.valid_until,
            "life": self.life,
            "report": self.report,
        }

    def row(self) -> tuple[object, ...]:
        """Give it as the cells of a table."""
        says = "holds" if self.body.holds else "does not hold"
        report = "(erased)" if self.report is None else safe(self.report)
        subject = code_points(self.body.subject)
        return (subject, self.body.kind, self.body.issuer, says, self.life, self.body.valid_until, self.seq, report)


def subjects_of(text: str) -> tuple[str, ...]:
    """Give what evidence may be about that speaks of a principal, a resource or a subtree, nearest first.

    Raises:
        ReferenceSyntaxError: it is written otherwise.
    """
    return (text,) if is_principal(text) else around(text)


def listed(snapshot: Snapshot, registry: Registry, at: Instant, subjects: Iterable[str] | None = None) -> list[Listed]:
    """Give the evidence about these subjects, or about all, that was not replaced."""
    keys = [row.key for row in snapshot.states(EVIDENCE)] if subjects is None else list(subjects)
    return [one for key in keys for one in _of(snapshot, registry, key, at)]


def told(
    snapshot: Snapshot, registry: Registry, constitution: Constitution, subject: str, at: Instant
) -> list[tuple[Attribute, bool | None, int | None]]:
    """Give each attribute that evidence about a subject supplies, with its value now and the event it comes from."""
    about = "asker" if is_principal(subject) else "target"
    wanted = [one for one in constitution.attributes.values() if one.evidence is not None and one.evidence_of == about]
    kinds = {str(one.evidence) for one in wanted}
    pieces = find_evidence(snapshot, registry, subjects_of(subject), kinds, at)
    weighed = [(one, weigh_evidence(one, pieces)) for one in wanted]
    return [(one, bool(found.value) if found else None, found.stamp if found else None) for one, found in weighed]


def check_kind(constitution: Constitution, kind: str, subject: str, issuer_kind: str) -> None:
    """Refuse evidence that no rule could find.

    Raises:
        InputError: the constitution knows no such evidence, not about such a subject, or not of such an issuer.
    """
    known = [one for one in constitution.attributes.values() if one.evidence is not None]
    named = [one for one in known if one.evidence == kind]
    if not named:
        said = suggestion(kind, sorted({str(one.evidence) for one in known}))
        raise InputError(f'the constitution in force reads no evidence "{code_points(kind)}"{said}')
    about = "asker" if is_principal(subject) else "target"
    fitting = [one for one in named if one.evidence_of == about]
    if not fitting:
        wanted = "a principal, such as agent:ops-7" if about == "target" else "a resource, such as db://prod/**"
        raise InputError(f"{kind} is evidence about {wanted}")
    if not any(issuer_kind in one.issuers for one in fitting):
        issuers = " or a ".join(sorted({name for one in fitting for name in one.issuers}))
        raise InputError(f"{kind} is believed of a {issuers}, and not of a {issuer_kind}: let one of those record it")


def _of(snapshot: Snapshot, registry: Registry, key: str, at: Instant) -> Iterator[Listed]:
    row = read_state(snapshot, EVIDENCE, key, EvidenceState)
    for entry in row.entries if row else ():
        event = read_event(snapshot, registry, entry.seq)
        if event is not None and isinstance(event.body, EvidenceRecorded):
            report = next((str(one.value) for one in snapshot.openings(event.seq) if one.path == REPORT), None)
            yield Listed(event.body, event.seq, life(snapshot, event, at), report)
