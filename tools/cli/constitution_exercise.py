"""``tally constitution exercise``: which rules have done anything.

Source: docs/guides/explain.md.
"""

from collections.abc import Iterator

import click

from decisions.law import AdoptedLaw, law_in_force
from ledger.log import Snapshot
from tools.cli.command import command
from tools.cli.output import Bar, counted, emit, progress, table
from tools.cli.session import opened
from tools.errors import InputError
from tools.ledger import OpenLedger
from tools.numbers import Number
from verify.exercise import Exercise, Exercised
from verify.exercise import exercise as judged

_STEP = 100


@command(example="tally constitution exercise\ntally constitution exercise --since 1200 --json")
@click.option("--since", type=Number(), default=0, metavar="N", help="Only decisions from event N on.")
def exercise(since: int) -> None:
    """Tell when each rule last changed a verdict, and which never did.

    Every recorded decision is judged again, and again without each rule that spoke on it: a rule changed the verdict
    where the outcome would have been another. A rule that never did may be there for what has not happened yet, or
    say what another says: tally constitution lint tells which.
    """
    with opened() as ledger, progress("judging") as bar:
        law, found = ledger.log.read(lambda snapshot: _work(ledger, snapshot, since, bar))
    rows = [(article.number, rule, found.of(rule)) for article in law.constitution.articles for rule in article.rules]
    data = {
        "constitution": law.constitution.name,
        "digest": law.digest,
        "decisions": found.decisions,
        "unjudged": found.unjudged,
        "rules": [
            {"rule": rule.id, "article": number, "effect": rule.effect, **row.to_json()} for number, rule, row in rows
        ],
        "never_changed": [rule.id for _, rule, row in rows if not row.changed],
    }
    never = sum(not row.changed for _, _, row in rows)
    unjudged = f", of which {found.unjudged} can't be judged any more" if found.unjudged else ""
    emit(
        data,
        f"{counted(found.decisions, 'decision')}{unjudged}; {never} of {counted(len(rows), 'rule')} never changed one.",
    )
    header = ("rule", "effect", "spoke", "changed", "last changed", "at")
    emit([], table(header, [(rule.id, rule.effect, row.spoke, row.changed, *_last(row)) for _, rule, row in rows]))


def _last(row: Exercised) -> tuple[object, object]:
    return row.last_changed or ("never", None)


def _work(ledger: OpenLedger, snapshot: Snapshot, since: int, bar: Bar) -> tuple[AdoptedLaw, Exercise]:
    size = snapshot.head.size
    if since >= size:
        raise InputError(f"the log has {size} events, the first of which is 0; there is no event {since}")

    def told() -> Iterator[tuple[int, bytes]]:
        for seq, data in snapshot.events(0, size):
            if not seq % _STEP:
                bar(seq, size)
            yield seq, data

    law = law_in_force(snapshot, ledger.registry)
    return law, judged(told(), snapshot.openings, ledger.registry, ledger.views, since)
