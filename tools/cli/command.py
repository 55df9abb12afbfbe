"""How a command is declared: each has an example in its help and takes ``--json``, whatever else it does.

    @command(example="tally principal show agent:ops-7")
    @click.argument("principal")
    def show(principal: str) -> int | None:
        '''Show one principal with its keys.'''

What a command returns is its exit code; None is 0. The options that stand before a command may stand behind it too.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from grants.spelling import suggestion
from tools.cli.session import session
from verify.strict import Strict

Body: TypeAlias = Callable[..., int | None]


class Command(Strict):
    """A command with an example."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:  # noqa: ANN401  (passed on to click as it is)
        super().__init__(*args, **kwargs)
        self.example = example
        self.params += shared_options()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's form)
        """Write the example, line by line as it is."""
        write_example(self.example, formatter)


class Suggesting(Strict, click.Group):
    """A group that names the nearest command where it does not know one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for.

        Raises:
            UsageError: there is none of that name.
        """
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            ctx.fail(f'no command "{name}"{suggestion(name, self.list_commands(ctx))}')
        return super().resolve_command(ctx, args)


class Group(Suggesting):
    """A noun, with its verbs as commands."""

    command_class = Command

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:  # noqa: ANN401  (passed on to click as it is)
        super().__init__(*args, **kwargs)
        self.example = example
        self.params += shared_options()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's form)
        """Write the example, line by line as it is."""
        write_example(self.example, formatter)


def command(name: str | None = None, *, example: str, **more: Any) -> Callable[[Body], Command]:  # noqa: ANN401  (as above)
    """Declare a command.

    Args:
        name: its name, where the function's does not serve.
        example: one or more lines that can be typed as they are.
        more: what click's own decorator takes.
    """
    return click.command(name, cls=Command, example=example, **more)


def group(name: str, *, example: str, **more: Any) -> Callable[[Body], Group]:  # noqa: ANN401  (as above)
    """Declare a noun; its verbs are declared with ``@<noun>.command(example=...)``."""
    return click.group(name, cls=Group, example=example, **more)


def shared_options(*, hidden: bool = True) -> list[click.Parameter]:
    """Give the options that every command takes; all but ``--json`` are shown in the help of ``tally`` alone."""
    return [
        _option(["--json"], "json", is_flag=True, help="Print one JSON object, or one a line."),
        _option(
            ["--ledger"],
            "ledger",
            type=click.Path(readable=False),
            metavar="PATH",
            hidden=hidden,
            help="The ledger's directory; else $TALLY_LEDGER, else ./.tally.",
        ),
        _option(
            ["--confirm-clock"],
            "confirm_clock",
            is_flag=True,
            hidden=hidden,
            help="Say that a long jump of the clock is right.",
        ),
        _option(
            ["--passphrase-file"],
            "passphrase_file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            hidden=hidden,
            help="What holds the passphrase of the log's key: a file, or /dev/fd/N; else it is asked for.",
        ),
        _option(["--no-color"], "no_color", is_flag=True, hidden=hidden, help="Print without colours."),
    ]


def write_example(example: str, formatter: click.HelpFormatter) -> None:
    """Write an example at the end of a help page."""
    with formatter.section("Example" if "\n" not in example else "Examples"):
        for line in example.splitlines():
            formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def _option(declared: list[str], name: str, **more: Any) -> click.Option:  # noqa: ANN401  (passed on to click as it is)
    def keep(_context: click.Context, _parameter: click.Parameter, value: object) -> None:
        # What stands behind a command does not undo what stands before it.
        if name == "no_color":
            session().color = session().color and not value
        elif name == "ledger" and isinstance(value, str):
            session().name_ledger(value)
        elif value:
            setattr(session(), name, value)

    return click.Option([*declared, name], expose_value=False, callback=keep, **more)
