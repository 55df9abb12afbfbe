"""``tally amendment``: change the rules.

Source: docs/spec/amendments.md; docs/guides/constitution.md.
"""

from pathlib import Path

import click

from decisions.amendment import acts
from decisions.amendment.events import Vote
from decisions.amendment.overlay import is_overlay_text
from grants.issue import Prepared
from ledger.log import Snapshot
from tools.amending import Amendment, amendment, amendments, difference_now
from tools.cli.command import group
from tools.cli.output import emit, fields, say, table
from tools.cli.params import Act, Signing, sign_act, signing_options
from tools.cli.session import opened
from tools.files import read_text
from tools.ledger import OpenLedger
from tools.numbers import Number
from tools.rulebook.pages import SAID, difference_json, difference_lines
from tools.shadowing import candidate

_EXAMPLE = """\
tally constitution show --text > ours.toml
tally amendment propose ours.toml --reason 'no deletions on Fridays'
tally amendment vote 41
tally amendment adopt 41"""
_INVOLVED = "the two are too involved for an exact answer: taken as mixed"


@group("amendment", example=_EXAMPLE)
def command() -> None:
    """Change the rules: propose, vote, adopt or reject.

    What a change opens and closes is worked out by machine. Where it opens nothing, a quorum of controlling principals
    adopts it, and agents may vote, with one voice for each human who answers for them. Anything else takes the
    signatures of humans. How many of each, the constitution in force says under [amending]; 2 and 1 where it does not.
    """


@command.command("propose", example="tally amendment propose ours.toml --reason 'no deletions on Fridays'")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--shadow", is_flag=True, help="Instead of a FILE: the candidate that judges as a shadow, or did last.")
@click.option("--reason", required=True, help="Why.")
@signing_options
def propose(file: Path | None, *, shadow: bool, reason: str, signing: Signing) -> None:
    """Propose the constitution in FILE in the place of the one in force, or an overlay over it.

    An overlay is a document with a table [overlay]: it adds forbids and requirements, and takes nothing away.
    """
    if (file is None) is not shadow:
        raise click.UsageError("name a FILE or say --shadow, and not both")
    with opened() as ledger:
        text = ledger.log.read(lambda look: candidate(look, ledger.registry)) if file is None else read_text(file)
        overlay = is_overlay_text(text)

        def act(look: Snapshot, by: str) -> Prepared:
            prepared = acts.propose(look, ledger.registry, by=by, document=text, reason=reason, overlay=overlay)
            _tell(look, ledger, int(str(prepared.fields["base"])), str(prepared.fields["document"]))
            return prepared

        event = sign_act(ledger, signing, act)
        found = ledger.log.read(lambda look: amendment(look, ledger.registry, event.seq))
    emit({"event": event.seq, **found.to_json()}, f"Amendment {event.seq} is proposed: {_class(found)}")


@command.command("vote", example="tally amendment vote 41 --against")
@click.argument("number", type=Number(), metavar="AMENDMENT")
@click.option("--against", is_flag=True, help="Vote against it; without, for it.")
@signing_options
def vote(number: int, *, against: bool, signing: Signing) -> None:
    """Vote for an AMENDMENT, or against it; once, and for good."""
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            choice: Vote = "against" if against else "for"
            return acts.vote(look, ledger.registry, by=by, amendment=number, choice=choice)

        event = sign_act(ledger, signing, _told(ledger, number, act))
        found = ledger.log.read(lambda look: amendment(look, ledger.registry, number))
    ready = found.lacking or f"it can be adopted: tally amendment adopt {number}"
    emit({"event": event.seq, **found.to_json()}, f"Voted on amendment {number} (event {event.seq}): {ready}")


@command.command("adopt", example="tally amendment adopt 41")
@click.argument("number", type=Number(), metavar="AMENDMENT")
@signing_options
def adopt(number: int, signing: Signing) -> None:
    """Adopt an AMENDMENT that has the votes, and put its constitution in force.

    Whoever adopts it is for it: their signature counts as a vote.
    """
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            return acts.adopt(look, ledger.registry, by=by, amendment=number)

        event = sign_act(ledger, signing, _told(ledger, number, act))
        found = ledger.log.read(lambda look: amendment(look, ledger.registry, number))
    data = {"event": event.seq, "constitution": event.seq + 1, **found.to_json()}
    emit(data, f"{found.body.name} is in force (event {event.seq + 1})")


