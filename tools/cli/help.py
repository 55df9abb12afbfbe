"""``tally help``: the pages that belong to no single command."""

from typing import Final

import click

from tools.cli.command import command as declare
from tools.cli.output import emit

EXIT_CODES: Final = {
    0: "done, verified or allowed",
    1: "could not be done; for decide: no record could be written, and the answer is deny",
    2: "the command line is wrong",
    3: "checked and failed: evidence of tampering",
    4: "denied",
    5: "held: needs a human's consent",
    6: "verified, but some checks could not be made (with --strict)",
    130: "interrupted",
}

ENVIRONMENT: Final = {
    "TALLY_LEDGER": "the ledger's directory, where --ledger names none",
    "TALLY_KEY": "the signing key, where --key names none",
    "TALLY_DEBUG": "1 prints the traceback of an internal error",
    "NO_COLOR": "anything at all turns colours off",
}

_PAGES: Final[dict[str, dict[str, str]]] = {
    "exit-codes": {str(code): about for code, about in EXIT_CODES.items()},
    "environment": ENVIRONMENT,
}


@declare("help", example="tally help exit-codes")
@click.argument("page", type=click.Choice(list(_PAGES)), default="exit-codes")
def command(page: str) -> None:
    """Explain exit codes or environment variables."""
    lines = _PAGES[page]
    width = max(map(len, lines))
    emit(lines, "\n".join(f"{name.rjust(width)}  {about}" for name, about in lines.items()))
