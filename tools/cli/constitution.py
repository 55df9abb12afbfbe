"""``tally constitution``: the rules that decide."""

from pathlib import Path
from typing import Final

import click

from decisions.adoption import adopt
from decisions.constitution import DEFAULT_TEXT, Constitution, load
from decisions.errors import ConstitutionError
from decisions.law import AdoptedLaw, last_adopted, law_in_force
from grants.principals import last_restored
from ledger import canon
from ledger.log import Snapshot
from tools.cli.command import group
from tools.cli.failure import DONE, FAILED
from tools.cli.output import emit, fields, say
from tools.cli.params import Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.files import read_text
from tools.ledger import OpenLedger

_EXAMPLE: Final = """\
tally constitution show --text > ours.toml
tally constitution check ours.toml
tally constitution adopt ours.toml"""


@group("constitution", example=_EXAMPLE)
def command() -> None:
    """Show, check and adopt the rules."""


@command.command("show", example="tally constitution show")
@click.option("--text", is_flag=True, help="Print the document itself.")
@click.option("--default", is_flag=True, help="The one that ships, instead of the one in force; needs no ledger.")
def show(text: bool, default: bool) -> None:
    """Show the constitution in force: its articles and their rules.

    After tally log restored none is in force until one is adopted; --text prints the last one that was, and says so.
    """
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
    emit(data, document.removesuffix("\n") if text else f"{_head(constitution)}\n\n{_articles(constitution)}")


@command.command("check", example="tally constitution check ours.toml")
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> int:
    """Check a document without adopting it.

    Exit code 0 if it would be accepted; 1, and the finding, if not.
    A document is read as a whole: every name must be known, every condition must fit what is declared, and every rule
    must do on its two examples what it is there to show.
    """
    try:
        constitution = load(read_text(file))
    except ConstitutionError as error:
        emit({"accepted": False, "file": str(file), "finding": str(error)}, f"{file}: not accepted: {error}")
        return FAILED
    emit({"accepted": True, "file": str(file), **summary(constitution)}, f"{file}: accepted\n{_head(constitution)}")
    return DONE


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


def summary(constitution: Constitution) -> dict[str, object]:
    """Say in a few words what a constitution is."""
    return {
        "name": constitution.name,
        "digest": canon.to_base64url(constitution.digest),
        "articles": len(constitution.articles),
        "rules": len(constitution.rules),
        "attributes": len(constitution.attributes),
        "categories": len(constitution.categories),
    }


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
