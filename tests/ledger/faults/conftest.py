"""A log with something in it, closed, and ways to look at it after the fault."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grants.reading import StateReader
from ledger.event import Event
from ledger.sql.address import Address
from ledger.sql.place import create_log
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, append, closed, moved
from tests.postgres import Server
from tools.audit import AuditReport, audit


def filled(address: Address) -> Address:
    """Make a log of a few events."""
    log = create_log(address, VIEWS, lambda: START, registry=REGISTRY)
    append(log, moved("a", 3, once="k", labels=("x", "y"), note="first"), moved("b", 4))
    append(log, moved("a", -1, once="l", note="second", by="agent:two"), closed("c"))
    log.close()
    return address


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log in a file."""
    path = tmp_path / "log.db"
    filled(path)
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> Address:
    """A log in a database of each kind."""
    if request.param == "sqlite":
        found: Path = request.getfixturevalue("path")
        return found
    server: Server = request.getfixturevalue("postgres")
    return filled(server.address())


def _unsigned(_reader: StateReader, _event: Event) -> None:
    """Nothing of the sample is signed."""


@pytest.fixture
def audit_of() -> Callable[[Address], AuditReport]:
    """Audit a log of the sample's events."""
    return lambda address: audit(address, REGISTRY, VIEWS, _unsigned)


@pytest.fixture
def audited(audit_of: Callable[[Address], AuditReport]) -> Callable[[Address], None]:
    """Audit, and insist that nothing is found."""

    def check(address: Address) -> None:
        report = audit_of(address)
        assert report.ok, report.findings[:5]

    return check
