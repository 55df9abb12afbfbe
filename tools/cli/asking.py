"""The options in which an operation is said, for every command that takes one: exactly one form of it.

Source: DESIGN sections 10 and 13; docs/guides/agents.md.
"""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from decisions.operation import MAX_PAYLOAD_BYTES, Operation
from grants.errors import GrantError
from tools import operations
from tools.cli.output import say
from tools.errors import InputError

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SPAN = re.compile(r"([1-9][0-9]{0,5})([smhd])", re.ASCII)

_FORMS = (
    click.option("--tool-call", metavar="FILE|-", help="An agent's tool call as JSON: tool_name, tool_input, cwd."),
    click.option(
        "--operation", metavar="FILE|-", help='An operation of any form as JSON: {"form":...,"payload":{...}}.'
    ),
    click.option("--shell", metavar="TEXT", help="A shell line."),
    click.option(
        "--cwd",
        type=click.Path(readable=False),
        metavar="DIR",
        help="Where the shell line runs; else the present directory.",
    ),
    click.option("--sql", metavar="TEXT", help="SQL text."),
    click.option("--database", metavar="NAME", help="The store that the SQL runs on, as it is registered."),
    click.option("--dialect", metavar="NAME", help="The SQL dialect, such as postgres."),
    click.option("--verb", metavar="VERB", help="What is done, with --target."),
    click.option("--target", metavar="REF", help="To what: a reference such as db://prod/users/42."),
    click.option("--kind", metavar="KIND", help="The kind of action, where the target does not tell it."),
    click.option("--say", "speech", metavar="CLASS", help="The class of a conversation's reply, with --person."),
    click.option(
        "--person", metavar="ID", help="The person who is spoken with: an opaque id, with or without person: before it."
    ),
    click.option("--domain", metavar="NAME", help="What the payload says of the conversation's domain."),
)
_BESIDE = (
    click.option("--session-domain", metavar="NAME", help="The session's trust domain; heard of enforcement points."),
    click.option(
        "--operand",
        "operands",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A script or file that the operation uses: its content is pinned.",
    ),
    click.option(
        "--attribute",
        "attributes",
        multiple=True,
        metavar="NAME=VALUE",
        help="What the asker claims; it can only make the verdict stricter.",
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The options as they were given."""

    tool_call: str | None
    operation: str | None
    shell: str | None
    cwd: str | None
    sql: str | None
    database: str | None
    dialect: str | None
    verb: str | None
    target: str | None
    kind: str | None
    speech: str | None
    person: str | None
    domain: str | None
    session_domain: str | None = None
    operands: tuple[Path, ...] = ()
    attributes: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether any form of an operation was given."""
        return any(value is not None for value in self.forms.values())

    @property
    def forms(self) -> Mapping[str, str | None]:
        """What was given, by the option that says each form."""
        return {
            "--tool-call": self.tool_call,
            "--operation": self.operation,
            "--shell": self.shell,
            "--sql": self.sql,
            "--verb": self.verb,
            "--say": self.speech,
        }


class Span(click.ParamType[int]):
    """A length of time: a number and s, m, h or d, given in microseconds."""

    name = "span"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it."""
        if isinstance(value, int):
            return value
        match = _SPAN.fullmatch(str(value))
        if match is None:
            self.fail(f"{str(value)[:40]!a} is no length of time such as 30m, 2h or 7d", param, ctx)
        return int(match[1]) * _UNITS[match[2]] * 1_000_000


def operation_options(function: F) -> F:
    """Add the options; the command takes them as keywords, for `Asked`."""
    for option in reversed(_FORMS + _BESIDE):
        function = option(function)
    return function


def form_options(function: F) -> F:
    """Add the options that say what is done, without what an asker says beside it."""
    for option in reversed(_FORMS):
        function = option(function)
    return function


def operation_of(asked: Asked) -> Operation:
    """Make the operation.

    Raises:
        click.UsageError: not exactly one form, or one with a part missing.
        InputError: an operand can't be read.
    """
    operation = _form(asked)
    try:
        claims = dict(operations.claim(text) for text in asked.attributes)
    except ValueError as error:
        raise click.UsageError(f"--attribute: {error}") from error
    try:
        return operations.completed(
            operation, domain=asked.session_domain or "", operands=asked.operands, claims=claims
        )
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise InputError(
            f"--operand {where}{error.strerror or error}: name a file that can be read, as it will be used"
        ) from error
    except GrantError as error:
        raise InputError(f"--operand can't be pinned: {error}") from error


def _form(asked: Asked) -> Operation:
    given = [name for name, value in asked.forms.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise click.UsageError(f"say one operation in one form, {', '.join(asked.forms)}; given: {found}")
    _check_companions(asked, given[0])
    if asked.tool_call is not None:
        return operations.tool_call(_read(asked.tool_call))
    if asked.operation is not None:
        return operations.any_form(_read(asked.operation))
    if asked.shell is not None:
        return operations.shell(asked.shell, asked.cwd)
    if asked.sql is not None:
        return operations.sql(asked.sql, asked.database or "", asked.dialect)
    if asked.verb is not None:
        return operations.typed(asked.verb, asked.target or "", asked.kind)
    return operations.conversation(asked.speech or "", asked.person or "", asked.domain)


def given_beside(asked: Asked, allowed: str) -> list[str]:
    """Name the options that were given of those that say what is done, but for one that is allowed."""
    names = dict(asked.forms) | {name: getattr(asked, name.removeprefix("--")) for name in _COMPANIONS}
    return [name for name, value in names.items() if value is not None and name != allowed]


_COMPANIONS = {
    "--cwd": ("--shell", False),
    "--database": ("--sql", True),
    "--dialect": ("--sql", False),
    "--target": ("--verb", True),
    "--kind": ("--verb", False),
    "--person": ("--say", True),
    "--domain": ("--say", False),
}


def _check_companions(asked: Asked, form: str) -> None:
    for name, (belongs, needed) in _COMPANIONS.items():
        value = getattr(asked, name.removeprefix("--"))
        if value is not None and belongs != form:
            raise click.UsageError(f"{name} goes with {belongs}, not with {form}")
        if value is None and needed and belongs == form:
            raise click.UsageError(f"{form} needs {name}")


def _read(name: str) -> bytes:
    """Read a tool call or an operation; what can't be read is empty, so that its refusal is recorded all the same."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_PAYLOAD_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(MAX_PAYLOAD_BYTES + 1)
    except (OSError, ValueError) as error:
        say(f"tally: {name} can't be read, so the operation is denied: {error}")
        return b""
