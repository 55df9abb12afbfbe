"""``tally import``: an export made into a ledger again.

Source: docs/guides/operate.md; docs/spec/export.md.
"""

from pathlib import Path
from typing import Final

import click

from ledger.sql.address import parse_url
from tools.cli.command import command as declare
from tools.cli.output import emit, progress, say
from tools.cli.session import home, session
from tools.copying.importing import Imported, Trust, import_export
from tools.home import Home

_EXAMPLE: Final = """\
tally import ledger-2026-11 --ledger restored --policy trusted.policy --signers trusted.signers"""


@declare("import", example=_EXAMPLE)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--policy", type=click.Path(path_type=Path), metavar="FILE", help="Check it by this policy, not its own.")
@click.option("--database", metavar="URL", help="Keep the log in this PostgreSQL database; else in a SQLite file.")
@click.option("--signers", type=click.Path(path_type=Path), metavar="FILE", help="Check it by these signers.")
def command(folder: Path, policy: Path | None, signers: Path | None, database: str | None) -> None:
    """Make a ledger of what tally export wrote, with the same roots.

    The ledger's directory (--ledger) must not be there yet, and appears whole or not at all. The export is checked as
    tally-verify log does it, by the policy and signers that it brings unless others are named; if it does not hold, no
    ledger is made (exit code 3). Events keep their bytes; trees, claims, tags and views are worked out from them. The
    log's key and its high-water mark are in no export: the new ledger can be read, audited and proven from, and decides
    and signs nothing before they are brought to it.
    """
    place = home(ask=False, begins=True)
    named = database or session().database
    address = None if named is None else parse_url(named)
    with progress("checking") as bar:
        done = import_export(
            folder.absolute(), place, address, Trust(policy, signers), lambda stage, at, of: bar(at, of, stage)
        )
    emit(_data(done, folder, place), _text(done, place.path))
    if done.own_policy:
        say("\nIt was checked by the policy that it brought itself: compare that file with one that you trust.")
    say(
        "\nIt can be read, audited and proven from. To decide and to sign in it, put log.key and the newest high-water "
        f"of {done.index.origin} into {place.path}, and let no other copy be written to."
    )


def _data(done: Imported, folder: Path, place: Home) -> dict[str, object]:
    return {
        "folder": str(folder),
        "ledger": str(place.path),
        "database": str(place.database),
        "origin": done.index.origin,
        "size": done.index.size,
        "openings": done.index.openings,
        "own_policy": done.own_policy,
        "not_checked": list(done.report.unchecked),
    }


def _text(done: Imported, place: Path) -> str:
    openings = "" if done.index.openings else ", without what opens their fields"
    return f"{place} holds all {done.index.size} events of {done.index.origin}{openings}, under the same roots."
