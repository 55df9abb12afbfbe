"""From an evaluation to the situation that was judged, with the asker's standing grants.

Source: DESIGN sections 10 and 11.
"""

from decisions.evaluation import Evaluation
from decisions.explanation.explained import Explained, explained
from decisions.explanation.nearest import Nearest, nearest
from decisions.explanation.situation import Situation
from decisions.law import Law
from grants.principals import Asker
from grants.reading import StateReader
from grants.standing import live_standing
from ledger.event import Registry
from ledger.instant import Instant


def situation_of(
    evaluation: Evaluation, law: Law, reader: StateReader, registry: Registry, asker: Asker, at: Instant
) -> Situation:
    """Give what was judged.

    Args:
        evaluation: the evaluation.
        law: the constitution that it was made by.
        reader: the states as of the decision.
        registry: the event types.
        asker: who asked.
        at: when.
    """
    grants = tuple(live_standing(reader, registry, law.vocabulary, asker.by, at)) if asker.authenticated else ()
    return Situation(
        law.constitution, law.vocabulary, evaluation.cases, evaluation.reduction.problems, asker.authenticated, grants
    )


def account_of(
    evaluation: Evaluation, law: Law | None, reader: StateReader, registry: Registry, asker: Asker, at: Instant
) -> Explained:
    """Account for an evaluation, and find what would have allowed it.

    Args:
        evaluation: the evaluation.
        law: the constitution that it was made by, or None where none could be read.
        reader: the states as of the decision.
        registry: the event types.
        asker: who asked.
        at: when.
    """
    if law is None or evaluation.trouble:
        return explained(None if law is None else law.constitution, evaluation, None)
    found: Nearest = nearest(situation_of(evaluation, law, reader, registry, asker, at))
    return explained(law.constitution, evaluation, found)
