"""``tally reduce``: what an operation is taken apart into, without a ledger and without a decision.

Source: issue 4 section 1; docs/guides/reducers.md.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from decisions.action import Action, Reduction
from decisions.operation import Operation
from decisions.reducers import VERSION, reduce_operation
from decisions.reducers.vocabulary import MILDEST
from tools import operations
from tools.cli.asking import Asked, form_options, given_beside, operation_of
from tools.cli.command import command as declare
from tools.cli.failure import DENIED, DONE
from tools.cli.output import counted, emit, safe
from tools.files import read_bytes
from tools.show.escape import masked

_EXAMPLE: Final = """\
tally reduce --shell 'cd build && rm -rf *'
tally reduce --sql 'DELETE FROM users WHERE id = 42' --database prod
tally reduce --file deploy.sh --json"""


@declare("reduce", example=_EXAMPLE)
@click.option(
    "--file",
    "script",
    type=click.Path(readable=False),
    metavar="FILE|-",
    help="A shell script in a file; --cwd says where it runs.",
)
@form_options
def command(script: str | None, **options: Any) -> int:  # noqa: ANN401  (the fields of Asked)
    """Show what an operation would do, and what of it can't be read.

    Nothing is decided, nothing is recorded, and no ledger is needed: these are the actions that a decision on the same
    operation would judge, one by one. One part that can't be read makes the whole operation opaque, and `tally decide`
    denies it.

    Exit codes: 0 all of it was read, 4 a part of it is opaque.
    """
    operation = _operation(script, Asked(**options))
    found = reduce_operation(operation.form, operation.payload, home=operations.home_of(os.getuid()))
    emit(_data(operation, found), "\n".join(_lines(found)))
    return DENIED if found.problems else DONE


def _operation(script: str | None, asked: Asked) -> Operation:
    if script is None:
        return operation_of(asked)
    if rest := given_beside(asked, "--cwd"):
        raise click.UsageError(f"--file is a form of its own and goes with --cwd alone; given: {' and '.join(rest)}")
    return operations.script(read_bytes(Path(script)), asked.cwd)


def _data(operation: Operation, found: Reduction) -> dict[str, object]:
    return {
        "form": operation.form,
        "reducers": VERSION,
        "opaque": bool(found.problems),
        "actions": [
            {
                "kind": one.kind,
                "verb": one.verb,
                "target": one.target,
                "facts": dict(one.facts),
                "part": one.part,
            }
            for one in found.actions
        ],
        "problems": [{"code": one.code, "detail": one.detail, "part": one.part} for one in found.problems],
    }


def _lines(found: Reduction) -> Iterator[str]:
    head = counted(len(found.actions), "action")
    if found.problems:
        head = f"OPAQUE: {counted(len(found.problems), 'part')} can't be read, so the whole is denied; {head} besides"
    yield head
    yield from (f"  {_action_text(one)}" for one in found.actions)
    for one in found.problems:
        where = f"  ({masked(safe(one.part))})" if one.part else ""
        yield f"  opaque  {one.code}: {masked(safe(one.detail))}{where}"


def _action_text(one: Action) -> str:
    """Show an action with the facts that are not at their mildest, and the part that it is from."""
    facts = [name if value is True else f"{name} {value}" for name, value in one.facts if _tells(one.kind, name, value)]
    said = f", {', '.join(facts)}" if facts else ""
    where = f"  ({masked(safe(one.part))})" if one.part else ""
    return f"{one.kind} {one.verb} {safe(one.target)}{said}{where}"


def _tells(kind: str, name: str, value: object) -> bool:
    return value != MILDEST[kind].get(name)
