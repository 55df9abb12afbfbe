"""What pytest reports of a section, read from its JUnit file."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET


@dataclass
class Outcome:
    """How a section came out.

    Attributes:
        counts: how many tests passed, failed and were not run.
        not_run: why tests were not run, each reason once.
        told: what tests say of themselves (`record_property`), in their order.
        failures: the names of those that failed.
        seconds: how long it took.
    """

    counts: Counter[str] = field(default_factory=Counter)
    not_run: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether something ran and nothing failed."""
        return self.counts["passed"] > 0 and not self.failures


def read(report: Path) -> Outcome:
    """Read a JUnit file; one that is missing is a failure."""
    outcome = Outcome()
    if not report.exists():
        outcome.failures.append("pytest gave no report")
        return outcome
    suite = ET.parse(report).getroot().find("testsuite")
    assert suite is not None
    outcome.seconds = float(suite.get("time", 0))
    for case in suite.iter("testcase"):
        _add(outcome, case)
    return outcome


def _add(outcome: Outcome, case: ET.Element) -> None:
    name = f"{case.get('classname')}.{case.get('name')}"
    skipped = case.find("skipped")
    if skipped is not None:
        outcome.counts["not run"] += 1
        reason = re.sub(r"^.*?(NOT-RUN:)", r"\1", skipped.get("message", ""))
        if reason not in outcome.not_run:
            outcome.not_run.append(reason)
    elif case.find("failure") is not None or case.find("error") is not None:
        outcome.counts["failed"] += 1
        outcome.failures.append(name)
    else:
        outcome.counts["passed"] += 1
    for one in case.iter("property"):
        outcome.told.append(f"{case.get('name')}: {one.get('name')} {one.get('value')}")
