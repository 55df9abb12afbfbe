"""Handing out proofs of the log's events: each is verified before a byte of it is given away.

Source: DESIGN section 6; docs/spec/proof-file.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

from ledger.errors import ProofError
from ledger.log import Snapshot
from ledger.proof import MAX_SET
from tools.checkpointing import Signed
from tools.errors import EvidenceError, InputError
from tools.ledger import OpenLedger
from tools.proving import covering
from verify import proven
from verify.errors import InclusionError
from verify.proof_file.form import ProofHead
from verify.proven import Growth, Roots


@dataclass(frozen=True, slots=True)
class Events:
    """Asks for a proof of one event, or of some."""

    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AllEvents:
    """Asks for a proof that the log has exactly these events from one to another."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Since:
    """Asks for a proof that the log continues the one of an older size."""

    old: int


Asked: TypeAlias = Events | AllEvents | Since


@dataclass(frozen=True, slots=True)
class Given:
    """What was handed out.

    Attributes:
        kind: what is proven.
        events: how many events were written.
        size: the number of events of the log that it speaks of.
        signed: the checkpoint that it rests on.
    """

    kind: str
    events: int
    size: int
    signed: Signed


def hand_out(ledger: OpenLedger, asked: Asked, size: int | None, file: BinaryIO) -> Given:
    """Prove what is asked for, verify it, and write the proof file.

    Args:
        ledger: the open ledger; a checkpoint is signed where the latest does not cover what is asked for.
        asked: what is to be proven.
        size: of the log at which past size; None for that of the checkpoint.
        file: where to; nothing is written unless everything holds.

    Raises:
        InputError: the log has no such events, or no such size.
        EvidenceError: what is stored does not lead to what was signed.
    """
    now = ledger.log.read(lambda look: look.head.size)
    last = _last(asked, now, size)
    signed = covering(ledger, last if size is None else size - 1)
    try:
        return ledger.log.read(lambda look: _write(look, signed, asked, size, file))
    except (InclusionError, ProofError) as error:
        raise EvidenceError(
            f"what is stored does not lead to the checkpoint of {signed.checkpoint.size} events, and nothing is handed "
            f"out: run tally audit ({error})"
        ) from error


def _last(asked: Asked, now: int, size: int | None) -> int:
    """Find the last event that must be covered, and refuse what the log does not have."""
    if size is not None and not 0 < size <= now:
        raise InputError(f"the log has {now} events, and had no size {size}: give --size from 1 to {now}")
    end = now if size is None else size
    last = 0
    match asked:
        case Events(seqs):
            if len(seqs) > MAX_SET:
                raise InputError(
                    f"one proof has at most {MAX_SET} events, not {len(seqs)}: ask in parts, or for --range"
                )
            last = max(seqs)
        case AllEvents(first, last):
            if first > last:
                raise InputError(f"a range goes from an event to a later one, not from {first} to {last}")
        case Since(old):
            if not 0 < old <= end:
                raise InputError(f"nothing can be proven from size {old} to {end}: give --since from 1 to {end}")
            return min(old, now - 1)
    if last >= end:
        raise InputError(f"there is no event {last} among {end}, the first of which is 0")
    return last


def _write(look: Snapshot, signed: Signed, asked: Asked, size: int | None, file: BinaryIO) -> Given:
    trusted = proven.roots_of(signed.checkpoint)
    if size is None or size == trusted.size:
        head, events = _prove(look, signed.note, trusted, None, asked)
    else:
        past, link = proven.roots_before(look, size, trusted)
        head, events = _prove(look, signed.note, past, link, asked)
    file.write(head.to_bytes())
    file.writelines(data + b"\n" for data in events)
    return Given(head.kind, len(head.seqs()), head.roots.size, signed)


def _prove(
    look: Snapshot, note: bytes, roots: Roots, link: Growth | None, asked: Asked
) -> tuple[ProofHead, Iterable[bytes]]:
    match asked:
        case Events((seq,)):
            data, own, twin = proven.EventProver(roots).prove(look, seq)
            return ProofHead(note, roots, own, twin, link), (data,)
        case Events(seqs):
            events, *pair = proven.prove_events(look, roots, sorted(set(seqs)))
            return ProofHead(note, roots, pair[0], pair[1], link), events
        case AllEvents(first, last):
            both = proven.prove_all(look, roots, first, last)
            return ProofHead(note, roots, *both, link), proven.all_events(look, first, last)
        case Since(old):
            past, found = proven.roots_before(look, old, roots)
            return ProofHead(note, roots, found.own, found.twin, link, past), ()
