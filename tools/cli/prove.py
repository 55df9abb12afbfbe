"""``tally prove``: export a decision as a bundle that proves itself.

Source: DESIGN sections 8 and 9; docs/guides/quickstart.md.
"""

import sys
from pathlib import Path
from typing import Final

import click

from tools.cli.command import command as declare
from tools.cli.output import emit, say
from tools.cli.session import opened
from tools.errors import InputError
from tools.home import write_new
from tools.numbers import Number
from tools.proving import Proof, command_line, prove
from verify.bundle.choice import Disclosure, FieldPattern
from verify.errors import BundleError

_EXAMPLE: Final = """\
tally prove 41 -o case-41.bundle
tally prove 41 -o case-41.bundle --disclose /args --disclose /reason
tally prove 41 -o case-41.bundle --disclose-all --hide 12:/reason --hide '/operands/*/content'"""


@declare("prove", example=_EXAMPLE)
@click.argument("event", type=Number())
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE|-", help="Where; else decision-N.bundle."
)
@click.option("--disclose", "shown", multiple=True, metavar="[EVENT:]PATH", help="Open this field, such as /args.")
@click.option("--disclose-all", "everything", is_flag=True, help="Open every field that was not erased.")
@click.option("--hide", "hidden", multiple=True, metavar="[EVENT:]PATH", help="Keep this field closed all the same.")
def command(
    event: int, output: Path | None, shown: tuple[str, ...], hidden: tuple[str, ...], *, everything: bool
) -> None:
    """Export a decision as a bundle, with all that the verdict rested on.

    EVENT is the decision, or a consumption or request that came of it. A checkpoint is signed where the latest does
    not cover it; without -o the file is decision-N.bundle. Fields stay closed unless they are disclosed; what is
    needed to decide again is open too, unless it is hidden: then that check can't be made, and the report says so.
    PATH is a field's pointer, as tally log show lists them; it covers what lies below it, and * stands for one part.
    With an event's number before it, it is of that event alone. What is hidden stays closed whatever else is said,
    and so does the same value in other events.
    The bundle is verified before it is handed out.
    """
    disclose = Disclosure(_patterns("--disclose", shown), _patterns("--hide", hidden), everything)
    with opened() as ledger:
        proof = prove(ledger, event, disclose)
        if output is not None and str(output) == "-":
            sys.stdout.buffer.write(proof.data)
            sys.stdout.buffer.flush()
            return
        file = output or Path(f"decision-{proof.decision}.bundle")
        _write(file, proof.data)
        line = command_line(ledger.home, file)
    emit(_data(proof, file, line), _text(proof, file))
    say(f"\nAn auditor checks it with:\n  {line}")


def _patterns(option: str, texts: tuple[str, ...]) -> frozenset[FieldPattern]:
    try:
        return frozenset(map(FieldPattern.parse, texts))
    except BundleError as error:
        raise click.UsageError(f"{option}: {error}") from error


def _write(file: Path, data: bytes) -> None:
    try:
        write_new(file, data)
    except FileExistsError as error:
        raise InputError(f"{file} is there already and is left as it is: name another file with -o") from error


def _data(proof: Proof, file: Path, line: str) -> dict[str, object]:
    return {
        "decision": proof.decision,
        "file": str(file),
        "bytes": len(proof.data),
        "checkpoint_size": proof.size,
        "verified": proof.report.verified,
        "not_checked": list(proof.report.unchecked),
        "verify": line,
    }


def _text(proof: Proof, file: Path) -> str:
    passed = sum(line.status == "PASS" for line in proof.report.lines)
    left = ", ".join(proof.report.unchecked)
    unchecked = f"; not checked: {left}." if left else "."
    return (
        f"Decision {proof.decision} ({proof.report.summary}) is in {file}: {len(proof.data)} bytes, under the "
        f"checkpoint of {proof.size} events.\nVerified: {passed} checks pass{unchecked}"
    )
