"""``tally rebuild``: what is worked out from the events, worked out again."""

from ledger import canon
from ledger.sql.rebuild import rebuild
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE
from tools.cli.output import emit, progress
from tools.cli.session import opened_database
from verify.views import EVENTS, VIEWS


@declare("rebuild", example="tally rebuild")
def command() -> int:
    """Work views, claims and tags out from the events again, in one transaction; no event is touched.

    What results is compared with what stood: on a log that nobody touched it is the same (exit code 0). Where it
    differs, the new stands, and the exit code is 3. No view need stand for it: all of them may be missing or damaged.
    Memory stays small, whatever the size of the log.
    """
    with opened_database() as log, progress("folding") as bar:
        rebuilt = rebuild(log.engine, EVENTS, VIEWS, bar)
    data = {
        "events": rebuilt.events,
        "states": rebuilt.states,
        "before": None if rebuilt.before is None else canon.to_base64url(rebuilt.before),
        "after": canon.to_base64url(rebuilt.after),
        "mended": list(rebuilt.mended),
        "same": rebuilt.same,
    }
    counts = f"{rebuilt.events} events folded into {rebuilt.states} states"
    wrong = [*(["views"] if rebuilt.before != rebuilt.after else []), *rebuilt.mended]
    verdict = "the same as before" if rebuilt.same else f"NOT the same as before ({', '.join(wrong)}): run tally audit"
    emit(data, f"{counts}, {verdict}")
    return DONE if rebuilt.same else EVIDENCE
