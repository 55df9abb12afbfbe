"""pymerkle's SqliteTree: entries with their leaf hashes in SQLite; inner nodes are hashed when they are asked for."""

from common import arguments, batches, disk, events, growth, note, prove, singles, tell
from pymerkle import SqliteTree, verify_inclusion

place, sizes, budget = arguments()
tree = SqliteTree(str(place / "small.db"))
(mode,) = tree.con.execute("PRAGMA journal_mode").fetchall()
(level,) = tree.con.execute("PRAGMA synchronous").fetchall()
note(f"a commit waits for the disk (journal_mode {mode}, synchronous {level}, SQLite's defaults)")
note("leaves alone are stored: inner nodes are hashed when a proof is made")
singles(tree.append_entry)
batches(tree.append_entries, 100)
batches(tree.append_entries, 1000)
tree.close()

grown = SqliteTree(str(place / "grown.db"))


def measure(size: int) -> None:
    root = grown.get_root(size)
    # The hash of the entry is the proof's base.
    prove(
        size,
        budget,
        lambda index: (grown.get_leaf(index + 1), grown.prove_inclusion(index + 1, size)),
        lambda pair: verify_inclusion(pair[0], root, pair[1]) is None,
    )
    tell("disk", disk(place, "grown.db") / size, size)


for reached in growth(sizes, budget, 0.5, lambda start, count: grown.append_entries(events(start, count))):
    measure(reached)
