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
_BASES: Final = "legal-bases"


@declare("help", example="tally help exit-codes")
@click.argument("page", type=click.Choice([*_PAGES, _BASES]), default="exit-codes")
def command(page: str) -> None:
    """Explain exit codes, environment variables, or the legal bases of an erasure."""
    lines = _PAGES[page] if page in _PAGES else _bases()
    width = max(map(len, lines))
    emit(lines, "\n".join(f"{name.rjust(width)}  {about}" for name, about in lines.items()))


def _bases() -> dict[str, str]:
    from grants.events import BASES  # noqa: PLC0415  (the other pages need none of it)

    return BASES
