"""Deciding a recorded decision again, over states that come from a log or from a bundle.

The decision event holds the actions that the reducer read, the circumstances, and the commitments to the operation, so
that the arguments themselves need not be at hand. What comes out is held against what was recorded, field by field.

Source: DESIGN sections 1, 6 (reads) and 10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from decisions.action import Problem, Reduction, action
from decisions.descriptor import Circumstances
from decisions.draft import decided_actions, fired
from decisions.evaluation import Evaluation, Trace, evaluate
from decisions.events import DecisionMade
from decisions.law import Law
from grants import principals
from grants.binding import BindingTo
from grants.book.states import GenesisState
from grants.consent import Committed
from grants.principals import Asker
from grants.reading import StateReader, read_state
from ledger.canon import Json
from ledger.disclosure import Opening
from ledger.event import Event, Registry
from ledger.view import StateRow

READING: Final = "/c_inst"


@dataclass(frozen=True, slots=True)
class Redecision:
    """A decision made again.

    Attributes:
        evaluation: what came out now.
        asker: who was found to ask.
        trace: what was read for it.
        withheld: observations of trust whose reading was wanted and could not be opened.
    """

    evaluation: Evaluation
    asker: Asker
    trace: Trace
    withheld: frozenset[int]


class _Opened:
    """Passes everything through, and notes which readings of trust were wanted and not there."""

    def __init__(self, below: StateReader) -> None:
        self._below = below
        self._observed: set[object] = set()
        self.withheld: set[int] = set()

    def state(self, view: str, key: str) -> StateRow | None:
        row = self._below.state(view, key)
        if view == "reading" and row is not None:
            self._observed.add(row.state.get("observed"))
        return row

    def event_bytes(self, seq: int) -> bytes | None:
        return self._below.event_bytes(seq)

    def openings(self, seq: int) -> Sequence[Opening]:
        openings = self._below.openings(seq)
        if seq in self._observed and all(opening.path != READING for opening in openings):
            self.withheld.add(seq)
        return openings


def decide_again(
    reader: StateReader,
    registry: Registry,
    event: Event,
    body: DecisionMade,
    law: Law | None = None,
    claims: Mapping[str, Json] | None = None,
) -> Redecision:
    """Decide as the decision point did, over the states as they stood before the decision.

    Args:
        reader: those states.
        registry: the event types.
        event: the recorded decision.
        body: its body.
        law: a constitution to decide by instead of the one that was in force, or None.
        claims: what the payload claimed instead of what is recorded of it, or None.
    """
    opened = _Opened(reader)
    trace = Trace(opened)
    asker = _asker(trace, event, body)
    circumstances = Circumstances(
        asker, body.correlated, body.session, body.claimed if claims is None else claims, event.at
    )
    genesis = read_state(trace, "ledger", "genesis", GenesisState)
    origin = genesis.origin if genesis else ""

    def terms(domain: str) -> Committed:
        return Committed(asker.chain, BindingTo(origin, asker.chain, domain, body.args, body.operands))

    evaluation = evaluate(trace, registry, reduction_of(body), circumstances, terms, law)
    return Redecision(evaluation, asker, trace, frozenset(opened.withheld))


def differences(event: Event, body: DecisionMade, again: Redecision) -> tuple[str, ...]:
    """Name the fields in which the decision made again is another than the recorded one."""
    recorded, found = _recorded(event, body), _found(again)
    return tuple(name for name, value in recorded.items() if found[name] != value)


def reduction_of(body: DecisionMade) -> Reduction:
    """Give the actions and problems as the decision recorded them, in their recorded order."""
    facts = ({k: v for k, v in one.facts.items() if v is not None} for one in body.actions)
    actions = [
        action(one.kind, one.verb, one.target, known, "") for one, known in zip(body.actions, facts, strict=True)
    ]
    return Reduction(tuple(actions), tuple(Problem(code, "", "") for code in body.problems))


def _asker(reader: StateReader, event: Event, body: DecisionMade) -> Asker:
    """Find out again who asked: from the system user that was looked up, where one was.

    A decision holds no signature of the asker's and is not the ledger's own request: what says so is a claim.
    """
    uids = [read.key for read in body.reads if read.view == "uid"]
    uid = int(uids[0]) if len(uids) == 1 and uids[0].isdecimal() else None
    if event.auth != "token":
        return principals.identify(reader, uid=uid, claimed="/".join(body.subject))
    return principals.recorded(reader, body.subject[0], body.subject, event.auth, event.via)


def _recorded(event: Event, body: DecisionMade) -> dict[str, object]:
    return {
        "asker": (event.by, event.auth, event.via, body.subject),
        "outcome": body.outcome,
        "reason": body.reason,
        "reasons": body.reasons,
        "articles": body.articles,
        "rules": body.rules,
        "categories": body.categories,
        "authority": body.authority,
        "needs": body.needs,
        "constitution": body.constitution,
        "actions": body.actions,
        "problems": set(body.problems),
        "reads": body.reads,
        "causes": event.causes,
    }


def _found(again: Redecision) -> Mapping[str, object]:
    verdict, asker = again.evaluation.verdict, again.asker
    return {
        "asker": (asker.actor, asker.auth, asker.via, asker.chain),
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "reasons": verdict.reasons,
        "articles": verdict.articles,
        "rules": tuple(fired(spoken) for spoken in verdict.spoken),
        "categories": verdict.categories,
        "authority": verdict.authority,
        "needs": verdict.needs,
        "constitution": again.evaluation.constitution,
        "actions": decided_actions(again.evaluation),
        "problems": {problem.code for problem in again.evaluation.reduction.problems},
        "reads": again.trace.reads(),
        "causes": again.trace.causes(),
    }
