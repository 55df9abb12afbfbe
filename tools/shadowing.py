"""What a shadow would have answered, over all decisions that it stood beside: counted, with examples.

Source: docs/spec/shadows.md; policy case H05.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from decisions.errors import ShadowError
from decisions.events import DecisionMade, ShadowVerdict
from decisions.shadow.acts import standing
from decisions.shadow.book import ShadowState
from decisions.shadow.events import ShadowStarted
from grants.reading import read_event
from ledger.canon import Json
from ledger.event import Event, Registry
from ledger.log import Snapshot


@dataclass(frozen=True, slots=True)
class Flip:
    """One decision that the candidate would have made otherwise."""

    event: Event
    body: DecisionMade
    shadow: ShadowVerdict

    @property
    def turn(self) -> str:
        """From what to what, in words."""
        return f"{self.body.outcome} -> {self.shadow.outcome}"

    @property
    def targets(self) -> str:
        """What was asked for: the first action, and how many more."""
        actions = [f"{one.kind} {one.verb} {one.target}" for one in self.body.actions]
        more = f" and {len(actions) - 1} more" if len(actions) > 1 else ""
        return f"{actions[0]}{more}" if actions else "nothing that could be read"

    def to_json(self) -> dict[str, Json]:
        """Give it as JSON."""
        return {
            "decision": self.event.seq,
            "by": self.event.by,
            "actions": [{"kind": one.kind, "verb": one.verb, "target": one.target} for one in self.body.actions],
            "effective": {
                "outcome": self.body.outcome,
                "reasons": list(self.body.reasons),
                "rules": [one.rule for one in self.body.rules],
            },
            "would_be": {
                "outcome": self.shadow.outcome,
                "reasons": list(self.shadow.reasons),
                "rules": [one.rule for one in self.shadow.rules],
                "enforced": False,
            },
        }


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """What one shadow came to.

    Attributes:
        state: what stands of shadows now; this one runs where it names this one.
        decisions: how many decisions it stood beside.
        turns: how many flips from which outcome to which.
        examples: some flips, the newest of each turn first.
    """

    started: Event
    body: ShadowStarted
    state: ShadowState
    decisions: int
    turns: dict[str, int]
    examples: tuple[Flip, ...]

    @property
    def runs(self) -> bool:
        """Whether it runs still."""
        return self.state.started == self.started.seq

    @property
    def flips(self) -> int:
        """How many decisions it would have made otherwise."""
        return sum(self.turns.values())

    def to_json(self) -> dict[str, Json]:
        """Give it as JSON."""
        return {
            "enforced": False,
            "shadow": self.started.seq,
            "name": self.body.name,
            "digest": self.body.digest,
            "runs": self.runs,
            "decisions": self.decisions,
            "same": self.decisions - self.flips,
            "flips": self.flips,
            "turns": dict[str, Json](self.turns),
            "examples": [one.to_json() for one in self.examples],
        }


def report(look: Snapshot, registry: Registry, seq: int | None, examples: int) -> ShadowReport:
    """Report on a shadow.

    Args:
        look: the log.
        registry: the event types.
        seq: the event that began it, or None for the one that runs or ran last.
        examples: how many flips to show of each turn.

    Raises:
        ShadowError: there is no such shadow.
    """
    state = standing(look)
    if state is None:
        raise ShadowError("there never was a shadow: begin one with tally shadow start FILE")
    wanted = _last(look, registry) if seq is None else seq
    event = read_event(look, registry, wanted)
    if event is None or not isinstance(event.body, ShadowStarted):
        raise ShadowError(f"event {wanted} began no shadow")
    turns: Counter[str] = Counter()
    shown: list[Flip] = []
    for flip in _flips(look, registry, wanted):
        turns[flip.turn] += 1
        if turns[flip.turn] <= examples:
            shown.append(flip)
    ordered = dict(sorted(turns.items(), key=lambda one: (-one[1], one[0])))
    decisions = len(look.tagged(f"shadowed:{wanted}"))
    return ShadowReport(event, event.body, state, decisions, ordered, tuple(shown))


def candidate(look: Snapshot, registry: Registry) -> str:
    """Give the document of the shadow that runs or ran last.

    Raises:
        ShadowError: there never was one.
    """
    return report(look, registry, None, 0).body.document


def _last(look: Snapshot, registry: Registry) -> int:
    begun = (read_event(look, registry, seq) for seq in look.tagged("shadow"))
    return max(event.seq for event in begun if event is not None and isinstance(event.body, ShadowStarted))


def _flips(look: Snapshot, registry: Registry, started: int) -> Iterator[Flip]:
    """Give the decisions that would have been others, the newest first."""
    for seq in reversed(look.tagged(f"flipped:{started}")):
        event = read_event(look, registry, seq)
        if event is not None and isinstance(event.body, DecisionMade) and event.body.shadow is not None:
            yield Flip(event, event.body, event.body.shadow)
