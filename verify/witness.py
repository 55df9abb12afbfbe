"""The rule by which a witness cosigns: pure, given what it cosigned last and what a log asks now.

The checks stand in the order of the protocol; the first that fails is the answer. Nothing here knows of HTTP but the
numbers, which are the protocol's own names for its answers.

Source: C2SP tlog-witness; docs/spec/witness.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ledger.cosignature import TreeHead
from ledger.errors import NoteError, WitnessFormError
from ledger.note import Note, VerifierKey, open_note, parse_note
from ledger.proof import TwinConsistency
from ledger.rfc6962 import EMPTY_ROOT
from ledger.witness import AddCheckpoint
from verify.errors import InclusionError
from verify.inclusion import check_twin_consistency

MALFORMED: Final = 400
UNSIGNED: Final = 403
UNKNOWN: Final = 404
CONFLICT: Final = 409
INCONSISTENT: Final = 422


@dataclass(frozen=True, slots=True)
class WitnessState:
    """What a witness cosigned last of one log.

    Attributes:
        size: the size; 0 before the first.
        root: the RFC 6962 root at this size.
    """

    size: int = 0
    root: bytes = EMPTY_ROOT


NOTHING: Final = WitnessState()
"""A log of which nothing was cosigned yet."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is well-formed and signed by a known key of a known log.

    Attributes:
        head: what the checkpoint says.
        note: the checkpoint with the lines that hold; see `ledger.note.Note`.
        old_size: the size that the log says was cosigned last.
        proof: the consistency proof from there.
    """

    head: TreeHead
    note: Note
    old_size: int
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a witness does not cosign.

    Attributes:
        status: one of the numbers above.
        why: one line.
        size: what was cosigned last, where that is the answer.
    """

    status: int
    why: str
    size: int | None = None


def read_request(data: bytes, keys: Sequence[VerifierKey]) -> Asked | Refusal:
    """Read what a log asks, and check who signed it. What was cosigned before plays no part yet.

    Args:
        data: the body of the request.
        keys: the keys of the logs that this witness knows; a key's name is its log's origin.
    """
    try:
        request = AddCheckpoint.parse(data)
        text, _ = parse_note(request.note)
        head = TreeHead.parse(text)
    except (WitnessFormError, NoteError) as error:
        return Refusal(MALFORMED, str(error))
    known = [key for key in keys if key.name == head.origin]
    if not known:
        return Refusal(UNKNOWN, "this witness does not know the log")
    try:
        note = open_note(request.note, known)
    except NoteError as error:
        return Refusal(UNSIGNED, str(error))
    if request.old_size > head.size:
        return Refusal(MALFORMED, f"the old size {request.old_size} is above the checkpoint's, {head.size}")
    return Asked(head, note, request.old_size, request.proof)


def judge(asked: Asked, last: WitnessState) -> WitnessState | Refusal:
    """Tell whether a witness may cosign, given what it cosigned last of this log.

    Whoever calls keeps the state that this gives, on the disk, in the transaction in which ``last`` was read.
    """
    if asked.old_size != last.size:
        return Refusal(CONFLICT, f"size {last.size} was cosigned last", last.size)
    fault = _fault(asked, last)
    return Refusal(INCONSISTENT, fault) if fault else WitnessState(asked.head.size, asked.head.root)


def contradicts(asked: Asked, last: WitnessState) -> bool:
    """Tell whether the checkpoint and what was cosigned last can't both be true, whatever else was asked."""
    return last.size == asked.head.size and last.root != asked.head.root


def _fault(asked: Asked, last: WitnessState) -> str | None:
    """Say why the checkpoint does not continue what was cosigned last, or None."""
    head = asked.head
    if contradicts(asked, last):
        return f"another root was cosigned for size {last.size}"
    # Nothing is proven from size 0: a witness takes a log as it finds it.
    if last.size in {0, head.size}:
        return "a proof stands where none is needed" if asked.proof else None
    try:
        proof = TwinConsistency(last.size, head.size, asked.proof)
        check_twin_consistency(last.root, head.root, proof, old_size=last.size, new_size=head.size)
    except InclusionError as error:
        return f"the checkpoint does not continue size {last.size}: {error}"
    return None
