"""``tally copy``: a log brought from one database to another.

Source: docs/guides/operate.md.
"""

from typing import Final

import click

from tools.cli.command import command as declare
from tools.cli.output import emit, progress, say
from tools.copying.copying import Copied, copy
from tools.copying.places import Place, is_same, renew

_EXAMPLE: Final = """\
tally copy .tally /backup/ledger
tally copy .tally 'postgresql+psycopg://tally@db.example/records?schema=ledger'"""


@declare("copy", example=_EXAMPLE)
@click.argument("source", metavar="SRC", type=click.Path(readable=False))
@click.argument("target", metavar="DST", type=click.Path(readable=False))
def command(source: str, target: str) -> None:
    """Copy a log into another database, with identical roots and rows.

    SRC and DST are ledger directories, SQLite files (.db) or PostgreSQL addresses. Where DST is not there yet it is
    made. Where it holds the beginning of the same log, the rest is added, so that a copy that was interrupted goes on
    and an older one is brought up to date; anything else is refused (exit code 3). SRC may be in use. At the end every
    table of both is compared. Neither the log's key nor its high-water mark is copied. The files policy and signers are
    brought up to date in a directory that holds no key.
    """
    source_place, target_place = Place.named(source), Place.named(target)
    if is_same(source_place, target_place):
        raise click.UsageError("SRC and DST are the same database")
    log = source_place.open()
    try:
        other = target_place.open_or_create(source_place)
        try:
            with progress("copying") as bar:
                done = copy(log, other, target_place.home, lambda stage, at, of: bar(at, of, stage))
        finally:
            other.close()
    finally:
        log.close()
    renewed, differing = renew(source_place, target_place)
    data = {**_data(done, source_place, target_place), "renewed": list(renewed), "differing": list(differing)}
    emit(data, _text(done, target_place))
    if renewed:
        say(f"\nBrought up to date in {target_place}: {' and '.join(renewed)}, as {source_place} has it.")
    if differing:
        say(
            f"\nOf {' and '.join(differing)} {target_place} has another version than {source_place}. It holds a key, "
            "so they are left: compare them, and copy what is right yourself."
        )
    if target_place.home is not None and not target_place.home.key.exists():
        say(
            "\nIt can be read, audited and proven from. To decide and to sign in it, bring log.key and high-water from "
            "the other directory, and let only one of the two be written to."
        )


def _data(done: Copied, source: Place, target: Place) -> dict[str, object]:
    return {
        "source": str(source),
        "target": str(target),
        "size": done.size,
        "stood": done.stood,
        "copied": done.size - done.stood,
        "digests": done.digests,
    }


def _text(done: Copied, target: Place) -> str:
    stood = f", {done.stood} of which stood already" if done.stood else ""
    return f"{target} holds all {done.size} events{stood}: every table is the same, row by row."
