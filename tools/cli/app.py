"""The root of ``tally``: which commands there are, and how every run ends.

The table below says in which module a command stands; nothing of it is imported before it is asked for, so that help
is there at once.
"""

import importlib
import keyword
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from tools.cli.command import Suggesting, shared_options, write_example
from tools.cli.failure import USAGE, report
from tools.cli.session import session

SECTIONS: Final[dict[str, dict[str, str]]] = {
    "Begin and keep": {
        "init": "Begin a ledger in a new directory.",
        "principal": "Register who may ask and who may sign.",
        "resource": "Say what the things are that operations touch.",
        "evidence": "Record what somebody answers for, such as backups and reports.",
        "constitution": "Show, try, compare and adopt the rules.",
        "amendment": "Change the rules: propose, vote, adopt or reject.",
        "shadow": "Try rules beside those in force, and enforce nothing.",
        "key": "Show, replace and seal the log's own key.",
        "doctor": "Look whether everything is in order.",
    },
    "Ask and answer": {
        "decide": "Decide an operation, and record the decision.",
        "reduce": "Show what an operation would do, and what of it can't be read.",
        "hook": "Answer an agent's host before a tool runs, and report after it.",
        "outcome": "Report what became of an effect, and list what nobody told.",
        "request": "See what waits for a human's consent.",
        "grant": "Give, show and take back grants.",
        "trust": "Record what sensors observe, and show what was earned.",
    },
    "Keep and erase": {
        "erase": "Delete what disclosable fields hold, for good.",
        "hold": "Forbid erasures, and allow them again.",
        "retention": "Say how long fields must be kept, and may be.",
    },
    "Read and check": {
        "log": "Read the events.",
        "checkpoint": "Sign what the log commits to, and show it.",
        "stamp": "Have checkpoints stamped with the time.",
        "watch": "Follow a log from outside.",
        "witness": "Have checkpoints cosigned, and cosign those of others.",
        "prove": "Export a decision as a bundle that proves itself.",
        "receipt": "Prove to other software that an event stands in the log.",
        "copy": "Bring a log from one database to another.",
        "export": "Write the whole log into plain files that prove themselves.",
        "import": "Make a ledger of an export.",
        "explain": "Say why a decision came out as it did, and what would change it.",
        "replay": "Decide every recorded decision again, and compare.",
        "audit": "Recompute everything from the stored events.",
        "rebuild": "Fold the views again from the events.",
        "db": "Look after the database: its tables and their version.",
        "demo": "Tell the whole story in a temporary directory.",
        "help": "Explain more: exit codes, environment, legal bases.",
    },
}

BLOCKING: Final = frozenset({"hook"})
"""Commands whose caller goes ahead on any exit code but 0 and 2: whatever fails in them exits with 2."""

COMMANDS: Final = {name: about for section in SECTIONS.values() for name, about in section.items()}

_EXAMPLE: Final = """\
tally init --human human:h1 --name 'Ada L.'
tally principal add agent:ops-7 --name 'night shift' --owner human:h1 --uid ops
tally decide --as agent:ops-7 --shell 'rm -rf build'"""


class Root(Suggesting):
    """``tally`` itself."""

    _blocking = False

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's form)
        """Give the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's form)
        """Load a command from its module."""
        if cmd_name not in COMMANDS:
            return None
        self._blocking = cmd_name in BLOCKING
        # A word of Python's own can't name a module that others import.
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        found = importlib.import_module(f"tools.cli.{module}").command
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's form)
        """Write the commands in sections, from the table alone."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's form)
        """Write the first steps."""
        write_example(_EXAMPLE, formatter)

    def main(  # type: ignore[override]  # it never returns, click's own does where standalone_mode is off
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "tally",
        **extra: Any,  # noqa: ANN401  (what click's test runner adds)
    ) -> NoReturn:
        """Run a command line, and end the process with the code of DESIGN section 13."""
        words = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        self._blocking = False
        try:
            code = super().main(words, prog_name, **extra)
            sys.stdout.flush()
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(error.exit_code)
        except Exception as error:  # noqa: BLE001  (the last place: nobody is shown a traceback)
            sys.exit(self._failed(report(error, as_json=_wants_json(words))))
        except KeyboardInterrupt as error:
            sys.exit(self._failed(report(error, as_json=False)))
        sys.exit(code if isinstance(code, int) else 0)

    def _failed(self, code: int) -> int:
        return USAGE if self._blocking else code


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"tally {own_version()}")
        context.exit()


def own_version() -> str:
    """Give the installed version."""
    # Half of what help takes to be there, and no command but --version asks.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("tallystick")
    except PackageNotFoundError:
        return "(not installed: running from its source)"


@click.group(
    cls=Root,
    params=shared_options(hidden=False),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def root() -> None:
    """Decide what agents may do, record why, and prove it later.

    A ledger of decisions, of the human consent that they used up and of the trust that they rested on.
    """
    named = os.environ.get("TALLY_LEDGER")
    if session().ledger is None and named:
        session().name_ledger(named)


def _wants_json(words: Sequence[str]) -> bool:
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options