@command.command("reject", example="tally amendment reject 41 --reason 'it stops the night job'")
@click.argument("number", type=Number(), metavar="AMENDMENT")
@click.option("--reason", required=True, help="Why.")
@signing_options
def reject(number: int, reason: str, signing: Signing) -> None:
    """Reject an AMENDMENT: any human may, and whoever proposed it takes it back."""
    with opened() as ledger:

        def act(look: Snapshot, by: str) -> Prepared:
            return acts.reject(look, ledger.registry, by=by, amendment=number, reason=reason)

        event = sign_act(ledger, signing, act)
    emit({"event": event.seq, "amendment": number, "rejected": True}, f"Amendment {number} is rejected.")


@command.command("list", example="tally amendment list --all")
@click.option("--all", "everything", is_flag=True, help="Those that have ended or are stale too.")
def list_amendments(*, everything: bool) -> None:
    """List the amendments that are open."""
    with opened() as ledger:
        found = ledger.log.read(lambda look: list(amendments(look, ledger.registry)))
    shown = [one for one in found if everything or one.status == "open"]
    header = ("AMENDMENT", "CLASS", "NAME", "BY", "LIFE", "VOTES", "REASON")
    rows = [(one.seq, one.body.change, one.body.name, one.state.by, one.life, one.tally, _reason(one)) for one in shown]
    nothing = "There are no amendments." if everything else "No amendment is open; --all shows those that have ended."
    emit([one.to_json() for one in shown], table(header, rows) if rows else nothing)


@command.command("show", example="tally amendment show 41")
@click.argument("number", type=Number(), metavar="AMENDMENT")
@click.option("--text", is_flag=True, help="Print the document that it proposes.")
def show(number: int, *, text: bool) -> None:
    """Show an AMENDMENT: its class, what it opens and closes today, its votes, and what is lacking."""
    with opened() as ledger:
        found = ledger.log.read(lambda look: amendment(look, ledger.registry, number))
        at = ledger.now()
        changed = ledger.log.read(
            lambda look: difference_now(look, ledger.registry, found.body.base, found.body.document, at)
        )
    data = {
        **found.to_json(),
        "lacking": found.lacking if found.status == "open" else None,
        "difference": difference_json(changed) if changed else None,
        "document": found.body.document,
    }
    told = list(difference_lines(changed)) if changed else [_INVOLVED]
    page = "\n".join([_head(found), "", "Beside the grants and resources of today:", *told])
    emit(data, found.body.document.removesuffix("\n") if text else page)


def _told(ledger: OpenLedger, number: int, act: Act) -> Act:
    """Say what an amendment does before anybody is asked to sign for it."""

    def telling(look: Snapshot, by: str) -> Prepared:
        prepared = act(look, by)
        found = amendment(look, ledger.registry, number)
        _tell(look, ledger, found.body.base, found.body.document)
        return prepared

    return telling


def _tell(look: Snapshot, ledger: OpenLedger, base: int, document: str) -> None:
    changed = difference_now(look, ledger.registry, base, document, ledger.now())
    say("\n".join(difference_lines(changed)) if changed else _INVOLVED)


def _head(found: Amendment) -> str:
    return fields(
        [
            ("amendment", found.seq),
            ("class", _class(found)),
            ("name", found.body.name),
            ("proposed by", found.state.by),
            ("reason", _reason(found)),
            ("changes", f"the constitution of event {found.body.base}"),
            ("life", found.life),
            *((f"vote of {one.by}", f"{one.vote} (event {one.seq})") for one in found.state.votes),
            ("votes", found.tally),
            ("lacking", (found.lacking or "nothing") if found.status == "open" else "it is not open"),
        ]
    )


def _class(found: Amendment) -> str:
    overlay = ", an overlay" if found.body.overlay else ""
    return f"{found.body.change}{overlay}: {SAID[found.body.change]}"


def _reason(found: Amendment) -> str:
    return "(erased)" if found.reason is None else found.reason
