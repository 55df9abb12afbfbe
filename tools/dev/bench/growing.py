"""Logs of each power of ten: bulk appends, opening, proofs and their checks, bytes on disk."""

import random
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from ledger import digest
from ledger.log import Snapshot
from ledger.proof import InclusionProof
from ledger.sql.address import Address
from ledger.sql.log import SqlLog
from ledger.sql.place import open_log
from tools.dev.bench.appending import fill
from tools.dev.bench.logs import LogPath, plain_log
from tools.dev.bench.sample import clock, contents
from tools.dev.bench.sheet import SQLITE, Sheet, power, rate
from verify.inclusion import check_inclusion
from verify.prover import Prover

TURNS = 5
PROOFS = 4000
WARMING = 100_000
"""So many proofs at most before the steady rate is taken: they make most of what is kept of the upper tree known."""
CHUNK = 50_000
BATCH = 5000


def proving(size: int) -> str:
    """Name the row of proofs from the database."""
    return f"inclusion proof from the database, verified, {power(size)} events"


def cold(size: int) -> str:
    """Name the row of the first proofs, while the upper part of the tree is not known yet."""
    return f"the same, the first {PROOFS:,} after opening, {power(size)} events"


def checking(size: int) -> str:
    """Name the row of checks."""
    return f"inclusion proof checked, {power(size)} events"


def opening(size: int) -> str:
    """Name the row of opening."""
    return f"open a log, {power(size)} events"


def bulk(size: int) -> str:
    """Name the row of growth."""
    return f"append in bulk, log path alone, to {power(size)} events"


DISK = "bytes on disk per event"
MEMORY = "peak memory of the process that did all of this"


@dataclass
class Station:
    """A log of one size, and the prover that has come to know it."""

    size: int
    log: SqlLog
    root: bytes
    prover: Prover
    chance: random.Random
    kept: list[tuple[bytes, InclusionProof]]

    def prove(self, look: Snapshot, count: int) -> None:
        """Prove events chosen at random."""
        nodes = look.nodes("blake3")
        for _ in range(count):
            self.prover.prove(nodes, self.chance.randrange(self.size))

    def check(self) -> None:
        """Check the proofs that were kept."""
        for data, proof in self.kept:
            check_inclusion(self.root, proof, data)


def measure(
    sheet: Sheet, address: Callable[[str], Address], column: str, sizes: list[int], disk: Callable[[str], int]
) -> None:
    """Grow a log to each size, and measure all of them in turns.

    Args:
        sheet: where figures are noted.
        address: gives the address of a log that is not there yet.
        column: the database's.
        sizes: ascending.
        disk: tells how many bytes the log of a name takes.
    """
    for size in sizes:
        _grow(sheet, address(_name(size)), column, size)
    stations = [_settle(sheet, address(_name(size)), column, size) for size in sizes]
    for _ in range(TURNS):
        # In turns, so that what disturbs one size disturbs them all.
        for at in stations:
            made = at.log.read(lambda look, at=at: rate(PROOFS, lambda: at.prove(look, PROOFS)))  # type: ignore[misc]
            sheet.add(proving(at.size), "proofs/s", column, made)
            sheet.add(checking(at.size), "proofs/s", column, rate(len(at.kept), at.check))
    for at in stations:
        at.log.close()
    sheet.add(DISK, "bytes", column, disk(_name(sizes[-1])) / sizes[-1])
    if column == SQLITE:
        sheet.add(MEMORY, "MiB", column, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _name(size: int) -> str:
    return f"grown_{size}"


def _grow(sheet: Sheet, address: Address, column: str, size: int) -> None:
    log = plain_log(address)
    path, spent = LogPath(log), 0.0
    for start in range(0, size, CHUNK):
        entries = contents(start, min(CHUNK, size - start))
        begun = perf_counter()
        fill(path, entries, BATCH)
        spent += perf_counter() - begun
    path.close()
    log.close()
    print(f"  {power(size)} events in {spent:.0f} s", file=sys.stderr)
    sheet.add(bulk(size), "events/s", column, size / spent)


def _settle(sheet: Sheet, address: Address, column: str, size: int) -> Station:
    """Open a log, as often as there are turns; then make its first proofs, and all that warm the prover."""
    for _ in range(TURNS):
        begun = perf_counter()
        opened = open_log(address, (), clock)
        found = opened.read(lambda look: look.head.size)
        sheet.add(opening(size), "ms", column, 1000 * (perf_counter() - begun))
        opened.close()
        if found != size:
            raise AssertionError("the log has another size")
    log = open_log(address, (), clock)

    def work(look: Snapshot) -> Station:
        nodes, root = look.nodes("blake3"), digest.root(size, look.head.blake3_peaks)
        at = Station(size, log, root, Prover(size, root), random.Random(size), [])
        sheet.add(cold(size), "proofs/s", column, rate(PROOFS, lambda: at.prove(look, PROOFS)))
        at.prove(look, min(WARMING, 2000 + size // 50))
        at.kept = [at.prover.prove(nodes, at.chance.randrange(size)) for _ in range(PROOFS)]
        return at

    return log.read(work)
