"""``tally copy``: one log brought from a database to another, to the same roots and the same rows.

The source is read in one look: what is appended to it meanwhile is not in the copy, which is a prefix all the same.
The target is a prefix of the source at every moment, whatever interrupts.

Source: DESIGN section 6.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

from grants.events.erasures import ERASURE
from ledger import mmr
from ledger.errors import ProofError
from ledger.log import Head, Snapshot
from ledger.sql.dump import Dump, dump
from ledger.sql.load import load, load_seals
from ledger.sql.log import SqlLog
from ledger.sql.scrub import scrub
from tools.erasing import underway, unfinished
from tools.errors import EvidenceError
from tools.home import Home
from verify.views import EVENTS

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told the stage, how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy came to.

    Attributes:
        size: how many events both hold.
        stood: how many of them were there before.
        digests: of each table, the digest that both have.
    """

    size: int
    stood: int
    digests: dict[str, str]


def copy(source: SqlLog, target: SqlLog, home: Home | None, progress: Progress) -> Copied:
    """Copy what the target lacks, and hold every table of both against each other.

    Args:
        source: the log that is read.
        target: the log that is written to.
        home: the target's directory, or None where it is a database alone.
        progress: is told how far it is.

    Raises:
        EvidenceError: the target is no prefix of the source, or the copy differs from it.
        CorruptError: the source holds what can't be a log.
        StoreError: a database can't be read or written.
    """
    return dump(source.engine, lambda look: _copy(look, target, home, progress))


def _copy(look: Dump, target: SqlLog, home: Home | None, progress: Progress) -> Copied:
    size = look.head.size
    stood = target.read(lambda own: check_prefix(look, own))
    with _nothing_left(target, home, owed=_loses(look, stood, home)):
        load(target, EVENTS, look, size, lambda done: progress("copying", done, size))
    load_seals(target.engine, look.seals(0, size))
    digests = _compared(look, target, progress)
    return Copied(size, stood, digests)


def check_prefix(look: Snapshot, own: Snapshot) -> int:
    """Check that what stands in the target is how the source begins: the last event, and the peaks of both trees.

    Returns:
        How many events stand.

    Raises:
        EvidenceError: it is not.
    """
    head = own.head
    if head.size > look.head.size:
        raise EvidenceError(
            f"the target holds {head.size} events and the source {look.head.size}: it is no earlier copy of it, and "
            "is left as it is; copy the other way round, or choose another place"
        )
    if head.size and (own.event_bytes(head.size - 1) != look.event_bytes(head.size - 1) or not _fits(look, head)):
        raise EvidenceError(
            f"the {head.size} events of the target are not those that the source begins with: it is another log, or "
            "one of them was changed; it is left as it is. Run tally audit on both, or choose another place"
        )
    return head.size


def _fits(look: Snapshot, head: Head) -> bool:
    peaks = mmr.peak_positions(head.size)
    try:
        own, twin = look.nodes("blake3").read(peaks), look.nodes("sha256").read(peaks)
    except ProofError:
        return False
    return (tuple(own), tuple(twin)) == (head.blake3_peaks, head.sha256_peaks)


def _loses(look: Snapshot, stood: int, home: Home | None) -> bool:
    """Tell whether the copy takes openings away that the target was given earlier.

    A database without a directory has no place for a note that this was interrupted, so there it is taken for granted.
    """
    if home is not None and unfinished(home):
        return True
    return stood > 0 and any(seq >= stood or home is None for seq in look.tagged(ERASURE))


@contextmanager
def _nothing_left(target: SqlLog, home: Home | None, *, owed: bool) -> Iterator[None]:
    """Write the target anew after the block where it owes that, so that no byte is left of what was erased in it."""
    with underway(home) if owed and home is not None else nullcontext():
        yield
        if owed:
            scrub(target.engine)


def _compared(look: Dump, target: SqlLog, progress: Progress) -> dict[str, str]:
    rows = 2 * (mmr.size(look.head.size) + look.head.size)
    there = look.digests(lambda done: progress("comparing", done, 2 * rows))
    here = dump(target.engine, lambda own: own.digests(lambda done: progress("comparing", rows + done, 2 * rows)))
    different = [table for table, digest in there.items() if here[table] != digest]
    if different:
        raise EvidenceError(
            f"the copy is made, and differs from the source in {', '.join(different)}: one of the two was changed, or "
            "written to meanwhile; run tally audit on both"
        )
    return here
