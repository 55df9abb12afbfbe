"""``tally constitution diff``: what a change of the rules lets happen, or no longer lets happen.

Source: docs/spec/analysis.md; policy cases G01, G03, G05, G09.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Final

import click

from decisions.analysis import Difference, Rules, compare
from decisions.analysis.difference import KINDS, Kind
from decisions.constitution import load
from tools.cli.command import command
from tools.cli.constitution_lint import FORMATS, Document, document, rules_of
from tools.cli.failure import DONE, FAILED
from tools.cli.output import emit
from tools.cli.session import session
from tools.rulebook.pages import difference_json, difference_lines
from tools.rulebook.sarif import Result, report

_EXAMPLE: Final = """\
tally constitution diff ours.toml
tally constitution diff old.toml new.toml --at-most tightening"""

_LEVELS: Final[dict[Kind, frozenset[Kind]]] = {
    "equivalent": frozenset({"equivalent"}),
    "tightening": frozenset({"equivalent", "tightening"}),
    "loosening": frozenset({"equivalent", "loosening"}),
    "mixed": frozenset(KINDS),
}


@command(example=_EXAMPLE)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="[OLD] NEW")
@click.option("--store", is_flag=True, help="With two files: tell which of the ledger's resources are concerned.")
@click.option(
    "--at-most", type=click.Choice(KINDS), default="mixed", help="Exit with 1 where the change is of another class."
)
@FORMATS
def diff(files: tuple[Path, ...], store: bool, at_most: Kind, form: str) -> int:
    """Compare two constitutions in every cell: NEW with OLD, or with the one in force.

    The class of the change is equivalent, tightening, loosening or mixed; a cell opens where more may happen in it than
    before. With the one in force, the ledger's standing grants stand beside both, and its resources that lie in a cell
    that opens or closes are named.
    """
    if len(files) > 2:  # noqa: PLR2004  (old and new)
        raise click.UsageError("name one file, or an old one and a new one")
    old, new = (document(files[0] if len(files) > 1 else None), document(files[-1]))
    rules, resources = rules_of(load(old.text), store=store or len(files) == 1)
    difference = compare(rules, Rules(load(new.text), rules.grants), resources or ())
    if form == "sarif":
        session().json = True
        emit(report(new.file, _results(difference), _MEANINGS, version("tallystick")))
    else:
        session().json = session().json or form == "json"
        emit({"old": old.file, "new": new.file, **difference_json(difference)}, _pretty(old, new, difference))
    return DONE if difference.kind in _LEVELS[at_most] else FAILED


_MEANINGS: Final = {
    "opens": "cells in which more may happen than before",
    "closes": "cells in which less may happen than before",
    "term": "what a fact rests on is another than before",
    "grown": "what could not be spoken of before",
}


def _results(difference: Difference) -> list[Result]:
    found = []
    if difference.witness_opened is not None:
        found.append(Result("opens", "warning", f"{difference.opened} cells: {difference.witness_opened}", 1))
    if difference.witness_closed is not None:
        found.append(Result("closes", "note", f"{difference.closed} cells: {difference.witness_closed}", 1))
    for change in difference.terms:
        text = f"{change.name}: {change.before} to {change.after}"
        found.append(Result("term", "warning" if change.opens else "note", text, 1))
    found += [Result("grown", "note", f"new: {name}", 1) for name in difference.grown]
    return found


def _pretty(old: Document, new: Document, difference: Difference) -> str:
    return "\n".join([f"{old.file} -> {new.file}", *difference_lines(difference)])
