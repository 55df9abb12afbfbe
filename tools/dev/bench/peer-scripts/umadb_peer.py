"""umadb: an event store of its own, behind a local server; no hashes, no proofs."""

import socket
import subprocess
import sys
import time

from common import arguments, batches, disk, events, growth, note, singles, tell
from umadb import Client, Event

place, sizes, budget = arguments()
LARGE = 10**6
"""The file is laid out in pieces of 256 MiB: below this it says nothing."""

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
start = "import sys, umadb; umadb.run_server_from_args(sys.argv)"
server = subprocess.Popen(
    [sys.executable, "-c", start, "--listen", f"127.0.0.1:{port}", "--db-path", str(place / "uma.db")],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
try:
    for _ in range(100):
        try:
            client = Client(f"http://127.0.0.1:{port}")
            client.head()
            break
        except Exception:  # noqa: BLE001  (whatever it says until the server listens)
            time.sleep(0.1)
    else:
        raise SystemExit("the server did not start")
    note("a server of its own, asked over the loopback interface; its file is synced with fdatasync before it answers")

    def append(data: list[bytes]) -> None:
        client.append([Event("bench.noted", one, ["actor:bench"]) for one in data])

    singles(lambda data: append([data]))
    batches(append, 100)
    batches(append, 1000)
    before = disk(place, "uma.db")
    for size in growth(sizes, budget, 0.9, lambda begin, count: append(events(begin, count))):
        if size >= LARGE:
            tell("disk", (disk(place, "uma.db") - before) / size, size)
finally:
    server.terminate()
    server.wait(30)
