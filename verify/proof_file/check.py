"""Checking a proof file against the keys that a verifier trusts: it needs no ledger and no network.

Events are read one by one, so a range may be longer than the memory is large.

Source: docs/spec/proof-file.md.
"""

from typing import BinaryIO, Final

from ledger.errors import NoteError
from ledger.policy import Policy, Witnessed
from ledger.proof import ConsistencyProof, InclusionProof, RangeProof, SetProof, TwinConsistency, TwinInclusion
from verify.check.log import Anchor, check_witnesses, unsigned
from verify.check.report import Line, failed, not_checked, passed
from verify.errors import InclusionError, LineageError
from verify.links import Followed
from verify.multiproof import check_in_both
from verify.proof_file.form import ProofHead, read_events, read_head
from verify.proven import Growth, Roots, check_event, check_growth, roots_of

CHECKS: Final = ("structure", "checkpoint", "witnesses", "roots", "events", "older checkpoint")


def check_proof_file(
    file: BinaryIO,
    policy: Policy,
    checkpoint: bytes | None = None,
    older: bytes | None = None,
    followed: Followed | None = None,
) -> tuple[Line, ...]:
    """Check everything that a proof file says.

    Args:
        file: the file, read once from where it stands.
        policy: whom the verifier trusts.
        checkpoint: a signed note to hold it against, in place of the one that it brings along.
        older: the signed note of the older size, for a proof of consistency.
        followed: what a file of links shows of the log's keys; None to go by the policy alone.

    Returns:
        One line for each check, in the order of `CHECKS`.

    Raises:
        NotAProofFileError: it is none.
    """
    head = read_head(file)
    lines = [passed("structure", f"a proof file of kind {head.kind}")]
    try:
        witnessed = (followed or policy).open(head.checkpoint if checkpoint is None else checkpoint)
        signed = roots_of(witnessed.checkpoint)
    except (NoteError, LineageError) as error:
        return *lines, failed("checkpoint", unsigned(error))
    lines.append(passed("checkpoint", f"signed by {witnessed.log.name} for {signed.size} events"))
    lines.append(check_witnesses(witnessed, Anchor(policy, None, None)))
    lines.append(_check_roots(head, signed))
    if lines[-1].status == "PASS":
        lines.append(_check_events(head, file))
    if isinstance(head.own, ConsistencyProof):
        lines.append(_check_older(head, followed or policy, witnessed, older))
    elif older is not None:
        lines.append(failed("older checkpoint", "this is no proof of consistency: there is no older size"))
    return tuple(lines)


def _check_roots(head: ProofHead, signed: Roots) -> Line:
    if head.link is None:
        if head.roots == signed:
            return passed("roots", "those of the checkpoint")
        return failed("roots", f"for {head.roots.size} events, and they are not those of the checkpoint")
    try:
        check_growth(head.roots, signed, head.link)
    except InclusionError as error:
        return failed("roots", str(error))
    return passed("roots", f"those of {head.roots.size} events, which the checkpoint continues")


def _check_events(head: ProofHead, file: BinaryIO) -> Line:
    try:
        return _prove(head, file)
    except InclusionError as error:
        return failed("events", str(error))


def _prove(head: ProofHead, file: BinaryIO) -> Line:
    roots, seqs, own, twin = head.roots, head.seqs(), head.own, head.twin
    events = read_events(file, seqs)
    if isinstance(own, InclusionProof) and isinstance(twin, TwinInclusion):
        (event,) = events
        check_event(roots, own, twin, event)
        return passed("events", f"event {own.index} stands among {roots.size} events, in both trees")
    if isinstance(own, ConsistencyProof) and isinstance(twin, TwinConsistency):
        list(events)
        return _check_old(head, Growth(own, twin))
    if not isinstance(own, SetProof | RangeProof) or not isinstance(twin, SetProof | RangeProof):
        raise InclusionError("the two proofs are of different kinds")
    check_in_both((roots.blake3, roots.sha256), own, twin, events, size=roots.size)
    if isinstance(own, RangeProof):
        what = f"these are all events from {own.first} to {own.last} among {roots.size}, in both trees"
        return passed("events", what, len(seqs))
    return passed("events", f"{len(seqs)} events stand among {roots.size}, in both trees", len(seqs))


def _check_old(head: ProofHead, found: Growth) -> Line:
    if head.old is None:
        raise InclusionError("there are no old roots")
    check_growth(head.old, head.roots, found)
    return passed("events", f"the log of {head.roots.size} events continues the one of {head.old.size}, in both trees")


def _check_older(head: ProofHead, trust: Policy | Followed, newer: Witnessed, older: bytes | None) -> Line:
    name, old = "older checkpoint", head.old
    if old is None or older is None:
        return not_checked(name, "which roots were signed before is not given: give the older note with --older FILE")
    try:
        signed = trust.open(older)
        roots = roots_of(signed.checkpoint)
    except (NoteError, LineageError) as error:
        return failed(name, unsigned(error))
    # Links show that the log of one name goes on under another, with the events that both have.
    if isinstance(trust, Policy) and signed.checkpoint.origin != newer.checkpoint.origin:
        return failed(name, f"it is of another log, {signed.checkpoint.origin}")
    if roots != old:
        return failed(name, f"it was signed for {roots.size} events, and has other roots than the old ones here")
    return passed(name, f"signed by {signed.log.name} for {roots.size} events; they are the first of the log")
