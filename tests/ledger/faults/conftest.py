"""A log with something in it, closed, and ways to look at it after the fault."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grants.reading import StateReader
from ledger.event import Event
from ledger.sql.place import create_log
from tests.ledger.contract.sample import REGISTRY, START, VIEWS, append, closed, moved
from tools.audit import AuditReport, audit

WHOLE = os.environ.get("TALLY_ASSURANCE") == "1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of a few events."""
    path = tmp_path / "log.db"
    log = create_log(path, VIEWS, lambda: START, registry=REGISTRY)
    append(log, moved("a", 3, once="k", labels=("x", "y"), note="first"), moved("b", 4))
    append(log, moved("a", -1, once="l", note="second", by="agent:two"), closed("c"))
    log.close()
    return path


def _unsigned(_reader: StateReader, _event: Event) -> None:
    """Nothing of the sample is signed."""


@pytest.fixture
def audit_of() -> Callable[[Path], AuditReport]:
    """Audit a log of the sample's events."""
    return lambda address: audit(address, REGISTRY, VIEWS, _unsigned)


@pytest.fixture
def audited(audit_of: Callable[[Path], AuditReport]) -> Callable[[Path], None]:
    """Audit, and insist that nothing is found."""

    def check(address: Path) -> None:
        report = audit_of(address)
        assert report.ok, report.findings[:5]

    return check
