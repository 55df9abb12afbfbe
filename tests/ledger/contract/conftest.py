"""The logs that the contract is for: one line each."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ledger.log import Log
from ledger.memory import MemoryLog
from ledger.sql.place import create_log
from tests.ledger.contract.sample import REGISTRY, VIEWS, Clock, MakeLog

BACKENDS: dict[str, Callable[[pytest.FixtureRequest, Path, Clock], Log]] = {
    "memory": lambda _request, _folder, clock: MemoryLog(VIEWS, clock),
    "sqlite": lambda _request, folder, clock: create_log(folder / "log.db", VIEWS, clock, registry=REGISTRY),
    "postgresql": lambda request, _folder, clock: create_log(
        request.getfixturevalue("postgres").address(), VIEWS, clock, registry=REGISTRY
    ),
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=BACKENDS)
def make_log(request: pytest.FixtureRequest, clock: Clock) -> Iterator[MakeLog]:
    """Give a way to make logs of one kind, all by one clock."""
    with ExitStack() as stack:

        def make() -> Log:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            log = BACKENDS[request.param](request, folder, clock)
            stack.callback(log.close)
            return log

        yield make


@pytest.fixture
def log(make_log: MakeLog) -> Log:
    return make_log()
