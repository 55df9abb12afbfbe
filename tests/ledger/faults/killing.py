"""Kills a process that appends, again and again, and looks each time at what it left.

    python -m tests.ledger.faults.killing ADDRESS RUNS SEED

Each run forks a child that appends transactions of two events and says of each that it was acknowledged. The child is
killed with SIGKILL before or after a statement or around a commit, within a statement (SQLite counts its own
instructions), or at any moment. What was acknowledged must be there once, what was not must be there wholly or not at
all, and the log must continue the one that stood before. The last line tells how often each way of dying came first.
"""

import json
import os
import random
import select
import signal
import sys
from collections import Counter
from typing import Any

import sqlalchemy as sa

from ledger import digest, mmr, rfc6962
from ledger.log import Head, Snapshot
from ledger.sql.address import Address, parse_address
from ledger.sql.driver import Driver
from ledger.sql.log import SqlLog
from ledger.sql.place import open_log
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, moved
from verify.inclusion import check_consistency, check_twin_consistency

TRANSACTIONS = 4
STATEMENTS = 120
"""Beyond the statements of a few appends: then the child lives to its end."""

INSTRUCTIONS = 9000
MOMENT = 0.012


def open_at(address: Address) -> SqlLog:
    return open_log(address, VIEWS, lambda: START, registry=REGISTRY)


def appending(address: Address, name: str, tell: int) -> None:
    """Append, and tell of each transaction that it was acknowledged."""
    log = open_at(address)
    for number in range(TRANSACTIONS):

        def work(tx: Any, key: str = f"{name}:{number}") -> None:
            tx.append(moved("a", 1, once=f"{key}:first", labels=("l",), note="a note"))
            tx.append(moved("b", -1, once=f"{key}:second", labels=("l", "m")))

        log.transact(work)
        os.write(tell, b"!")


def die_at_statement(log_engine: type[sa.Engine], left: int) -> None:
    """Die before or after the statement of that number, or around a commit."""

    def step(*_: object) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    honest = Driver._checked

    def checked(self: Driver, *arguments: Any) -> None:
        step()
        honest(self, *arguments)
        step()

    Driver._checked = checked  # type: ignore[method-assign]
    for moment in ("before_cursor_execute", "after_cursor_execute"):
        sa.event.listen(log_engine, moment, step)


def die_within_statement(log_engine: type[sa.Engine], left: int) -> None:
    """Die at that instruction of SQLite's own machine, counted over all statements, in steps of ten."""

    def step() -> int:
        nonlocal left
        left -= 10
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def count(connection: Any, _record: object) -> None:
        connection.set_progress_handler(step, 10)

    sa.event.listen(log_engine, "connect", count)


def run_once(address: Address, name: str, chance: random.Random) -> tuple[str, int]:
    """Let one child live and die; give how it died, and how many transactions were acknowledged."""
    ways = ["statement", "moment"] if not isinstance(address, os.PathLike) else ["statement", "instruction", "moment"]
    way = chance.choice(ways)
    at = {"statement": chance.randrange(1, STATEMENTS), "instruction": chance.randrange(1, INSTRUCTIONS)}.get(way, 0)
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        os.close(told)
        if way == "statement":
            die_at_statement(sa.Engine, at)
        elif way == "instruction":
            die_within_statement(sa.Engine, at)
        try:
            appending(address, name, tell)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(tell)
    if way == "moment":
        # From when the child speaks first, or not at all: anywhere in its life.
        select.select([told], [], [], chance.choice((0.0, 1.0)))
        select.select([], [], [], chance.random() * MOMENT)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    acknowledged = len(os.read(told, 100))
    os.close(told)
    return way, acknowledged


def look(address: Address, name: str, acknowledged: int, before: Head) -> Head:
    """Check what a child has left; give where the log stands now."""
    log = open_at(address)

    def check(snapshot: Snapshot) -> Head:
        head = snapshot.head
        there = []
        for number in range(TRANSACTIONS):
            first = snapshot.claimed(f"once:{name}:{number}:first")
            second = snapshot.claimed(f"once:{name}:{number}:second")
            assert (first is None) == (second is None), f"half of {name}:{number} is there"
            if first is not None and second is not None:
                assert second == first + 1
                for seq in (first, second):
                    event = REGISTRY.parse(snapshot.event_bytes(seq) or b"")
                    assert f"once:{event.body.once}" in event.claims()  # type: ignore[attr-defined]
                assert len(snapshot.openings(first)) == 1
                there.append(number)
        assert there == list(range(len(there))), f"{name}: {there} are there"
        # The commit may be done and the answer not given: one more than was acknowledged, never fewer.
        assert acknowledged <= len(there) <= acknowledged + 1, f"{name}: {acknowledged} acknowledged, {there} there"
        assert head.size == before.size + 2 * len(there)
        check_continues(snapshot, before, head)
        return head

    try:
        return log.read(check)
    finally:
        log.close()


def check_continues(snapshot: Snapshot, before: Head, head: Head) -> None:
    """Check in both trees that the log continues the one that stood before."""
    if before.size == 0:
        return
    own = mmr.prove_consistency(snapshot.nodes("blake3"), before.size, head.size)
    roots = [digest.root(one.size, one.blake3_peaks) for one in (before, head)]
    check_consistency(roots[0], roots[1], own)
    twin = rfc6962.prove_consistency(snapshot.nodes("sha256"), before.size, head.size)
    roots = [rfc6962.root(one.sha256_peaks) for one in (before, head)]
    check_twin_consistency(roots[0], roots[1], twin, old_size=before.size, new_size=head.size)


def main(address: Address, runs: int, seed: int) -> dict[str, Any]:
    """Kill so many children."""
    chance, ways, unanswered = random.Random(seed), Counter[str](), 0
    log = open_at(address)
    head = log.read(lambda snapshot: snapshot.head)
    log.close()
    for number in range(runs):
        name = f"{seed}-{number}"
        way, acknowledged = run_once(address, name, chance)
        grown = look(address, name, acknowledged, head)
        ways[f"{way}, {acknowledged} acknowledged"] += 1
        unanswered += (grown.size - head.size) // 2 > acknowledged
        head = grown
    return {"runs": runs, "size": head.size, "unanswered": unanswered, "ways": dict(sorted(ways.items()))}


if __name__ == "__main__":
    told = main(parse_address(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(f"{json.dumps(told)}\n")
