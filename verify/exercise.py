"""Which rules have done anything: when each last changed a verdict, over the whole recorded history.

A rule changed a verdict where the operation, judged again without it, comes out with another outcome. It is found by
judging, not by what was recorded: a rule can speak on everything and change nothing, as another says the same.

A rule is the same as long as its effect, its reach and its condition are; what a constitution says of it in words may
change. Memory holds the states as they stand at one time and a row for each rule, however long the log is.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from decisions.constitution.model import Constitution, Rule
from decisions.errors import DecisionError
from decisions.events import DecisionMade
from decisions.explanation.situation import without
from decisions.law import law_in_force
from decisions.pdp import decide
from grants.errors import GrantError
from ledger.canon import Json
from ledger.errors import CorruptError
from ledger.event import Event, Registry
from ledger.view import View
from verify.redecision import Redecision, differences
from verify.replay import Openings, redecided


@dataclass(slots=True)
class Exercised:
    """What one rule did.

    Attributes:
        spoke: on how many decisions it spoke.
        changed: how many of them would have come out otherwise without it.
        last_spoke: (event, when) of the last on which it spoke, or None.
        last_changed: (event, when) of the last that it changed, or None.
    """

    spoke: int = 0
    changed: int = 0
    last_spoke: tuple[int, str] | None = None
    last_changed: tuple[int, str] | None = None

    def to_json(self) -> dict[str, Json]:
        """Give it as one JSON object."""
        return {
            "spoke": self.spoke,
            "changed": self.changed,
            "last_spoke": _when(self.last_spoke),
            "last_changed": _when(self.last_changed),
        }


@dataclass(slots=True)
class Exercise:
    """What all rules did.

    Attributes:
        decisions: how many decisions there are.
        unjudged: how many of them can't be judged any more as they were, or were denied for an error.
    """

    decisions: int = 0
    unjudged: int = 0
    _rules: dict[Hashable, Exercised] = field(default_factory=dict)

    def of(self, rule: Rule) -> Exercised:
        """Give what a rule did; nothing, where it never spoke."""
        return self._rules.get(_identity(rule), Exercised())

    def add(self, rule: Rule, event: Event, *, changed: bool) -> None:
        """Add a decision on which a rule spoke."""
        row = self._rules.setdefault(_identity(rule), Exercised())
        row.spoke += 1
        row.last_spoke = event.seq, event.at
        if changed:
            row.changed += 1
            row.last_changed = event.seq, event.at


def exercise(
    events: Iterable[tuple[int, bytes]],
    openings: Openings,
    registry: Registry,
    views: Sequence[View],
    since: int = 0,
) -> Exercise:
    """Judge every recorded decision again, and again without each rule that spoke on it.

    Args:
        events: the log, from its first event on, in order.
        openings: gives the openings that are kept for an event.
        registry: the event types.
        views: the folds.
        since: only decisions from this event on.

    Raises:
        ReplayError: the log can't be folded.
    """
    found = Exercise()
    for event, body, again, reader in redecided(events, openings, registry, views):
        if event.seq < since:
            continue
        found.decisions += 1
        try:
            constitution = law_in_force(reader, registry).constitution
        except (DecisionError, GrantError, CorruptError):
            found.unjudged += 1
            continue
        if not _judged(event, body, again):
            found.unjudged += 1
            continue
        _add(found, constitution, event, again)
    return found


def _judged(event: Event, body: DecisionMade, again: Redecision) -> bool:
    return not again.evaluation.trouble and not differences(event, body, again)


def _add(found: Exercise, constitution: Constitution, event: Event, again: Redecision) -> None:
    evaluation = again.evaluation
    outcome, problems = evaluation.verdict.outcome, evaluation.reduction.problems
    for rule in dict.fromkeys(spoken.rule for spoken in evaluation.verdict.spoken):
        other = decide(without(constitution, frozenset((rule.id,))), evaluation.cases, problems)
        found.add(rule, event, changed=other.outcome != outcome)


def _identity(rule: Rule) -> Hashable:
    return rule.id, rule.effect, rule.article == "I", rule.kinds, rule.verbs, rule.when


def _when(told: tuple[int, str] | None) -> Json:
    return None if told is None else {"event": told[0], "at": told[1]}
