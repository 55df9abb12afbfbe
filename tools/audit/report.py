"""What an audit says: one line for each dimension, the rows that are wrong, and between which sizes the damage lies."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["tampering", "torn", "view"]
"""What a finding tells of: a change that no write of the log makes; a write that the machine did not finish or keep;
or a state, tag or claim that is missing or outdated, and that the events give again."""

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
        kind: what it tells of.
        events: from which size of the log up to which it may reach; None where it is tied to none.
    """

    table: str
    key: str
    message: str
    kind: Kind = "tampering"
    events: tuple[int, int] | None = None

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
class Damage:
    """The smallest interval of events that holds all damage that is tied to events.

    Attributes:
        start: up to this size the log is sound.
        stop: the events from this one on are sound again.
        checkpoint_before: size of the last checkpoint that verifies at or before ``start``, or None.
        checkpoint_after: size of the first checkpoint that verifies at or after ``stop``, or None.
    """

    start: int
    stop: int
    checkpoint_before: int | None
    checkpoint_after: int | None


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The whole audit.

    Attributes:
        size: how many events the log has, as most of its tables say.
        lines: one for each dimension.
        findings: what is wrong, the first bad row first.
        damage: between which sizes it lies, or None.
        kinds: how many findings there are of each kind, those that are not listed included.
        since: the size from which on events were looked at.
        taken_over: how many events had been judged by a run that was interrupted, and were only hashed again.
        marked: both roots, BLAKE3 first, that the events come to at the size that was asked for; two such pairs where
            its last event is in doubt, none where they can't be known.
    """

    size: int
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    damage: Damage | None = None
    kinds: dict[Kind, int] = field(default_factory=dict)
    since: int = 0
    taken_over: int = field(default=0, compare=False)
    marked: tuple[tuple[bytes, bytes], ...] = ()

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
class Tally:
    """What was found in one dimension."""

    checked: int = 0
    found: int = 0
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    incomplete: bool = False


class Tallies:
    """Gathers what the stages find, by dimension."""

    def __init__(self) -> None:
        self.by_dimension: dict[str, Tally] = {name: Tally() for name in DIMENSIONS}
        self.kinds: Counter[Kind] = Counter()
        self.reach: tuple[int, int] | None = None

    def checked(self, dimension: str, count: int = 1) -> None:
        """Count rows that were checked."""
        self.by_dimension[dimension].checked += count

    def find(
        self,
        dimension: str,
        table: str,
        key: str,
        message: str,
        *,
        kind: Kind = "tampering",
        events: tuple[int, int] | None = None,
    ) -> None:
        """Record a row that is wrong; the message is made printable."""
        message = message if message.isprintable() else ascii(message)[1:-1]
        tally = self.by_dimension[dimension]
        tally.found += 1
        self.kinds[kind] += 1
        self._widen(events)
        if len(tally.findings) < MAX_FINDINGS:
            tally.findings.append(Finding(table, key, message, kind, events))

    def note(self, dimension: str, text: str) -> None:
        """Say something beside the counts."""
        self.by_dimension[dimension].notes.append(text)

    def skip(self, dimension: str, reason: str) -> None:
        """Say that something was not checked, and why; the same reason is told once."""
        tally = self.by_dimension[dimension]
        tally.incomplete = True
        if reason not in tally.notes and len(tally.notes) < MAX_FINDINGS:
            tally.notes.append(reason)

    def merge(self, later: "Tallies") -> None:
        """Take over what was found further on."""
        for name, other in later.by_dimension.items():
            tally = self.by_dimension[name]
            tally.checked += other.checked
            tally.found += other.found
            tally.findings += other.findings[: MAX_FINDINGS - len(tally.findings)]
            tally.notes += [note for note in other.notes if note not in tally.notes][: MAX_FINDINGS - len(tally.notes)]
            tally.incomplete |= other.incomplete
        self.kinds.update(later.kinds)
        self._widen(later.reach)

    @property
    def findings(self) -> list[Finding]:
        """What was found, in the order of the dimensions."""
        return [finding for tally in self.by_dimension.values() for finding in tally.findings]

    def lines(self) -> tuple[Line, ...]:
        """Give the line of each dimension."""
        return tuple(_line(name, tally) for name, tally in self.by_dimension.items())

    def _widen(self, events: tuple[int, int] | None) -> None:
        if events is not None:
            start, stop = self.reach or events
            self.reach = min(start, events[0]), max(stop, events[1])


def spell(value: object) -> str:
    """Spell whatever stands in a column so that it can be printed on one line."""
    if isinstance(value, str) and value.isprintable():
        text = value
    elif isinstance(value, bytes):
        text = f"x'{value[:_MAX_KEY].hex()}'"
    else:
        text = ascii(value)
    return text if len(text) <= _MAX_KEY else f"{text[:_MAX_KEY]}..."


def _line(name: str, tally: Tally) -> Line:
    outcome: Literal["ok", "failed", "skipped"] = "skipped" if tally.incomplete else "ok"
    return Line(name, "failed" if tally.found else outcome, tally.checked, tally.found, "; ".join(tally.notes))
