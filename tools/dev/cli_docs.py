"""Writes docs/guides/cli.md from the help of every command: ``python -m tools.dev.cli_docs``."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from tools.cli.app import SECTIONS, root
from tools.cli.help import ENVIRONMENT, EXIT_CODES

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "cli.md"
WIDTH = 100

_HEAD = """\
# The command line

Made from the help texts by `python -m tools.dev.cli_docs`; a test compares the two.

Data goes to stdout, talk to stderr. `--json` stands on every command and gives one object, or one a line for a list;
an error then is `{"error":{"code":...,"message":...}}`. The options of `tally` itself (`--ledger`, `--confirm-clock`,
`--no-color`) may stand behind a command too. Nothing is asked without a terminal: `--yes` answers in advance.
"""


def commands(group: click.Group, context: click.Context, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Give every command with the words that call it, nouns before their verbs."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        words = f"{path} {name}".strip()
        yield words, command
        if isinstance(command, click.Group):
            yield from commands(command, context, words)


def help_of(command: click.Command, words: str) -> str:
    """Give a help page, the same whatever terminal it is made at."""
    context = click.Context(root, info_name="tally", terminal_width=WIDTH, **root.context_settings)
    for name in words.split():
        assert isinstance(context.command, click.Group)
        inner = context.command.get_command(context, name)
        assert inner is not None
        context = click.Context(inner, info_name=name, parent=context)
    assert context.command is command
    return command.get_help(context)


def page() -> str:
    """Give the whole page."""
    parts = [_HEAD, _block(help_of(root, "")), "## Exit codes\n", _rows(("Code", "Meaning"), EXIT_CODES)]
    parts += ["## Environment\n", _rows(("Variable", "Meaning"), ENVIRONMENT)]
    context = click.Context(root)
    pages = dict(commands(root, context))
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        for words, command in pages.items():
            if words.split()[0] in names:
                parts += [f"### tally {words}\n", _block(help_of(command, words))]
    return "\n".join(parts)


def _block(text: str) -> str:
    return f"```text\n{text}\n```\n"


def _rows(head: tuple[str, str], rows: dict[int, str] | dict[str, str]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| `{name}` | {about} |" for name, about in rows.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    os.environ.pop("COLUMNS", None)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
