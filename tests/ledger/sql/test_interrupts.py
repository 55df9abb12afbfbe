"""An interrupt between any two steps of an append, in a process that lives on: the next append works, nothing is lost.

Python looks for signals between bytecodes; here the exception is raised before each bytecode of the modules that hold
something, one run for each, as a trace function can. `TALLY_ASSURANCE=1` tries all of them, else a seeded sample does.
"""

import random
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from ledger.errors import StoreError
from ledger.sql import driver, group, log, rows, writer
from tests.assurance import WHOLE
from tests.ledger.contract.sample import append, everything, moved
from tests.ledger.sql.both import BOTH

FILES = {module.__file__ for module in (driver, group, log, rows, writer)}
SAMPLE = 40
PATIENCE = 5

pytestmark = BOTH


@contextmanager
def traced(at: int) -> Iterator[list[int]]:
    """Count the bytecodes of `FILES` in this thread, and interrupt it before that one."""
    passed = [0]

    def step(frame: FrameType, event: str, _argument: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename not in FILES:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            passed[0] += 1
            if passed[0] == at:
                raise KeyboardInterrupt
        return step

    sys.settrace(step)
    try:
        yield passed
    finally:
        sys.settrace(None)


def interrupted(work: Callable[[], object], at: int) -> bool:
    """Do work, interrupted before that bytecode; tell whether it was."""
    try:
        with traced(at):
            work()
    except KeyboardInterrupt:
        return True
    return False


def count(work: Callable[[], object]) -> int:
    """Count the bytecodes of some work."""
    with traced(0) as passed:
        work()
    return passed[0]


def sampled(steps: int) -> list[int]:
    """Give the bytecodes to try."""
    every = range(1, steps + 1)
    return list(every) if WHOLE else sorted(random.Random(steps).sample(every, min(SAMPLE, steps)))


def test_the_next_append_works_wherever_one_was_interrupted(log):
    """What was interrupted stands once or not at all; another thread goes on, and so does the same one."""
    append(log, moved("a", 1))
    steps = count(lambda: append(log, moved("a", 1, once="counted", labels=("x",), note="n")))
    assert steps > 500
    stood = set()
    with ThreadPoolExecutor(1) as pool:
        for at in sampled(steps):
            draft = moved("a", 1, once=f"i{at}", labels=("x",), note="n")
            was = interrupted(lambda draft=draft: append(log, draft), at)
            pool.submit(append, log, moved("a", 1, once=f"other{at}")).result(PATIENCE)
            append(log, moved("a", 1, once=f"same{at}"))
            claimed = log.read(lambda look, at=at: look.claimed(f"once:i{at}"))
            assert was or claimed is not None
            stood.add(claimed is not None)
    found = everything(log)
    assert found["head"].size == len(found["events"])
    # Each event is counted once by the view, and each that claims has its claim.
    balance = next(row for row in found["states"] if (row.view, row.key) == ("balance", "a"))
    assert balance.state["sum"] == len(found["events"])
    assert len(found["claims"]) == len(found["events"]) - 1
    assert stood == {True, False}


def test_those_that_wait_are_served_wherever_their_leader_was_interrupted(log):
    """Whose work was taken is answered, with a result that stands or with an error that tells what to do."""
    append(log, moved("a", 1))
    steps = count(lambda: append(log, moved("a", 1, once="counted")))
    with ThreadPoolExecutor(3) as pool:
        for at in sampled(steps):
            inside, others = threading.Event(), []

            def leading(tx: Any, at: int = at, inside: threading.Event = inside) -> int:
                inside.wait(PATIENCE)
                return int(tx.append(moved("a", 1, once=f"l{at}")).seq)

            def hand_in(at: int = at, inside: threading.Event = inside, others: list[Any] = others) -> None:
                before = log._group._tickets
                others += [pool.submit(append, log, moved("a", 1, once=f"{n}:{at}")) for n in range(2)]
                while log._group._tickets < before + 2:
                    threading.Event().wait(0.0002)
                inside.set()

            pool.submit(hand_in)
            interrupted(lambda leading=leading: log.transact(leading), at)
            inside.wait(PATIENCE)
            for n, other in enumerate(others):
                error = other.exception(PATIENCE)
                if error is None:
                    seq = other.result()[0].seq
                    assert log.read(lambda look, n=n, at=at: look.claimed(f"once:{n}:{at}")) == seq
                else:
                    assert isinstance(error, StoreError)
                    assert "look whether it stands, or ask again" in str(error)
            append(log, moved("a", 1, once=f"same{at}"))
    found = everything(log)
    balance = next(row for row in found["states"] if (row.view, row.key) == ("balance", "a"))
    assert balance.state["sum"] == len(found["events"]) == found["head"].size


@pytest.mark.parametrize("kind", ["extend", "checkpoint"])
def test_other_work_of_the_writer_strands_nobody(log, kind):
    """Events that have their bytes, and what is kept beside the events."""
    append(log, moved("a", 1))

    def work(number: int) -> None:
        if kind == "extend":
            log.extend([], {})
        else:
            log.store_checkpoint(number, b"note")

    steps = count(lambda: work(0))
    with ThreadPoolExecutor(1) as pool:
        for at in sampled(steps):
            interrupted(lambda at=at: work(at), at)
            pool.submit(append, log, moved("a", 1)).result(PATIENCE)
            work(at)
