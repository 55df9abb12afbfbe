"""Checks what says of one event alone that it stands in the log: a C2SP tlog-proof, or a COSE receipt.

Both speak of the RFC 6962 tree. The keys come from the verifier's policy, never from the file.

Source: C2SP tlog-proof; RFC 9942; DESIGN section 9.
"""

from collections.abc import Sequence

from ledger import canon
from ledger.cose import Receipt
from ledger.digest import SHA256_TREE
from ledger.errors import CanonError, NoteError, ProofError
from ledger.note import VerifierKey
from ledger.policy import Policy
from ledger.proof import TwinInclusion
from ledger.tlog_proof import FIRST_LINE, TlogProof
from verify import inclusion
from verify.check.log import A_NEW_KEY, Anchor, check_witnesses, unsigned
from verify.check.report import Line, failed, not_checked, passed
from verify.errors import InclusionError, LineageError
from verify.links import Followed


def check_receipt(
    data: bytes, event: bytes | None, policy: Policy, followed: Followed | None = None
) -> tuple[Line, ...]:
    """Check a tlog-proof or a receipt; which of the two it is, its first bytes tell.

    Args:
        data: the file.
        event: the event's exact bytes; None to take those that a tlog-proof brings along.
        policy: whom the verifier trusts.
        followed: what a file of links shows of the log's keys; None to go by the policy alone.
    """
    if data.startswith(FIRST_LINE.encode()):
        return _check_tlog_proof(data, event, policy, followed)
    return _check_cose(data, event, policy, followed)


def lacking(data: bytes) -> int | None:
    """Give the number of the event that has to be given along; None where the file brings it, or can't be read."""
    try:
        if not data.startswith(FIRST_LINE.encode()):
            return Receipt.parse(data).proof.index
        proof = TlogProof.parse(data)
    except ProofError:
        return None
    return proof.index if proof.extra is None else None


def _check_tlog_proof(data: bytes, event: bytes | None, policy: Policy, followed: Followed | None) -> tuple[Line, ...]:
    try:
        proof = TlogProof.parse(data)
    except ProofError as error:
        return (failed("structure", str(error)),)
    structure = passed("structure", "a tlog-proof in its one spelling")
    entry = proof.extra if event is None else event
    if entry is None:
        return structure, failed("event", "the proof brings no event along: give it with --event FILE")
    try:
        witnessed = (followed or policy).open(proof.note)
    except (NoteError, LineageError) as error:
        return structure, _event_line(entry, proof.index), failed("checkpoint", unsigned(error))
    size, root = witnessed.checkpoint.size, witnessed.checkpoint.sha256_root
    path = TwinInclusion(size, proof.index, proof.path)
    return (
        structure,
        _event_line(entry, proof.index),
        passed("checkpoint", f"signed by {witnessed.log.name} for {size} events"),
        _inclusion_line(root, path, entry),
        check_witnesses(witnessed, Anchor(policy, None, None)),
    )


def _check_cose(data: bytes, event: bytes | None, policy: Policy, followed: Followed | None) -> tuple[Line, ...]:
    try:
        receipt = Receipt.parse(data)
    except ProofError as error:
        return (failed("structure", f"neither a tlog-proof nor a COSE receipt: {error}"),)
    structure = passed("structure", "a COSE receipt in its one encoding")
    if event is None:
        return structure, failed("event", "a receipt does not hold the event: give it with --event FILE")
    proof = receipt.proof
    lines: list[Line] = [structure, _event_line(event, proof.index)]
    if receipt.subject != subject_of(proof.index):
        return *lines, failed("checkpoint", f"it is about {receipt.subject}, and proves event {proof.index}")
    try:
        root = inclusion.twin_inclusion_root(proof, SHA256_TREE.leaf(proof.index, event))
    except InclusionError as error:
        return *lines, failed("inclusion SHA-256", str(error))
    try:
        keys = [log.key for log in policy.logs] if followed is None else [_key_in_force(followed, proof.size, root)]
    except (NoteError, LineageError) as error:
        return *lines, failed("inclusion SHA-256", str(error))
    lines.append(_signature_line(receipt, root, keys))
    return *lines, not_checked("witnesses", "a receipt carries no cosignatures: a tlog-proof or a bundle does")


def _signature_line(receipt: Receipt, root: bytes, keys: Sequence[VerifierKey]) -> Line:
    check = "inclusion SHA-256"
    key = next((key for key in keys if (key.name, key.key_id) == (receipt.issuer, receipt.key_id)), None)
    if key is None:
        hint = f": {A_NEW_KEY}" if receipt.issuer in {key.name for key in keys} else ""
        return failed(check, f"the policy names no log {receipt.issuer} with the key {receipt.key_id.hex()}{hint}")
    try:
        receipt.check(key, root)
    except NoteError as error:
        return failed(check, f"{key.name} has not signed the root that event and path lead to: {error}")
    size, index = receipt.proof.size, receipt.proof.index
    return passed(check, f"{key.name} signed the root of {size} events, in which this is event {index}")


def _key_in_force(followed: Followed, size: int, root: bytes) -> VerifierKey:
    followed.check_root(size, root)
    return followed.key_at(size)


def subject_of(seq: int) -> str:
    """Name what a receipt is about."""
    return f"event/{seq}"


def _event_line(entry: bytes, index: int) -> Line:
    try:
        fields = canon.decode_object(entry)
    except CanonError as error:
        return failed("event", f"not the exact bytes of an event: {error}")
    if fields.get("seq") != index or type(fields.get("seq")) is not int:
        return failed("event", f"the event is number {fields.get('seq')!r}, and the proof is of number {index}")
    return passed("event", f"event {index}, {fields.get('type')!r}")


def _inclusion_line(root: bytes, proof: TwinInclusion, entry: bytes) -> Line:
    try:
        inclusion.check_twin_inclusion(root, proof, SHA256_TREE.leaf(proof.index, entry), size=proof.size)
    except InclusionError as error:
        return failed("inclusion SHA-256", str(error))
    return passed("inclusion SHA-256", f"event {proof.index} stands under the root of {proof.size} events")
