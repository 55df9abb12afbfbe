"""Proofs from the database, and their verification."""

import random
from pathlib import Path

from ledger import digest, mmr
from ledger.log import Snapshot
from ledger.sql.place import create_log
from tools.dev.bench.appending import TURNS, batch, clock
from tools.dev.bench.row import Row, rate
from verify.inclusion import check_inclusion

SIZE = 20_000
COUNT = 1_000


def measure(place: Path) -> list[Row]:
    log = create_log(place / "ledger.db", (), clock)
    for _ in range(SIZE // 1000):
        batch(log, 1000)
    return log.read(_measure)


def _measure(snapshot: Snapshot) -> list[Row]:
    nodes = snapshot.nodes("blake3")
    root = digest.root(SIZE, snapshot.head.blake3_peaks)
    chosen = random.Random(1).sample(range(SIZE), COUNT)
    entries = {index: snapshot.event_bytes(index) or b"" for index in chosen}
    proofs = {index: mmr.prove_inclusion(nodes, index, SIZE) for index in chosen}

    def check() -> None:
        for index in chosen:
            check_inclusion(root, proofs[index], entries[index])

    made = Row(f"inclusion proof from the database, {SIZE:,} events", "proofs/s")
    checked = Row("inclusion proof verified", "proofs/s")
    for _ in range(TURNS):
        made.rates.append(rate(COUNT, lambda: [mmr.prove_inclusion(nodes, index, SIZE) for index in chosen]))
        checked.rates.append(rate(COUNT, check))
    return [made, checked]
