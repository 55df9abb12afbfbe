"""checkpointed-local-log: identities of 32 bytes in SQLite; its Merkle Mountain Range is kept in memory."""

from cll.checkpoint import core
from cll.checkpoint.store import MemoryNodeStore
from cll.log import AppendInput
from cll.log import sqlite as store
from common import arguments, digest, events, growth, note, now, prove, singles

place, sizes, budget = arguments()
store.init(place / "log.db", "bench")
log = store.open(place / "log.db", "bench")
note("a commit waits for the disk (WAL, and synchronous left at SQLite's default, FULL)")
note("only an event's SHA-256 is stored; an append is one entry, there is no batch")
note("its tree is grown apart from that, in memory, and proofs come from there: nothing is read from a database")
singles(lambda data: log.append(AppendInput(digest(data), now())))
log.close()

nodes, leaves = MemoryNodeStore(), []


def add(start: int, count: int) -> None:
    for data in events(start, count):
        leaves.append(digest(data))
        core.add_leaf(nodes, core.leaf_hash(leaves[-1]))


def measure(size: int) -> None:
    total = core.node_count(size)
    root = core.root_from_peaks([nodes.node(peak) for peak in core.peaks(total)])
    prove(
        size,
        budget,
        lambda index: (index, core.inclusion_proof(nodes, index, total)),
        lambda pair: core.verify_inclusion(root, total, pair[0], leaves[pair[0]], pair[1]),
    )


for reached in growth(sizes, budget, 0.6, add, durable=False):
    measure(reached)
