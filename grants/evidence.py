"""Evidence about resources and principals: prepared for its issuer to sign, and found again when it is needed.

What was recorded of a subtree speaks of everything in it. A piece of evidence speaks from ``valid_from`` up to and
without ``valid_until``, while its issuer and the key that signed it still count. The latest of one kind by one issuer
of one resource takes the place of what that issuer said before; what different issuers say, or say of different
places around the resource, stands side by side.

Source: DESIGN sections 7 and 10; docs/spec/evidence.md.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grants.authority import check_event, still_counts
from grants.book.evidence import EVIDENCE
from grants.book.states import EvidenceEntry, EvidenceState
from grants.errors import AuthorityError, SignatureError
from grants.events import EvidenceRecorded
from grants.identifier import kind_of, parse_principal
from grants.issue import Prepared, prepare
from grants.reading import StateReader, read_event, read_state
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.errors import CorruptError
from ledger.event import Event, Registry
from ledger.instant import Instant
from ledger.log import Snapshot

REPORT: Final = "/report"


@dataclass(frozen=True, slots=True)
class Attested:
    """What an issuer attests.

    Attributes:
        kind: what is attested, as the constitution names it.
        subject: canonical reference or pattern, or the id of a principal.
        holds: whether what the kind stands for was found to hold.
        report: what was found, or where it lies.
    """

    kind: str
    subject: str
    holds: bool
    valid_from: Instant
    valid_until: Instant
    report: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence that speaks.

    Attributes:
        issuer_kind: the kind of principal that its issuer is.
        seq: its event.
    """

    kind: str
    issuer_kind: str
    holds: bool
    seq: int


def record_evidence(snapshot: Snapshot, *, by: str, attested: Attested) -> Prepared:
    """Prepare a piece of evidence for its issuer to sign.

    Raises:
        AuthorityError: this principal may not issue evidence.
        IssueError: it breaks its schema, or what it names is spelled otherwise.
    """
    fields: dict[str, Json] = {
        "kind": attested.kind,
        "subject": attested.subject,
        "issuer": by,
        "holds": attested.holds,
        "valid_from": attested.valid_from,
        "valid_until": attested.valid_until,
    }
    return prepare(snapshot, EvidenceRecorded, fields, by=by, openings=(Opening.fresh(REPORT, attested.report),))


def find_evidence(
    reader: StateReader, registry: Registry, subjects: Iterable[str], kinds: Collection[str], at: Instant
) -> list[Piece]:
    """Find the evidence of these kinds that speaks at a time.

    Args:
        reader: the ledger; every row that the answer rests on is read through it.
        registry: the event types.
        subjects: what it may be about: the keys under which a resource can be registered, or a principal.
        kinds: the kinds that are asked for; where none is, nothing is read.
        at: the time of the transaction.

    Raises:
        CorruptError: a row leads to something else than the evidence that it names.
    """
    found: list[Piece] = []
    for key in subjects if kinds else ():
        row = read_state(reader, EVIDENCE, key, EvidenceState)
        for entry in row.entries if row else ():
            if entry.kind in kinds:
                found += _speaking(reader, registry, key, entry, at)
    return found


def life(reader: StateReader, event: Event, at: Instant) -> str:
    """Say in a word whether a piece of evidence that was not replaced speaks: valid, early, expired or void."""
    body = event.body
    if not isinstance(body, EvidenceRecorded) or not _stands(reader, event):
        return "void"
    if at < body.valid_from:
        return "early"
    return "valid" if at < body.valid_until else "expired"


def _speaking(
    reader: StateReader, registry: Registry, subject: str, entry: EvidenceEntry, at: Instant
) -> Iterator[Piece]:
    event = read_event(reader, registry, entry.seq)
    body = event.body if event else None
    if event is None or not isinstance(body, EvidenceRecorded):
        raise CorruptError(f"event {entry.seq} is no evidence, and is said to stand for {subject}: run tally audit")
    if (body.subject, body.kind, body.issuer) != (subject, entry.kind, entry.issuer):
        raise CorruptError(f"the evidence in event {entry.seq} is not of {subject}: run tally audit")
    if life(reader, event, at) == "valid":
        yield Piece(body.kind, kind_of(parse_principal(body.issuer)), body.holds, event.seq)


def _stands(reader: StateReader, event: Event) -> bool:
    try:
        check_event(reader, event)
    except (AuthorityError, SignatureError):
        return False
    return still_counts(reader, event)
