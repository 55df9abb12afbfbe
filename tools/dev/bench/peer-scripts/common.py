"""What each peer's script shares; it runs in the peers' own environment, without tallystick.

A script prints one JSON line for each turn: what was done, how many a second, and at which size. It works within a
number of seconds, and stops growing where they are used up.
"""

import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

TURNS = 5
ONES = 200
PROOFS = 1000
EVENT = 270
"""Bytes of an event, as many as tallystick's have."""


class Budget:
    """The time that a script has."""

    def __init__(self, seconds: float) -> None:
        self.end = time.perf_counter() + seconds

    def left(self) -> float:
        return self.end - time.perf_counter()


def arguments() -> tuple[Path, list[int], Budget]:
    """Read where to work, the sizes, and the seconds."""
    place, sizes, seconds = sys.argv[1:]
    return Path(place), [int(size) for size in sizes.split(",")], Budget(float(seconds))


def tell(what: str, figure: float, size: int = 0) -> None:
    """Print one turn."""
    print(json.dumps({"what": what, "figure": figure, "size": size}), flush=True)


def note(text: str) -> None:
    """Print a remark for the page."""
    print(json.dumps({"note": text}), flush=True)


def rate(count: int, work: Callable[[], object]) -> float:
    """Give how many of ``count`` things a second the work does."""
    begun = time.perf_counter()
    work()
    return count / (time.perf_counter() - begun)


def events(start: int, count: int) -> list[bytes]:
    """Make events."""
    return [
        f'{{"seq":{number},"text":"{number:0{EVENT - 24 - len(str(number))}d}"}}'.encode()
        for number in range(start, start + count)
    ]


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def now() -> datetime:
    return datetime.now(UTC)


def growth(
    sizes: list[int], budget: Budget, share: float, add: Callable[[int, int], object], *, durable: bool = True
) -> Iterator[int]:
    """Let something grow from size to size, in chunks, until a share of the time is used up; give each size reached."""
    done, end = 0, budget.end - (1 - share) * budget.left()
    for size in sizes:
        begun, before = time.perf_counter(), done
        while done < size:
            if time.perf_counter() > end:
                note(f"stopped at {done:,} events: its time was used up")
                return
            add(done, min(10_000, size - done))
            done = min(done + 10_000, size)
        if durable:
            tell("bulk", (done - before) / (time.perf_counter() - begun), size)
        yield size


def prove(
    size: int, budget: Budget, make: Callable[[int], object], check: Callable[[object], bool], share: float = 0.1
) -> None:
    """Measure proofs and their checks at a size, as many as a share of the remaining time allows."""
    chance = random.Random(size)
    begun, made = time.perf_counter(), []
    while len(made) < PROOFS and time.perf_counter() - begun < share * max(budget.left(), 5):
        made.append(make(chance.randrange(size)))
    tell("prove", len(made) / (time.perf_counter() - begun), size)
    held: list[bool] = []
    tell("check", rate(len(made), lambda: held.extend(check(proof) for proof in made)), size)
    if not all(held):
        raise SystemExit("the peer's own proof does not hold")


def disk(place: Path, name: str) -> int:
    """Measure what the files that begin with a name take on the disk."""
    found = (file for start in place.glob(f"{name}*") for file in (start, *start.rglob("*")))
    return sum(512 * file.stat().st_blocks for file in found if file.is_file())


def singles(append: Callable[[bytes], object], start: int = 10**9) -> None:
    """Measure single appends."""
    for turn in range(TURNS + 1):
        batch = events(start + turn * ONES, ONES)
        figure = rate(ONES, lambda batch=batch: [append(data) for data in batch])
        if turn:
            tell("single", figure)


def batches(append: Callable[[list[bytes]], object], count: int, start: int = 2 * 10**9) -> None:
    """Measure batched appends."""
    for turn in range(TURNS + 1):
        batch = events(start + turn * count, count)
        figure = rate(count, lambda batch=batch: append(batch))
        if turn:
            tell(f"batch {count}", figure)
