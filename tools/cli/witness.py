"""``tally witness``: have checkpoints cosigned by others, and cosign those of others."""

from typing import Final

from tools.cli.command import group
from tools.cli.witness_client import add, status, submit
from tools.cli.witness_service import add_log, init, serve, show

_EXAMPLE: Final = """\
tally witness add bank witness.bank.example+7a1b2c3d+BD... --url https://witness.bank.example
tally checkpoint && tally witness submit
tally witness init /srv/witness --name witness.example/w1
tally witness serve /srv/witness --port 8443"""


@group("witness", example=_EXAMPLE)
def command() -> None:
    """Have checkpoints cosigned by others, and cosign those of others.

    A witness cosigns a checkpoint that continues the last one it saw, and never two of one size: whoever demands its
    line is shown the same log as everybody else. add, submit and status are for the ledger; init, add-log, serve and
    show keep a witness of your own, for the logs of others.
    """


for _verb in (add, submit, status, init, add_log, serve, show):
    command.add_command(_verb)
