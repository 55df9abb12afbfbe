"""What each process of a crowd runs: ``python -m tests.ledger.concurrency.crowd JOB ADDRESS NAME THREADS ...``.

It opens the log, says that it is ready, waits for a word, lets its threads loose, and tells as one line of JSON what
came of each of their rounds.
"""

import json
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ledger.errors import ClaimTakenError, StoreBusyError
from ledger.log import Transaction
from ledger.sql.address import parse_address
from ledger.sql.log import SqlLog
from ledger.sql.place import open_log
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, moved

T = TypeVar("T")
Told = tuple[int, str, int | None]
"""Round, what came of it, and the event that it is about."""


def transact(log: SqlLog, work: Callable[[Transaction], T]) -> T:
    """Try again as long as the writer is busy: nothing was written."""
    while True:
        try:
            return log.transact(work)
        except StoreBusyError:
            continue


def once(log: SqlLog, name: str, number: int, _limit: int) -> Told:
    """Do what is asked for once, whoever asks again: the first one's event is everybody's."""

    def work(tx: Transaction) -> Told:
        holder = tx.claimed(f"once:{number}")
        if holder is not None:
            return number, "repeated", holder
        return number, "done", tx.append(moved("a", 1, once=str(number), by=name)).seq

    return transact(log, work)


def claim(log: SqlLog, name: str, number: int, _limit: int) -> Told:
    """Take a key without looking whether it is taken."""
    try:
        return transact(log, lambda tx: (number, "won", tx.append(moved("a", 1, once=str(number), by=name)).seq))
    except ClaimTakenError as error:
        return number, "lost", error.seq


def spend(log: SqlLog, name: str, number: int, limit: int) -> Told:
    """Add to an account as long as its state is below a limit."""

    def work(tx: Transaction) -> Told:
        row = tx.state("balance", "a")
        if row is not None and int(str(row.state["sum"])) >= limit:
            return number, "refused", row.seq
        return number, "spent", tx.append(moved("a", 1, by=name)).seq

    return transact(log, work)


JOBS: dict[str, Callable[[SqlLog, str, int, int], Told]] = {"once": once, "claim": claim, "spend": spend}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(job: str, address: str, name: str, threads: str, rounds: str, limit: str) -> None:
    log = open_log(parse_address(address), VIEWS, lambda: START, registry=REGISTRY)
    say("ready")
    sys.stdin.readline()

    def loose(thread: int) -> list[Any]:
        who = f"{name}.{thread}"
        numbers = list(range(int(rounds)))
        random.Random(who).shuffle(numbers)
        return [JOBS[job](log, who, number, int(limit)) for number in numbers]

    with ThreadPoolExecutor(int(threads)) as pool:
        told = [one for each in pool.map(loose, range(int(threads))) for one in each]
    log.close()
    say(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
