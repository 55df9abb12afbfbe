"""``tally explain``: why a recorded decision came out as it did, and what would have changed it.

Source: DESIGN section 10; docs/guides/explain.md.
"""

from pathlib import Path
from typing import Final

import click

from decisions.explanation.voices import Voice
from tools.cli.command import command as declare
from tools.cli.output import emit
from tools.cli.session import opened
from tools.cli.voice import VOICE, voiced
from tools.errors import InputError
from tools.explaining import explain
from tools.home import write_new
from tools.numbers import Number
from tools.show.account import account_tree
from tools.show.page import page
from tools.show.picture import picture

_EXAMPLE: Final = """\
tally explain 41
tally explain 41 --voice agent
tally explain 41 --html decision-41.html"""


@declare("explain", example=_EXAMPLE)
@click.argument("event", type=Number())
@VOICE
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Draw the tree into a picture.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the tree as a page.")
def command(event: int, voice: Voice | None, svg: Path | None, html: Path | None) -> None:
    """Explain a decision from the ledger alone.

    EVENT is the decision, or a consumption, a request or an outcome that came of it. It is decided again over the
    states as they stood: each article, each rule, each part of a condition is told with its value, where that comes
    from and which event said it. For what was not allowed the smallest changes that would have allowed it are given,
    each judged again. What was erased since is said. The files stand by themselves: nothing is loaded, no script.

    Exit code 3 if the decision comes out otherwise than it was recorded, and nothing that was erased is the reason.
    """
    if (svg or html) and voice in {"machine", "agent"}:
        raise click.UsageError("--svg and --html draw what an auditor reads: leave --voice out")
    with opened() as ledger:
        account = explain(ledger, event)
    emit(*voiced(account, voice or "auditor"))
    title = f"Decision {account.event.seq}: {account.body.outcome} {account.body.reason}"
    foot = f"Explained from the ledger by tally explain {account.event.seq}; what counts is the record in the log."
    if svg is not None:
        _write(svg, picture(title, account_tree(account)))
    if html is not None:
        _write(html, page(title, account_tree(account), foot))


def _write(file: Path, text: str) -> None:
    try:
        write_new(file, text.encode())
    except FileExistsError as error:
        raise InputError(f"{file} is there already and is left as it is: name another file") from error
