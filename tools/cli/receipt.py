"""``tally receipt``: that one event stands in the log, for software that is not ours.

Source: docs/spec/receipts.md.
"""

import shlex
import sys
from pathlib import Path
from typing import Final

import click

from tools.cli.command import command as declare
from tools.cli.log_links import say_links
from tools.cli.output import emit, say
from tools.cli.session import opened
from tools.errors import InputError
from tools.home import write_new
from tools.ledger import OpenLedger
from tools.linking import beside, keep_beside
from tools.numbers import Number
from tools.receipts import SUFFIXES, Form, Made, make

_EXAMPLE: Final = """\
tally receipt 41
tally receipt 41 --form cose -o event-41.cose"""


@declare("receipt", example=_EXAMPLE)
@click.argument("event", type=Number())
@click.option(
    "--form", type=click.Choice(list(SUFFIXES)), default="tlog-proof", show_default=True, help="Which file to write."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE|-", help="Where; else event-N.FORM.")
def command(event: int, form: Form, output: Path | None) -> None:
    """Write a receipt of any event: that it stands in the log, without saying what rests on it.

    A tlog-proof (C2SP) is a text with the event, its audit path and the signed checkpoint. A COSE receipt (RFC 9942) is
    the log's signature over the root with the path to it; it does not hold the event, which `tally log show N --bytes`
    prints. Both are checked before they are handed out. A checkpoint is signed where the latest does not cover the
    event. Where the log's key was replaced before that checkpoint, or the log went on after a restore, the file of
    links that leads from the former key is written beside it, under the same name and .links.
    """
    with opened() as ledger:
        made = make(ledger, event, form)
        policy = ledger.home.policy
        if output is not None and str(output) == "-":
            sys.stdout.buffer.write(made.data)
            sys.stdout.buffer.flush()
            return
        file = output or Path(f"event-{event}{SUFFIXES[form]}")
        links = _save(ledger, made, file)
    size = made.signed.checkpoint.size
    data = {
        "event": event,
        "form": form,
        "file": str(file),
        "bytes": len(made.data),
        "checkpoint_size": size,
        "links": None if links is None else str(links),
    }
    emit(data, f"Event {event} is in {file}: {len(made.data)} bytes, under the root of {size} events.")
    words = ["tally-verify", "receipt", str(file), "--policy", str(policy)]
    if form == "cose":
        say(f"\nThe event itself:\n  tally log show {event} --bytes > event-{event}.json")
        words += ["--event", f"event-{event}.json"]
    say(f"\nAnybody checks it with:\n  {shlex.join(words)}")
    say_links(links)


def _save(ledger: OpenLedger, made: Made, file: Path) -> Path | None:
    """Write the receipt, and the links that go with it where its readers may need them; give the place of these.

    Raises:
        InputError: something stands there already.
    """
    beside(file)
    try:
        write_new(file, made.data)
    except FileExistsError as error:
        raise InputError(f"{file} is there already and is left as it is: name another file with -o") from error
    return keep_beside(ledger, made.signed, file)
