"""What the candidate would have answered: judged beside the decision, and never in its place.

It is read and judged apart: nothing that goes wrong in it touches the decision, and the decision does not name what was
read for it.

Source: docs/spec/shadows.md; policy case H05.
"""

from collections.abc import Callable

from decisions.action import Reduction
from decisions.descriptor import Circumstances
from decisions.draft import fired
from decisions.errors import ShadowError
from decisions.evaluation import erred, evaluate
from decisions.events import ShadowVerdict
from decisions.law import Law, law_of
from decisions.shadow.acts import standing
from decisions.shadow.book import ShadowState
from decisions.shadow.events import ShadowStarted
from grants.authority import check_event
from grants.consent import Asked
from grants.principals import last_restored
from grants.reading import StateReader, read_event
from ledger.event import Registry


def would_be(
    reader: StateReader,
    registry: Registry,
    reduction: Reduction,
    circumstances: Circumstances,
    terms: Callable[[str], Asked],
) -> ShadowVerdict | None:
    """Judge by the shadow that runs, or give None where none does; an error in it is a would-be deny.

    A shadow from before a restore runs no more.
    """
    try:
        row = standing(reader)
        if row is None or row.started is None:
            return None
        restored = last_restored(reader)
    except Exception:  # noqa: BLE001  (whether there is a shadow must not decide anything)
        return None
    if restored is not None and row.started < restored:
        return None
    try:
        law = _law(reader, registry, row)
        found = evaluate(reader, registry, reduction, circumstances, terms, law)
    except Exception as error:  # noqa: BLE001  (as above)
        found = erred(reduction, error)
    verdict = found.verdict
    return ShadowVerdict(
        started=row.started,
        constitution=row.digest,
        enforced=False,
        outcome=verdict.outcome,
        reason=verdict.reason,
        reasons=verdict.reasons,
        rules=tuple(fired(spoken) for spoken in verdict.spoken),
    )


def _law(reader: StateReader, registry: Registry, row: ShadowState) -> Law:
    event = read_event(reader, registry, row.started) if row.started is not None else None
    if event is None or not isinstance(event.body, ShadowStarted) or event.body.digest != row.digest:
        raise ShadowError("the shadow that runs is not one that was begun: run tally audit")
    check_event(reader, event)
    return law_of(event.body.document)
