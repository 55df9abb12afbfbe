"""``tally resource tools``: under which names a server's tools are registered.

Source: DESIGN section 10; docs/adr/0021.
"""

import json
from pathlib import Path

import click

from decisions.reducers.errors import UnreadableError
from decisions.reducers.mcp import pin_of, read_definition, read_json
from ledger.canon import Json
from tools.cli.command import command as declare
from tools.cli.output import emit, table
from tools.errors import InputError
from tools.files import read_text


@declare("tools", example="tally resource tools tools.json --server tracker")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--server", required=True, metavar="NAME", help="The server, by the name that calls have it under.")
def tools(file: Path, server: str) -> None:
    """Show the names under which an MCP server's tools are registered.

    FILE is the result of the server's tools/list as JSON, a list of definitions, or one of them; - reads it from stdin.
    A name holds the digest of the tool's definition: look at what the tool does, and register the name with the effect
    that it has. Nothing is registered here. The hints are the server's own and make a call stricter alone.
    """
    listed = [_row(server, one) for one in _definitions(read_text(file))]
    emit(
        listed,
        table(("REFERENCE", "HINTS"), [(str(one["reference"]), str(one["hints"])) for one in listed]),
    )


def _row(server: str, definition: Json) -> dict[str, Json]:
    try:
        known = read_definition(definition)
        return {
            "tool": known["name"],
            "reference": pin_of(server, definition),
            "hints": _hints(known.get("annotations")),
        }
    except UnreadableError as error:
        raise InputError(f"a tool can't be pinned: {error.detail}") from error


def _hints(annotations: Json) -> str:
    said = annotations if isinstance(annotations, dict) else {}
    return " ".join(sorted(f"{name}={json.dumps(value)}" for name, value in said.items() if name.endswith("Hint")))


def _definitions(text: str) -> list[Json]:
    try:
        value = read_json(text)
    except UnreadableError as error:
        raise InputError(f"the list of tools can't be read: {error.detail}") from error
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict):
        value = value.get("tools", [value])
    if not isinstance(value, list) or not value:
        raise InputError("there is no tool: the result of tools/list, a list of definitions or one of them is wanted")
    return value
