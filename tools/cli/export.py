"""``tally export``: the whole log as plain files.

Source: docs/spec/export.md.
"""

import shlex
from pathlib import Path
from typing import Final

import click

from tools.cli.command import command as declare
from tools.cli.output import emit, progress, say
from tools.cli.session import opened
from tools.copying.exporting import Exported, export
from tools.numbers import Number

_EXAMPLE: Final = """\
tally export ledger-2026-11
tally export for-the-auditor --without-openings"""


@declare("export", example=_EXAMPLE)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--without-openings", is_flag=True, help="Leave out what opens disclosable fields.")
@click.option("--at", "size", type=Number(1), metavar="SIZE", help="End at the checkpoint of so many events.")
def command(folder: Path, size: int | None, *, without_openings: bool) -> None:
    """Write the whole log into a directory of plain files that proves itself.

    Every event, both trees, all checkpoints with what witnesses added, and the openings that are still kept. An export
    ends at a checkpoint: one is signed where the newest does not cover the log. Where the policy demands witnesses, it
    must have reached the quorum (tally witness submit), unless --at names one. DIR must not be there yet, and appears
    whole or not at all. Whoever gets the openings can read what they open: leave them out for anybody who may not.
    """
    with opened() as ledger, progress("exporting") as bar:
        done = export(ledger, folder.absolute(), size=size, openings=not without_openings, progress=bar)
        words = ("tally-verify", "log", folder, "--policy", ledger.home.policy, "--signers", ledger.home.signers)
    line = shlex.join(map(str, words))
    emit(_data(done, folder, line), _text(done, folder))
    if done.behind:
        some = "One event" if done.behind == 1 else f"{done.behind} events"
        say(f"\n{some} after that checkpoint, not in it: no later checkpoint was exported.")
    say(f"\nAn auditor checks it, with files that she trusts, by:\n  {line}")


def _data(done: Exported, folder: Path, line: str) -> dict[str, object]:
    return {
        "folder": str(folder),
        "origin": done.index.origin,
        "size": done.index.size,
        "files": len(done.index.files) + 1,
        "bytes": sum(one.size for one in done.index.files),
        "checkpoints": done.checkpoints,
        "openings": done.openings if done.index.openings else None,
        "behind": done.behind,
        "verify": line,
    }


def _text(done: Exported, folder: Path) -> str:
    openings = f"{done.openings} openings" if done.index.openings else "no openings"
    return (
        f"{done.index.size} events of {done.index.origin}, {done.checkpoints} checkpoints and {openings} are in "
        f"{folder}: {len(done.index.files) + 1} files, {sum(one.size for one in done.index.files)} bytes."
    )
