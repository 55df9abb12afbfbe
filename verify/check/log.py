"""The links from an event to the log: leaf, root, checkpoint, log key, witnesses, and who opened it all.

Source: DESIGN sections 5, 6 and 9.
"""

from dataclasses import dataclass

from grants.allowed_signers import AllowedSigners
from grants.book.checks import key_of
from grants.errors import GrantError, SignatureError
from ledger.checkpoint import require_blake3
from ledger.digest import SHA256_TREE
from ledger.errors import LedgerError, NoteError
from ledger.event import Event
from ledger.events import LedgerOpened
from ledger.instant import Instant
from ledger.policy import NONE, Policy, Witnessed
from verify import inclusion
from verify.bundle.form import BundledEvent
from verify.check.evidence import Evidence
from verify.check.report import Line, counted, failed, not_checked, passed
from verify.errors import InclusionError


@dataclass(frozen=True, slots=True)
class Anchor:
    """What the auditor trusts beforehand.

    Attributes:
        policy: the log keys, the witnesses and the quorum.
        signers: the pinned keys of the first human, or None.
        at: the moment at which a pinned key must be valid; None for the time that genesis names.
    """

    policy: Policy
    signers: AllowedSigners | None
    at: Instant | None


def open_note(evidence: Evidence, anchor: Anchor) -> tuple[Witnessed | None, str]:
    """Open the checkpoint under the policy's keys; where that fails, the text says why."""
    try:
        witnessed = anchor.policy.open(evidence.bundle.checkpoint)
        require_blake3(witnessed.checkpoint)
    except NoteError as error:
        return None, str(error)
    return witnessed, ""


def check_checkpoint(evidence: Evidence, witnessed: Witnessed | None, refusal: str) -> Line:
    """Check that a log of the policy signed the checkpoint, and that it is the log that genesis opened."""
    if witnessed is None:
        return failed("checkpoint", refusal)
    body = _genesis(evidence)
    if body is None:
        return failed("checkpoint", "event 0 of the bundle opens no log")
    if body.log_key != witnessed.log.text() or body.origin != witnessed.checkpoint.origin:
        return failed(
            "checkpoint",
            f"signed for {witnessed.checkpoint.origin}, but event 0 opens the log {body.origin} with the key "
            f"{body.log_key}",
        )
    return passed(
        "checkpoint", f"signed by {witnessed.log.name} for {witnessed.checkpoint.size} events; genesis names that key"
    )


def check_own_inclusion(evidence: Evidence, witnessed: Witnessed | None) -> Line:
    """Check each event under the root of the log's own tree."""
    name, total = "inclusion BLAKE3", len(evidence.bundle.events)
    if witnessed is None:
        return not_checked(name, "there is no checkpoint to prove against", total)
    root, size = require_blake3(witnessed.checkpoint), witnessed.checkpoint.size
    faults = [fault for bundled in evidence.bundle.events if (fault := _own_fault(bundled, root, size))]
    return counted(name, total, faults, f"events included under the BLAKE3 root of {size} events")


def check_twin_inclusion(evidence: Evidence, witnessed: Witnessed | None) -> Line:
    """Check each event under the RFC 6962 root, the one that witnesses speak for."""
    name, total = "inclusion SHA-256", len(evidence.bundle.events)
    if witnessed is None:
        return not_checked(name, "there is no checkpoint to prove against", total)
    root, size = witnessed.checkpoint.sha256_root, witnessed.checkpoint.size
    faults = [fault for bundled in evidence.bundle.events if (fault := _twin_fault(bundled, root, size))]
    return counted(name, total, faults, f"events included under the SHA-256 root of {size} events")


def check_witnesses(witnessed: Witnessed | None, anchor: Anchor) -> Line:
    """Check that the witnesses that the policy demands have cosigned."""
    if witnessed is None:
        return not_checked("witnesses", "there is no checkpoint to witness")
    names = sorted(witnessed.witnesses)
    if anchor.policy.quorum == NONE:
        return not_checked("witnesses", "the policy demands none (quorum none): name witnesses in it", len(names))
    if not anchor.policy.satisfied(witnessed.witnesses):
        return failed(
            "witnesses", f"the quorum {anchor.policy.quorum} is not reached by: {', '.join(names) or 'nobody'}"
        )
    return passed("witnesses", f"the quorum {anchor.policy.quorum} is reached by: {', '.join(names)}", len(names))


def check_first_human(evidence: Evidence, anchor: Anchor) -> Line:
    """Check that the human who opened the log is one whom the auditor has pinned."""
    return pinned(evidence.events.get(0), anchor)


def pinned(event: Event | None, anchor: Anchor) -> Line:
    """Check that the human whom the first event names is pinned, by the same key."""
    body = event.body if event is not None else None
    if event is None or not isinstance(body, LedgerOpened):
        return failed("first human", "event 0 opens no log")
    if anchor.signers is None:
        return not_checked("first human", f"nobody is pinned; genesis names {body.human}: give --signers FILE")
    try:
        fingerprint = key_of(body.human_key).fingerprint
        line = anchor.signers.lookup(fingerprint, body.namespace(), anchor.at or event.at, body.human)
    except SignatureError as error:
        return failed("first human", f"{body.human} opened the log, and in the file of signers {error}")
    except (GrantError, LedgerError) as error:
        return failed("first human", f"the key that genesis names: {error}")
    return passed("first human", f"{body.human} opened the log with the key of line {line.line} of the signers")


def _genesis(evidence: Evidence) -> LedgerOpened | None:
    event = evidence.events.get(0)
    return event.body if event is not None and isinstance(event.body, LedgerOpened) else None


def _own_fault(bundled: BundledEvent, root: bytes, size: int) -> str | None:
    proof = bundled.own
    if (proof.index, proof.size) != (bundled.seq, size):
        return _other_place(bundled, proof.index, proof.size)
    try:
        inclusion.check_inclusion(root, proof, bundled.data)
    except InclusionError as error:
        return f"event {bundled.seq}: {error}"
    return None


def _twin_fault(bundled: BundledEvent, root: bytes, size: int) -> str | None:
    proof = bundled.twin
    if (proof.index, proof.size) != (bundled.seq, size):
        return _other_place(bundled, proof.index, proof.size)
    try:
        inclusion.check_twin_inclusion(root, proof, SHA256_TREE.leaf(bundled.seq, bundled.data), size=size)
    except InclusionError as error:
        return f"event {bundled.seq}: {error}"
    return None


def _other_place(bundled: BundledEvent, index: int, size: int) -> str:
    return f"event {bundled.seq}: the proof is of event {index} among {size} events"
