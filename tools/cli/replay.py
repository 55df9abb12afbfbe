"""``tally replay``: decide every recorded decision again, and compare.

Source: DESIGN sections 1 and 10.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Final

import click

from decisions.constitution import load
from ledger.log import Snapshot
from tools.cli.command import command as declare
from tools.cli.failure import DONE, EVIDENCE, INCOMPLETE
from tools.cli.output import Bar, emit, progress, table
from tools.cli.session import opened
from tools.files import read_text
from tools.ledger import OpenLedger
from tools.span import Bound, BoundParam, Span
from verify.replay import ReplayLine, replay

_STATUSES: Final = ("same", "changed", "not replayable")
_SHOWN: Final = 40
_REASONS: Final = 5

_EXAMPLE: Final = """\
tally replay
tally replay --constitution stricter.toml --from 1200 --to 2026-11-30T12:00:00.000000Z"""


@declare("replay", example=_EXAMPLE)
@click.option(
    "--constitution", type=click.Path(path_type=Path), metavar="FILE", help="What would have happened under this one."
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 6 if a decision could not be decided, or its operation not reduced, again.",
)
@click.option("--from", "--since", "first", type=BoundParam(), metavar="N|INSTANT", help="Only decisions from then on.")
@click.option("--to", "last", type=BoundParam(), metavar="N|INSTANT", help="Only decisions up to then.")
def command(constitution: Path | None, first: Bound | None, last: Bound | None, *, strict: bool) -> int:
    """Decide every recorded decision again, from the log's own states at that point.

    Exit code 3 if a decision comes out otherwise under the constitution that it was made under. With --constitution
    a change is the answer to a question, and the exit code is 0: the rules that spoke then are told, and those that
    would speak. Where a reading of trust was erased since, and the decision comes out otherwise without it, it is
    NOT-CHECKED: counted as not replayable; so is, with --constitution, whatever lacks something that it needs. Where
    the operation was erased, or depends on a home directory, its actions are taken as recorded: counted as reduction
    not repeated.
    """
    document = None if constitution is None else read_text(constitution)
    if document is not None:
        load(document)
    with opened() as ledger, progress("replaying") as bar:
        lines = replayed(ledger, document, Span(first, last), bar)
    counts = Counter[str](line.status for line in lines)
    changed = [line for line in lines if line.status != "same"]
    unreduced = [line for line in lines if line.unreduced]
    data = {
        "decisions": len(lines),
        **{status.replace(" ", "_"): counts[status] for status in _STATUSES},
        "hypothetical": document is not None,
        "reduction_not_repeated": len(unreduced),
        "lines": [line.to_json() for line in lines if line.status != "same" or line.unreduced],
    }
    emit(data, _summary(counts, hypothetical=document is not None))
    emit([], f"reduction not repeated: {len(unreduced)}")
    for why, count in Counter(line.unreduced for line in unreduced).most_common(_REASONS):
        emit([], f"  {count}: {why}")
    if changed:
        header = ("decision", "status", "recorded", "now", "why", "spoke then", "would speak")
        width = len(header) if document is not None else 5
        emit([], table(header[:width], [_row(line)[:width] for line in changed[:_SHOWN]]))
    if len(changed) > _SHOWN:
        emit([], f"and {len(changed) - _SHOWN} more; --json gives all")
    if counts["changed"] and document is None:
        return EVIDENCE
    return INCOMPLETE if strict and (counts["not replayable"] or unreduced) else DONE


def replayed(ledger: OpenLedger, document: str | None, span: Span, bar: Bar | None = None) -> list[ReplayLine]:
    """Replay a ledger, and give the lines of the decisions of a span.

    Raises:
        InputError: the log does not reach so far.
    """

    def work(snapshot: Snapshot) -> list[ReplayLine]:
        wanted = span.within(snapshot, ledger.registry)
        # Closed here: where the replay breaks off, the database must not be closed before its cursor.
        with closing(_told(snapshot, bar)) as events:
            lines = replay(events, snapshot.openings, ledger.registry, ledger.views, document)
            return [line for line in lines if line.seq in wanted]

    return ledger.log.read(work)


def _told(snapshot: Snapshot, bar: Bar | None) -> Generator[tuple[int, bytes], None, None]:
    size = snapshot.head.size
    for seq, data in snapshot.events(0, size):
        if bar is not None and not seq % 100:
            bar(seq, size)
        yield seq, data


def _summary(counts: Counter[str], *, hypothetical: bool) -> str:
    told = ", ".join(f"{counts[status]} {status}" for status in _STATUSES)
    under = "under that constitution" if hypothetical else "under the constitutions that they were made under"
    return f"{sum(counts.values())} decisions, decided again {under}: {told}."


def _row(line: ReplayLine) -> tuple[object, ...]:
    then, now = (", ".join(dict.fromkeys(rule.rule for rule in rules)) for rules in (line.spoke, line.speak))
    return (line.seq, line.status, " ".join(line.recorded), " ".join(line.replayed), line.why, then, now)
