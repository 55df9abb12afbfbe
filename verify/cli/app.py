"""``tally-verify``: the auditor's command. It reads files and nothing else: no ledger, no network, no clock.

Source: DESIGN sections 1 and 13; docs/guides/verify.md.
"""

import sys
from collections.abc import Sequence
from typing import Final

import click

from decisions.errors import DecisionError
from grants.errors import GrantError
from ledger.errors import LedgerError
from verify.cli import bundle, equivocation, log, proof, receipt, show, stamp
from verify.cli.exits import INTERRUPTED, NOT_DONE, USAGE, VERIFIED
from verify.cli.output import print_json
from verify.errors import VerifyError
from verify.text import visible

_EPILOG: Final = """\
\b
Exit codes:
  0    verified
  1    could not be done: a file is missing, or is no bundle or export
  2    wrong usage
  3    checked and failed: do not rely on this bundle or export
  6    verified, but some checks could not be made (with --strict)
  130  interrupted
"""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tallystick", prog_name="tally-verify")
def cli() -> None:
    """Check a verdict offline, from a file and the keys that you trust.

    \b
    A first check:
      tally-verify show case-41.bundle
      tally-verify bundle case-41.bundle --policy trusted.policy --signers trusted.signers

    The policy names the log's key and the witnesses, one line each ("log <vkey>", "quorum none"). The signers file
    pins the human who opened the log, in the syntax of ssh-keygen ("human:ada ssh-ed25519 AAAA..."). Take both from
    somewhere else than the bundle.
    """  # noqa: D301  (the backslash is click's mark for a paragraph kept as it is)


for module in (
    bundle,
    equivocation,
    log,
    proof,
    receipt,
    show,
    stamp,
):
    cli.add_command(module.command)


def run(arguments: Sequence[str]) -> int:
    """Run the command and give its exit code; no error is shown as a traceback."""
    try:
        return int(cli.main(list(arguments), prog_name="tally-verify", standalone_mode=False) or VERIFIED)
    except click.UsageError as error:
        if "--json" in arguments:
            print_json({"code": "usage", "verified": False, "error": error.format_message()})
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return NOT_DONE
    except (click.ClickException, VerifyError, DecisionError, GrantError, LedgerError) as error:
        return _refuse(str(error), arguments)
    except Exception as error:  # noqa: BLE001  (whatever it is, nothing was verified, and that is what is said)
        return _refuse(f"something unexpected went wrong ({type(error).__name__}): nothing was verified", arguments)


def main() -> None:
    """Run ``tally-verify``."""
    sys.exit(run(sys.argv[1:]))


def _refuse(why: str, arguments: Sequence[str]) -> int:
    if "--json" in arguments:
        print_json({"code": "not-done", "verified": False, "error": why})
    click.echo(f"tally-verify: {visible(why)}", err=True)
    return NOT_DONE
