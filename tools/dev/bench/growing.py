"""One log that grows to its full size: proofs, their checks, opening and bytes on disk at each power of ten."""

import random
import resource
import sys
from collections.abc import Callable
from time import perf_counter

from ledger import digest
from ledger.log import Snapshot
from ledger.sql.address import Address
from ledger.sql.place import open_log
from tools.dev.bench.appending import fill
from tools.dev.bench.logs import LogPath, plain_log
from tools.dev.bench.sample import clock, contents
from tools.dev.bench.sheet import SQLITE, Sheet, power, rate
from verify.inclusion import check_inclusion
from verify.prover import Prover

TURNS = 5
PROOFS = 4000
WARMING = 40_000
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
    return f"append in bulk, log path alone, up to {power(size)} events"


DISK = "bytes on disk per event"
MEMORY = "peak memory of the process that did all of this"


def measure(sheet: Sheet, file: Address, column: str, sizes: list[int], disk: Callable[[], int]) -> None:
    """Let a log grow, and measure it at each size.

    Args:
        sheet: where figures are noted.
        file: where the log will be.
        column: the database's.
        sizes: ascending.
        disk: tells how many bytes the log takes.
    """
    plain_log(file).close()
    now = 0
    for size in sizes:
        log = open_log(file, (), clock)
        path, spent = LogPath(log), 0.0
        added = size - now
        while now < size:
            entries = contents(now, min(CHUNK, size - now))
            begun = perf_counter()
            fill(path, entries, BATCH)
            spent += perf_counter() - begun
            now += len(entries)
        path.close()
        log.close()
        print(f"  {power(size)} events after {spent:.0f} s", file=sys.stderr)
        sheet.add(bulk(size), "events/s", column, added / spent)
        _at(sheet, file, column, size)
    sheet.add(DISK, "bytes", column, disk() / now)
    if column == SQLITE:
        sheet.add(MEMORY, "MiB", column, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _at(sheet: Sheet, file: Address, column: str, size: int) -> None:
    for _ in range(TURNS):
        begun = perf_counter()
        log = open_log(file, (), clock)
        if log.read(lambda look: look.head.size) != size:
            raise AssertionError("the log has another size")
        sheet.add(opening(size), "ms", column, 1000 * (perf_counter() - begun))
        log.close()
    log = open_log(file, (), clock)
    log.read(lambda look: _prove(sheet, look, column, size))
    log.close()


def _prove(sheet: Sheet, look: Snapshot, column: str, size: int) -> None:
    nodes, root = look.nodes("blake3"), digest.root(size, look.head.blake3_peaks)
    prover, chance = Prover(nodes, size, root), random.Random(size)

    def prove(count: int) -> None:
        for _ in range(count):
            prover.prove(nodes, chance.randrange(size))

    sheet.add(cold(size), "proofs/s", column, rate(PROOFS, lambda: prove(PROOFS)))
    prove(WARMING)
    kept = [prover.prove(nodes, chance.randrange(size)) for _ in range(PROOFS)]

    def check() -> None:
        for data, proof in kept:
            check_inclusion(root, proof, data)

    for _ in range(TURNS):
        sheet.add(proving(size), "proofs/s", column, rate(PROOFS, lambda: prove(PROOFS)))
        sheet.add(checking(size), "proofs/s", column, rate(PROOFS, check))
