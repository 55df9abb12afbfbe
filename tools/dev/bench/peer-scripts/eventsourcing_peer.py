"""eventsourcing's SQLite recorder: an event store without hashes or proofs."""

from uuid import uuid4

from common import arguments, batches, disk, events, growth, note, singles, tell
from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

place, sizes, budget = arguments()


def recorder(name: str) -> SQLiteApplicationRecorder:
    made = SQLiteApplicationRecorder(SQLiteDatastore(str(place / name)))
    made.create_table()
    return made


def stored(data: list[bytes]) -> list[StoredEvent]:
    name = uuid4()
    return [StoredEvent(name, version, "bench:Noted", state) for version, state in enumerate(data)]


small = recorder("small.db")
with small.datastore.transaction(commit=False) as cursor:
    cursor.execute("PRAGMA journal_mode")
    mode = cursor.fetchone()[0]
    cursor.execute("PRAGMA synchronous")
    level = cursor.fetchone()[0]
note(f"a commit waits for the disk (journal_mode {mode}, synchronous {level}); it hashes nothing and proves nothing")
singles(lambda data: small.insert_events(stored([data])))
batches(lambda data: small.insert_events(stored(data)), 100)
batches(lambda data: small.insert_events(stored(data)), 1000)

grown = recorder("grown.db")
for size in growth(sizes, budget, 0.9, lambda start, count: grown.insert_events(stored(events(start, count)))):
    tell("disk", disk(place, "grown.db") / size, size)
