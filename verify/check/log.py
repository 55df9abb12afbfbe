"""The links from an event to the log: leaf, root, checkpoint, log key, witnesses, and who opened it all.

Source: DESIGN sections 5, 6 and 9.
"""

from dataclasses import dataclass
from typing import Final

from grants.allowed_signers import AllowedSigners
from grants.book.checks import key_of
from grants.book.states import GenesisState
from grants.errors import GrantError, SignatureError
from ledger.checkpoint import require_blake3
from ledger.digest import SHA256_TREE
from ledger.errors import LedgerError, NoteError, UnknownLogError
from ledger.event import Event
from ledger.events import LedgerKeyRotated, LedgerOpened, LedgerRestored
from ledger.instant import Instant
from ledger.note import VerifierKey
from ledger.policy import NONE, Policy, Witnessed
from verify import inclusion
from verify.bundle.parts import BundledEvent
from verify.check.evidence import Evidence
from verify.check.lineage import check_links, follow, life_of_the_log, signed_by, told
from verify.check.report import Line, counted, failed, not_checked, passed
from verify.errors import InclusionError, LineageError

A_NEW_KEY: Final = "the log may have a new key: a file of links leads from the old one (--links FILE, --signers FILE)"


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
    """Open the checkpoint under the policy's keys, or under one that came after them; where that fails, say why."""
    try:
        witnessed = anchor.policy.open(evidence.bundle.checkpoint)
        require_blake3(witnessed.checkpoint)
    except NoteError as error:
        return _followed(evidence, anchor, str(error))
    return witnessed, ""


def _followed(evidence: Evidence, anchor: Anchor, refusal: str) -> tuple[Witnessed | None, str]:
    if not any(isinstance(event.body, LedgerKeyRotated | LedgerRestored) for event in evidence.events.values()):
        return None, refusal
    try:
        return follow(evidence, anchor), ""
    except (LineageError, NoteError) as error:
        return None, str(error)


def check_checkpoint(evidence: Evidence, witnessed: Witnessed | None, refusal: str) -> Line:
    """Check that a log of the policy signed the checkpoint, or a key that came after, and that it is the log's own."""
    if witnessed is None:
        return failed("checkpoint", refusal)
    try:
        state = life_of_the_log(evidence)
        checkpoint = witnessed.checkpoint
        origin, vkey = state.at(checkpoint.size)
        check_links(evidence, state, checkpoint)
    except LineageError as error:
        return failed("checkpoint", str(error))
    by, key = witnessed.log, VerifierKey.parse(vkey)
    both = by != key and signed_by(evidence.bundle.checkpoint, [key])
    known = both and by.text() in {reign.log_key for reign in state.former if reign.origin == origin}
    if origin != checkpoint.origin or not (by == key or known):
        return failed(
            "checkpoint",
            f"signed for {checkpoint.origin}, but event {_last_change(state, checkpoint.size)} names the log {origin} "
            f"with the key {vkey}",
        )
    signed = f"signed by {by.name} for {checkpoint.size} events"
    became = told(evidence, state, checkpoint)
    if not became:
        return passed("checkpoint", f"{signed}; genesis names that key")
    under = f"under the key {by.key_id.hex()}" + (f" and under {key.key_id.hex()}, which replaced it" if both else "")
    return passed("checkpoint", f"{signed}, {under}; {became}")


def _last_change(state: GenesisState, size: int) -> int:
    return max((reign.until for reign in state.former if reign.until < size), default=0)


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


def unsigned(error: NoteError | LineageError) -> str:
    """Say why a checkpoint does not open, where nothing else can lead from a key of the policy to a later one."""
    return f"{error}: {A_NEW_KEY}" if isinstance(error, UnknownLogError) and error.origin is not None else str(error)


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
