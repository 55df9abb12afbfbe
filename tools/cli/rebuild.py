"""``tally rebuild``: the views folded again from the events."""

from ledger import canon
from ledger.sql.rebuild import rebuild
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE
from tools.cli.output import emit, progress
from tools.cli.session import opened


@declare("rebuild", example="tally rebuild")
def command() -> int:
    """Empty the views and fold the whole log again, in one transaction.

    The states that result are compared with those that stood: on a log whose views nobody touched they are the same
    (exit code 0). Where they differ, the new ones stand, and the exit code is 3.
    """
    with opened() as ledger, progress("folding") as bar:
        rebuilt = rebuild(ledger.log.engine, ledger.registry, ledger.views, bar)
    same = rebuilt.before == rebuilt.after
    data = {
        "events": rebuilt.events,
        "states": rebuilt.states,
        "before": None if rebuilt.before is None else canon.to_base64url(rebuilt.before),
        "after": canon.to_base64url(rebuilt.after),
        "same": same,
    }
    counts = f"{rebuilt.events} events folded into {rebuilt.states} states"
    verdict = "the same as before" if same else "NOT the same as before: a view had been changed; run tally audit"
    emit(data, f"{counts}, {verdict}")
    return DONE if same else EVIDENCE
