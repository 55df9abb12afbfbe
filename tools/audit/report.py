"""What an audit says: one line for each dimension, and the rows that are wrong."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

DIMENSIONS = (
    "events",
    "nodes",
    "head",
    "claims",
    "tags",
    "states",
    "disclosures",
    "checkpoints",
    "cosignatures",
    "timestamps",
    "signatures",
    "schema",
    "file",
)
"""In the order in which findings are told: what others rest on comes first."""

MAX_FINDINGS = 100
"""So many findings are kept of each dimension; the rest is counted."""

_MAX_KEY = 160


@dataclass(frozen=True, slots=True)
class Finding:
    """One row that is wrong.

    Attributes:
        table: the table it stands in.
        key: what finds the row there, such as ``seq 7`` or ``resource file:///srv``; empty for the head.
        message: what is wrong with it.
    """

    table: str
    key: str
    message: str

    def __str__(self) -> str:
        where = f"{self.table} {self.key}".rstrip()
        return f"{where}: {self.message}"


@dataclass(frozen=True, slots=True)
class Line:
    """One dimension of the audit.

    Attributes:
        outcome: ``skipped`` where something of it could not be checked, and nothing was found.
        checked: how many rows were checked.
        found: how many are wrong.
        detail: what else is to be said, such as why it was skipped.
    """

    dimension: str
    outcome: Literal["ok", "failed", "skipped"]
    checked: int
    found: int
    detail: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The whole audit.

    Attributes:
        size: how many events the log has, as most of its tables say.
        lines: one for each dimension.
        findings: what is wrong, the first bad row first.
    """

    size: int
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; what was skipped stands in the lines."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage of the audit is."""

    stage: str
    done: int
    total: int


Status: TypeAlias = Callable[[Progress], None]
"""Is told of progress now and then."""


@dataclass(slots=True)
class _Tally:
    checked: int = 0
    found: int = 0
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    incomplete: bool = False


class Tallies:
    """Gathers what the stages find, by dimension."""

    def __init__(self) -> None:
        self._by_dimension = {name: _Tally() for name in DIMENSIONS}

    def checked(self, dimension: str, count: int = 1) -> None:
        """Count rows that were checked."""
        self._by_dimension[dimension].checked += count

    def find(self, dimension: str, table: str, key: str, message: str) -> None:
        """Record a row that is wrong; the message is made printable."""
        message = message if message.isprintable() else ascii(message)[1:-1]
        tally = self._by_dimension[dimension]
        tally.found += 1
        if len(tally.findings) < MAX_FINDINGS:
            tally.findings.append(Finding(table, key, message))

    def note(self, dimension: str, text: str) -> None:
        """Say something beside the counts."""
        self._by_dimension[dimension].notes.append(text)

    def skip(self, dimension: str, reason: str) -> None:
        """Say that something was not checked, and why; the same reason is told once."""
        tally = self._by_dimension[dimension]
        tally.incomplete = True
        if reason not in tally.notes:
            tally.notes.append(reason)

    def report(self, size: int) -> AuditReport:
        """Give the report."""
        lines = tuple(_line(name, tally) for name, tally in self._by_dimension.items())
        findings = [finding for tally in self._by_dimension.values() for finding in tally.findings]
        return AuditReport(size, lines, tuple(findings))


def spell(value: object) -> str:
    """Spell whatever stands in a column so that it can be printed on one line."""
    if isinstance(value, str) and value.isprintable():
        text = value
    elif isinstance(value, bytes):
        text = f"x'{value[:_MAX_KEY].hex()}'"
    else:
        text = ascii(value)
    return text if len(text) <= _MAX_KEY else f"{text[:_MAX_KEY]}..."


def _line(name: str, tally: _Tally) -> Line:
    outcome: Literal["ok", "failed", "skipped"] = "skipped" if tally.incomplete else "ok"
    return Line(name, "failed" if tally.found else outcome, tally.checked, tally.found, "; ".join(tally.notes))
