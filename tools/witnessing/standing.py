"""How a checkpoint stands with the witnesses of the ledger's policy: pending, quorum or final.

    pending    the quorum of the policy is not reached
    quorum     it is reached, and not every witness has cosigned
    final      every witness of the policy has cosigned

Source: DESIGN section 9; docs/spec/witness.md.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ledger.checkpoint import Checkpoint
from ledger.cosignature import parse_cosignature, witness_id
from ledger.log import Snapshot
from ledger.policy import Policy, PolicyWitness
from ledger.witness import parse_lines, with_lines

State: TypeAlias = Literal["pending", "quorum", "final"]


@dataclass(frozen=True, slots=True)
class WitnessStanding:
    """How far one witness has come.

    Attributes:
        witness: as the policy has it.
        counts: whether it leads to the quorum; otherwise nobody waits for it.
        cosigned: whether it has cosigned the newest checkpoint.
        size: the largest size that it has cosigned, or None.
        time: when, by its own clock, in POSIX seconds, or None.
    """

    witness: PolicyWitness
    counts: bool
    cosigned: bool
    size: int | None
    time: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How the newest checkpoint stands.

    Attributes:
        checkpoint: what it says.
        note: its bytes, with every line that was kept.
        state: pending, quorum or final.
        witnesses: each witness of the policy.
    """

    checkpoint: Checkpoint
    note: bytes
    state: State
    witnesses: tuple[WitnessStanding, ...]


def cosigned_note(snapshot: Snapshot, size: int, note: bytes) -> bytes:
    """Give a checkpoint with every line that witnesses added to it."""
    return with_lines(note, [line for _, line in snapshot.cosignatures(size)])


def state_of(policy: Policy, note: bytes) -> State:
    """Tell how a cosigned checkpoint stands with the policy.

    Raises:
        NoteError: it is of none of the policy's logs, or a line does not hold.
    """
    heard = policy.open(note).witnesses
    if policy.witnesses and all(witness.name in heard for witness in policy.witnesses):
        return "final"
    return "quorum" if policy.satisfied(heard) else "pending"


def standing(snapshot: Snapshot, policy: Policy) -> Standing | None:
    """Tell how the newest checkpoint stands, or None where none was signed yet.

    Raises:
        NoteError: it is of none of the policy's logs, or a line does not hold.
    """
    newest = snapshot.newest_checkpoint()
    if newest is None:
        return None
    note = cosigned_note(snapshot, *newest)
    counted = policy.counted()
    witnesses = tuple(_one(snapshot, one, newest[0], counts=one.name in counted) for one in policy.witnesses)
    return Standing(policy.open(note).checkpoint, note, state_of(policy, note), witnesses)


def _one(snapshot: Snapshot, witness: PolicyWitness, newest: int, *, counts: bool) -> WitnessStanding:
    named = witness_id(witness.key)
    size = snapshot.last_cosigned(named)
    if size is None:
        return WitnessStanding(witness, counts, cosigned=False, size=None, time=None)
    (line,) = parse_lines(dict(snapshot.cosignatures(size))[named].encode())
    time, _ = parse_cosignature(line.signature)
    return WitnessStanding(witness, counts, cosigned=size == newest, size=size, time=time)
