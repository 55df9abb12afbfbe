"""``tally demo``: the whole story, in a directory of its own.

Source: issue 2 section 7.
"""

import tempfile
from pathlib import Path

import click

from tools.cli.command import command as declare
from tools.cli.failure import DONE, FAILED
from tools.cli.output import emit, say
from tools.demo.page import Page
from tools.demo.stage import ADA, Stage
from tools.demo.story import CHAPTERS, tell
from tools.errors import HomeError


@declare("demo", example="tally demo --keep tally-demo")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Keep everything here, to look around in.")
def command(keep: Path | None) -> int:
    """Tell the whole story: an agent at work, an accident, a consent, a bad night, and the proofs.

    Nothing is mocked but the clock: the keys, the signatures, the database and the bundle are real. Each step is
    checked; the exit code is 0 only if every one came out as it must.
    """
    if keep is not None:
        return _play(_made(keep), keep)
    with tempfile.TemporaryDirectory(prefix="tally-demo-") as folder:
        return _play(Path(folder), None)


def _play(folder: Path, keep: Path | None) -> int:
    pages: list[Page] = []
    for page in tell(folder):
        emit(page.to_json(), page.text())
        pages.append(page)
    whole = len(pages) == len(CHAPTERS) and all(page.holds for page in pages)
    if keep is not None:
        _explain(Stage(folder))
    checks = sum(len(page.checks) for page in pages)
    say(
        f"{checks} checks in {len(pages)} steps, all as they must be." if whole else "The story did not come out right."
    )
    return DONE if whole else FAILED


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError as error:
        raise HomeError(f"{folder} is there already and is left as it is: name a directory that is not") from error
    return folder.resolve()


def _explain(stage: Stage) -> None:
    place = stage.home.path
    say(
        "Look around:\n"
        f"  tally --ledger {place} log tail\n"
        f"  tally --ledger {place} grant list --all\n"
        f"  tally --ledger {place} trust show\n"
        f"  tally --ledger {place} audit\n"
        f"Sign as {ADA} with --by {ADA} --key {stage.key(ADA)}"
    )
