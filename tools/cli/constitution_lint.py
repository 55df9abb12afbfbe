"""``tally constitution lint``, ``test`` and ``explain``: one set of rules, looked at by itself.

Source: docs/spec/analysis.md; docs/guides/constitution.md.
"""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from decisions.analysis import Finding, Rules, findings
from decisions.analysis.finding import MEANINGS
from decisions.analysis.rules import Registered
from decisions.analysis.sight import Sight
from decisions.analysis.telling import tell
from decisions.constitution import Constitution, load
from decisions.errors import ConstitutionError
from decisions.law import law_in_force
from grants.identifier import code_points
from grants.spelling import suggestion
from grants.standing import standing_terms
from tools.cli.command import command
from tools.cli.failure import DONE, FAILED
from tools.cli.output import counted, emit, fields
from tools.cli.session import opened, session
from tools.errors import InputError
from tools.files import read_text
from tools.rulebook.cases import try_cases
from tools.rulebook.pages import finding_json, rule_json, rule_lines, summary
from tools.rulebook.sarif import Result, line_of, report
from tools.rulebook.store import registered

_MEANINGS: dict[str, str] = {"not-accepted": "a document that the loader refuses"} | {
    str(code): text for code, text in MEANINGS.items()
}

FORMATS = click.option(
    "--format", "form", type=click.Choice(["pretty", "json", "sarif"]), default="pretty", help="How it is printed."
)


@dataclass(frozen=True)
class Document:
    """A constitution's text, and where it is from.

    Attributes:
        file: the path as it was given, or what stands for it.
        text: the document.
    """

    file: str
    text: str


def document(file: Path | None) -> Document:
    """Read a file, or the constitution in force where none is named."""
    if file is not None:
        return Document(str(file), read_text(file))
    with opened() as ledger:
        return Document(
            "the constitution in force", ledger.log.read(lambda s: law_in_force(s, ledger.registry)).document
        )


def rules_of(constitution: Constitution, *, store: bool) -> tuple[Rules, tuple[Registered, ...] | None]:
    """Put beside a constitution what the ledger holds, where that is wanted."""
    if not store:
        return Rules(constitution), None
    with opened() as ledger:
        at = ledger.now()
        return ledger.log.read(
            lambda snapshot: (
                Rules(constitution, standing_terms(snapshot, ledger.registry, at)),
                registered(snapshot, inherit=constitution.inherit),
            )
        )


@command(example="tally constitution lint ours.toml")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--store", is_flag=True, help="Look at the ledger's resources and standing grants too.")
@FORMATS
def lint(file: Path | None, store: bool, form: str) -> int:
    """Find rules without teeth, in a FILE or in the constitution in force.

    First the document is read as a whole: every name must be known, every condition must fit what is declared, and
    every rule must do on its two examples what it is there to show. Then every rule is looked at in every cell: does it
    fire at all, does it always, would every verdict be the same without it or without a part of it, and does anything
    supply what it reads. Exit code 1 where there is a finding or the document is not accepted.
    """
    source = document(file)
    try:
        constitution = load(source.text)
    except ConstitutionError as error:
        _refused(source, str(error), form)
        return FAILED
    rules, resources = rules_of(constitution, store=store)
    found = findings(rules, resources)
    if form == "sarif":
        results = [Result(one.code, "error", str(one), line_of(source.text, one.place)) for one in found]
        _print_json(report(source.file, results, _MEANINGS, version("tallystick")))
    else:
        _print(
            {
                "accepted": True,
                "file": source.file,
                **summary(constitution),
                "findings": [finding_json(f) for f in found],
            },
            _pretty(source, constitution, found),
            form,
        )
    return FAILED if found else DONE


@command("test", example="tally constitution test ours.toml --cases cases.toml")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--cases", type=click.Path(path_type=Path), help="A TOML file of cases with the outcomes that they want.")
def test(file: Path | None, cases: Path | None) -> int:
    """Try a constitution on the examples in it, and on CASES of yours.

    Exit code 1 where any goes otherwise than it should. docs/guides/constitution.md shows how cases are written.
    """
    source = document(file)
    constitution = load(source.text)
    examples = 2 * len(constitution.rules)
    tried = list(try_cases(constitution, read_text(cases))) if cases else []
    amiss = [one for one in tried if one.amiss]
    rows = [(one.name, one.expected, one.verdict.outcome, one.amiss or "as expected") for one in tried]
    data = {
        "file": source.file,
        "examples": examples,
        "cases": [
            {
                "name": one.name,
                "expected": one.expected,
                "outcome": one.verdict.outcome,
                "reasons": list(one.verdict.reasons),
                "rules": [spoken.rule.id for spoken in one.verdict.spoken],
                "amiss": one.amiss or None,
            }
            for one in tried
        ],
        "failed": len(amiss),
    }
    head = f"{source.file}: {counted(examples, 'example')} of its own go as they should"
    if tried:
        head += f"; {counted(len(tried), 'case')}, {len(amiss)} of them otherwise than expected"
    lines = [f"{name}: {expected}: {said}" for name, expected, _, said in rows]
    emit(data, "\n".join([head, *lines]))
    return FAILED if amiss else DONE


@command(example="tally constitution explain V.exfiltration")
@click.argument("rule")
@click.argument("file", type=click.Path(path_type=Path), required=False)
def explain(rule: str, file: Path | None) -> None:
    """Tell one RULE of a FILE or of the constitution in force: what it reads, when it fires, and how often.

    The counts are of cells: one value, or none, for each attribute of an action.
    """
    constitution = load(document(file).text)
    known = {one.id: one for one in constitution.rules}
    if rule not in known:
        raise InputError(f"there is no rule {code_points(rule)}{suggestion(rule, known)}")
    told = tell(Sight(Rules(constitution)), known[rule])
    emit(rule_json(known[rule], told), "\n".join(rule_lines(constitution, known[rule], told)))


def _refused(source: Document, why: str, form: str) -> None:
    if form == "sarif":
        result = Result("not-accepted", "error", why, line_of(source.text, why.partition(": ")[0]))
        _print_json(report(source.file, [result], _MEANINGS, version("tallystick")))
        return
    data = {"accepted": False, "file": source.file, "finding": why, "findings": []}
    _print(data, f"{source.file}: not accepted: {why}", form)


def _pretty(source: Document, constitution: Constitution, found: tuple[Finding, ...]) -> str:
    if not found:
        return f"{source.file}: accepted, no finding\n{fields(list(summary(constitution).items()))}"
    lines = [f"{one.place}: {one.says} ({one.proof}) [{one.code}]" for one in found]
    return "\n".join([f"{source.file}: accepted, {counted(len(found), 'finding')}", *lines])


def _print(data: object, text: str, form: str) -> None:
    session().json = session().json or form == "json"
    emit(data, text)


def _print_json(data: object) -> None:
    session().json = True
    emit(data)
