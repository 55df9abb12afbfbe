"""``tally checkpoint serve``: the log's checkpoints and proofs, for whoever watches it."""

import sys

import click

from tools.cli.command import command as declare
from tools.cli.output import emit, say
from tools.cli.session import opened


@declare("serve", example="tally checkpoint serve --host 0.0.0.0 --port 8781")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8781, show_default=True, help="0 takes a free one.")
def serve(host: str, port: int) -> None:
    """Serve the newest checkpoint and proofs of consistency over HTTP, for tally watch, until stopped.

    It needs no key. Of the events it gives out only those that changed the log's key or name, and those that made their
    signers, with every disclosable field closed: whoever trusts a former key is led to the one in force by them. It
    stays in the foreground, for a supervisor such as systemd; SIGTERM lets what is being answered be answered, then
    ends with 0.
    """
    from tools import serving  # noqa: PLC0415  (help needs none of it)

    serving.require()
    from tools.watching.publishing import application  # noqa: PLC0415  (as above)

    with opened() as ledger:
        listening = serving.listen(host, port)
        url = serving.address(listening)

        def ready() -> None:
            emit({"url": url, "origin": ledger.origin})
            sys.stdout.flush()
            say(f"Checkpoints of {ledger.origin} at {url}/checkpoint")

        serving.serve(application(ledger, say), listening, ready)
    say("Stopped.")
