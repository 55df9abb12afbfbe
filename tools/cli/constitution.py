"""``tally constitution``: the rules that decide."""

from pathlib import Path
from typing import Final

import click

from decisions.adoption import adopt
from decisions.constitution import DEFAULT_TEXT, Constitution, load
from decisions.law import AdoptedLaw, last_adopted, law_in_force
from grants.principals import last_restored
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.constitution_diff import diff
from tools.cli.constitution_exercise import exercise
from tools.cli.constitution_lint import explain, lint, test
from tools.cli.output import emit, fields, say
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.files import read_text
from tools.ledger import OpenLedger
from tools.rulebook.cedar import policies
from tools.rulebook.pages import summary
from tools.rulebook.prolog import clauses

_SPELLED: Final = {"prolog": clauses, "cedar": policies}

_EXAMPLE: Final = """\
tally constitution show --text > ours.toml
tally constitution lint ours.toml
tally constitution diff ours.toml
tally constitution adopt ours.toml"""


@group("constitution", example=_EXAMPLE)
def command() -> None:
    """Show, try, compare and adopt the rules."""


for _verb in (lint, diff, test, explain, exercise):
    command.add_command(_verb)


@command.command("show", example="tally constitution show")
@click.option("--text", is_flag=True, help="Print the document itself.")
@click.option("--as", "form", type=click.Choice(sorted(_SPELLED)), help="As clauses or policies, to read.")
@click.option("--default", is_flag=True, help="The one that ships, instead of the one in force; needs no ledger.")
def show(text: bool, form: str | None, default: bool) -> None:
    """Show the constitution in force: its articles and their rules.

    After tally log restored none is in force until one is adopted; --text prints the last one that was, and says so.
    Prolog takes what it can't prove as false, and Cedar skips a forbid that lacks a fact; the decision point takes it
    as unknown and forbids. So --as says what the rules say where everything is known, and decides nothing.
    """
    if text and form:
        raise click.UsageError("say --text or --as, not both")
    lapsed = None
    if default:
        document, adopted = DEFAULT_TEXT, None
    else:
        with opened() as ledger:
            law, lapsed = ledger.log.read(lambda snapshot: _shown(snapshot, ledger, text=text))
        if lapsed is not None:
            say(
                f"This is not in force: event {law.adopted.seq} adopted it, the log was restored by event {lapsed} "
                f"since, and a later one may be lost. Read it through, and adopt what is to hold: "
                "tally constitution adopt"
            )
        document, adopted = law.document, law.adopted
    constitution = load(document)
    data = {
        **summary(constitution),
        "event": adopted.seq if adopted else None,
        "in_force": adopted is not None and lapsed is None,
        "document": document,
    }
    if form is not None:
        data["as"] = spelled = _SPELLED[form](constitution)
        emit(data, spelled)
        return
    emit(data, document.removesuffix("\n") if text else f"{_head(constitution)}\n\n{_articles(constitution)}")


@command.command("adopt", example="tally constitution adopt ours.toml")
@click.argument("file", type=click.Path(path_type=Path))
@signing_options
def adopt_(file: Path, *, signing: Signing) -> None:
    """Put a constitution in force.

    A human signs for its digest, and the whole document stands in the event.
    """
    document = read_text(file)
    constitution = load(document)
    with opened() as ledger:
        event = sign_act(ledger, signing, lambda snapshot, by: adopt(snapshot, by=by, document=document))
    emit(
        {**summary(constitution), "event": event.seq, "at": event.at},
        f"{constitution.name} is in force (event {event.seq})",
    )


def _shown(look: Snapshot, ledger: OpenLedger, *, text: bool) -> tuple[AdoptedLaw, int | None]:
    """Give the constitution in force; where its text is wanted, else the last one, with the restore that ended it."""
    law, restored = last_adopted(look, ledger.registry), last_restored(look)
    if restored is None or law.adopted.seq > restored:
        return law, None
    return (law, restored) if text else (law_in_force(look, ledger.registry), None)


def _head(constitution: Constitution) -> str:
    return fields(list(summary(constitution).items()))


def _articles(constitution: Constitution) -> str:
    lines = []
    for article in constitution.articles:
        lines += [f"{article.number}  {article.title}: {article.says}"]
        lines += [f"    {rule.id}  {rule.effect}: {rule.says}" for rule in article.rules]
    return "\n".join(lines)
